//===- Reference.cpp - what float32 code may compute ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/Reference.h"

#include <cmath>
#include <limits>
#include <random>
#include <utility>

namespace dlc::verify {
using interpret::DType;
using interpret::Interpreter;
using interpret::Tensor;
using mlir::failed;

double Deviation::share() const {
  if (error == 0)
    return 0;
  return bound > 0 && std::isfinite(error) ? error / bound : std::numeric_limits<double>::infinity();
}

mlir::FailureOr<Reference> Reference::create(train::ProgramOp program) {
  auto exactly = Interpreter::create(program),
       rounding = Interpreter::create(program, {/*roundResults=*/true});
  if (failed(exactly) || failed(rounding))
    return mlir::failure();
  return Reference(program, std::move(*exactly), std::move(*rounding));
}

mlir::LogicalResult Reference::run(llvm::StringRef function, const llvm::StringMap<Tensor> &inputs) {
  runs.emplace_back(function.str(), inputs);
  beside.clear();
  return mlir::success(succeeded(exactly.run(function, inputs)) && succeeded(rounding.run(function, inputs)));
}

/// Functions that leave all states as they were.
static bool onlyReads(llvm::StringRef function) { return function == "predict" || function == "eval_step"; }

std::vector<Interpreter> Reference::neighbours(const interpret::Options &options, double distance) const {
  std::mt19937 engine;
  std::vector<Interpreter> found;
  train::ProgramOp whole = source;
  for (unsigned i = 0; i < 3; ++i) {
    interpret::Options own = options;
    own.seed = i;
    auto neighbour = Interpreter::create(whole, own);
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
    for (const auto &[position, call] : llvm::enumerate(runs))
      if (position + 1 == runs.size() || !onlyReads(call.first))
        if (failed(neighbour->run(call.first, call.second)))
          return {};
    found.push_back(std::move(*neighbour));
  }
  return found;
}

llvm::ArrayRef<Interpreter> Reference::nextToThese() const {
  constexpr double oneFloat = 6e-8;
  interpret::Options options;
  options.roundResults = true;
  options.beforeNarrow = 8 * oneFloat; // functions of several operations are off by as much
  if (beside.empty() || runsBeside != runs.size())
    beside = neighbours(options, oneFloat);
  runsBeside = runs.size();
  return beside;
}

const Tensor *valueOf(const Interpreter &interpreter, llvm::StringRef name) {
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

namespace {

/// A bound and the largest of its parts.
struct Bound {
  double value = 0;
  std::string reason;

  void add(double part, llvm::StringRef why) {
    value += part;
    if (part > largest || reason.empty()) {
      largest = part;
      reason = why.str();
    }
  }

private:
  double largest = 0;
};

double largestOf(const Tensor &tensor) {
  double largest = 0;
  for (int64_t i = 0; i < tensor.size(); ++i)
    largest = std::fmax(largest, std::isfinite(tensor.number(i)) ? std::fabs(tensor.number(i)) : 0);
  return largest;
}

} // namespace

Deviation Reference::compare(llvm::StringRef name, const Tensor &found, const Allowance &allowance) const {
  const Tensor &exact = *valueOf(exactly, name), &rounded = *valueOf(rounding, name);
  const double part = allowance.part > 0 ? allowance.part : found.dtype == DType::F64 ? 1e-10 : 1e-5;
  const double scale = allowance.scale >= 0 ? allowance.scale : largestOf(exact);
  auto boundOf = [&](double noise, llvm::StringRef why) {
    Bound bound;
    if (exact.isFloat()) {
      bound.add(8 * noise, why);
      bound.add(part * scale, allowance.scale >= 0 ? "size of the change" : "size of the numbers");
    } else
      bound.add(0, "whole numbers");
    if (allowance.floor > 0)
      bound.add(allowance.floor, allowance.floorReason);
    return bound;
  };
  auto worst = [&](const Bound &bound, llvm::ArrayRef<Interpreter> alike) {
    Deviation result;
    result.bound = bound.value;
    result.reason = bound.reason;
    for (int64_t i = 0; i < exact.size(); ++i) {
      const double number = found.number(i), expected = exact.number(i);
      double error = std::fabs(number - expected);
      auto isTheirs = [&](const Interpreter &other) { return isSame(number, valueOf(other, name)->number(i)); };
      if (isSame(number, expected))
        error = 0;
      else if (!(error <= bound.value) && (isSame(number, rounded.number(i)) || llvm::any_of(alike, isTheirs)))
        error = std::fmin(bound.value, std::isnan(error) ? bound.value : error);
      else if (std::isnan(error))
        error = std::numeric_limits<double>::infinity();
      if (i == 0 || error > result.error) {
        result.error = error;
        result.element = i;
        result.found = number;
        result.expected = expected;
      }
    }
    return result;
  };
  const double noise = noiseOf(name, rounding);
  const Deviation result = worst(boundOf(noise, "float32 rounding"), {});
  if (!result.isBeyond())
    return result;
  llvm::ArrayRef<Interpreter> others = nextToThese();
  return worst(boundOf(std::fmax(noise, noiseOf(name, others)), "parameters next to these"), others);
}

std::string sentence(llvm::StringRef name, const Tensor &tensor, const Deviation &deviation) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << name << "', element " << deviation.element << " of "
                                 << tensor.typeStr() << ": compiled " << deviation.found << ", interpreted "
                                 << deviation.expected << " (tolerance " << deviation.bound << ")";
  return text;
}

} // namespace dlc::verify
