//===- ReverseMode.cpp - reverse-mode differentiation of a block -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The method is the classic one (Griewank and Walther, Evaluating Derivatives, 2008): mark what varies
// with the leaves going forward, what the outputs need going backward, and call the rules of the
// operations that are both, in reverse order.
//===----------------------------------------------------------------------===//
#include "dialects/train/ReverseMode.h"
#include "compiler/support/NodeNames.h"
#include "dialects/nn/Expr.h"
#include "dialects/nn/Order.h"
#include "dialects/train/Custom.h"
#include "dialects/train/Train.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace train;

// Backward operations say whose gradient they compute.
static Location gradientLocation(Operation *op) {
  StringRef name = dlc::nodeName(op->getLoc());
  std::string text = ("gradient of " + (name.empty() ? op->getName().getStringRef() : name)).str();
  return NameLoc::get(StringAttr::get(op->getContext(), text), op->getLoc());
}

/// Whether the operation has a gradient for what is no stop.
static bool hasRule(OpOperand &operand) {
  if (auto custom = dyn_cast<CustomOp>(operand.getOwner()))
    return custom.definition().getGradient().has_value();
  auto rule = dyn_cast<nn::GradientOpInterface>(operand.getOwner());
  return rule && rule.isDifferentiable(operand.getOperandNumber());
}

static bool isFloatTensor(Value value) {
  auto type = dyn_cast<RankedTensorType>(value.getType());
  return type && isa<FloatType>(type.getElementType());
}

bool train::stopsGradient(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto custom = dyn_cast<CustomGradientOp>(op))
    return !custom.isInput(operand.getOperandNumber());
  if (auto custom = dyn_cast<CustomOp>(op))
    return !custom.definition().inputTensors()[operand.getOperandNumber()].isVariable();
  return op->hasTrait<nn::NotDifferentiable>();
}

// Gradients flow through float values only, and stop where an operation says so.
void ReverseMode::findVaried() {
  varied.insert_range(leaves);
  for (Operation &op : *outputs.front().getParentBlock())
    if (llvm::any_of(op.getOpOperands(), [&](OpOperand &operand) {
          return varied.contains(operand.get()) && !stopsGradient(operand);
        }))
      varied.insert_range(llvm::make_filter_range(op.getResults(), isFloatTensor));
}

void ReverseMode::recordTape() {
  for (Value output : outputs)
    if (varied.contains(output))
      reached.insert(output);
  for (Operation &op : llvm::reverse(*outputs.front().getParentBlock())) {
    if (llvm::none_of(op.getResults(), [&](Value result) { return reached.contains(result); }))
      continue;
    TapeEntry entry{&op, {}};
    for (OpOperand &operand : op.getOpOperands()) {
      bool needed = varied.contains(operand.get()) && !stopsGradient(operand);
      entry.needed.push_back(needed);
      if (!needed)
        continue;
      // What lies behind a missing gradient counts as reached, so that it is not reported too.
      reached.insert(operand.get());
      if (!hasRule(operand))
        missing.push_back({&op, operand.getOperandNumber()});
    }
    if (llvm::is_contained(entry.needed, true))
      tape.push_back(std::move(entry));
  }
  std::reverse(missing.begin(), missing.end());
}

ReverseMode::ReverseMode(ArrayRef<Value> outputs, ArrayRef<Value> leaves)
    : outputs(outputs), leaves(leaves.begin(), leaves.end()) {
  findVaried();
  recordTape();
}

static Value filled(ImplicitLocOpBuilder &builder, Value like, double number) {
  auto type = cast<RankedTensorType>(like.getType());
  if (!type.hasStaticShape())
    return expand(nn::Expr(builder, like).scalar(number), type);
  auto element = builder.getFloatAttr(type.getElementType(), number);
  return nn::ConstantOp::create(builder, SplatElementsAttr::get(type, element));
}

// Gives the outputs their gradients.
void ReverseMode::plant(OpBuilder &builder, ArrayRef<Value> seeds) {
  for (auto [i, output] : llvm::enumerate(outputs)) {
    if (!varied.contains(output))
      continue;
    ImplicitLocOpBuilder rules(gradientLocation(output.getDefiningOp()), builder);
    Value seed = seeds.empty() ? Value() : seeds[i];
    if (!seed)
      seed = filled(rules, output, 1);
    Value &sum = gradients[output];
    sum = sum ? Value(nn::AddOp::create(rules, sum, seed)) : seed;
  }
}

// Calls the rule of one operation and adds what it gives to the gradients of the operands.
LogicalResult ReverseMode::goBack(const TapeEntry &entry, OpBuilder &builder) {
  SmallVector<Value> dResults;
  for (Value result : entry.op->getResults())
    dResults.push_back(gradients.lookup(result));
  if (llvm::none_of(dResults, [](Value gradient) { return bool(gradient); }))
    return success(); // reached only through results whose gradient is zero
  ImplicitLocOpBuilder rules(gradientLocation(entry.op), builder);
  auto rule = cast<nn::GradientOpInterface>(entry.op);
  SmallVector<Value> dOperands =
      nn::inOrder(rules, [&] { return rule.gradient(rules, dResults, entry.needed); });
  if (dOperands.size() != entry.op->getNumOperands())
    return entry.op->emitOpError("has a gradient rule that gives ")
           << dOperands.size() << " gradients for " << entry.op->getNumOperands() << " operands";
  for (auto [operand, gradient, needed] : llvm::zip_equal(entry.op->getOperands(), dOperands, entry.needed)) {
    if (!needed || !gradient)
      continue;
    if (gradient.getType() != operand.getType())
      return entry.op->emitOpError("has a gradient rule that gives ")
             << gradient.getType() << " for an operand of type " << operand.getType();
    Value &sum = gradients[operand];
    sum = sum ? Value(nn::AddOp::create(rules, sum, gradient)) : gradient;
  }
  return success();
}

LogicalResult ReverseMode::build(OpBuilder &builder, Finished finished, ArrayRef<Value> seeds) {
  assert(missing.empty() && "operations without gradient are the caller's to report");
  // In reverse order, the last operation to touch a leaf is its first user.
  DenseMap<Value, Operation *> firstUser;
  for (const TapeEntry &entry : tape)
    for (Value operand : entry.op->getOperands())
      if (leaves.contains(operand) && reached.contains(operand))
        firstUser[operand] = entry.op;

  plant(builder, seeds);
  for (Value output : llvm::SmallSetVector<Value, 2>(outputs.begin(), outputs.end()))
    if (leaves.contains(output) && !firstUser.contains(output))
      finished(output, gradients[output]);
  for (const TapeEntry &entry : tape) {
    if (failed(goBack(entry, builder)))
      return failure();
    llvm::SetVector<Value> operands(entry.op->operand_begin(), entry.op->operand_end());
    for (Value operand : operands) {
      if (firstUser.lookup(operand) != entry.op)
        continue;
      Value gradient = gradients.lookup(operand);
      // Rules may give no gradient where it is zero.
      ImplicitLocOpBuilder rules(gradientLocation(entry.op), builder);
      finished(operand, gradient ? gradient : filled(rules, operand, 0));
    }
  }
  return success();
}
