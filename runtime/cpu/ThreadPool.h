//===- ThreadPool.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of one instance. The calling thread is one of them; the others wait for work.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CPU_THREADPOOL_H
#define DLC_RUNTIME_CPU_THREADPOOL_H

#include "dlc/abi.h"
#include "runtime/core/Error.h"
#include "runtime/cpu/Gate.h"

namespace dlc::runtime {

struct ThreadPool {
  struct Worker {
    Gate done;                     ///< raised by the worker after each share that it computed
    uint32_t finished = 0;         ///< how many of these the calling thread has seen
    std::atomic<uint32_t> next{0}; ///< the first job whose share of this worker nobody has taken
    ThreadPool *pool = nullptr;
    int index = 0;
    pthread_t thread{};

    /// Whether the share of this job is the caller's to compute: of the worker and the calling thread, the
    /// one that asks first takes it.
    bool take(uint32_t job) { return next.compare_exchange_strong(job, job + 1); }
  };

  int threads = 1;   ///< with the calling thread, which is number threads - 1
  int64_t spin = 0;  ///< nanoseconds that a waiting thread spins before it sleeps
  uint32_t jobs = 0; ///< jobs handed to the workers so far, modulo 2^32; `start` counts the same
  std::atomic<bool> stopping{false};
  Worker *workers = nullptr; ///< threads - 1 of them

  // The job in progress; written before `start` is raised, and left alone until all shares are computed. A
  // worker looks at it after it has taken its share.
  dlc_kernel kernel = nullptr;
  void *const *buffers = nullptr;
  const int64_t *dims = nullptr;
  int64_t first = 0, chunks = 0; ///< of the kernel's chunks, from `first` on

  Gate start; ///< raised by the calling thread for each job

  void runShare(int thread) const {
    int64_t begin = first + thread * chunks / threads, end = first + (thread + 1) * chunks / threads;
    if (begin < end)
      kernel(buffers, dims, begin, end);
  }

  /// Runs the chunks [0, chunks) of `kernel` and returns when all are done. The share of thread t of T is
  /// always the chunks [t*chunks/T, (t+1)*chunks/T): a weight's columns stay with one thread from kernel to
  /// kernel. The calling thread is the last one, so a single chunk is its own and needs nobody else. It also
  /// computes the share of a thread that has not begun when its own is done: where other programs compete for
  /// the cores, that one may not run for some milliseconds.
  void run(dlc_kernel kernel, void *const *buffers, const int64_t *dims, int64_t chunks) {
    runPart(kernel, buffers, dims, 0, chunks);
  }

  /// The same of `chunks` chunks from `first` on.
  void runPart(dlc_kernel kernel, void *const *buffers, const int64_t *dims, int64_t first, int64_t chunks) {
    if (threads == 1 || chunks == 1)
      kernel(buffers, dims, first, first + chunks);
    else
      runOnAll(kernel, buffers, dims, first, chunks);
  }

private:
  void runOnAll(dlc_kernel kernel, void *const *buffers, const int64_t *dims, int64_t first, int64_t chunks);
};

constexpr int maxThreads = 1024;

/// Cores that this process may run on.
int availableCores();

/// `threads` 0: one per available core. NULL and a sentence in `error` if a thread cannot be started.
ThreadPool *createThreadPool(int threads, Error &error);
void destroyThreadPool(ThreadPool *pool);

} // namespace dlc::runtime

#endif
