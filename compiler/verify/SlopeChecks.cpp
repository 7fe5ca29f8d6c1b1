//===- SlopeChecks.cpp - what compiler and interpreter share, checked -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/SlopeChecks.h"

#include <cmath>

using namespace mlir;

namespace dlc::verify {

static const char *const when = "interpreter";

bool SlopeChecks::prepare() {
  if (references.unrounded) {
    interpret::Options options;
    options.keepsValues = false;
    auto made = interpret::Interpreter::create(References::program(*references.unrounded), options);
    if (failed(made) || failed(made->run("grad_step", inputs)))
      return false;
    unrounded = std::move(*made);
  }
  auto made = Slopes::create(References::program(*references.model), reference.first(), inputs);
  if (failed(made))
    return false;
  slopes.emplace(std::move(*made));
  return true;
}

std::string SlopeChecks::whyNot() const {
  if (!std::isfinite(slopes->loss()))
    return "the loss of these inputs is not finite";
  return whyNoSlopes(References::program(*references.model));
}

void SlopeChecks::addEqual(StringRef what, StringRef name, const Tensor &found, const Tensor &expected) {
  // Numbers such as a momentum have become constants in float32.
  Check check{when, what.str(), name.str(), expected.typeStr(), 0, 0, "float32 constants", ""};
  for (int64_t i = 0; i < expected.size(); ++i) {
    const double a = found.number(i), b = expected.number(i);
    if (!std::isfinite(a) && !std::isfinite(b))
      continue;
    const double error = std::fabs(a - b);
    check.error = std::isfinite(error) ? std::fmax(check.error, error) : HUGE_VAL;
    check.bound = std::fmax(check.bound, 1e-6 * std::fabs(b));
  }
  if (check.differs())
    check.detail = "'" + name.str() + "' is another number in the functions of the library than in the model";
  report.checks.push_back(std::move(check));
}

void SlopeChecks::checkModes() {
  const std::string name = comparison.lossName();
  if (const Tensor *loss = name.empty() ? nullptr : exact().output(name))
    addEqual("loss", name, *loss, *slopes->afterwards().loss());
  for (train::StateOp state : comparison.states()) {
    const StringRef name = state.getSymName();
    const Tensor *expected = slopes->afterwards().state(name), *found = exact().state(name);
    if (state.getKind() == train::StateKind::Buffer && expected && found)
      addEqual("statistic", name, *found, *expected);
  }
}

std::vector<std::string> SlopeChecks::parameters() const {
  std::vector<std::string> names;
  for (train::StateOp state : comparison.states())
    if (const Tensor *gradient = exact().state((state.getSymName() + ".grad").str()))
      if (gradient->size() > 0 && slopes->afterwards().state(state.getSymName()) &&
          llvm::all_of(gradient->floats, [](double number) { return std::isfinite(number); }))
        names.push_back(state.getSymName().str());
  return names;
}

void SlopeChecks::add(StringRef what, StringRef name, double expected, const Slope &slope, double more) {
  Check check{when,
              what.str(),
              name.str(),
              gradientOf(name).typeStr(),
              std::fabs(expected - slope.middle()),
              slope.bound() + more,
              "",
              ""};
  check.reason = slope.hasKink          ? "kink"
                 : more > slope.bound() ? "bound of the gradient"
                                        : "finite differences";
  if (check.differs())
    llvm::raw_string_ostream(check.detail)
        << "the gradient of '" << name << "' says " << expected
        << " along a direction, in which the loss changes by " << slope.before << " and " << slope.after;
  report.checks.push_back(std::move(check));
}

void SlopeChecks::checkAlongRandom(StringRef name, uint64_t seed) {
  const Tensor &gradient = gradientOf(name);
  const std::vector<double> direction = randomDirection(gradient.size(), seed);
  const double expected = dot(gradient.floats, direction);
  const double norm = std::sqrt(dot(gradient.floats, gradient.floats));
  auto slope = slopes->along(name, direction, expected, norm / std::sqrt(double(gradient.size())));
  if (failed(slope))
    return;
  add("slope", name, expected, *slope, 0);
  if (unrounded)
    return;
  // The errors of single elements know nothing of the direction: their sum along it is hardly larger than one
  // of them.
  const Tensor compiled = comparison.compiledGradient(name);
  add("compiled slope", name, dot(compiled.floats, direction), *slope, 6 * comparison.boundOfGradient(name));
}

void SlopeChecks::checkAlongItself(StringRef name) {
  const Tensor &gradient = gradientOf(name);
  const double norm = std::sqrt(dot(gradient.floats, gradient.floats));
  if (norm == 0)
    return;
  std::vector<double> direction = gradient.floats;
  for (double &number : direction)
    number /= norm;
  auto slope = slopes->along(name, direction, norm, norm);
  if (succeeded(slope))
    add("slope along itself", name, norm, *slope, 0);
}

} // namespace dlc::verify
