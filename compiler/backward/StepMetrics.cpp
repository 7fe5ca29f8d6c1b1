//===- StepMetrics.cpp - sums and counts of a batch -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/backward/StepMetrics.h"
#include "compiler/backward/JoinedLoss.h"
#include "compiler/backward/TrainingState.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/Custom.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using nn::Expr;

namespace dlc::backward {

//===-- Predictions that are right -------------------------------------------------===//

// How many rows hold: `holds` is i1.
static Expr countRows(Expr holds) {
  ImplicitLocOpBuilder &builder = holds.getBuilder();
  auto type = RankedTensorType::get({}, builder.getI64Type());
  auto number = [&](int64_t value) {
    return Expr(builder, nn::ConstantOp::create(builder, DenseElementsAttr::get(type, value)));
  };
  Expr one = number(1), zero = number(0);
  return sumAll(select(holds, one, zero));
}

// Rows whose largest score is at the label.
template <typename LossOp> static Expr countCorrectClasses(ImplicitLocOpBuilder &builder, LossOp loss) {
  Expr labels(builder, loss.getLabels());
  Expr best(builder, nn::ArgMaxOp::create(builder, loss.getX(), /*axis=*/1));
  auto type = RankedTensorType::get({}, labels.elementType());
  auto ignored =
      DenseElementsAttr::get(type, builder.getIntegerAttr(labels.elementType(), loss.getIgnoreIndex()));
  Expr counts = logicalNot(equal(labels, {builder, nn::ConstantOp::create(builder, ignored)}));
  return countRows(logicalAnd(equal(cast(best, labels.elementType()), labels), counts));
}

// Rows whose elements are all on the target's side of the threshold.
template <typename LossOp>
static Expr countCorrectSides(ImplicitLocOpBuilder &builder, LossOp loss, double threshold) {
  Expr x(builder, loss.getX()), target(builder, loss.getTarget());
  Expr predicted = greater(x, x.scalar(threshold)), wanted = greater(target, target.scalar(0.5));
  Expr agrees = equal(predicted, wanted);
  if (agrees.rank() < 2)
    return countRows(agrees);
  auto inRow = llvm::to_vector(llvm::seq<int64_t>(1, agrees.rank()));
  Expr wrong = sum(cast(logicalNot(agrees), builder.getI64Type()), inRow, /*keepdims=*/false);
  auto zero = DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), int64_t(0));
  return countRows(equal(wrong, {builder, nn::ConstantOp::create(builder, zero)}));
}

static bool isOfClasses(Operation *op) {
  return isa_and_nonnull<nn::SoftmaxCrossEntropyOp, nn::NllLossOp, nn::BceLossOp, nn::BceWithLogitsLossOp>(op);
}

static bool isSumOverRanks(Operation *op) {
  auto custom = dyn_cast_or_null<train::CustomOp>(op);
  return custom && custom.definition().getCollective();
}

Operation *classLossIn(Value loss) {
  llvm::SetVector<Operation *> ops;
  Operation *found = nullptr;
  ops.insert(loss.getDefiningOp());
  for (size_t i = 0; i < ops.size(); ++i) {
    Operation *op = ops[i];
    if (isOfClasses(op)) {
      if (found)
        return nullptr;
      found = op;
    } else if (isa_and_nonnull<nn::AddOp, nn::SubOp, nn::MulOp, nn::DivOp, nn::NegOp, nn::CastOp, nn::ReshapeOp,
                               nn::SumOp, nn::MeanOp>(op) ||
               isSumOverRanks(op)) {
      for (Value operand : op->getOperands())
        ops.insert(operand.getDefiningOp());
    }
  }
  return found;
}

Value countCorrect(ImplicitLocOpBuilder &builder, Value loss) {
  auto none = DenseElementsAttr::get(RankedTensorType::get({}, builder.getI64Type()), int64_t(0));
  Operation *op = classLossIn(loss);
  if (!op)
    return nn::ConstantOp::create(builder, none);
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case<nn::SoftmaxCrossEntropyOp, nn::NllLossOp>(
          [&](auto op) { return countCorrectClasses(builder, op); })
      .Case([&](nn::BceLossOp op) { return countCorrectSides(builder, op, 0.5); })
      .Case([&](nn::BceWithLogitsLossOp op) { return countCorrectSides(builder, op, 0); });
}

//===-- Of steps that train --------------------------------------------------------===//

static train::LossOp lossOf(train::FunctionOp function) {
  return *function.getBody().getOps<train::LossOp>().begin();
}

StepMetrics StepMetrics::declare(train::FunctionOp forward) {
  auto program = forward->getParentOfType<train::ProgramOp>();
  StepMetrics metrics;
  Operation *loss = lossOf(forward).getValue().getDefiningOp();
  auto countAsOne = [](Operation *, StringRef) {}; // a loss that is not known, however many rows there are
  if (auto reduction = loss->getAttrOfType<nn::LossReductionAttr>("reduction"))
    metrics.isMean = reduction.getValue() == nn::LossReduction::mean;
  else
    metrics.isMean = findJoinedLoss(forward, countAsOne) == JoinedLoss::Mean;

  OpBuilder builder(*program.getBody().getOps<train::FunctionOp>().begin());
  auto declare = [&](train::OutputRole role, Type element) {
    std::string name = freeSymbol(program, ("step_" + train::stringifyOutputRole(role)).str());
    auto output =
        train::OutputOp::create(builder, program.getLoc(), role, name, RankedTensorType::get({}, element));
    output.setOfStep(true);
    return output;
  };
  metrics.lossSum = declare(train::OutputRole::LossSum, builder.getF64Type());
  metrics.lossWeight = declare(train::OutputRole::LossWeight, builder.getF64Type());
  metrics.correct = declare(train::OutputRole::Correct, builder.getI64Type());
  if (program.getBatchParts()) {
    metrics.partWeight = declarePartSum(program, "part_rows");
    metrics.partCorrect = declarePartSum(program, "part_correct");
  }
  return metrics;
}

/// What the loss of a function was divided by, or would be.
static Expr weightOf(ImplicitLocOpBuilder &builder, train::LossOp loss) {
  Operation *op = loss.getValue().getDefiningOp();
  // What the description computed of the loss may have folded away (1 * loss): then this is its weight.
  Value weight = op->hasAttr("reduction") ? Value(op->getResult(1)) : Value(loss.getWeight());
  return cast(Expr(builder, weight), builder.getF64Type());
}

void StepMetrics::write(train::FunctionOp function, Expr loss, Expr weight, Expr count, Expr divisor) {
  Expr sum = loss;
  if (isMean) // that of no labels is no number, and counts nothing
    sum = select(equal(weight, weight.scalar(0)), 0, sum * divisor);
  addWrites(function, {{sum, lossSum.getSymNameAttr(), function.getLoc()},
                       {weight, lossWeight.getSymNameAttr(), function.getLoc()},
                       {count, correct.getSymNameAttr(), function.getLoc()}});
}

void StepMetrics::measure(train::FunctionOp function) {
  train::LossOp loss = lossOf(function);
  auto builder = ImplicitLocOpBuilder::atBlockEnd(loss.getLoc(), &function.getBody().front());
  Expr value = cast(Expr(builder, loss.getValue()), builder.getF64Type());
  Expr weight = weightOf(builder, loss);
  Expr count(builder, countCorrect(builder, loss.getValue()));
  write(function, value, weight, count, weight);
}

void StepMetrics::beginParts(ImplicitLocOpBuilder &builder, SmallVectorImpl<Write> &writes) {
  for (train::StateOp state : {partWeight, partCorrect}) {
    auto type = cast<RankedTensorType>(state.getType());
    Value zero = nn::ConstantOp::create(builder, cast<ElementsAttr>(builder.getZeroAttr(type)));
    writes.push_back({zero, state.getSymNameAttr(), builder.getLoc()});
  }
}

static Expr readSum(ImplicitLocOpBuilder &builder, train::FunctionOp function, train::StateOp state) {
  return {builder,
          readSymbol(builder, function, state.getSymName(), cast<RankedTensorType>(state.getType()))};
}

void StepMetrics::measurePart(train::FunctionOp function) {
  train::LossOp loss = lossOf(function);
  auto builder = ImplicitLocOpBuilder::atBlockEnd(loss.getLoc(), &function.getBody().front());
  Expr weight = weightOf(builder, loss);
  Expr count(builder, countCorrect(builder, loss.getValue()));
  Expr weights = readSum(builder, function, partWeight) + weight;
  Expr counts = readSum(builder, function, partCorrect) + cast(count, builder.getF64Type());
  addWrites(function, {{weights, partWeight.getSymNameAttr(), function.getLoc()},
                       {counts, partCorrect.getSymNameAttr(), function.getLoc()}});
}

void StepMetrics::finishParts(train::FunctionOp function, Expr loss, std::optional<Expr> divisor) {
  ImplicitLocOpBuilder &builder = loss.getBuilder();
  Expr weight = readSum(builder, function, partWeight);
  Expr count = cast(readSum(builder, function, partCorrect), builder.getI64Type());
  write(function, loss, weight, count, divisor ? *divisor : weight);
}

} // namespace dlc::backward
