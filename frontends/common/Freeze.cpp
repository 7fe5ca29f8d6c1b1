//===- Freeze.cpp - parameters that cannot be trained ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Freeze.h"
#include "dialects/nn/Infer.h"
#include "dialects/train/ReverseMode.h"
#include "llvm/ADT/StringSet.h"

using namespace mlir;

namespace dlc::frontend {

/// Whether a gradient can flow from a result of `op` to this operand.
static bool passesGradient(OpOperand &operand) {
  if (!isa<FloatType>(nn::elementTypeOf(operand.get())) || train::stopsGradient(operand))
    return false;
  if (isa<train::ByModeOp>(operand.getOwner()) && operand.getOperandNumber() != 0)
    return false; // training does not compute it
  if (auto rule = dyn_cast<nn::GradientOpInterface>(operand.getOwner()))
    return rule.isDifferentiable(operand.getOperandNumber());
  return isa<train::BatchNormOp>(operand.getOwner());
}

void freezeUnreached(train::ProgramOp program, train::FunctionOp forward) {
  llvm::DenseSet<Value> reached;
  for (Operation &op : llvm::reverse(forward.getBody().front())) {
    auto write = dyn_cast<train::WriteOp>(op);
    bool isOutput = isa<train::LossOp>(op) ||
                    (write && isa<train::OutputOp>(SymbolTable::lookupSymbolIn(program, write.getSymbol())));
    if (!isOutput && llvm::none_of(op.getResults(), [&](Value result) { return reached.contains(result); }))
      continue;
    for (OpOperand &operand : op.getOpOperands())
      if (isOutput || passesGradient(operand))
        reached.insert(operand.get());
  }
  llvm::StringSet<> reachedSymbols;
  for (auto read : forward.getOps<train::ReadOp>())
    if (reached.contains(read.getValue()))
      reachedSymbols.insert(read.getSymbol());
  for (auto state : program.getOps<train::StateOp>())
    if (state.getKind() == train::StateKind::Parameter && !reachedSymbols.contains(state.getSymName()))
      state.setFrozen(true);
}

} // namespace dlc::frontend
