//===- ThreadPool.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Starts, feeds and stops the threads of an instance.
//===----------------------------------------------------------------------===//
#include "runtime/cpu/ThreadPool.h"

#include "runtime/core/Memory.h"
#include "runtime/cpu/FloatMode.h"

#include <cerrno>
#include <csignal>
#include <sched.h>
#include <unistd.h>

namespace dlc::runtime {

namespace {

/// About a step's time: between two kernels a worker never sleeps, between two steps it does not
/// either while the caller prepares a batch, and an idle program stops burning its cores soon after.
constexpr int64_t spinNanoseconds = 300000;

/// Longer than a spinning worker takes to see a new job, and than the shares of a kernel mostly differ.
constexpr int64_t lateAfterNanoseconds = 1000;

void *workerMain(void *argument) {
  auto *worker = static_cast<ThreadPool::Worker *>(argument);
  ThreadPool *pool = worker->pool;
  FloatMode mode; // for the thread's life: it runs nothing but kernels
  for (uint32_t seen = 0;;) {
    pool->start.waitPast(seen, pool->spin);
    seen = pool->start.count(); // what came before the newest job, the calling thread has done for us
    if (pool->stopping)
      return nullptr;
    if (!worker->take(seen - 1))
      continue;
    pool->runShare(worker->index);
    worker->done.raise();
  }
}

/// Signals are the host's business: its handlers shall not run on our threads.
int startThread(ThreadPool::Worker &worker) {
  sigset_t all, previous;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &previous);
  int failure = pthread_create(&worker.thread, nullptr, workerMain, &worker);
  pthread_sigmask(SIG_SETMASK, &previous, nullptr);
  return failure;
}

void stopWorkers(ThreadPool *pool, int started) {
  pool->stopping = true;
  pool->start.raise();
  for (int i = 0; i < started; ++i)
    pthread_join(pool->workers[i].thread, nullptr);
}

} // namespace

int availableCores() {
#if defined(__linux__)
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
#endif
  long online = sysconf(_SC_NPROCESSORS_ONLN);
  return online > 0 ? static_cast<int>(online) : 1;
}

ThreadPool *createThreadPool(int threads, Error &error) {
  const int cores = availableCores();
  if (threads == 0)
    threads = cores < maxThreads ? cores : maxThreads;
  ThreadPool *pool = createObjects<ThreadPool>(1);
  if (!pool) {
    error.fail(DLC_OUT_OF_MEMORY, "no memory for the thread pool");
    return nullptr;
  }
  pool->threads = threads;
  // More threads than cores: a spinning one would keep from running the one it waits for.
  pool->spin = threads <= cores ? spinNanoseconds : 0;
  if (threads == 1)
    return pool;

  const int others = threads - 1;
  pool->workers = createObjects<ThreadPool::Worker>(static_cast<size_t>(others));
  if (!pool->workers) {
    destroyObjects(pool, 1);
    error.fail(DLC_OUT_OF_MEMORY, "no memory for %d threads", threads);
    return nullptr;
  }
  for (int i = 0; i < others; ++i) {
    pool->workers[i].pool = pool;
    pool->workers[i].index = i;
    if (int failure = startThread(pool->workers[i])) {
      error.fail(DLC_OUT_OF_MEMORY, "thread %d of %d cannot be started: %s", i + 2, threads,
                 failure == EAGAIN ? "too many threads or too little memory" : "not permitted");
      stopWorkers(pool, i);
      destroyObjects(pool->workers, static_cast<size_t>(others));
      destroyObjects(pool, 1);
      return nullptr;
    }
  }
  return pool;
}

void destroyThreadPool(ThreadPool *pool) {
  if (!pool)
    return;
  if (pool->workers) {
    stopWorkers(pool, pool->threads - 1);
    destroyObjects(pool->workers, static_cast<size_t>(pool->threads - 1));
  }
  destroyObjects(pool, 1);
}

/// Whether the worker has not computed its share some time after the calling thread was done with its own. It
/// may have begun: that is asked last, as the answer lies in a cache line that the worker writes.
static bool isLate(const ThreadPool::Worker &worker) {
  for (const int64_t begin = nowNanoseconds(); nowNanoseconds() - begin < lateAfterNanoseconds; pauseCpu())
    if (worker.done.count() != worker.finished)
      return false;
  return true;
}

void ThreadPool::runOnAll(dlc_kernel jobKernel, void *const *jobBuffers, const int64_t *jobDims,
                          int64_t jobFirst, int64_t jobChunks) {
  kernel = jobKernel;
  buffers = jobBuffers;
  dims = jobDims;
  first = jobFirst;
  chunks = jobChunks;
  const uint32_t job = jobs++;
  start.raise();
  const int others = threads - 1;
  runShare(others);
  for (int i = 0; i < others; ++i) {
    Worker &worker = workers[i];
    if (isLate(worker) && worker.take(job))
      runShare(i);
    else
      worker.done.waitPast(worker.finished++, spin);
  }
}

} // namespace dlc::runtime
