//===- Init.cpp - initial values of parameters ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Init.h"
#include "dlc/nn/init.h"
#include "frontends/cpp/api/PackedElements.h"
#include "frontends/cpp/api/Random.h"
#include "frontends/cpp/api/Text.h"
#include <algorithm>
#include <cmath>

namespace dlc {
using namespace detail;

namespace detail {

static DType parameterType = float32;

Tensor uniformTensor(const std::vector<int64_t> &shape, double bound, const Where &where) {
  return constant(shape, parameterType, where, [&](int64_t count) { return uniform(count, -bound, bound); });
}

Tensor kaimingUniformTensor(const std::vector<int64_t> &shape, double fanIn, const Where &where) {
  double gain = std::sqrt(2.0 / (1 + 5)), deviation = gain / std::sqrt(fanIn);
  return uniformTensor(shape, std::sqrt(3.0) * deviation, where);
}

Tensor xavierUniformTensor(const std::vector<int64_t> &shape, const Where &where) {
  return uniformTensor(shape, std::sqrt(3.0) * std::sqrt(2.0 / double(shape[0] + shape[1])), where);
}

Tensor normalTensor(const std::vector<int64_t> &shape, double deviation, const Where &where,
                    std::optional<int64_t> zeroRow) {
  return constant(shape, parameterType, where, [&](int64_t count) {
    std::vector<double> numbers = normal(count, 0, deviation);
    if (zeroRow) {
      int64_t row = count / shape[0];
      std::fill_n(numbers.begin() + *zeroRow * row, row, 0);
    }
    return numbers;
  });
}

Tensor filledTensor(const std::vector<int64_t> &shape, double number, const Where &where) {
  return constant(shape, parameterType, where,
                  [&](int64_t count) { return std::vector<double>(count, float(number)); });
}

void requirePositive(const char *name, int64_t value, const Where &where) {
  if (value < 1 || value > largestTensor)
    fail(std::string(name) + ": expected a number above 0" +
             (value < 1 ? "" : " and up to " + std::to_string(largestTensor)) + ", got " +
             std::to_string(value),
         where);
}

void requireEps(double eps, const Where &where) {
  if (!(eps >= 0) || std::isinf(eps))
    fail("eps: expected a finite number of at least 0, got " + pythonNumber(eps), where);
}

} // namespace detail

void set_default_dtype(DType dtype, Where where) {
  if (dtype != float32 && dtype != float64)
    fail(std::string("set_default_dtype: expected float32 or float64, got ") + name_of(dtype), where);
  parameterType = dtype;
}

namespace nn::init {

static std::vector<int64_t> sizesOf(const Tensor &parameter, const Where &where) {
  auto &recorder = record::Recorder::get();
  if (!parameter.defined() ||
      (!recorder.isParameter(parameter.id()) && recorder.originOf(parameter.id()) != "buffer"))
    fail("expected a parameter or a buffer of a module", where);
  std::vector<int64_t> sizes;
  for (const Dim &dim : parameter.shape())
    sizes.push_back(dim.value());
  return sizes;
}

static int64_t countOf(const Tensor &parameter, const Where &where) {
  return detail::countOf(sizesOf(parameter, where));
}

Tensor values_(const Tensor &parameter, const std::vector<double> &elements, Where where) {
  std::vector<int64_t> sizes = sizesOf(parameter, where);
  if (int64_t(elements.size()) != detail::countOf(sizes))
    fail("values_: expected " + std::to_string(detail::countOf(sizes)) + " elements for the shape " +
             str(parameter.shape()) + ", got " + std::to_string(elements.size()),
         where);
  unwrap(record::Recorder::get().setState(parameter.id(), pack(elements, sizes, parameter.dtype())), where);
  return parameter;
}

Tensor constant_(const Tensor &parameter, double value, Where where) {
  return values_(parameter, std::vector<double>(countOf(parameter, where), value), where);
}
Tensor zeros_(const Tensor &parameter, Where where) { return constant_(parameter, 0, where); }
Tensor ones_(const Tensor &parameter, Where where) { return constant_(parameter, 1, where); }

Tensor eye_(const Tensor &parameter, Where where) {
  std::vector<int64_t> sizes = sizesOf(parameter, where);
  if (sizes.size() != 2)
    fail("eye_: expected a matrix, got " + str(parameter.shape()), where);
  std::vector<double> numbers(sizes[0] * sizes[1], 0);
  for (int64_t i = 0; i < std::min(sizes[0], sizes[1]); ++i)
    numbers[i * sizes[1] + i] = 1;
  return values_(parameter, numbers, where);
}

Tensor uniform_(const Tensor &parameter, double low, double high, Where where) {
  if (!(low <= high))
    fail("uniform_: expected a range, got " + pythonNumber(low) + " to " + pythonNumber(high), where);
  return values_(parameter, uniform(countOf(parameter, where), low, high), where);
}
Tensor normal_(const Tensor &parameter, double mean, double deviation, Where where) {
  return values_(parameter, normal(countOf(parameter, where), mean, deviation), where);
}

/// Draws again what is out of the range. Where most of the numbers would be, uniform ones are drawn and kept
/// with the probability that the distribution gives them.
Tensor trunc_normal_(const Tensor &parameter, double mean, double deviation, double low, double high,
                     Where where) {
  if (!(low < high) || !(deviation > 0))
    fail("trunc_normal_: expected a range and a deviation above 0, got " + pythonNumber(low) + " to " +
             pythonNumber(high) + " and " + pythonNumber(deviation),
         where);
  int64_t count = countOf(parameter, where);
  auto below = [&](double x) { return (1 + std::erf((x - mean) / deviation / std::sqrt(2.0))) / 2; };
  auto height = [&](double x) { return -0.5 * std::pow((x - mean) / deviation, 2); };
  double peak = height(std::clamp(mean, low, high));
  bool isLikely = below(high) - below(low) > 0.3;
  if (!isLikely && !std::isfinite(high - low))
    fail("trunc_normal_: expected a range with both ends where most of the numbers are outside of it, got " +
             pythonNumber(low) + " to " + pythonNumber(high),
         where);
  std::vector<double> numbers(count);
  std::vector<bool> isOpen(count, true);
  while (std::find(isOpen.begin(), isOpen.end(), true) != isOpen.end()) {
    std::vector<double> drawn = isLikely ? normal(count, mean, deviation) : uniform(count, low, high),
                        chances = isLikely ? std::vector<double>() : uniform(count, 0, 1);
    for (int64_t i = 0; i < count; ++i) {
      if (!isOpen[i])
        continue;
      numbers[i] = drawn[i];
      isOpen[i] = isLikely ? drawn[i] < float(low) || drawn[i] > float(high)
                           : std::log(chances[i]) > height(drawn[i]) - peak;
    }
  }
  return values_(parameter, numbers, where);
}

/// How many numbers each output is made of, and each input goes into.
static std::pair<double, double> fans(const Tensor &parameter, const Where &where) {
  std::vector<int64_t> sizes = sizesOf(parameter, where);
  if (sizes.size() < 2)
    fail("expected a parameter of at least 2 dims, whose inputs and outputs can be counted, got " +
             str(parameter.shape()),
         where);
  double field = 1;
  for (size_t i = 2; i < sizes.size(); ++i)
    field *= double(sizes[i]);
  return {double(sizes[1]) * field, double(sizes[0]) * field};
}

double calculate_gain(const std::string &nonlinearity, std::optional<double> parameter, Where where) {
  for (const char *name : {"linear", "sigmoid", "conv1d", "conv2d", "conv3d", "conv_transpose1d",
                           "conv_transpose2d", "conv_transpose3d"})
    if (nonlinearity == name)
      return 1;
  if (nonlinearity == "tanh")
    return 5.0 / 3;
  if (nonlinearity == "relu")
    return std::sqrt(2.0);
  if (nonlinearity == "leaky_relu")
    return std::sqrt(2.0 / (1 + std::pow(parameter.value_or(0.01), 2)));
  if (nonlinearity == "selu")
    return 3.0 / 4;
  fail("calculate_gain: expected linear, sigmoid, tanh, relu, leaky_relu, selu or the name of a convolution, "
       "got '" +
           nonlinearity + "'",
       where);
}

Tensor xavier_uniform_(const Tensor &parameter, double gain, Where where) {
  auto [in, out] = fans(parameter, where);
  double bound = std::sqrt(3.0) * (gain * std::sqrt(2.0 / (in + out)));
  return uniform_(parameter, -bound, bound, where);
}
Tensor xavier_normal_(const Tensor &parameter, double gain, Where where) {
  auto [in, out] = fans(parameter, where);
  return normal_(parameter, 0, gain * std::sqrt(2.0 / (in + out)), where);
}

static double kaimingDeviation(const Tensor &parameter, const KaimingOptions &options, const Where &where) {
  std::string mode = options.mode;
  if (mode != "fan_in" && mode != "fan_out")
    fail("mode: expected fan_in or fan_out, got '" + mode + "'", where);
  auto [in, out] = fans(parameter, where);
  return calculate_gain(options.nonlinearity, options.a, where) / std::sqrt(mode == "fan_in" ? in : out);
}

Tensor kaiming_uniform_(const Tensor &parameter, KaimingOptions options, Where where) {
  double bound = std::sqrt(3.0) * kaimingDeviation(parameter, options, where);
  return uniform_(parameter, -bound, bound, where);
}
Tensor kaiming_normal_(const Tensor &parameter, KaimingOptions options, Where where) {
  return normal_(parameter, 0, kaimingDeviation(parameter, options, where), where);
}

} // namespace nn::init
} // namespace dlc
