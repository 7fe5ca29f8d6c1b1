//===- CustomGradient.cpp - gradients of the user's own ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A backward function is called once, with placeholders in the place of what only a backward pass has. What
// it recorded of them is copied into the body of a train.custom_gradient; the rest stays where it is, and is
// kept.
//===----------------------------------------------------------------------===//
#include "frontends/cpp/record/State.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace dlc::record {

namespace {

bool comesBefore(Operation *a, Operation *b) { return a->isBeforeInBlock(b); }

/// The operations between some placeholders and what was computed of them, and what else these use.
class Body {
public:
  Body(ArrayRef<Value> placeholders, ArrayRef<Value> results) : placeholders(placeholders), results(results) {
    dependent.insert_range(placeholders);
    llvm::SetVector<Operation *> below;
    for (Value result : results)
      below.insert(result.getDefiningOp());
    for (size_t i = 0; i < below.size(); ++i)
      for (Value operand : below[i]->getOperands())
        below.insert(operand.getDefiningOp());
    SmallVector<Operation *> ordered = below.takeVector();
    llvm::sort(ordered, comesBefore);
    for (Operation *op : ordered)
      if (llvm::any_of(op->getOperands(), [&](Value operand) { return dependent.contains(operand); })) {
        dependent.insert_range(op->getResults());
        operations.push_back(op);
      }
    for (Operation *op : operations)
      for (Value operand : op->getOperands())
        keep(operand);
    for (Value result : results)
      keep(result);
  }

  /// What the body uses without depending on placeholders.
  ArrayRef<Value> kept() const { return captured.getArrayRef(); }

  void copyTo(Block &block, Location location) const {
    IRMapping mapping;
    for (ValueRange arguments : {ValueRange(placeholders), ValueRange(captured.getArrayRef())})
      for (Value value : arguments)
        mapping.map(value, block.addArgument(value.getType(), location));
    OpBuilder builder = OpBuilder::atBlockEnd(&block);
    for (Operation *op : operations)
      builder.clone(*op, mapping);
    auto yielded = llvm::map_to_vector(results, [&](Value result) { return mapping.lookup(result); });
    train::YieldOp::create(builder, location, yielded);
  }

private:
  void keep(Value value) {
    if (!dependent.contains(value))
      captured.insert(value);
  }

  SmallVector<Value> placeholders, results;
  llvm::DenseSet<Value> dependent;
  SmallVector<Operation *> operations; ///< in order
  llvm::SetVector<Value> captured;
};

FailureOr<train::CustomGradientOp> create(OpBuilder &builder, Location location, ArrayRef<Value> values,
                                          ArrayRef<Value> inputs, ArrayRef<Value> kept, const Body &body) {
  auto op = train::CustomGradientOp::create(builder, location, values, inputs, kept);
  body.copyTo(op.getBody().emplaceBlock(), location);
  if (succeeded(verify(op)))
    return op;
  op.erase();
  return failure();
}

/// A copy of the operation. That of a batch normalization has no running statistics, which it would move
/// once more.
Operation *copyOf(Operation *op, OpBuilder &builder, IRMapping &mapping) {
  auto norm = dyn_cast<train::BatchNormOp>(op);
  if (!norm)
    return builder.clone(*op, mapping);
  auto alone = nn::BatchNormOp::create(builder, op->getLoc(), mapping.lookupOrDefault(norm.getX()),
                                       mapping.lookupOrDefault(norm.getScale()),
                                       mapping.lookupOrDefault(norm.getBias()), norm.getEpsilonAttr());
  mapping.map(op->getResult(0), alone.getY());
  return alone;
}

/// Has `wanted` computed right behind `place`, and the builder go on there: copies of operations that stand
/// below it. Of `hooked` they read `source`.
SmallVector<Value> lift(ArrayRef<Value> wanted, Operation *place, Value hooked, Value source,
                        OpBuilder &builder) {
  llvm::SetVector<Operation *> below;
  auto add = [&](Value value) {
    Operation *op = value.getDefiningOp();
    if (value != hooked && value != source && place->isBeforeInBlock(op))
      below.insert(op);
  };
  llvm::for_each(wanted, add);
  for (size_t i = 0; i < below.size(); ++i)
    llvm::for_each(below[i]->getOperands(), add);
  SmallVector<Operation *> ordered = below.takeVector();
  llvm::sort(ordered, comesBefore);
  IRMapping mapping;
  mapping.map(hooked, source);
  builder.setInsertionPointAfter(place);
  for (Operation *op : ordered) {
    if (!isa<train::ReadOp>(op)) {
      place = copyOf(op, builder, mapping);
    } else { // a symbol has one read
      op->moveAfter(place);
      place = op;
    }
    builder.setInsertionPointAfter(place);
  }
  return llvm::map_to_vector(wanted, [&](Value value) { return mapping.lookupOrDefault(value); });
}

} // namespace

Id Recorder::placeholder(Id like, const Place &place) {
  auto type = cast<RankedTensorType>(recording->values[like].getType());
  return recording->read(Symbol::Kind::Placeholder, "", type, std::nullopt, place);
}

Outcome<std::vector<Id>> Recorder::customGradient(const std::vector<Id> &values,
                                                  const std::vector<Id> &inputs,
                                                  const std::vector<Id> &placeholders,
                                                  const std::vector<Id> &gradients, const Place &place) {
  auto valuesOf = [&](const std::vector<Id> &ids) {
    return llvm::map_to_vector(ids, [&](Id id) { return recording->values[id]; });
  };
  Body body(valuesOf(placeholders), valuesOf(gradients));
  FailureOr<train::CustomGradientOp> op = failure();
  std::string errors = errorsOf(recording->context, [&] {
    OpBuilder builder = OpBuilder::atBlockEnd(&recording->function.getBody().front());
    op = create(builder, recording->locationOf(place), valuesOf(values), valuesOf(inputs), body.kept(), body);
  });
  if (failed(op))
    return Outcome<std::vector<Id>>::fail("backward: " + errors);
  std::vector<Id> results;
  for (Value result : op->getResults())
    results.push_back(recording->add(result));
  return {std::move(results), ""};
}

Outcome<size_t> Recorder::hook(Id value, Id placeholder, Id gradient, const Place &place) {
  Value hooked = recording->values[value], source = recording->source(value);
  // The body has an argument for the value itself, as all have; what it reads of the value is kept.
  Id unused = this->placeholder(value, place);
  Body body({recording->values[placeholder], recording->values[unused]}, {recording->values[gradient]});
  FailureOr<train::CustomGradientOp> op = failure();
  llvm::SmallPtrSet<Operation *, 16> before;
  std::string errors = errorsOf(recording->context, [&] {
    Operation *above = source.getDefiningOp();
    for (Operation *user : source.getUsers())
      before.insert(user);
    OpBuilder builder(above->getContext());
    SmallVector<Value> kept = lift(body.kept(), above, hooked, source, builder);
    op = create(builder, recording->locationOf(place), {source}, {source}, kept, body);
  });
  if (failed(op))
    return Outcome<size_t>::fail("register_hook: " + errors);
  source.replaceUsesWithIf(op->getResult(0), [&](OpOperand &use) { return before.contains(use.getOwner()); });
  recording->hooks.push_back(*op);
  const size_t number = recording->hooks.size() - 1;
  if (hooked != source)
    return {number, ""};
  recording->unhooked[value] = source;
  recording->values[value] = op->getResult(0);
  recording->ids[op->getResult(0)] = value;
  return {number, ""};
}

void Recorder::unhook(size_t number) {
  Operation *op = std::exchange(recording->hooks[number], nullptr);
  if (!op)
    return;
  Value hooked = op->getResult(0), before = op->getOperand(0);
  if (auto known = recording->ids.find(hooked);
      known != recording->ids.end()) { // the last of the value's hooks
    const Id value = known->second;
    recording->ids.erase(known);
    recording->values[value] = before;
    recording->ids[before] = value;
    if (before == recording->unhooked.lookup(value))
      recording->unhooked.erase(value);
  }
  hooked.replaceAllUsesWith(before);
  op->erase();
  recording->evaluator->forget();
}

Id Recorder::identity(Id value, const Place &place) {
  const Id gradient = placeholder(value, place), unused = placeholder(value, place);
  auto made = customGradient({value}, {value}, {gradient, unused}, {gradient}, place);
  assert(made.value && "its types are the value's");
  return made.value->front();
}

} // namespace dlc::record
