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

/// What generated code hands on to dlc_parallel.
struct dlc_context {
  struct Worker {
    dlc::runtime::Gate done; ///< raised by the worker after each job
    dlc_context *pool = nullptr;
    int index = 0;
    pthread_t thread{};
  };

  int threads = 1;  ///< with the calling thread, which is number threads - 1
  int64_t spin = 0; ///< nanoseconds that a waiting thread spins before it sleeps
  int64_t jobs = 0; ///< jobs handed to the workers so far
  bool stopping = false;
  Worker *workers = nullptr; ///< threads - 1 of them

  // The job in progress; written before `start` is raised, left alone until all are done.
  dlc_kernel kernel = nullptr;
  void *const *buffers = nullptr;
  const int64_t *dims = nullptr;
  int64_t chunks = 0;

  dlc::runtime::Gate start; ///< raised by the calling thread for each job

  void runShare(int thread) const {
    int64_t begin = thread * chunks / threads, end = (thread + 1) * chunks / threads;
    if (begin < end)
      kernel(buffers, dims, begin, end);
  }
};

namespace dlc::runtime {

constexpr int maxThreads = 1024;

/// Cores that this process may run on.
int availableCores();

/// `threads` 0: one per available core. NULL and a sentence in `error` if a thread cannot be started.
dlc_context *createThreadPool(int threads, Error &error);
void destroyThreadPool(dlc_context *pool);

} // namespace dlc::runtime

#endif
