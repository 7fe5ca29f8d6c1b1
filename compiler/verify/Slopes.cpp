//===- Slopes.cpp - gradients against finite differences ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/Slopes.h"
#include "dialects/nn/NN.h"
#include "mlir/IR/Threading.h"

#include <cmath>
#include <random>

namespace dlc::verify {
using interpret::Interpreter;
using interpret::Tensor;
using mlir::failed;
using mlir::failure;
using mlir::FailureOr;

double Slope::bound() const { return tolerance + std::fabs(after - before) / 2; }

FailureOr<Slopes> Slopes::create(train::ProgramOp program, const Interpreter &states, const Tensors &inputs) {
  interpret::Options options;
  options.keepsValues = false;
  auto start = Interpreter::create(program, options);
  if (failed(start))
    return failure();
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (const Tensor *value = states.state(state.getSymName()))
      if (failed(start->setState(state.getSymName(), *value)))
        return failure();
  Interpreter moved = *start;
  if (failed(moved.run("forward", inputs)) || !moved.loss())
    return failure();
  const double here = moved.loss()->number(0);
  return Slopes(program, std::move(*start), std::move(moved), inputs, here);
}

FailureOr<double> Slopes::lossAt(llvm::StringRef parameter, llvm::ArrayRef<double> direction,
                                 double factor) const {
  Interpreter beside = start;
  Tensor value = *start.state(parameter);
  for (auto [number, slope] : llvm::zip_equal(value.floats, direction))
    number += factor * slope;
  if (failed(beside.setState(parameter, std::move(value))) || failed(beside.run("forward", *inputs)))
    return failure();
  return beside.loss()->number(0);
}

FailureOr<Slope> Slopes::atDistance(llvm::StringRef parameter, llvm::ArrayRef<double> direction,
                                    double distance) const {
  double losses[2]; // before and behind
  auto run = [&](size_t side) {
    FailureOr<double> loss = lossAt(parameter, direction, side == 0 ? -distance : distance);
    losses[side] = succeeded(loss) ? *loss : 0;
    return mlir::success(succeeded(loss));
  };
  if (failed(mlir::failableParallelForEachN(program->getContext(), 0, 2, run)))
    return failure();
  Slope slope;
  slope.before = (here - losses[0]) / distance;
  slope.after = (losses[1] - here) / distance;
  slope.tolerance = 1e-14 * std::fabs(here) / distance;
  return slope;
}

double Slopes::noise() const {
  if (knownNoise >= 0)
    return knownNoise;
  constexpr double oneDouble = 1.2e-16;
  knownNoise = 0;
  std::mt19937 engine;
  for (int i = 0; i < 3; ++i) {
    Interpreter beside = start;
    for (const auto &state : start.states()) {
      Tensor value = state.second;
      for (double &number : value.floats)
        number *= 1 + (engine() % 2 ? oneDouble : -oneDouble);
      if (failed(beside.setState(state.getKey(), std::move(value))))
        return knownNoise;
    }
    if (failed(beside.run("forward", *inputs)))
      return knownNoise;
    if (const double change = std::fabs(beside.loss()->number(0) - here); std::isfinite(change))
      knownNoise = std::fmax(knownNoise, change);
  }
  return knownNoise;
}

FailureOr<Slope> Slopes::along(llvm::StringRef parameter, llvm::ArrayRef<double> direction, double expected,
                               double size) const {
  const double least = std::fmax(std::fabs(expected), size);
  auto fits = [&](const Slope &slope) { return std::fabs(expected - slope.middle()) <= slope.bound(); };
  std::optional<Slope> best;
  for (double distance : {1e-5, 1e-6, 1e-7, 1e-4}) {
    FailureOr<Slope> slope = atDistance(parameter, direction, distance);
    if (failed(slope))
      return failure();
    slope->tolerance += 1e-5 * least;
    slope->hasKink = std::fabs(slope->after - slope->before) > 1e-3 * least + 2 * slope->tolerance;
    if (!fits(*slope)) { // is it rounding?
      Slope noisy = *slope;
      noisy.tolerance += 8 * noise() / distance;
      if (fits(noisy) && noisy.tolerance <= 0.01 * least)
        slope = noisy;
    }
    const bool isBetter = !best || (fits(*slope) && (!fits(*best) || slope->bound() < best->bound()));
    if (isBetter)
      best = *slope;
    if (fits(*best) && !best->hasKink)
      return *best;
  }
  // A slope that is smaller than the rounding of the loss in double precision is none that could be seen.
  if (!fits(*best))
    best->tolerance += 8 * noise() / 1e-5;
  // What a slope changes grows with the distance. What does not is rounding, or a jump where a parameter
  // begins.
  if (!fits(*best)) {
    constexpr double distance = 1e-5;
    double largest = noise();
    for (double side : {distance, -distance}) {
      FailureOr<double> near = lossAt(parameter, direction, side),
                        far = lossAt(parameter, direction, 1000 * side);
      if (failed(near) || failed(far))
        return failure();
      const double change = std::fmax(std::fabs(*near - here), noise());
      if (std::fabs(*far - here) > change)
        return *best;
      largest = std::fmax(largest, change);
    }
    best->tolerance += 2 * largest / distance;
  }
  return *best;
}

std::string whyNoSlopes(train::ProgramOp program) {
  std::string found;
  program->walk([&](mlir::Operation *op) {
    auto round = mlir::dyn_cast<nn::RoundOp>(op);
    const bool decides = mlir::isa<train::StopGradientOp, train::CustomGradientOp>(op) ||
                         (round && round.getStraightThrough());
    if (decides && found.empty())
      found = (op->getName().getStringRef() + " at " + interpret::nameOf(op->getLoc())).str() +
              " says what the gradient is";
  });
  return found;
}

std::vector<double> randomDirection(int64_t size, uint64_t seed) {
  std::mt19937_64 engine(seed);
  const double length = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(size, 1)));
  std::vector<double> direction(size);
  for (double &number : direction)
    number = engine() % 2 ? length : -length;
  return direction;
}

double dot(llvm::ArrayRef<double> a, llvm::ArrayRef<double> b) {
  double sum = 0;
  for (auto [x, y] : llvm::zip_equal(a, b))
    sum += x * y;
  return sum;
}

} // namespace dlc::verify
