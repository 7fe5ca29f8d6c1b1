//===- Random.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a shuffled epoch.
//===----------------------------------------------------------------------===//
#include "runtime/data/Random.h"

#include <cmath>

namespace dlc::runtime {

namespace {
constexpr uint64_t goldenGamma = 0x9e3779b97f4a7c15u;

uint64_t splitmix(uint64_t &state) {
  uint64_t z = state += goldenGamma;
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
  z = (z ^ z >> 27) * 0x94d049bb133111ebu;
  return z ^ z >> 31;
}

uint64_t rotateLeft(uint64_t x, int bits) { return x << bits | x >> (64 - bits); }
} // namespace

Random::Random(uint64_t seed, uint64_t stream) {
  uint64_t mixed = splitmix(seed) + stream; // streams of neighbouring seeds have nothing in common
  for (uint64_t &word : state)
    word = splitmix(mixed) ^ seed;
}

uint64_t Random::next() {
  uint64_t result = rotateLeft(state[1] * 5, 7) * 9;
  uint64_t shifted = state[1] << 17;
  state[2] ^= state[0];
  state[3] ^= state[1];
  state[1] ^= state[2];
  state[0] ^= state[3];
  state[2] ^= shifted;
  state[3] = rotateLeft(state[3], 45);
  return result;
}

uint64_t Random::below(uint64_t bound) {
  // Lemire's method: the high half of a product, refusing the few values that would weigh too much.
  for (;;) {
    unsigned __int128 product = static_cast<unsigned __int128>(next()) * bound;
    uint64_t low = static_cast<uint64_t>(product);
    if (low >= bound || low >= (0 - bound) % bound)
      return static_cast<uint64_t>(product >> 64);
  }
}

double Random::normal() {
  // Box and Muller: of the two numbers that it makes, one.
  const double radius = std::sqrt(-2 * std::log(1 - unit()));
  return radius * std::cos(2 * 3.14159265358979323846 * unit());
}

double Random::gamma(double shape) {
  if (shape < 1) {
    const double more = gamma(shape + 1);
    return more * std::pow(1 - unit(), 1 / shape);
  }
  // Marsaglia and Tsang.
  const double d = shape - 1.0 / 3, c = 1 / std::sqrt(9 * d);
  for (;;) {
    const double x = normal(), root = 1 + c * x;
    if (root <= 0)
      continue;
    const double v = root * root * root;
    if (std::log(1 - unit()) < 0.5 * x * x + d - d * v + d * std::log(v))
      return d * v;
  }
}

double Random::beta(double a, double b) {
  const double x = gamma(a), y = gamma(b);
  // With small a and b both may be too small to have a sum: then one of them is all.
  return x + y > 0 ? x / (x + y) : static_cast<double>(below(2));
}

void shuffledOrder(uint64_t seed, uint64_t epoch, int64_t count, int64_t *order) {
  Random random(seed, epoch);
  for (int64_t i = 0; i < count; ++i) {
    int64_t other = static_cast<int64_t>(random.below(static_cast<uint64_t>(i) + 1));
    order[i] = order[other];
    order[other] = i;
  }
}

} // namespace dlc::runtime
