//===- EpilogueStages.cpp - an epilogue in two stages ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/cpu/EpilogueStages.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace dlc::cpu {

// A tile of 6 x 4 vectors leaves four registers of 32.
static constexpr size_t mostCarried = 2;

bool EpilogueStages::isLate(Value value) const {
  Operation *op = value.getDefiningOp();
  return op && llvm::is_contained(second, op) && !llvm::is_contained(first, op);
}

bool EpilogueStages::readsLate(Value value) const {
  return llvm::any_of(value.getUsers(), [&](Operation *user) { return llvm::is_contained(second, user); });
}

std::optional<EpilogueStages> epilogueStages(linalg::GenericOp epilogue, Value sums) {
  // What needs a square root, and what is needed before.
  Block &body = *epilogue.getBlock();
  llvm::DenseSet<Value> afterRoot;
  llvm::SetVector<Value> early;
  for (Operation &op : body.without_terminator()) {
    bool isAfter = llvm::any_of(op.getOperands(), [&](Value operand) {
      return afterRoot.contains(operand) || operand.getDefiningOp<math::SqrtOp>();
    });
    if (isAfter)
      afterRoot.insert_range(op.getResults());
    else if (isa<math::SqrtOp>(op))
      early.insert_range(op.getResults());
  }
  if (afterRoot.empty())
    return std::nullopt;
  auto yielded = body.getTerminator()->getOperands();
  for (Value value : yielded)
    if (!afterRoot.contains(value))
      early.insert(value);
  for (size_t i = 0; i < early.size(); ++i)
    if (Operation *op = early[i].getDefiningOp())
      early.insert_range(op->getOperands());

  EpilogueStages stages;
  for (Operation &op : body.without_terminator()) {
    bool isConstant = op.getNumOperands() == 0;
    bool isFirst = isConstant || llvm::any_of(op.getResults(), [&](Value v) { return early.contains(v); });
    if (isFirst)
      stages.first.push_back(&op);
    if (isConstant || !isFirst)
      stages.second.push_back(&op);
  }
  BlockArgument ofSums = epilogue.getMatchingBlockArgument(
      *llvm::find_if(llvm::make_pointer_range(epilogue->getOpOperands()),
                     [&](OpOperand *operand) { return operand->get() == sums; }));
  for (Operation *op : stages.second)
    for (Value operand : op->getOperands()) {
      Operation *maker = operand.getDefiningOp();
      bool isMadeFirst = maker && maker->getBlock() == &body && !llvm::is_contained(stages.second, maker);
      if (operand == ofSums || (isMadeFirst && !llvm::is_contained(yielded, operand)))
        stages.carried.insert(operand);
    }
  if (stages.carried.size() > mostCarried)
    return std::nullopt;
  return stages;
}

} // namespace dlc::cpu
