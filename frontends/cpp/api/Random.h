//===- Random.h - PyTorch's random numbers on a CPU -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Mersenne Twister (Matsumoto and Nishimura 1998), whose numbers become uniform ones as in PyTorch's
// ATen/core/TransformationHelper.h, so that the initial weights of layers are PyTorch's to the last bit.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_RANDOM_H
#define DLC_FRONTENDS_CPP_API_RANDOM_H

#include <cstdint>
#include <memory>
#include <vector>

namespace dlc::detail {

void seedRandom(uint64_t seed);
/// `count` floats from `low` to `high`.
std::vector<double> uniform(int64_t count, double low, double high);
/// `count` floats of the normal distribution. They are PyTorch's up to the last digits: it computes sines and
/// logarithms for several at once, less exactly.
std::vector<double> normal(int64_t count, double mean, double deviation);
/// `count` doubles of the same two distributions, of twice as many random bits.
std::vector<double> uniformDoubles(int64_t count, double low, double high);
std::vector<double> normalDoubles(int64_t count, double mean, double deviation);
/// Integers from low to high - 1.
std::vector<double> integers(int64_t count, int64_t low, int64_t high);

/// While it lives, numbers may be drawn; afterwards it is as if none had been.
class KeepRandom {
public:
  KeepRandom();
  ~KeepRandom();

private:
  struct State;
  std::unique_ptr<State> saved;
};

/// Whether a backward or a hook is being called, which each step computes (api/Function.cpp).
bool isBackwardComputing();

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_RANDOM_H
