//===- Rates.cpp - what this machine can do ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Rates.h"
#include "tools/bench/FmaLoops.h"
#include "tools/dlc/profile/Stamps.h"
#include <algorithm>
#include <atomic>
#include <functional>
#include <thread>
#include <vector>

namespace dlc::tool {

namespace {

/// Work per nanosecond of all threads together, all started at once; `work` does some and returns how much.
/// Each thread does many short pieces, and the rate that nine in ten of them do not beat counts: longer ones
/// would also count the time in which another program had the core, as the launches' medians do not.
double measure(int threads, const std::function<double(int)> &work) {
  constexpr int64_t duration = 200'000'000, piece = 50'000;
  std::atomic<int> waiting{threads};
  std::vector<double> rates(threads);
  auto run = [&](int thread) {
    work(thread); // wakes wide units up, brings memory into caches
    waiting.fetch_sub(1);
    while (waiting.load() > 0) {
    }
    std::vector<double> pieces;
    for (const int64_t begin = nanoseconds(); nanoseconds() - begin < duration;) {
      double done = 0;
      int64_t elapsed = 0;
      for (const int64_t start = nanoseconds(); elapsed < piece; elapsed = nanoseconds() - start)
        done += work(thread);
      pieces.push_back(done / double(elapsed));
    }
    auto high = pieces.begin() + static_cast<std::ptrdiff_t>(pieces.size() * 9 / 10);
    std::nth_element(pieces.begin(), high, pieces.end());
    rates[thread] = *high;
  };
  std::vector<std::thread> others;
  for (int thread = 1; thread < threads; ++thread)
    others.emplace_back(run, thread);
  run(0);
  for (std::thread &other : others)
    other.join();
  double sum = 0;
  for (double rate : rates)
    sum += rate;
  return sum;
}

void shift(const float *__restrict from, float *__restrict to, size_t count) {
  for (size_t i = 0; i < count; ++i)
    to[i] = from[i] + 1;
}

} // namespace

Rates measureRates(int threads, size_t blockBytes, bool withPairs) {
  Rates rates;
  const bench::Kernel kernel = bench::widest();
  rates.operations = measure(threads, [&](int) { return kernel.run(); });
  if (withPairs && kernel.pairs)
    rates.pairs = measure(threads, [&](int) { return kernel.pairs(); });
  // At least some pages for each thread, so that the loop is not all there is.
  const size_t count = std::max<size_t>(blockBytes / threads, 16384) / (2 * sizeof(float));
  std::vector<std::vector<float>> from(threads, std::vector<float>(count)), to = from;
  rates.bytes = measure(threads, [&](int thread) {
    shift(from[thread].data(), to[thread].data(), count);
    return 2.0 * double(count) * sizeof(float);
  });
  return rates;
}

} // namespace dlc::tool
