//===- Inline.cpp - a producer computed in its consumer's body -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Rewrite.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

namespace {
/// Collects the operands of a new generic: one entry per tensor and map.
struct Operands {
  SmallVector<Value> values;
  SmallVector<AffineMap> maps;

  unsigned add(Value value, AffineMap map) {
    for (unsigned i = 0; i < values.size(); ++i)
      if (values[i] == value && maps[i] == map)
        return i;
    values.push_back(value);
    maps.push_back(map);
    return values.size() - 1;
  }
};
} // namespace

// The user's map takes its loops to the operand's dims, which are the producer's loops.
static AffineMap composedMap(OpOperand &producerOperand, OpOperand &operand) {
  auto producer = mlir::cast<GenericOp>(producerOperand.getOwner());
  auto user = mlir::cast<GenericOp>(operand.getOwner());
  return producer.getMatchingIndexingMap(&producerOperand).compose(user.getMatchingIndexingMap(&operand));
}

// Adds the inputs of the producer that the result needs.
static SmallVector<OpOperand *> neededInputs(GenericOp producer, Value yielded,
                                             const llvm::SetVector<Operation *> &slice) {
  llvm::SmallPtrSet<Value, 8> used;
  used.insert(yielded);
  for (Operation *op : slice)
    used.insert(op->operand_begin(), op->operand_end());
  SmallVector<OpOperand *> needed;
  for (OpOperand *input : producer.getDpsInputOperands())
    if (used.contains(producer.getMatchingBlockArgument(input)))
      needed.push_back(input);
  return needed;
}

static Value yieldedValue(OpResult result) {
  auto producer = mlir::cast<GenericOp>(result.getOwner());
  return producer.getBody()->getTerminator()->getOperand(result.getResultNumber());
}

bool canInline(OpOperand &operand) {
  auto producer = operand.get().getDefiningOp<GenericOp>();
  auto user = mlir::dyn_cast<GenericOp>(operand.getOwner());
  if (!producer || !user || !isElementwise(producer) || !user.isDpsInput(&operand))
    return false;
  auto result = mlir::cast<OpResult>(operand.get());
  if (!producer.getIndexingMapMatchingResult(result).isIdentity())
    return false;
  // Inlining needs to know which elements are read from positions along loops, which affine maps tell.
  AffineMap map = user.getMatchingIndexingMap(&operand);
  llvm::SetVector<Operation *> slice = bodySlice(producer, yieldedValue(result));
  for (Operation *op : slice)
    if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(op);
        index && !mlir::isa<mlir::AffineDimExpr>(map.getResult(index.getDim())))
      return false;
  SmallVector<AffineMap> maps;
  for (OpOperand &other : user->getOpOperands())
    if (&other != &operand)
      maps.push_back(user.getMatchingIndexingMap(&other));
  for (OpOperand *input : neededInputs(producer, yieldedValue(result), slice))
    maps.push_back(composedMap(*input, operand));
  return knowsAllLoops(maps);
}

GenericOp inlineProducer(OpOperand &operand) {
  auto user = mlir::cast<GenericOp>(operand.getOwner());
  auto result = mlir::cast<OpResult>(operand.get());
  auto producer = mlir::cast<GenericOp>(result.getOwner());
  AffineMap userMap = user.getMatchingIndexingMap(&operand);
  Value yielded = yieldedValue(result);
  llvm::SetVector<Operation *> slice = bodySlice(producer, yielded);

  Operands inputs;
  SmallVector<std::pair<mlir::BlockArgument, unsigned>> producerArguments, userArguments;
  for (OpOperand *input : neededInputs(producer, yielded, slice))
    producerArguments.push_back(
        {producer.getMatchingBlockArgument(input), inputs.add(input->get(), composedMap(*input, operand))});
  for (OpOperand *input : user.getDpsInputOperands())
    if (input != &operand)
      userArguments.push_back({user.getMatchingBlockArgument(input),
                               inputs.add(input->get(), user.getMatchingIndexingMap(input))});
  SmallVector<AffineMap> maps = inputs.maps;
  for (OpOperand &init : user.getDpsInitsMutable())
    maps.push_back(user.getMatchingIndexingMap(&init));

  mlir::OpBuilder b(user);
  auto build = [&](mlir::OpBuilder &inner, mlir::Location, ValueRange arguments) {
    mlir::IRMapping mapping;
    for (auto [argument, index] : producerArguments)
      mapping.map(argument, arguments[index]);
    for (Operation *op : slice) {
      if (auto index = mlir::dyn_cast<mlir::linalg::IndexOp>(op)) {
        auto position = mlir::cast<mlir::AffineDimExpr>(userMap.getResult(index.getDim())).getPosition();
        mapping.map(index.getResult(),
                    mlir::linalg::IndexOp::create(inner, op->getLoc(), position).getResult());
      } else {
        inner.clone(*op, mapping);
      }
    }
    mapping.map(user.getMatchingBlockArgument(&operand), mapping.lookup(yielded));
    for (auto [argument, index] : userArguments)
      mapping.map(argument, arguments[index]);
    for (auto [old, made] :
         llvm::zip_equal(user.getRegionOutputArgs(), arguments.take_back(user.getNumDpsInits())))
      mapping.map(old, made);
    for (Operation &op : *user.getBody())
      inner.clone(op, mapping);
  };
  auto made =
      GenericOp::create(b, user.getLoc(), user.getResultTypes(), inputs.values, user.getDpsInits(), maps,
                        user.getIteratorTypesArray(),
                        joinDocs(producer.getDoc().value_or(""), user.getDoc().value_or("")), "", build);
  user->replaceAllUsesWith(made);
  user->erase();
  if (producer->use_empty())
    producer->erase();
  return made;
}

} // namespace dlc::fuse
