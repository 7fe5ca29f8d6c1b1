//===- Comparison.cpp - a compiled program and the interpreter, side by side ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/Comparison.h"
#include "compiler/support/GradientWeight.h"
#include "llvm/Support/Format.h"

#include <cmath>
#include <random>

using namespace mlir;

namespace dlc::verify {

static const char *const cancels = "gradients that cancel";

/// The fraction of a loss that rounding may change; with a larger one, nothing is compared any more.
static constexpr double largestShare = 0.1;

void Comparison::begin(std::string name, const llvm::StringMap<Tensor> &values) {
  when = std::move(name);
  named = values;
  inputs = inputsInOrder(named);
}

std::vector<Tensor> Comparison::inputsInOrder(const llvm::StringMap<Tensor> &values) const {
  std::vector<Tensor> result;
  for (auto input : program().getBody().getOps<train::InputOp>())
    if (auto value = values.find(input.getSymName()); value != values.end())
      result.push_back(value->second);
    else // what other functions than this one take
      result.push_back(Tensor::zeros(interpret::DType::F32, {0}));
  return result;
}

std::vector<train::StateOp> Comparison::states() const {
  std::vector<train::StateOp> found;
  for (auto state : program().getBody().getOps<train::StateOp>())
    if (llvm::is_contained({train::StateKind::Parameter, train::StateKind::Buffer}, state.getKind()))
      found.push_back(state);
  return found;
}

bool Comparison::check(const std::string &problem) {
  if (problem.empty())
    return true;
  program().emitError("the compiled model fails in the ") << when << ": " << problem;
  report.cannot = true;
  return false;
}

bool Comparison::interpret(StringRef function) {
  if (succeeded(reference.run(function, named)))
    return true;
  report.cannot = true;
  return false;
}

void Comparison::compare(StringRef what, StringRef name, const Tensor &found, const Allowance &allowance) {
  const Deviation deviation = reference.compare(name, found, allowance);
  Check check{
      when, what.str(), name.str(), found.typeStr(), deviation.error, deviation.bound, deviation.reason, ""};
  StringRef parameter = name;
  if (what == "gradient") {
    parameter.consume_back(".grad");
    check.name = parameter.str();
    gradientBounds[parameter] = deviation.bound;
    gradientErrors[parameter] = std::isfinite(deviation.error) ? deviation.error : 0;
  }
  if (check.differs())
    check.detail = sentence(name, found, deviation);
  report.checks.push_back(std::move(check));
}

/// A cross entropy is the logarithm of a sum of exponentials that is at least 1: the rounding of that sum
/// stays where the loss is almost 0. The interpreter rounds results of operations, not what is inside of one.
void Comparison::compareLoss(double loss) {
  lastLoss = loss;
  Allowance allowance;
  allowance.floor = std::fmax(floor, 1e-7);
  allowance.floorReason = "a logarithm near 0";
  const std::string name = lossName();
  if (name.empty())
    return;
  compare("loss", name, Tensor::scalar(loss, interpret::DType::F32), allowance);
  lastBound = report.checks.back().bound;
  exactLoss = reference.exact().output(name)->number(0);
  if (!firstLoss)
    firstLoss = exactLoss;
}

std::string Comparison::whyNoMore() const {
  if (!firstLoss)
    return "";
  if (!std::isfinite(exactLoss) && !std::isfinite(lastLoss))
    return "its loss is no finite number, in double precision neither";
  // A loss that comes near 0 as training goes well is measured by the first one.
  const double size = std::fmax(std::fabs(exactLoss), std::fabs(*firstLoss));
  if (lastBound <= largestShare * size)
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("the training diverges: its loss is %g, of which rounding "
                                                 "in float32 alone changes up to %g, and no number behind it "
                                                 "says whether the code is right",
                                                 exactLoss, lastBound);
  return text;
}

void Comparison::takeBack() {
  while (!report.checks.empty() && report.checks.back().when == when)
    report.checks.pop_back();
  --updates;
}

bool Comparison::repeat(StringRef function) {
  double loss = 0;
  return interpret(function) &&
         check(function == "grad_step" ? instance.gradStep(inputs, loss) : instance.trainStep(inputs, loss));
}

bool Comparison::restart() {
  auto made = Reference::create(program());
  if (failed(made)) {
    report.cannot = true;
    return false;
  }
  reference = std::move(*made);
  return check(instance.restart());
}

std::string Comparison::lossName() const {
  for (auto output : program().getBody().getOps<train::OutputOp>())
    if (output.getRole() == train::OutputRole::Loss && reference.exact().output(output.getSymName()))
      return output.getSymName().str();
  return "";
}

/// A gradient that cancels to nothing is as large as roundings of the others: the bias of an attention's
/// keys.
void Comparison::findFloor() {
  floor = 0;
  for (train::StateOp state : states())
    if (const Tensor *gradient = reference.exact().state((state.getSymName() + ".grad").str()))
      for (double number : gradient->floats)
        if (std::isfinite(number))
          floor = std::fmax(floor, 1e-7 * std::fabs(number));
}

bool Comparison::compareGradients() {
  for (train::StateOp state : states()) {
    const std::string name = state.getSymName().str(), gradient = name + ".grad";
    const Tensor *expected = reference.exact().state(gradient);
    if (!expected)
      continue;
    Tensor found = *expected;
    if (!check(instance.readGradient(name, found)))
      return false;
    // One that is 0 everywhere is a sum that cancels: roundings stay, in proportion to the loss.
    Allowance allowance{floor, cancels};
    const bool isZero = llvm::all_of(expected->floats, [](double number) { return number == 0; });
    if (const Tensor *loss = reference.exact().output(lossName()); isZero && loss)
      if (const double size = std::fabs(loss->number(0)); std::isfinite(size))
        allowance.floor = std::fmax(floor, 1e-7 * size);
    compare("gradient", gradient, found, allowance);
  }
  return compareWeight();
}

/// What the gradients of a joined loss were divided by: a number of labels, or a sum of their weights, which
/// is one of float32.
bool Comparison::compareWeight() {
  const Tensor *expected = reference.exact().state(gradientWeightName);
  if (!expected)
    return true;
  Tensor found = *expected;
  if (!check(instance.readGradient(gradientWeightName, found)))
    return false;
  Allowance allowance;
  allowance.part = 1e-6;
  compare("gradient weight", gradientWeightName, found, allowance);
  return true;
}

/// A program's states without the values of its last run.
static FailureOr<interpret::Interpreter> withStates(train::ProgramOp program,
                                                    const interpret::Interpreter &other) {
  auto made = interpret::Interpreter::create(program);
  if (failed(made))
    return failure();
  for (const auto &state : other.states())
    if (failed(made->setState(state.getKey(), state.second)))
      return failure();
  return made;
}

static double largestDistance(const Tensor &a, const Tensor &b) {
  double largest = 0;
  for (int64_t i = 0; i < a.size(); ++i)
    if (const double distance = std::fabs(a.number(i) - b.number(i)); std::isfinite(distance))
      largest = std::fmax(largest, distance);
  return largest;
}

/// Where an optimizer divides a gradient by its own size, what rounding changes of a small gradient becomes a
/// large part of the update. So the update is done with gradients that are as far from the exact ones as the
/// compiled ones were found to be, on one side or the other.
void Comparison::findSpread() {
  updates = 0;
  spread.clear();
  auto exact = withStates(program(), reference.exact());
  if (failed(exact) || failed(exact->run("apply", {})))
    return;
  std::mt19937_64 engine;
  for (int i = 0; i < 2; ++i) {
    auto moved = withStates(program(), reference.exact());
    if (failed(moved))
      return;
    for (train::StateOp state : states()) {
      const std::string name = (state.getSymName() + ".grad").str();
      const Tensor *gradient = reference.exact().state(name);
      if (!gradient)
        continue;
      Tensor beside = *gradient;
      double largest = 0;
      for (double number : beside.floats)
        largest = std::fmax(largest, std::isfinite(number) ? std::fabs(number) : 0);
      const double distance = std::fmax(gradientErrors.lookup(state.getSymName()), 6e-8 * largest);
      for (double &number : beside.floats)
        number += engine() % 2 ? distance : -distance;
      if (failed(moved->setState(name, std::move(beside))))
        return;
    }
    if (failed(moved->run("apply", {})))
      return;
    for (train::StateOp state : states()) {
      double &known = spread[state.getSymName()];
      known = std::fmax(
          known, largestDistance(*moved->state(state.getSymName()), *exact->state(state.getSymName())));
    }
  }
}

bool Comparison::compareStates() {
  for (train::StateOp state : states()) {
    const std::string name = state.getSymName().str();
    const Tensor &exact = *reference.exact().state(name), &start = *reference.first().state(name);
    Tensor found = exact;
    if (!check(instance.read(name, found)))
      return false;
    // A parameter is a float32, and an update no better than it.
    Allowance allowance{0, "float32 of the number", 0};
    for (int64_t i = 0; i < exact.size(); ++i)
      if (const double number = std::fabs(exact.number(i)); std::isfinite(number)) {
        allowance.floor = std::fmax(allowance.floor, 2.4e-7 * number);
        if (const double change = std::fabs(exact.number(i) - start.number(i)); std::isfinite(change))
          allowance.scale = std::fmax(allowance.scale, change);
      }
    if (!exact.isFloat())
      allowance = {};
    if (exact.dtype == interpret::DType::F64)
      allowance.floor *= 1e-7;
    allowance.floor = std::fmax(allowance.floor, floor);
    // Each update since then may have had as much.
    if (const double more = 2 * spread.lookup(name) * static_cast<double>(std::max<int64_t>(updates, 1));
        more > 0) {
      allowance.floorReason = more > allowance.floor ? "error of the gradient" : allowance.floorReason;
      allowance.floor += more;
    }
    compare(state.getKind() == train::StateKind::Buffer ? "statistic" : "update", name, found, allowance);
  }
  return true;
}

} // namespace dlc::verify
