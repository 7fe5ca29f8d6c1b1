//===- Random.cpp - PyTorch's random numbers on a CPU ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Random.h"
#include <cmath>
#include <optional>
#include <random>

namespace dlc::detail {

/// Until somebody seeds them, numbers are the same in each run: compiling twice gives the same library.
static std::mt19937 engine(0);
static std::optional<double> spareNormal;

void seedRandom(uint64_t seed) {
  engine.seed(uint32_t(seed)); // PyTorch's generator takes the low half
  spareNormal.reset();
}

static uint64_t random64() {
  uint64_t high = engine(), low = engine();
  return high << 32 | low;
}

std::vector<double> uniform(int64_t count, double low, double high) {
  std::vector<double> numbers(count);
  for (double &number : numbers) // product and sum are rounded once, as in PyTorch's code for today's CPUs
    number = std::fma(float(engine() & 0xffffff) * 0x1p-24f, float(high) - float(low), float(low));
  return numbers;
}

/// A double from 0 to 1.
static double unit() { return double(random64() & ((uint64_t(1) << 53) - 1)) * 0x1p-53; }

std::vector<double> uniformDoubles(int64_t count, double low, double high) {
  std::vector<double> numbers(count);
  for (double &number : numbers)
    number = std::fma(unit(), high - low, low);
  return numbers;
}

/// Box and Muller 1958, of doubles, one pair after the other: few numbers.
static double nextNormal() {
  if (spareNormal) {
    double number = *spareNormal;
    spareNormal.reset();
    return number;
  }
  double angle = unit(), size = std::sqrt(-2 * std::log1p(-unit()));
  spareNormal = size * std::sin(2 * M_PI * angle);
  return size * std::cos(2 * M_PI * angle);
}

/// The same of floats or doubles, sixteen at a time: eight sizes, then eight angles.
template <typename Float> static void fillSixteen(double *numbers, double mean, double deviation) {
  for (int i = 0; i < 8; ++i) {
    Float size = std::sqrt(-2 * std::log(1 - Float(numbers[i])));
    Float angle = Float(2 * M_PI) * Float(numbers[i + 8]);
    numbers[i] = size * std::cos(angle) * Float(deviation) + Float(mean);
    numbers[i + 8] = size * std::sin(angle) * Float(deviation) + Float(mean);
  }
}

template <typename Float>
static std::vector<double> normals(int64_t count, double mean, double deviation,
                                   std::vector<double> (*uniform)(int64_t, double, double)) {
  if (count < 16) {
    std::vector<double> numbers(count);
    for (double &number : numbers)
      number = nextNormal() * deviation + mean;
    return numbers;
  }
  std::vector<double> numbers = uniform(count, 0, 1);
  for (int64_t i = 0; i + 16 <= count; i += 16)
    fillSixteen<Float>(&numbers[i], mean, deviation);
  if (count % 16) { // the last sixteen are drawn anew
    std::vector<double> last = uniform(16, 0, 1);
    fillSixteen<Float>(last.data(), mean, deviation);
    std::copy(last.begin(), last.end(), numbers.end() - 16);
  }
  return numbers;
}

std::vector<double> normal(int64_t count, double mean, double deviation) {
  return normals<float>(count, mean, deviation, uniform);
}
std::vector<double> normalDoubles(int64_t count, double mean, double deviation) {
  return normals<double>(count, mean, deviation, uniformDoubles);
}

std::vector<double> integers(int64_t count, int64_t low, int64_t high) {
  std::vector<double> numbers(count);
  uint64_t range = high - low;
  for (double &number : numbers)
    number = double(int64_t(range >> 32 ? random64() % range : engine() % range) + low);
  return numbers;
}

struct KeepRandom::State {
  std::mt19937 engine;
  std::optional<double> spareNormal;
};
KeepRandom::KeepRandom() : saved(new State{engine, spareNormal}) {}
KeepRandom::~KeepRandom() {
  engine = saved->engine;
  spareNormal = saved->spareNormal;
}

} // namespace dlc::detail
