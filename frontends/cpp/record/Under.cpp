//===- Under.cpp - what values are computed of --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/record/State.h"

using namespace mlir;

namespace dlc::record {

llvm::DenseSet<Operation *> operationsUnder(ArrayRef<Value> values, Recorder::State &state,
                                            bool withGradients) {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Operation *> open;
  auto visit = [&](Operation *op) {
    if (seen.insert(op).second)
      open.push_back(op);
  };
  for (Value value : values)
    visit(value.getDefiningOp());
  while (!open.empty()) {
    Operation *op = open.pop_back_val();
    ValueRange operands = op->getOperands();
    if (isa<train::CustomGradientOp>(op) && !withGradients) // the values, and what their gradients need
      operands = operands.take_front(op->getNumResults());
    for (Value operand : operands)
      visit(operand.getDefiningOp());
    if (auto norm = dyn_cast<train::BatchNormOp>(op)) // reads its running statistics by name
      for (StringRef symbol : {norm.getMean(), norm.getVariance()})
        visit(state.source(state.symbols.find(symbol)->second.id).getDefiningOp());
  }
  return seen;
}

std::string Recorder::inputUnder(Id value) const {
  for (Operation *op : operationsUnder({recording->values[value]}, *recording))
    if (auto read = dyn_cast<train::ReadOp>(op))
      if (const Symbol &symbol = recording->symbols.find(read.getSymbol())->second;
          symbol.kind == Symbol::Kind::Input)
        return symbol.name;
  return "";
}

std::vector<Id> Recorder::statesUnder(const std::vector<Id> &values) const {
  SmallVector<Value> results;
  for (Id id : values)
    results.push_back(recording->values[id]);
  llvm::DenseSet<Operation *> wanted = operationsUnder(results, *recording);
  std::vector<Id> states;
  for (auto read : recording->function.getOps<train::ReadOp>())
    if (wanted.contains(read) && recording->symbolOf(recording->ids[read]).kind == Symbol::Kind::State)
      states.push_back(recording->ids[read]);
  return states;
}

} // namespace dlc::record
