//===- LoopPairs.cpp - which neighbouring loops of a kernel are one loop ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/LoopPairs.h"
#include "dialects/train/Nonzero.h"

namespace arith = mlir::arith;

namespace dlc::fuse {

using mlir::AffineDimExpr, mlir::AffineExpr, mlir::linalg::IndexOp;

nn::Shape declaredShape(train::KernelOp kernel, Value tensor, unsigned position) {
  auto type = mlir::cast<mlir::RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    return nn::shapeOf(type);
  mlir::Attribute names = (*kernel.getArgDims())[position];
  return nn::shapeOf(mlir::RankedTensorType::get(type.getShape(), type.getElementType(), names));
}

IndexOp linearPosition(arith::AddIOp sum, unsigned outer, int64_t size) {
  auto product = sum.getLhs().getDefiningOp<arith::MulIOp>();
  auto next = sum.getRhs().getDefiningOp<IndexOp>();
  auto position = product ? product.getLhs().getDefiningOp<IndexOp>() : IndexOp();
  if (!position || !next || position.getDim() != outer || next.getDim() != outer + 1)
    return nullptr;
  auto factor = product.getRhs().getDefiningOp<arith::ConstantIndexOp>();
  return factor && factor.value() == size && product->hasOneUse() ? position : IndexOp();
}

// Whether the body needs the position along `outer` and the next loop only as the position along both.
static bool usesLinearPositions(GenericOp op, unsigned outer) {
  int64_t size = op.getStaticLoopRanges()[outer + 1];
  for (IndexOp index : op.getBody()->getOps<IndexOp>()) {
    bool isOuter = index.getDim() == outer;
    if (!isOuter && index.getDim() != outer + 1)
      continue;
    for (Operation *user : index->getUsers()) {
      if (isOuter && user->hasOneUse())
        user = *user->user_begin();
      auto sum = mlir::dyn_cast<arith::AddIOp>(user);
      if (!sum || !linearPosition(sum, outer, size))
        return false;
    }
  }
  return true;
}

LoopPairs::LoopPairs(train::KernelOp kernel) {
  classes.insert(separate);
  for (GenericOp op : kernel.getBody().front().getOps<GenericOp>()) {
    if (!first)
      first = op;
    addLoops(op, kernel.getShared().value_or(0));
    for (OpOperand &operand : op->getOpOperands())
      addOperand(op, operand);
    for (OpResult result : op->getResults())
      for (unsigned dim = 0; dim + 1 < rankOf(result); ++dim)
        tie({result.getAsOpaquePointer(), dim},
            {keyOf(*op.getDpsInitOperand(result.getResultNumber())), dim});
    for (Value captured : capturedTensors(op)) // read at positions along its dims
      for (unsigned dim = 0; dim + 1 < rankOf(captured); ++dim)
        keepApart({captured.getAsOpaquePointer(), dim});
  }
  mlir::Block &body = kernel.getBody().front();
  unsigned index = 0;
  for (Value argument : body.getArguments())
    addStrides(kernel, argument, index++);
  for (Value result : body.getTerminator()->getOperands())
    addStrides(kernel, result, index++);
}

// Neighbouring dims of a part of a larger tensor can only become one if there is no gap between them.
void LoopPairs::addStrides(train::KernelOp kernel, Value tensor, unsigned index) {
  std::optional<nn::Shape> strides = kernel.stridesOf(index);
  if (!strides)
    return;
  nn::Shape shape = declaredShape(kernel, tensor, index);
  for (unsigned dim = 0; dim + 1 < shape.size(); ++dim)
    if ((*strides)[dim] != (*strides)[dim + 1] * shape[dim + 1])
      keepApart({tensor.getAsOpaquePointer(), dim});
}

// Whether the set of nonzero terms restricts a loop.
static bool isNamed(mlir::IntegerSet terms, unsigned loop) {
  return terms && llvm::any_of(terms.getConstraints(),
                               [&](AffineExpr atLeastZero) { return atLeastZero.isFunctionOfDim(loop); });
}

void LoopPairs::addLoops(GenericOp op, unsigned shared) {
  auto iterators = op.getIteratorTypesArray();
  mlir::IntegerSet terms = train::nonzeroTerms(op);
  for (unsigned loop = 0; loop + 1 < op.getNumLoops(); ++loop) {
    Pair pair{op.getOperation(), loop};
    if (loop + 1 < shared)
      tie(pair, {first.getOperation(), loop});
    if (loop + 1 == shared || iterators[loop] != iterators[loop + 1] || !usesLinearPositions(op, loop) ||
        isNamed(terms, loop) || isNamed(terms, loop + 1))
      keepApart(pair);
  }
}

void LoopPairs::addOperand(GenericOp op, OpOperand &operand) {
  ArrayRef<AffineExpr> results = op.getMatchingIndexingMap(&operand).getResults();
  auto loopAt = [&](unsigned dim) {
    auto loop = mlir::dyn_cast<AffineDimExpr>(results[dim]);
    return loop ? int(loop.getPosition()) : -1;
  };
  // A dim of 0 or 1 elements is not collapsed: sizes would not tell which dims have become one.
  ArrayRef<int64_t> sizes = mlir::cast<mlir::ShapedType>(operand.get().getType()).getShape();
  auto hasMany = [&](unsigned dim) { return mlir::ShapedType::isDynamic(sizes[dim]) || sizes[dim] > 1; };
  auto isPair = [&](unsigned dim) {
    return dim + 1 < results.size() && loopAt(dim) >= 0 && loopAt(dim + 1) == loopAt(dim) + 1 &&
           hasMany(dim) && hasMany(dim + 1);
  };
  for (unsigned dim = 0; dim + 1 < results.size(); ++dim) {
    Pair pair{keyOf(operand), dim};
    isPair(dim) ? tie(pair, {op.getOperation(), unsigned(loopAt(dim))}) : keepApart(pair);
  }
  // Loops that move the operand in any other way are not collapsed.
  for (int loop = 0; loop + 1 < int(op.getNumLoops()); ++loop)
    for (unsigned dim = 0; dim < results.size(); ++dim) {
      bool isFirst = isPair(dim) && loopAt(dim) == loop,
           isSecond = dim > 0 && isPair(dim - 1) && loopAt(dim) == loop + 1;
      bool moves = results[dim].isFunctionOfDim(loop) || results[dim].isFunctionOfDim(loop + 1);
      if (moves && !isFirst && !isSecond)
        keepApart({op.getOperation(), unsigned(loop)});
    }
}

Groups LoopPairs::groupsOf(const void *of, unsigned count) const {
  Groups groups;
  for (unsigned dim = 0; dim < count; ++dim) {
    if (dim == 0 || !isOne({of, dim - 1}))
      groups.emplace_back();
    groups.back().push_back(dim);
  }
  return groups;
}

} // namespace dlc::fuse
