//===- Reference.cpp - what float32 code may compute ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/numerics/Reference.h"

#include <cmath>
#include <random>
#include <utility>

namespace dlc::numerics {
using interpret::DType;
using interpret::Interpreter;
using interpret::Tensor;
using mlir::failed;

mlir::FailureOr<Reference> Reference::create(train::ProgramOp program) {
  auto exactly = Interpreter::create(program),
       rounding = Interpreter::create(program, {/*roundResults=*/true});
  if (failed(exactly) || failed(rounding))
    return mlir::failure();
  return Reference(program, std::move(*exactly), std::move(*rounding));
}

mlir::LogicalResult Reference::run(llvm::StringRef function, const llvm::StringMap<Tensor> &inputs) {
  runs.emplace_back(function.str(), inputs);
  return mlir::success(succeeded(exactly.run(function, inputs)) && succeeded(rounding.run(function, inputs)));
}

std::vector<Interpreter> Reference::neighbours(const interpret::Options &options, double distance) const {
  std::mt19937 engine;
  std::vector<Interpreter> found;
  train::ProgramOp whole = program;
  for (int i = 0; i < 3; ++i) {
    auto neighbour = Interpreter::create(whole, options);
    if (failed(neighbour))
      return {};
    for (auto state : whole.getBody().getOps<train::StateOp>()) {
      Tensor value = *start.state(state.getSymName());
      if (state.getKind() != train::StateKind::Parameter || !value.isFloat())
        continue;
      for (double &number : value.floats)
        number *= 1 + (engine() % 2 ? distance : -distance);
      if (failed(neighbour->setState(state.getSymName(), std::move(value))))
        return {};
    }
    for (const auto &[function, inputs] : runs)
      if (failed(neighbour->run(function, inputs)))
        return {};
    found.push_back(std::move(*neighbour));
  }
  return found;
}

static const Tensor *valueOf(const Interpreter &interpreter, llvm::StringRef name) {
  const Tensor *output = interpreter.output(name);
  return output ? output : interpreter.state(name);
}

static bool isSame(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

double Reference::noiseOf(llvm::StringRef name, llvm::ArrayRef<Interpreter> others) const {
  const Tensor &exact = *valueOf(exactly, name);
  double noise = 0;
  for (const Interpreter &other : others)
    for (int64_t i = 0; i < exact.size(); ++i) {
      double error = std::fabs(valueOf(other, name)->number(i) - exact.number(i));
      noise = std::fmax(noise, std::isfinite(error) ? error : 0);
    }
  return noise;
}

std::string Reference::compare(llvm::StringRef name, const Tensor &found, double floor) const {
  const Tensor &exact = *valueOf(exactly, name), &rounded = *valueOf(rounding, name);
  double largest = 0, noise = noiseOf(name, rounding), precision = found.dtype == DType::F64 ? 1e-10 : 1e-5;
  for (int64_t i = 0; i < exact.size(); ++i)
    largest = std::fmax(largest, std::isfinite(exact.number(i)) ? std::fabs(exact.number(i)) : 0);
  auto limit = [&] { return floor + (exact.isFloat() ? 8 * noise + precision * largest : 0); };
  bool knowsNeighbours = !exact.isFloat();
  for (int64_t i = 0; i < exact.size(); ++i) {
    double number = found.number(i), expected = exact.number(i), tolerance = limit();
    auto isNear = [&] {
      return isSame(number, expected) || isSame(number, rounded.number(i)) ||
             std::fabs(number - expected) <= tolerance;
    };
    if (isNear())
      continue;
    if (!std::exchange(knowsNeighbours, true)) {
      constexpr double oneFloat = 6e-8;
      noise = std::fmax(noise, noiseOf(name, neighbours({/*roundResults=*/true}, oneFloat)));
      tolerance = limit();
      if (isNear())
        continue;
    }
    std::string text;
    llvm::raw_string_ostream(text) << "'" << name << "', element " << i << " of " << exact.typeStr()
                                   << ": compiled " << number << ", interpreted " << expected
                                   << " (tolerance " << tolerance << ")";
    return text;
  }
  return "";
}

/// The straight-through gradient of a rounding is no slope: PointsTest compares it with PyTorch's.
static bool hasEstimates(train::ProgramOp program) {
  bool found = false;
  program->walk([&](nn::RoundOp op) { found |= op.getStraightThrough(); });
  return found;
}

mlir::FailureOr<std::array<double, 3>> Reference::lossesAlong(llvm::StringRef name, double factor,
                                                              const llvm::StringMap<Tensor> &inputs) const {
  std::array<double, 3> losses;
  for (int side : {-1, 0, 1}) {
    Interpreter moved = start;
    Tensor parameter = *start.state(name);
    for (auto [number, slope] : llvm::zip_equal(parameter.floats, gradientOf(name).floats))
      number += side * factor * slope;
    if (failed(moved.setState(name, std::move(parameter))) || failed(moved.run("grad_step", inputs)))
      return mlir::failure();
    losses[side + 1] = valueOf(moved, "loss")->number(0);
  }
  return losses;
}

const Tensor &Reference::gradientOf(llvm::StringRef name) const {
  return *valueOf(exactly, (name + ".grad").str());
}

std::string Reference::compareSlope(llvm::StringRef name, const llvm::StringMap<Tensor> &inputs) const {
  if (hasEstimates(program))
    return "";
  double square = 0;
  for (double number : gradientOf(name).floats)
    square += number * number;
  double norm = std::sqrt(square);
  if (norm == 0 || !std::isfinite(norm))
    return "";
  constexpr double distance = 1e-5;
  auto near = lossesAlong(name, distance / norm, inputs);
  if (failed(near))
    return "the interpreter fails beside '" + name.str() + "'";
  auto [lower, loss, higher] = *near;
  double before = (loss - lower) / distance, after = (higher - loss) / distance;
  double tolerance = 1e-5 * norm + 1e-15 * std::fabs(loss) / distance * 10;
  auto isBetween = [&] {
    return norm >= std::fmin(before, after) - tolerance && norm <= std::fmax(before, after) + tolerance;
  };
  if (isBetween())
    return "";
  constexpr double oneDouble = 1.2e-16;
  std::vector<Interpreter> beside = neighbours({}, oneDouble);
  tolerance += 8 * noiseOf("loss", beside) / distance;
  tolerance += 8 * noiseOf((name + ".grad").str(), beside) * std::sqrt(double(gradientOf(name).size()));
  if (isBetween())
    return "";
  // What a slope changes grows with the distance. What does not is rounding.
  auto far = lossesAlong(name, 1000 * distance / norm, inputs);
  double change = std::fmax(std::fabs(loss - lower), std::fabs(higher - loss));
  if (succeeded(far) && std::fabs((*far)[0] - loss) <= change && std::fabs((*far)[2] - loss) <= change)
    tolerance += 2 * change / distance;
  if (isBetween())
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << "the gradient of '" << name << "' has the norm " << norm
                                 << ", but along it the loss changes by " << before << " and " << after;
  return text;
}

} // namespace dlc::numerics
