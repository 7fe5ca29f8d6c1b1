//===- Reference.cpp - what float32 code may compute ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/verify/Reference.h"
#include "compiler/interpret/Exchange.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Threading.h"
#include "llvm/ADT/StringSet.h"

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

static interpret::Options plain() {
  interpret::Options options;
  options.keepsValues = false;
  return options;
}

static interpret::Options rounded() {
  interpret::Options options = plain();
  options.roundResults = true;
  return options;
}

mlir::FailureOr<Reference> Reference::create(train::ProgramOp program) {
  auto exactly = Interpreter::create(program, plain()), rounding = Interpreter::create(program, rounded());
  if (failed(exactly) || failed(rounding))
    return mlir::failure();
  return Reference(program, std::move(*exactly), std::move(*rounding));
}

/// Each on a thread of its own. An error that several have is reported once.
static mlir::LogicalResult runAll(llvm::ArrayRef<Interpreter *> interpreters, mlir::MLIRContext *context,
                                  llvm::StringRef function, const llvm::StringMap<Tensor> &inputs) {
  llvm::StringSet<> said;
  mlir::ScopedDiagnosticHandler once(context, [&](mlir::Diagnostic &diagnostic) {
    return mlir::success(!said.insert(diagnostic.str()).second);
  });
  return mlir::failableParallelForEach(
      context, interpreters, [&](Interpreter *interpreter) { return interpreter->run(function, inputs); });
}

mlir::LogicalResult Reference::run(llvm::StringRef function, const llvm::StringMap<Tensor> &inputs) {
  runs.emplace_back(function.str(), inputs);
  return runAll({&exactly, &rounding}, source->getContext(), function, inputs);
}

/// Functions that leave all states as they were.
static bool onlyReads(llvm::StringRef function) { return function == "predict" || function == "eval_step"; }

mlir::LogicalResult Reference::make(Neighbours &neighbours) const {
  train::ProgramOp whole = source;
  for (unsigned i = 0; i < moved + (neighbours.isFar ? exchanged : 0); ++i) {
    interpret::Options options = rounded();
    options.roundSums = neighbours.isFar;
    options.keepsDeciding = neighbours.isFar && i < moved;
    options.beforeNarrow = 8 * oneFloat; // functions of several operations are off by as much
    options.seed = i;
    // Far ones are on both sides of each parameter, and where it is.
    const bool isOther = neighbours.isFar && i == 1, stays = neighbours.isFar && i == 2;
    std::mt19937 engine(isOther ? 0 : i);
    const double distance = stays ? 0 : isOther ? -neighbours.distance : neighbours.distance;
    auto neighbour = Interpreter::create(whole, options);
    if (failed(neighbour))
      return mlir::failure();
    for (auto state : whole.getBody().getOps<train::StateOp>()) {
      Tensor value = *start.state(state.getSymName());
      if (state.getKind() != train::StateKind::Parameter || !value.isFloat())
        continue;
      for (double &number : value.floats)
        number *= 1 + (engine() % 2 ? distance : -distance);
      if (failed(neighbour->setState(state.getSymName(), std::move(value))))
        return mlir::failure();
    }
    neighbours.all.push_back(std::move(*neighbour));
  }
  return mlir::success();
}

/// What these have found for each value that decides something.
static std::vector<interpret::Cells> cellsOf(llvm::ArrayRef<Interpreter> neighbours) {
  std::vector<interpret::Cells> cells;
  for (size_t number = 0; number < neighbours.front().deciding().size(); ++number)
    cells.push_back(interpret::cellsOf(
        llvm::map_to_vector(neighbours, [&](const Interpreter &each) { return &each.deciding()[number]; })));
  return cells;
}

mlir::LogicalResult Reference::runNeighbours(Neighbours &neighbours, llvm::StringRef function,
                                             const llvm::StringMap<Tensor> &inputs) const {
  llvm::MutableArrayRef<Interpreter> all(neighbours.all);
  auto run = [&](llvm::MutableArrayRef<Interpreter> some) {
    auto each = llvm::map_to_vector(some, [](Interpreter &one) { return &one; });
    return runAll(each, source->getContext(), function, inputs);
  };
  if (failed(run(all.take_front(moved))))
    return mlir::failure();
  if (all.size() == moved)
    return mlir::success();
  const std::vector<interpret::Cells> cells = cellsOf(all.take_front(moved));
  for (auto [i, each] : llvm::enumerate(all.drop_front(moved)))
    each.exchangeWithin(cells, /*isBetween=*/i == 1);
  return run(all.drop_front(moved));
}

llvm::ArrayRef<Interpreter> Reference::upToDate(Neighbours &neighbours) const {
  auto isReady = [&] {
    if (neighbours.all.empty() && failed(make(neighbours)))
      return false;
    for (size_t &done = neighbours.done; done < runs.size(); ++done) {
      const auto &[function, inputs] = runs[done];
      const bool isLast = done + 1 == runs.size();
      if ((isLast || !onlyReads(function)) && failed(runNeighbours(neighbours, function, inputs)))
        return false;
    }
    return true;
  };
  if (!isReady()) {
    neighbours.all.clear();
    neighbours.done = 0;
  }
  return neighbours.all;
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
      auto isTheirs = [&](const Interpreter &other) {
        return isSame(number, valueOf(other, name)->number(i));
      };
      if (isSame(number, expected))
        error = 0;
      else if (!(error <= bound.value) &&
               (isSame(number, rounded.number(i)) || llvm::any_of(alike, isTheirs)))
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
  llvm::ArrayRef<Interpreter> others = upToDate(next);
  const double besideNoise = std::fmax(noise, noiseOf(name, others));
  const Deviation again = worst(boundOf(besideNoise, "parameters next to these"), others);
  if (!again.isBeyond() || !exact.isFloat())
    return again;
  llvm::ArrayRef<Interpreter> farther = upToDate(far);
  const double farNoise = noiseOf(name, farther) / 8; // their distance is the factor of the others
  return worst(boundOf(std::fmax(besideNoise, farNoise),
                       farNoise > besideNoise ? "kinks and long sums" : "parameters next to these"),
               farther);
}

std::string sentence(llvm::StringRef name, const Tensor &tensor, const Deviation &deviation) {
  std::string text;
  llvm::raw_string_ostream(text) << "'" << name << "', element " << deviation.element << " of "
                                 << tensor.typeStr() << ": compiled " << deviation.found << ", interpreted "
                                 << deviation.expected << " (tolerance " << deviation.bound << ")";
  return text;
}

} // namespace dlc::verify
