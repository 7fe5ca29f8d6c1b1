//===- Reduction.cpp - reductions -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reductions: each result element gathers the elements of its own slice of the operand.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"

#include <limits>

namespace dlc::interpret {
namespace {

/// Strides that lead from an index of the operand to the element of the result that it belongs to.
llvm::SmallVector<int64_t, 4> resultStrides(llvm::ArrayRef<int64_t> shape, llvm::ArrayRef<int64_t> axes) {
  llvm::SmallVector<int64_t, 4> kept(shape);
  for (int64_t axis : axes)
    kept[axis] = 1;
  llvm::SmallVector<int64_t, 4> strides = stridesOf(kept);
  for (int64_t axis : axes)
    strides[axis] = 0;
  return strides;
}

template <typename Number>
void reduce(const Tensor &x, llvm::ArrayRef<int64_t> axes, const std::vector<Number> &from,
            std::vector<Number> &to, Number start, llvm::function_ref<Number(Number, Number)> combine) {
  llvm::SmallVector<int64_t, 4> strides = resultStrides(x.shape, axes);
  std::fill(to.begin(), to.end(), start);
  int64_t at = 0;
  forEachIndex(x.shape, [&](llvm::ArrayRef<int64_t> index) {
    Number &slot = to[offsetOf(index, strides)];
    slot = combine(slot, from[at++]);
  });
}

void reduceFloats(Evaluation &e, llvm::ArrayRef<int64_t> axes) {
  mlir::Operation *op = e.getOperation();
  const Tensor &x = e.operand(0);
  std::vector<double> &y = e.result().floats;
  constexpr double infinity = std::numeric_limits<double>::infinity();
  if (mlir::isa<nn::ReduceMaxOp>(op))
    return reduce<double>(x, axes, x.floats, y, -infinity, maximum);
  if (mlir::isa<nn::ReduceMinOp>(op))
    return reduce<double>(x, axes, x.floats, y, infinity, minimum);
  if (mlir::isa<nn::ProdOp>(op))
    return reduce<double>(x, axes, x.floats, y, 1, [](double a, double b) { return a * b; });
  reduce<double>(x, axes, x.floats, y, 0, [&](double a, double b) { return e.sum(a + b); });
  if (mlir::isa<nn::MeanOp>(op)) {
    double count = 1;
    for (int64_t axis : axes)
      count *= static_cast<double>(x.shape[axis]);
    for (double &number : y)
      number /= count;
  }
}

void reduceInts(Evaluation &e, llvm::ArrayRef<int64_t> axes) {
  mlir::Operation *op = e.getOperation();
  const Tensor &x = e.operand(0);
  std::vector<int64_t> &y = e.result().ints;
  bool narrow = x.dtype == DType::I32;
  int64_t lowest = narrow ? std::numeric_limits<int32_t>::min() : std::numeric_limits<int64_t>::min();
  int64_t highest = narrow ? std::numeric_limits<int32_t>::max() : std::numeric_limits<int64_t>::max();
  if (mlir::isa<nn::ReduceMaxOp>(op))
    return reduce<int64_t>(x, axes, x.ints, y, lowest, [](int64_t a, int64_t b) { return std::max(a, b); });
  if (mlir::isa<nn::ReduceMinOp>(op))
    return reduce<int64_t>(x, axes, x.ints, y, highest, [](int64_t a, int64_t b) { return std::min(a, b); });
  if (mlir::isa<nn::ProdOp>(op))
    return reduce<int64_t>(x, axes, x.ints, y, 1, [](int64_t a, int64_t b) {
      return static_cast<int64_t>(static_cast<uint64_t>(a) * static_cast<uint64_t>(b));
    });
  reduce<int64_t>(x, axes, x.ints, y, 0, [](int64_t a, int64_t b) {
    return static_cast<int64_t>(static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
  });
}

/// Position of the largest (or smallest) element along an axis, or of a NaN; of equal ones the first or the
/// last.
template <typename Number>
void argReduce(Evaluation &e, const std::vector<Number> &from, int64_t axis, bool smallest, bool last) {
  const Tensor &x = e.operand(0);
  llvm::ArrayRef<int64_t> shape = x.shape;
  if (shape[axis] == 0 && e.result().size() != 0)
    return e.fail("expected at least one element along the axis");
  int64_t inner = product(shape.drop_front(axis + 1)), outer = product(shape.take_front(axis));
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t i = 0; i < inner; ++i) {
      const Number *slice = from.data() + o * shape[axis] * inner + i;
      int64_t best = 0;
      for (int64_t k = 1; k < shape[axis]; ++k) {
        Number a = slice[k * inner], b = slice[best * inner];
        bool isNan = a != a, bestIsNan = b != b, isEqual = isNan ? bestIsNan : a == b;
        bool isBetter = !bestIsNan && (isNan || (smallest ? a < b : a > b));
        if (isBetter || (last && isEqual))
          best = k;
      }
      e.result().ints[o * inner + i] = best;
    }
}

template <typename Op> bool evaluateArg(Evaluation &e, bool smallest) {
  auto op = mlir::dyn_cast<Op>(e.getOperation());
  if (!op)
    return false;
  if (e.operand(0).isFloat())
    argReduce(e, e.operand(0).floats, op.getAxis(), smallest, op.getLast());
  else
    argReduce(e, e.operand(0).ints, op.getAxis(), smallest, op.getLast());
  return true;
}

template <typename Op> bool evaluateReduce(Evaluation &e) {
  auto op = mlir::dyn_cast<Op>(e.getOperation());
  if (!op)
    return false;
  if (e.operand(0).isFloat())
    reduceFloats(e, op.getAxes());
  else
    reduceInts(e, op.getAxes());
  return true;
}

} // namespace

bool evaluateReduction(Evaluation &e) {
  return evaluateReduce<nn::SumOp>(e) || evaluateReduce<nn::MeanOp>(e) ||
         evaluateReduce<nn::ReduceMaxOp>(e) || evaluateReduce<nn::ReduceMinOp>(e) ||
         evaluateReduce<nn::ProdOp>(e) || evaluateArg<nn::ArgMaxOp>(e, false) ||
         evaluateArg<nn::ArgMinOp>(e, true);
}

} // namespace dlc::interpret
