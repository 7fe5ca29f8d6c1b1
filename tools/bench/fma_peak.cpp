//===-- fma_peak.cpp - the machine's fused multiply-add rate ----------------===//
//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: fma_peak [THREADS]
//
// Prints the fp32 peak of THREADS cores in GFLOP/s (a multiply-add counts as two): what benchmarks divide
// by. Each thread runs independent chains of the widest vector FMA that the CPU has, enough of them to
// hide the latency, entirely in registers. A second figure is that of a matrix product's tile whose operands
// lie in the first-level cache: what kernels can reach where loads slow the core. Threads are pinned to the
// cores this process may use.
//===----------------------------------------------------------------------===//
#include "tools/bench/FmaLoops.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <pthread.h>
#include <sched.h>

namespace {

using dlc::bench::Kernel;
using dlc::bench::widest;

std::vector<int> allowedCores() {
  cpu_set_t set;
  std::vector<int> cores;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    for (int core = 0; core < CPU_SETSIZE; ++core)
      if (CPU_ISSET(core, &set))
        cores.push_back(core);
  return cores;
}

// GFLOP/s of all threads together over `seconds`, all started at once.
double measure(double (*run)(), const std::vector<int> &cores, int threads, double seconds) {
  std::atomic<int> waiting{threads};
  std::vector<double> rates(threads);
  std::vector<std::thread> workers;
  for (int t = 0; t < threads; ++t)
    workers.emplace_back([&, t] {
      using Clock = std::chrono::steady_clock;
      cpu_set_t set;
      CPU_ZERO(&set);
      CPU_SET(cores[t], &set);
      pthread_setaffinity_np(pthread_self(), sizeof set, &set);
      run(); // wakes the wide units up
      waiting.fetch_sub(1);
      while (waiting.load() > 0) {
      }
      double work = 0, elapsed = 0;
      auto start = Clock::now();
      while (elapsed < seconds) {
        work += run();
        elapsed = std::chrono::duration<double>(Clock::now() - start).count();
      }
      rates[t] = work / elapsed * 1e-9;
    });
  for (std::thread &worker : workers)
    worker.join();
  double sum = 0;
  for (double rate : rates)
    sum += rate;
  return sum;
}

} // namespace

int main(int argc, char **argv) {
  std::vector<int> cores = allowedCores();
  long threads = argc > 1 ? std::strtol(argv[1], nullptr, 10) : 1; // 0 where it is no number
  if (threads < 1 || threads > static_cast<long>(cores.size())) {
    std::fprintf(stderr, "fma_peak: expected 1 to %zu threads (the cores this process may use)\n",
                 cores.size());
    return 1;
  }
  Kernel kernel = widest();
  double best = 0, fed = 0;
  for (int round = 0; round < 5; ++round) {
    best = std::max(best, measure(kernel.run, cores, static_cast<int>(threads), 0.1));
    fed = std::max(fed, measure(kernel.fed, cores, static_cast<int>(threads), 0.1));
  }
  std::printf("%.1f GFLOP/s fp32, %ld threads, %s FMA; fed from L1: %.1f GFLOP/s\n", best, threads,
              kernel.name, fed);
  return 0;
}
