//===- Random.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order of a shuffled epoch. Our own generator and shuffle, because those of the C++ library may
// differ from one system to the next.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_RANDOM_H
#define DLC_RUNTIME_DATA_RANDOM_H

#include <cstdint>

namespace dlc::runtime {

/// xoshiro256** (Blackman and Vigna), its state filled by splitmix64 from a seed and a stream number.
class Random {
public:
  Random(uint64_t seed, uint64_t stream);
  uint64_t next();

  /// Uniform in [0, bound), without the bias of a remainder; bound > 0.
  uint64_t below(uint64_t bound);
  /// Uniform in [0, 1), and in [low, high).
  double unit() { return static_cast<double>(next() >> 11) * 0x1p-53; }
  double between(double low, double high) { return low + unit() * (high - low); }
  /// Random numbers of the normal distribution, of the gamma distribution of scale 1, and of the beta
  /// distribution.
  double normal();
  double gamma(double shape);
  double beta(double a, double b);

private:
  uint64_t state[4];
};

/// Writes 0 ... count - 1 to `order`, shuffled (Fisher and Yates).
void shuffledOrder(uint64_t seed, uint64_t epoch, int64_t count, int64_t *order);

} // namespace dlc::runtime

#endif
