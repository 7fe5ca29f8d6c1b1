//===- CtcLoss.cpp - sequences of labels without an alignment --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The forward recursion of Graves et al. 2006 in logarithms, written out place by place; its gradient is the
// backward one. Impossible is a large negative number and not minus infinity, whose differences are no
// numbers. What a place emits is gathered and not multiplied with a mask: products may be of low precision.
//===----------------------------------------------------------------------===//
#include "compiler/forward/CtcLoss.h"
#include "compiler/forward/LossFit.h"
#include "compiler/support/Messages.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/BatchParts.h"
#include <cmath>

using namespace mlir;
using nn::Expr;

namespace dlc::forward {

/// A longer sequence makes a program that nobody wants to wait for.
static constexpr int64_t maxPlaces = 512;
/// The logarithm of a probability that is none. The sum of one for each place is a float.
static constexpr double never = -1e30;

//===-- Axes -----------------------------------------------------------------------===//

static InFlightDiagnostic failAt(Prediction prediction) {
  return emitError(prediction.value.getLoc()) << "loss 'ctc': output '" << prediction.name << "' "
                                              << typeForUsers(prediction.value.getType()) << " ";
}

/// The axis of `axes` that time takes: the one that `option` names, or the one that is not of the batch.
static FailureOr<int64_t> chooseTimeAxis(Prediction prediction, ArrayRef<int64_t> axes, StringRef option) {
  nn::Shape shape = nn::shapeOf(prediction.value.getType());
  if (int64_t given; !option.empty()) {
    int64_t rank = shape.size();
    if (!option.getAsInteger(10, given) && llvm::is_contained(axes, given < 0 ? given + rank : given))
      return given < 0 ? given + rank : given;
    return failAt(prediction) << "has no axis " << option << " for the places of a sequence: expected "
                              << axes[0] << " or " << axes[1] << ", as axis " << 3 - axes[0] - axes[1]
                              << " has the classes (--time-axis, --class-axis)",
           failure();
  }
  Operation *op = prediction.value.getParentRegion()->getParentOp();
  train::DimOp batch = train::batchDim(op->getParentOfType<train::ProgramOp>());
  auto isBatch = [&](int64_t axis) {
    return batch && llvm::is_contained(shape[axis].names, batch.getSymName());
  };
  if (isBatch(axes[0]) != isBatch(axes[1]))
    return axes[isBatch(axes[0]) ? 1 : 0];
  return failAt(prediction)
             << "does not say which axis counts the sequences of a batch and which one the places "
                "of a sequence: give --time-axis="
             << axes[0] << " or --time-axis=" << axes[1] << " for the places",
         failure();
}

FailureOr<SequenceAxes> chooseSequenceAxes(Prediction prediction, const ValueFacts &facts,
                                           train::LossAttr recipe) {
  nn::Shape shape = nn::shapeOf(prediction.value.getType());
  if (shape.size() != 3)
    return failAt(prediction) << "has " << shape.size() << (shape.size() == 1 ? " axis" : " axes")
                              << ", expected three: places of a sequence, sequences of a batch, and classes",
           failure();
  // A layer's outputs lie along the last axis.
  bool isChosen = !recipe.getClassAxis() && !facts.sumsToOne && !facts.expSumsToOne;
  FailureOr<int64_t> classes =
      chooseClassAxis(prediction, facts, "ctc", isChosen ? "-1" : textOfAxis(recipe.getClassAxis()));
  if (failed(classes))
    return failure();
  SmallVector<int64_t> others;
  for (int64_t axis : {0, 1, 2})
    if (axis != *classes)
      others.push_back(axis);
  FailureOr<int64_t> time = chooseTimeAxis(prediction, others, textOfAxis(recipe.getTimeAxis()));
  if (failed(time))
    return failure();
  SequenceAxes axes{*time, others[*time == others[0] ? 1 : 0], *classes};
  if (!shape[axes.time].isStatic())
    return failAt(prediction)
               << "has an open number of places along axis " << axes.time
               << ": give it a fixed size (--dim=NAME=N with the longest sequence's), and each "
                  "sequence's own as 'input_lengths'",
           failure();
  if (shape[axes.time].factor > maxPlaces)
    return failAt(prediction) << "has " << shape[axes.time].factor << " places along axis " << axes.time
                              << ", expected at most " << maxPlaces
                              << ": a copy of the recursion is made for each",
           failure();
  if (recipe.getBlank() < 0 || recipe.getBlank() >= shape[axes.classes].factor)
    return failAt(prediction) << "has classes 0 to " << shape[axes.classes].factor - 1
                              << ", of which one is the blank, got --blank=" << recipe.getBlank(),
           failure();
  return axes;
}

//===-- The recursion --------------------------------------------------------------===//

namespace {

/// The operands in the form of the recursion. With labels and the blanks around them there are
/// `states` = 2 most + 1.
struct Sequences {
  Expr emitted;                    ///< [places, batch, states]: a state's class at a place
  Expr skips;                      ///< [batch, states]: from two states before, without the blank between
  Expr inputLengths, labelLengths; ///< [batch, 1]
  Expr isSpoiled;                  ///< [batch]: a label within the length is none
  int64_t places, states;
};

} // namespace

static Expr integers(ImplicitLocOpBuilder &b, ArrayRef<nn::Dim> shape, int64_t axis) {
  return {b, nn::IotaOp::create(b, nn::tensorType(shape, b.getI64Type()), axis)};
}

/// More elements along the last axis, of one value.
static Expr padded(Expr x, int64_t low, int64_t high, double value) {
  SmallVector<int64_t> none(x.rank(), 0), before = none, behind = none;
  before.back() = low;
  behind.back() = high;
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, nn::PadOp::create(b, nn::PadMode::constant, x.get(), before, behind, none, APFloat(value))};
}

/// The elements from `start` on along an axis, all of the others.
static Expr part(Expr x, int64_t axis, int64_t start, int64_t count) {
  nn::Shape shape = nn::shapeOf(x.type());
  SmallVector<int64_t> starts(shape.size(), 0), limits, steps(shape.size(), 1);
  for (const nn::Dim &dim : shape)
    limits.push_back(dim.isStatic() ? dim.factor : -1);
  starts[axis] = start;
  limits[axis] = start + count;
  ImplicitLocOpBuilder &b = x.getBuilder();
  return {b, nn::SliceOp::create(b, x.get(), starts, limits, steps)};
}

static Expr withShape(Expr x, ArrayRef<nn::Dim> shape) {
  return reshape(x, nn::tensorType(shape, x.elementType()));
}

/// The class of each state: a blank before, between and behind the labels.
static Expr classesOfStates(Expr labels, int64_t blank) {
  nn::Shape shape = nn::shapeOf(labels.type());
  Expr pairs = padded(withShape(labels, {shape[0], shape[1], 1}), 1, 0, double(blank));
  return padded(withShape(pairs, {shape[0], 2 * shape[1].factor}), 0, 1, double(blank));
}

/// What each state's class has for a logarithm at each place.
static Expr emissions(ImplicitLocOpBuilder &b, const SequenceOperands &operands, Expr classes) {
  Expr x =
      nn::transpose({b, operands.logProbs}, {operands.axes.time, operands.axes.batch, operands.axes.classes});
  if (x.elementType().getIntOrFloatBitWidth() < 32)
    x = cast(x, b.getF32Type());
  nn::Shape shape = nn::shapeOf(x.type());
  x = max(withShape(x, {shape[0], shape[1] * shape[2]}), x.scalar(never));
  Expr row = integers(b, {shape[1], 1}, 0);
  Expr index = row * double(shape[2].factor) + classes;
  return {b, nn::GatherOp::create(b, x.get(), index.get(), /*axis=*/1)};
}

static Sequences prepare(ImplicitLocOpBuilder &b, const SequenceOperands &operands,
                         train::LossAttr recipe) {
  Expr labels = nn::cast({b, operands.labels}, b.getI64Type());
  nn::Shape shape = nn::shapeOf(labels.type());
  auto column = [&](Value lengths) {
    return withShape(nn::cast({b, lengths}, b.getI64Type()), {shape[0], 1});
  };
  Expr inputLengths = column(operands.inputLengths), labelLengths = column(operands.labelLengths);
  Expr isNone = equal(labels, labels.scalar(double(recipe.getIgnoreIndex())));
  Expr isWithin = less(integers(b, {shape[1]}, 0), labelLengths);
  Expr spoiled = cast(logicalAnd(isNone, isWithin), b.getI64Type());
  Expr spoiledOfEach = sum(spoiled, {1}, /*keepdims=*/false);
  Expr isSpoiled = greater(spoiledOfEach, spoiledOfEach.scalar(0));

  Expr classes = classesOfStates(select(isNone, double(recipe.getBlank()), labels), recipe.getBlank());
  int64_t states = 2 * shape[1].factor + 1;
  Expr before = part(padded(classes, 2, 0, double(recipe.getBlank())), 1, 0, states);
  Expr skips = logicalNot(equal(classes, before));
  Expr emitted = emissions(b, operands, classes);
  int64_t places = nn::shapeOf(emitted.type())[0].factor;
  return {emitted, skips, inputLengths, labelLengths, isSpoiled, places, states};
}

/// log(sum(exp(...))). The largest one has no gradient of its own: it is added and taken away.
static Expr logOfSum(ArrayRef<Expr> logs) {
  Expr largest = logs[0];
  for (Expr each : logs.drop_front())
    largest = max(largest, each);
  Expr sum = exp(logs[0] - largest);
  for (Expr each : logs.drop_front()) {
    Expr term = exp(each - largest);
    sum = sum + term;
  }
  return largest + log(sum);
}

/// The logarithm of each sequence's probability, [batch]; about `never` where there is no alignment.
static Expr logLikelihood(ImplicitLocOpBuilder &b, const Sequences &s) {
  nn::Shape shape = nn::shapeOf(s.skips.type());
  auto at = [&](int64_t place) { return withShape(part(s.emitted, 0, place, 1), shape); };
  Expr state = integers(b, {s.states}, 0);
  Expr alpha = select(less(state, state.scalar(2)), at(0), never);
  for (int64_t t = 1; t < s.places; ++t) {
    Expr behind = padded(alpha, 2, 0, never);
    Expr one = part(behind, 1, 1, s.states);
    Expr two = select(s.skips, part(behind, 1, 0, s.states), never);
    Expr next = logOfSum({alpha, one, two}) + at(t);
    alpha = select(greater(s.inputLengths, s.inputLengths.scalar(double(t))), next, alpha);
  }
  // It ends with the last label or the blank behind it.
  Expr last = s.labelLengths * 2.0;
  auto ofState = [&](Expr place) {
    return sum(select(equal(state, place), alpha, 0.0), {1}, /*keepdims=*/false);
  };
  auto isAbove0 = [&](Expr lengths) { return withShape(greater(lengths, lengths.scalar(0)), {shape[0]}); };
  Expr hasLabels = isAbove0(s.labelLengths), hasPlaces = isAbove0(s.inputLengths);
  Expr atBlank = ofState(last);
  Expr atLabel = select(hasLabels, ofState(last - 1.0), never);
  Expr total = logOfSum({atBlank, atLabel});
  Expr withoutPlaces = select(hasLabels, total.scalar(never), total.scalar(0));
  return select(hasPlaces, total, withoutPlaces);
}

Expr buildCtcLoss(ImplicitLocOpBuilder &builder, const SequenceOperands &operands,
                  train::LossAttr recipe) {
  Sequences sequences = prepare(builder, operands, recipe);
  Expr total = logLikelihood(builder, sequences);
  Expr isImpossible = lessEqual(total, total.scalar(never / 10));
  Expr losses = select(isImpossible, recipe.getZeroInfinity() ? 0.0 : INFINITY, -total);
  losses = select(sequences.isSpoiled, NAN, losses);
  if (recipe.getReduction() == train::Reduction::Sum)
    return sumAll(losses);
  Expr lengths = withShape(sequences.labelLengths, nn::shapeOf(losses.type()));
  Expr divisor = cast(max(lengths, lengths.scalar(1)), losses.elementType());
  return mean(losses / divisor, {0}, /*keepdims=*/false);
}

} // namespace dlc::forward
