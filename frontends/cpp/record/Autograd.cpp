//===- Autograd.cpp - gradients that a description asks for -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reverse mode, the compiler's own, adds its operations to what is recorded.
//===----------------------------------------------------------------------===//
#include "compiler/support/Messages.h"
#include "dialects/train/ReverseMode.h"
#include "frontends/cpp/record/State.h"
#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace dlc::record {

/// Parameters do unless they are frozen; what is computed does where an operand does.
bool Recorder::State::needsGradient(Value value) const {
  llvm::DenseSet<Operation *> seen;
  SmallVector<Value> open{value};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    if (!isa<FloatType>(cast<RankedTensorType>(next.getType()).getElementType()))
      continue;
    if (auto said = requiresGrad.find(next); said != requiresGrad.end()) {
      if (said->second)
        return true;
      continue;
    }
    Operation *op = next.getDefiningOp();
    if (auto read = dyn_cast<train::ReadOp>(op))
      if (auto kind = symbols.find(read.getSymbol())->second.kind;
          kind == Symbol::Kind::State || kind == Symbol::Kind::Placeholder)
        return true;
    if (!seen.insert(op).second)
      continue;
    for (OpOperand &operand : op->getOpOperands())
      if (!train::stopsGradient(operand))
        open.push_back(operand.get());
  }
  return false;
}

bool Recorder::requiresGrad(Id value) const { return recording->needsGradient(recording->source(value)); }

bool Recorder::isLeaf(Id value) const {
  Value tensor = recording->source(value);
  Operation *op = tensor.getDefiningOp();
  if (!recording->needsGradient(tensor))
    return false;
  return isa<train::ReadOp>(op) || llvm::none_of(op->getOpOperands(), [&](OpOperand &operand) {
           return !train::stopsGradient(operand) && recording->needsGradient(operand.get());
         });
}

bool Recorder::dependsOn(Id value, Id other) const {
  return operationsUnder(recording->values[value], *recording)
      .contains(recording->values[other].getDefiningOp());
}

std::vector<Id> Recorder::leavesUnder(Id value, const std::vector<Id> &also) const {
  llvm::DenseSet<Value> wanted, seen;
  for (Id id : also)
    wanted.insert(recording->source(id));
  std::vector<Id> leaves;
  SmallVector<Value> open{recording->values[value]};
  while (!open.empty()) {
    Value next = open.pop_back_val();
    auto known = recording->ids.find(next);
    if (!seen.insert(next).second)
      continue;
    if (known != recording->ids.end() && recording->source(known->second) == next &&
        (wanted.contains(next) || isLeaf(known->second)))
      leaves.push_back(known->second);
    for (OpOperand &operand : next.getDefiningOp()->getOpOperands())
      if (!train::stopsGradient(operand))
        open.push_back(operand.get());
  }
  llvm::sort(leaves);
  return leaves;
}

Outcome<bool> Recorder::setRequiresGrad(Id value, bool on) {
  Value tensor = recording->source(value);
  if (!isa<FloatType>(cast<RankedTensorType>(tensor.getType()).getElementType()) && on)
    return Outcome<bool>::fail("requires_grad_: expected floating-point numbers, which have gradients, got " +
                               typeForUsers(tensor.getType()));
  bool isComputed = tensor.getDefiningOp()->getNumOperands() > 0 && !recording->requiresGrad.contains(tensor);
  if (!on && isComputed && recording->needsGradient(tensor))
    return Outcome<bool>::fail(
        "requires_grad_(false): the tensor is computed of others that require gradients; "
        "detach() gives one that does not");
  recording->requiresGrad[tensor] = on;
  return {true, ""};
}

Id Recorder::detach(Id value, const Place &place) {
  OpBuilder builder = OpBuilder::atBlockEnd(&recording->function.getBody().front());
  return recording->add(
      train::StopGradientOp::create(builder, recording->locationOf(place), recording->values[value]));
}

/// "'sort' of model.cpp:12 has no gradient".
static std::string describe(const train::ReverseMode::Missing &missing) {
  Place place = placeOf(missing.op->getLoc());
  std::string text = "'" + missing.op->getName().stripDialect().str() + "' of " + place.file + ":" +
                     std::to_string(place.line) + " has no gradient";
  if (isa<train::BatchNormOp>(missing.op))
    text += " while it is in training mode, whose statistics only a training step has; eval() of its module "
            "changes that";
  return text;
}

Outcome<std::vector<Id>> Recorder::gradients(const std::vector<Id> &outputs, const std::vector<Id> &inputs,
                                             const std::vector<Id> &seeds, bool again, const Place &place) {
  using Result = Outcome<std::vector<Id>>;
  auto valuesOf = [&](const std::vector<Id> &ids) {
    return llvm::map_to_vector(ids, [&](Id id) { return recording->values[id]; });
  };
  SmallVector<Value> from = valuesOf(outputs), by;
  for (Id input : inputs)
    by.push_back(recording->source(input));
  train::ReverseMode reverse(from, by);
  for (const train::ReverseMode::Missing &missing : reverse.getMissing())
    return Result::fail("grad: " + describe(missing));
  llvm::DenseMap<Value, Value> gradients;
  OpBuilder builder = OpBuilder::atBlockEnd(&recording->function.getBody().front());
  std::string errors = errorsOf(recording->context, [&] {
    (void)reverse.build(
        builder, [&](Value leaf, Value gradient) { gradients[leaf] = gradient; }, valuesOf(seeds));
  });
  if (!errors.empty())
    return Result::fail("grad: " + errors);
  std::vector<Id> results;
  for (Value leaf : by) {
    Value gradient = gradients.lookup(leaf);
    Id id = gradient ? recording->add(gradient) : 0;
    results.push_back(gradient && !again ? detach(id, place) : id);
  }
  return {std::move(results), ""};
}

} // namespace dlc::record
