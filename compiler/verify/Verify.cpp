//===- Verify.cpp - a compiled program, proved by the interpreter -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/Verify.h"
#include "compiler/interpret/RandomInput.h"
#include "compiler/verify/Comparison.h"
#include "compiler/verify/References.h"
#include "compiler/verify/Rows.h"
#include "compiler/verify/SlopeChecks.h"
#include "mlir/IR/Diagnostics.h"

#include <chrono>
#include <cmath>

using namespace mlir;

namespace dlc::verify {

double Check::share() const { return Deviation{error, bound, "", 0, 0, 0}.share(); }

bool Report::differs() const {
  return llvm::any_of(checks, [](const Check &check) { return check.differs(); });
}

const Check *Report::worst() const {
  auto found = std::max_element(checks.begin(), checks.end(),
                                [](const Check &a, const Check &b) { return a.share() < b.share(); });
  return found == checks.end() ? nullptr : &*found;
}

namespace {

using Tensors = llvm::StringMap<Tensor>;

class Verification {
public:
  Verification(const Settings &settings, Report &report)
      : settings(settings), report(report), engine(settings.seed) {}
  void run(ModuleOp imported, const pipeline::Options &options, MakeInstance makeInstance);

private:
  /// The model for as many rows as there is time for, and the references with it; null where these are all.
  OwningOpRef<ModuleOp> withFewerRows(ModuleOp imported, const pipeline::Options &options);
  void runTraining();
  void runSlopes();
  bool runLaterSteps();
  bool followedTo(int64_t steps);
  bool endAfter(int64_t steps, const std::string &why);
  void runOtherFunctions();
  void evaluate(StringRef when, const Tensors &inputs);

  Tensors drawInputs(bool half);
  /// Logarithms and roots want positive numbers: whether the loss is a number tells.
  Tensors withDirections(const Tensors &inputs, train::Derivative derivative);
  void chooseInputs();
  bool isOver(double share = 1) const;
  void say(const std::string &text) const {
    if (settings.progress)
      settings.progress(text);
  }
  train::ProgramOp model() const { return References::program(*references.model); }
  bool has(train::FunctionKind kind) const {
    return llvm::any_of(comparison->program().getBody().getOps<train::FunctionOp>(),
                        [&](train::FunctionOp function) { return function.getKind() == kind; });
  }

  const Settings &settings;
  Report &report;
  std::mt19937_64 engine;
  double low = -1; ///< of random floats
  std::chrono::steady_clock::time_point begin = std::chrono::steady_clock::now();
  References references;
  std::unique_ptr<ProgramInstance> instance;
  std::optional<Reference> reference;
  std::optional<Comparison> comparison;
  Tensors first;              ///< inputs of the first step
  std::vector<Tensors> later; ///< and of those after it
};

static std::string stepsFrom(int64_t first, int64_t last) {
  return first == last ? "step " + std::to_string(first)
                       : "steps " + std::to_string(first) + " to " + std::to_string(last);
}

bool Verification::isOver(double share) const {
  const std::chrono::duration<double> spent = std::chrono::steady_clock::now() - begin;
  return settings.seconds > 0 && spent.count() > settings.seconds * share;
}

Tensors Verification::drawInputs(bool half) {
  interpret::DimSizes dims;
  for (auto dim : model().getBody().getOps<train::DimOp>())
    dims[dim.getSymName()] = half ? std::max<int64_t>(dim.getBound() / 2, 1) : dim.getBound();
  Tensors result;
  for (auto input : model().getBody().getOps<train::InputOp>()) {
    auto shape = interpret::concreteShape(cast<RankedTensorType>(input.getType()), dims);
    auto given = settings.inputs.find(input.getSymName());
    const bool isGiven = given != settings.inputs.end() && !half;
    result[input.getSymName()] = isGiven ? given->second : interpret::randomInput(input, *shape, engine, low);
  }
  return result;
}

void Verification::chooseInputs() {
  for (double lowest : {-1.0, 0.1}) {
    low = lowest;
    engine.seed(settings.seed);
    first = drawInputs(/*half=*/false);
    if (!report.trains)
      return;
    ScopedDiagnosticHandler silent(model().getContext(), [](Diagnostic &) { return success(); });
    auto slopes = Slopes::create(model(), reference->first(), first);
    if (succeeded(slopes) && std::isfinite(slopes->loss()))
      return;
  }
}

void Verification::run(ModuleOp imported, const pipeline::Options &options, MakeInstance makeInstance) {
  report.cannot = true;
  say("compiling");
  references = References::of(imported);
  if (!references.model)
    return;
  OwningOpRef<ModuleOp> smaller = withFewerRows(imported, options);
  if (!references.model)
    return;
  instance = makeInstance(smaller ? *smaller : imported);
  if (!instance)
    return;
  auto made = Reference::create(References::program(*references.functions));
  if (failed(made))
    return;
  reference.emplace(std::move(*made));
  comparison.emplace(*reference, *instance, report);
  begin = std::chrono::steady_clock::now();
  report.cannot = false;
  report.trains = references.trains();
  chooseInputs();
  if (report.trains)
    runTraining();
  else
    evaluate("prediction", first);
}

OwningOpRef<ModuleOp> Verification::withFewerRows(ModuleOp imported, const pipeline::Options &options) {
  report.rows = report.rowsOfModel = rowsOf(model());
  if (!settings.inputs.empty()) // of all rows
    return {};
  report.rows = rowsFor(model(), settings.seconds);
  if (report.rows == report.rowsOfModel)
    return {};
  report.leftOut.push_back("more than " + std::to_string(report.rows) + " of " +
                           std::to_string(report.rowsOfModel) +
                           " rows of a batch: the interpreter would take too long (--seconds)");
  OwningOpRef<ModuleOp> smaller = imported.clone();
  setRows(References::program(*smaller), report.rows);
  references = References::of(*smaller);
  return smaller;
}

void Verification::evaluate(StringRef when, const Tensors &inputs) {
  say("evaluation " + when.str());
  comparison->begin(when.str(), inputs);
  if (has(train::FunctionKind::Predict) && comparison->predict() && has(train::FunctionKind::EvalStep))
    comparison->evalStep();
  for (auto function : comparison->program().getBody().getOps<train::FunctionOp>())
    if (train::Derivative derivative = derivativeOf(function); derivative != train::Derivative::None) {
      comparison->begin(when.str(), withDirections(inputs, derivative));
      if (report.cannot || !comparison->differentiate(derivative))
        return;
    }
}

/// With cotangents or tangents for the inputs that are there, at their sizes.
Tensors Verification::withDirections(const Tensors &inputs, train::Derivative derivative) {
  Tensors result = inputs;
  interpret::DimSizes dims;
  for (auto dim : comparison->program().getBody().getOps<train::DimOp>())
    dims[dim.getSymName()] = dim.getBound();
  for (auto input : comparison->program().getBody().getOps<train::InputOp>())
    if (derivativeOf(input) == derivative)
      result[input.getSymName()] = interpret::randomInput(
          input, *interpret::concreteShape(cast<RankedTensorType>(input.getType()), dims), engine, -1);
  return result;
}

void Verification::runTraining() {
  say("first step");
  comparison->begin("first step", first);
  if (!comparison->gradStep())
    return;
  report.loss = comparison->loss();
  for (const Check &check : report.checks)
    report.parameters += check.what == "gradient";
  runSlopes();
  if (!report.cannot && settings.evaluates)
    evaluate("before training", first);
  if (report.cannot)
    return;
  // Running statistics and the random state have moved on in both.
  comparison->begin("first update", first);
  if (!comparison->trainStep())
    return;
  report.steps = 1;
  if (runLaterSteps() && settings.evaluates)
    runOtherFunctions();
}

bool Verification::runLaterSteps() {
  for (int64_t k = 2; k <= settings.steps; ++k) {
    if (isOver()) {
      report.leftOut.push_back(stepsFrom(k, settings.steps) + ": the time was over");
      return followedTo(k - 1);
    }
    say("step " + std::to_string(k));
    later.push_back(drawInputs(/*half=*/false));
    comparison->begin("step " + std::to_string(k), later.back());
    if (!comparison->trainStepOnTheWay())
      return false;
    if (const std::string why = comparison->whyNoMore(); !why.empty())
      return endAfter(k - 1, why);
  }
  return followedTo(settings.steps);
}

/// What the last step has left is compared; after the first, it was.
bool Verification::followedTo(int64_t steps) {
  report.steps = steps;
  return steps < 2 || comparison->compareStates();
}

/// The step after these is none to compare. What is compared behind the steps starts from these, so both go
/// back.
bool Verification::endAfter(int64_t steps, const std::string &why) {
  report.ended = "step " + std::to_string(steps + 1) + ": " + why;
  report.leftOut.push_back(stepsFrom(steps + 1, settings.steps) + ": at " + report.ended);
  comparison->takeBack();
  if (!comparison->restart())
    return false;
  comparison->begin("first step", first);
  if (!comparison->repeat("grad_step"))
    return false;
  for (int64_t k = 1; k <= steps; ++k) {
    comparison->begin("step " + std::to_string(k), k == 1 ? first : later[k - 2]);
    if (!comparison->repeat("train_step"))
      return false;
  }
  return followedTo(steps);
}

void Verification::runOtherFunctions() {
  const auto skip = [&](const char *what) {
    report.leftOut.push_back(std::string(what) + ": the time was over");
  };
  if (isOver())
    return skip("evaluation after training, accumulated gradients");
  const std::string after =
      "after " + std::to_string(report.steps) + (report.steps == 1 ? " step" : " steps");
  evaluate(after, drawInputs(/*half=*/false));
  if (report.cannot)
    return;
  if (has(train::FunctionKind::Apply)) {
    if (isOver())
      return skip("accumulated gradients");
    say("accumulated gradients");
    comparison->begin("two batches", drawInputs(/*half=*/false));
    if (!comparison->accumulateAndApply(drawInputs(/*half=*/false)))
      return;
  }
  if (has(train::FunctionKind::GradStepN)) {
    if (isOver())
      return skip("smaller sizes");
    say("smaller sizes");
    comparison->begin("half the sizes", drawInputs(/*half=*/true));
    comparison->gradStepOfFewerRows();
  }
}

/// Checks the slope of each parameter along a random direction first, and then along the gradient.
void Verification::runSlopes() {
  SlopeChecks checks(references, *reference, *comparison, first, report);
  if (!checks.prepare()) {
    report.cannot = true;
    return;
  }
  checks.checkModes();
  if (const std::string reason = checks.whyNot(); !reason.empty()) {
    report.leftOut.push_back("finite differences: " + reason);
    return;
  }
  const std::vector<std::string> names = checks.parameters();
  size_t done = 0;
  for (bool isRandom : {true, false})
    for (const std::string &name : names) {
      if (isOver(0.5))
        continue;
      say("finite differences, " + std::to_string(++done) + " of " + std::to_string(2 * names.size()));
      isRandom ? checks.checkAlongRandom(name, settings.seed + done) : checks.checkAlongItself(name);
    }
  if (done < 2 * names.size())
    report.leftOut.push_back(std::to_string(2 * names.size() - done) + " of " +
                             std::to_string(2 * names.size()) + " finite differences: the time was over");
}

} // namespace

Report verify(ModuleOp imported, const pipeline::Options &options, const Settings &settings,
              MakeInstance makeInstance) {
  Report report;
  Verification(settings, report).run(imported, options, makeInstance);
  return report;
}

} // namespace dlc::verify
