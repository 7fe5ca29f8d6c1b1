//===- ComparedCalls.cpp - the calls of a program, made on both sides -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/Comparison.h"

using namespace mlir;

namespace dlc::verify {

void Comparison::rows(int64_t &rows, std::vector<int64_t> &sizes) const {
  rows = 1;
  bool isFirst = true;
  for (auto dim : program().getBody().getOps<train::DimOp>()) {
    if (isFirst)
      rows = dim.getBound();
    else
      sizes.push_back(dim.getBound());
    isFirst = false;
  }
}

bool Comparison::predict() { return differentiate(train::Derivative::None); }

bool Comparison::differentiate(train::Derivative derivative) {
  const bool isPrediction = derivative == train::Derivative::None;
  if (!interpret(isPrediction ? "predict" : derivativeName(derivative)))
    return false;
  int64_t count;
  std::vector<int64_t> sizes;
  rows(count, sizes);
  std::vector<Tensor> outputs;
  std::vector<std::string> names;
  for (auto output : program().getBody().getOps<train::OutputOp>())
    if (output.getRole() == train::OutputRole::Prediction && derivativeOf(output) == derivative) {
      names.push_back(output.getSymName().str());
      outputs.push_back(*reference.exact().output(names.back()));
    }
  if (!check(isPrediction ? instance.predict(count, sizes, inputs, outputs)
                          : instance.differentiate(derivative, count, sizes, inputs, outputs)))
    return false;
  for (auto [name, found] : llvm::zip_equal(names, outputs))
    compare(isPrediction ? "prediction" : derivativeName(derivative), name, found, {});
  return true;
}

bool Comparison::evalStep() {
  if (!interpret("eval_step"))
    return false;
  int64_t count;
  std::vector<int64_t> sizes;
  rows(count, sizes);
  Metrics metrics;
  if (!check(instance.evalStep(count, inputs, metrics)))
    return false;
  for (auto output : program().getBody().getOps<train::OutputOp>()) {
    Allowance allowance;
    allowance.part = 1e-5;
    allowance.floor = 1e-7 * static_cast<double>(count);
    allowance.floorReason = "a logarithm near 0";
    const Tensor *exact = reference.exact().output(output.getSymName());
    if (!exact || output.getOfStep())
      continue;
    Tensor found = *exact;
    if (output.getRole() == train::OutputRole::LossSum)
      found.floats = {metrics.lossSum};
    else if (output.getRole() == train::OutputRole::LossWeight)
      found.floats = {metrics.lossWeight};
    else if (output.getRole() == train::OutputRole::Correct)
      found.ints = {metrics.correct};
    else
      continue;
    compare(stringifyOutputRole(output.getRole()), output.getSymName(), found, allowance);
  }
  return true;
}

bool Comparison::gradStep() {
  double loss = 0;
  if (!interpret("grad_step") || !check(instance.gradStep(inputs, loss)))
    return false;
  compareLoss(loss);
  findFloor();
  return compareGradients();
}

bool Comparison::gradStepOfFewerRows() {
  double loss = 0;
  int64_t count = 1;
  std::vector<int64_t> sizes;
  bool isFirst = true;
  for (auto dim : program().getBody().getOps<train::DimOp>()) {
    const int64_t size = std::max<int64_t>(dim.getBound() / 2, 1);
    if (isFirst)
      count = size;
    else
      sizes.push_back(size);
    isFirst = false;
  }
  if (!interpret("grad_step_n") || !check(instance.gradStepOf(count, sizes, inputs, loss)))
    return false;
  compareLoss(loss);
  findFloor();
  return compareGradients();
}

bool Comparison::trainStepOnTheWay() {
  double loss = 0;
  if (!interpret("train_step") || !check(instance.trainStep(inputs, loss)))
    return false;
  ++updates;
  compareLoss(loss);
  return true;
}

bool Comparison::trainStep() {
  if (updates == 0)
    findSpread();
  return trainStepOnTheWay() && compareStates();
}

bool Comparison::accumulateAndApply(const llvm::StringMap<Tensor> &other) {
  double loss = 0;
  if (!interpret("grad_step") || !check(instance.gradStep(inputs, loss)))
    return false;
  begin(when, other);
  if (!interpret("accumulate") || !check(instance.accumulate(inputs, loss)))
    return false;
  compareLoss(loss);
  findFloor();
  if (!compareGradients())
    return false;
  const int64_t before = updates;
  llvm::StringMap<double> until = spread;
  findSpread();
  for (const auto &entry : until) // what the steps before had stays
    spread[entry.getKey()] += entry.second * static_cast<double>(before);
  if (succeeded(reference.run("apply", {})))
    return check(instance.apply()) && compareStates();
  report.cannot = true;
  return false;
}

Tensor Comparison::compiledGradient(StringRef parameter) {
  Tensor found = *reference.exact().state((parameter + ".grad").str());
  (void)instance.readGradient(parameter, found); // it was read before
  return found;
}

} // namespace dlc::verify
