//===- RandomTensors.cpp - random numbers, constant or drawn in each step --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// In PyTorch both are one function: what stands in a forward is computed in each step, and what stands where
// the model is made, once. ops.h says how they are told apart here.
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Detail.h"
#include "frontends/cpp/api/Random.h"
#include <algorithm>
#include <cmath>

namespace dlc {
using namespace detail;
using record::Recorder;

/// Whether each step draws them.
static bool isDrawnInSteps(const Shape &shape) {
  return isModuleComputing() || isBackwardComputing() ||
         std::any_of(shape.begin(), shape.end(), [](const Dim &dim) { return !dim.is_static(); });
}

/// A tensor of this shape from `numbers(count)`.
template <typename Numbers>
static Tensor drawnOnce(const Shape &shape, DType dtype, const Where &where, Numbers numbers) {
  std::vector<int64_t> sizes;
  for (const Dim &dim : shape)
    sizes.push_back(dim.factor);
  return constant(sizes, dtype, where, numbers);
}

/// Numbers between 0 and 1, both of which they never are.
static Tensor uniformInSteps(const Shape &shape, DType dtype, const Where &where) {
  Tensor state = Tensor::of(Recorder::get().randomState(placeOf(where)));
  return apply("nn.random_uniform", {state}, {{"stream", int64_t(0)}}, where, {{shape, dtype}});
}

/// Box and Muller 1958, one number of a pair.
static Tensor normalInSteps(const Shape &shape, DType dtype, const Where &where) {
  At at(where);
  Tensor size = (-2 * uniformInSteps(shape, dtype, where).log()).sqrt();
  return size * (2 * M_PI * uniformInSteps(shape, dtype, where)).cos();
}

void manual_seed(uint64_t seed) { seedRandom(seed); }

/// Throws where numbers of this dtype are not drawn.
static void requireDrawn(const char *function, DType dtype, const Where &where) {
  if (dtype != float32 && dtype != float64)
    fail(std::string(function) + ": draws float32 or float64, got " + name_of(dtype) +
             "; convert it with to()",
         where);
}

Tensor rand(const Shape &shape, DType dtype, Where where) {
  requireDrawn("rand", dtype, where);
  if (isDrawnInSteps(shape))
    return uniformInSteps(shape, dtype, where);
  return drawnOnce(shape, dtype, where, [&](int64_t count) {
    return dtype == float64 ? uniformDoubles(count, 0, 1) : uniform(count, 0, 1);
  });
}
Tensor rand(const Shape &shape, Where where) { return rand(shape, float32, where); }

Tensor randn(const Shape &shape, DType dtype, Where where) {
  requireDrawn("randn", dtype, where);
  if (isDrawnInSteps(shape))
    return normalInSteps(shape, dtype, where);
  return drawnOnce(shape, dtype, where, [&](int64_t count) {
    return dtype == float64 ? normalDoubles(count, 0, 1) : normal(count, 0, 1);
  });
}
Tensor randn(const Shape &shape, Where where) { return randn(shape, float32, where); }

Tensor randint(int64_t low, int64_t high, const Shape &shape, Where where) {
  const std::string range = std::to_string(low) + " to " + std::to_string(high);
  if (low >= high)
    fail("randint: expected a range with a number in it, got " + range, where);
  if (!isDrawnInSteps(shape))
    return drawnOnce(shape, int64, where, [&](int64_t count) { return integers(count, low, high); });
  At at(where);
  constexpr int64_t most = int64_t(1) << 23; // what a step draws has so many random bits
  if (high - low > most)
    fail("randint: a step draws from at most " + std::to_string(most) + " numbers, got " + range, where);
  // In double precision the product is exact and below high - low, of which the integer part is taken.
  return (uniformInSteps(shape, float64, where) * double(high - low)).to(int64) + low;
}

/// What rand() or randn() give, with the dtype of x.
static Tensor like(const Tensor &x, Tensor (*inSteps)(const Shape &, DType, const Where &),
                   Tensor (*once)(const Shape &, DType, Where), const char *function, const Where &where) {
  if (!x.defined())
    fail(std::string(function) + ": a tensor without a value was given", where);
  if (x.dtype() != float32 && x.dtype() != float64)
    fail(std::string(function) + ": draws float32 or float64, got " + describe(x) + "; convert it with to()",
         where);
  if (isDrawnInSteps(x.shape()) || !Recorder::get().inputUnder(x.id()).empty())
    return inSteps(x.shape(), x.dtype(), where);
  return once(x.shape(), x.dtype(), where);
}

Tensor rand_like(const Tensor &x, Where where) { return like(x, uniformInSteps, rand, "rand_like", where); }
Tensor randn_like(const Tensor &x, Where where) { return like(x, normalInSteps, randn, "randn_like", where); }

Tensor bernoulli(const Tensor &x, Where where) {
  At at(where);
  return (like(x, uniformInSteps, rand, "bernoulli", where) < x).to(x.dtype());
}

Tensor by_mode(const Tensor &training, const Tensor &evaluation, Where where) {
  if (training.shape(where) != evaluation.shape(where) || training.dtype() != evaluation.dtype())
    fail("by_mode: expected two tensors of one type, got " + describe(training) + " and " +
             describe(evaluation),
         where);
  return apply("train.by_mode", {training, evaluation}, {}, where, {{training.shape(), training.dtype()}});
}

} // namespace dlc
