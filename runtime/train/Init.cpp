//===- Init.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// New initial values of parameters.
//===----------------------------------------------------------------------===//
#include "dlc/init.h"
#include "runtime/core/DType.h"

#include <cmath>

namespace dlc::runtime {

namespace {

/// splitmix64, begun by a seed and a name.
class Draws {
public:
  Draws(uint64_t seed, const char *name) : state(seed) {
    state = next();
    for (; *name; ++name) // FNV-1a
      state = (state ^ static_cast<unsigned char>(*name)) * 0x100000001b3u;
  }
  /// Above 0 and below 1.
  double unit() { return (static_cast<double>(next() >> 11) + 0.5) * 0x1p-53; }
  /// A normal number of mean 0 and deviation 1 (Box and Muller).
  double normal() {
    const double radius = std::sqrt(-2 * std::log(unit()));
    return radius * std::cos(6.283185307179586 * unit());
  }

private:
  uint64_t next() {
    uint64_t z = state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
  }
  uint64_t state;
};

/// Uniform around the mean, or normal.
struct Distribution {
  bool isNormal;
  double mean, deviation;
};

template <typename T> Distribution likeThose(const T *values, int64_t count) {
  double sum = 0, squares = 0, fourths = 0;
  bool areEqual = true;
  for (int64_t i = 0; i < count; ++i) {
    sum += static_cast<double>(values[i]);
    areEqual = areEqual && values[i] == values[0];
  }
  const double mean = sum / static_cast<double>(count);
  if (areEqual)
    return {false, static_cast<double>(values[0]), 0};
  for (int64_t i = 0; i < count; ++i) {
    const double square = (static_cast<double>(values[i]) - mean) * (static_cast<double>(values[i]) - mean);
    squares += square;
    fourths += square * square;
  }
  // The kurtosis is 1.8 of uniform and 3 of normal numbers.
  const bool isNormal = fourths * static_cast<double>(count) > 2.4 * squares * squares;
  return {isNormal, mean, std::sqrt(squares / static_cast<double>(count))};
}

/// The fans of Xavier and Kaiming; false where the parameter has no neurons with inputs.
bool byInputs(const dlc_init &how, const dlc_parameter_info &parameter, Distribution &result) {
  if (parameter.rank < 2)
    return false;
  double field = 1;
  for (int32_t i = 2; i < parameter.rank; ++i)
    field *= static_cast<double>(parameter.shape[i]);
  const double outputs = static_cast<double>(parameter.shape[0]) * field,
               inputs = static_cast<double>(parameter.shape[1]) * field;
  const bool isXavier = how.kind == DLC_INIT_XAVIER_UNIFORM || how.kind == DLC_INIT_XAVIER_NORMAL;
  const double gain = how.a == 0 ? 1 : how.a;
  result.mean = 0;
  result.deviation = isXavier ? gain * std::sqrt(2 / (inputs + outputs)) : std::sqrt(2 / inputs);
  result.isNormal = how.kind == DLC_INIT_XAVIER_NORMAL || how.kind == DLC_INIT_KAIMING_NORMAL;
  return inputs > 0;
}

template <typename T>
bool choose(const dlc_init &how, const dlc_parameter_info &parameter, const T *values, int64_t count,
            Distribution &result) {
  switch (how.kind) {
  case DLC_INIT_ALIKE:
    result = likeThose(values, count);
    return true;
  case DLC_INIT_CONSTANT:
    result = {false, how.a, 0};
    return true;
  case DLC_INIT_UNIFORM:
    result = {false, (how.a + how.b) / 2, (how.b - how.a) / std::sqrt(12.0)};
    return how.b >= how.a;
  case DLC_INIT_NORMAL:
    result = {true, how.a, how.b};
    return how.b >= 0;
  case DLC_INIT_XAVIER_UNIFORM:
  case DLC_INIT_XAVIER_NORMAL:
  case DLC_INIT_KAIMING_UNIFORM:
  case DLC_INIT_KAIMING_NORMAL:
    return byInputs(how, parameter, result);
  }
  return false;
}

template <typename T>
dlc_status fill(const dlc_init &how, uint64_t seed, const dlc_parameter_info &parameter, T *values) {
  int64_t count = 1;
  for (int32_t i = 0; i < parameter.rank; ++i)
    count *= parameter.shape[i];
  if (count == 0)
    return DLC_OK;
  Distribution like = {};
  if (!choose(how, parameter, values, count, like) || !std::isfinite(like.mean) ||
      !std::isfinite(like.deviation))
    return DLC_INVALID_ARGUMENT;
  Draws draws(seed, parameter.name);
  const double reach = like.deviation * std::sqrt(3.0);
  for (int64_t i = 0; i < count && like.deviation > 0; ++i)
    values[i] = static_cast<T>(like.isNormal ? like.mean + like.deviation * draws.normal()
                                             : like.mean + reach * (2 * draws.unit() - 1));
  for (int64_t i = 0; i < count && like.deviation == 0; ++i)
    values[i] = static_cast<T>(like.mean);
  return DLC_OK;
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_init_values(const dlc_init *how, uint64_t seed, const dlc_parameter_info *parameter,
                                      void *values) {
  if (!how || !parameter || !parameter->name || !values || !std::isfinite(how->a) || !std::isfinite(how->b))
    return DLC_INVALID_ARGUMENT;
  if (parameter->dtype == DLC_F32)
    return dlc::runtime::fill(*how, seed, *parameter, static_cast<float *>(values));
  if (parameter->dtype == DLC_F64)
    return dlc::runtime::fill(*how, seed, *parameter, static_cast<double *>(values));
  return DLC_INVALID_ARGUMENT;
}
