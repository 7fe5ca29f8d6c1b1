//===- Gate.h -------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A counter that one thread raises and others wait for: first spinning, then asleep.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CPU_GATE_H
#define DLC_RUNTIME_CPU_GATE_H

#include <atomic>
#include <cstdint>
#include <ctime>
#include <pthread.h>
#include <sched.h>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace dlc::runtime {

inline void pauseCpu() {
#if defined(__x86_64__)
  _mm_pause();
#elif defined(__aarch64__)
  __asm__ volatile("yield");
#endif
}

inline int64_t nowNanoseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000000000 + now.tv_nsec;
}

/// Waking a sleeper costs some 50 us, more than most kernels take; a raised counter reaches a spinning
/// thread in some 100 ns. So a waiter spins for `spin` nanoseconds before it sleeps.
class alignas(64) Gate {
public:
  /// How often it was raised, modulo 2^32.
  uint32_t count() const { return value.load(std::memory_order_acquire); }

  /// Lets everyone pass who waits for a value other than the present one.
  void raise() {
    // Both accesses are sequentially consistent, here and in `sleep`: either the sleeper sees the new
    // value or we see the sleeper.
    value.fetch_add(1);
    if (sleepers.load() == 0)
      return;
    pthread_mutex_lock(&mutex);
    pthread_cond_broadcast(&raised);
    pthread_mutex_unlock(&mutex);
  }

  /// Returns once the value differs from `seen`.
  void waitPast(uint32_t seen, int64_t spin) {
    if (spin > 0 && count() == seen) {
      const int64_t begin = nowNanoseconds();
      for (int64_t waited = 0; waited < spin; waited = nowNanoseconds() - begin) {
        for (int i = 0; i < 64; ++i) {
          if (count() != seen)
            return;
          pauseCpu();
        }
        // A thread that was just woken is often put on the core of the one that woke it: ours. Without
        // yielding, both would wait for the end of our spinning.
        if (waited > politeAfter)
          sched_yield();
      }
    }
    if (count() == seen)
      sleep(seen);
  }

private:
  static constexpr int64_t politeAfter = 10000; ///< nanoseconds: more than the shares of a kernel differ

  void sleep(uint32_t seen) {
    pthread_mutex_lock(&mutex);
    sleepers.fetch_add(1);
    while (value.load() == seen)
      pthread_cond_wait(&raised, &mutex);
    sleepers.fetch_sub(1);
    pthread_mutex_unlock(&mutex);
  }

  std::atomic<uint32_t> value{0};
  std::atomic<uint32_t> sleepers{0};
  pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
  pthread_cond_t raised = PTHREAD_COND_INITIALIZER;
};

} // namespace dlc::runtime

#endif
