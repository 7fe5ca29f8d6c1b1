//===- ThreadPoolTest.cpp -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The threads of an instance: who gets which chunks, reproducibility, sleeping and waking.
//===----------------------------------------------------------------------===//
#include "runtime/cpu/ThreadPool.h"
#include "tests/runtime/FloatControl.h"
#include "tests/runtime/TinyModel.h"

#include <atomic>
#include <chrono>
#include <cmath>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <set>
#include <thread>

namespace {

using dlc::runtime::createThreadPool;
using dlc::runtime::destroyThreadPool;

class Pool {
public:
  explicit Pool(int threads) : pool(createThreadPool(threads, error)) {}
  ~Pool() { destroyThreadPool(pool); }
  Pool(const Pool &) = delete;
  Pool &operator=(const Pool &) = delete;
  dlc::runtime::Error error;
  dlc::runtime::ThreadPool *get() const { return pool; }
  dlc::runtime::ThreadPool *operator->() const { return pool; }

private:
  dlc::runtime::ThreadPool *pool;
};

struct Record {
  std::mutex mutex;
  std::vector<std::tuple<int64_t, int64_t, std::thread::id>> shares;
};

void recordKernel(void *const *buffers, const int64_t *, int64_t begin, int64_t end) {
  auto *record = static_cast<Record *>(buffers[0]);
  std::lock_guard<std::mutex> lock(record->mutex);
  record->shares.emplace_back(begin, end, std::this_thread::get_id());
}

TEST(ThreadPool, ChunksAreAssignedAsDocumented) {
  for (int threads : {1, 2, 3, 7}) {
    Pool pool(threads);
    ASSERT_NE(pool.get(), nullptr) << pool.error.text;
    for (int64_t chunks : {1, 2, 3, 6, 7, 8, 100}) {
      Record record;
      void *buffers[] = {&record};
      pool->run(recordKernel, buffers, nullptr, chunks);
      std::set<std::pair<int64_t, int64_t>> expected, found;
      for (int64_t t = 0; t < threads; ++t)
        if (t * chunks / threads < (t + 1) * chunks / threads)
          expected.emplace(t * chunks / threads, (t + 1) * chunks / threads);
      for (auto [begin, end, id] : record.shares)
        found.emplace(begin, end);
      EXPECT_EQ(found, expected) << threads << " threads, " << chunks << " chunks";
      EXPECT_EQ(record.shares.size(), expected.size());
    }
  }
}

/// No share ends before all have begun, so that each thread computes its own.
struct Meeting {
  explicit Meeting(int threads) : missing(threads) {}
  void wait() {
    for (--missing; missing > 0;)
      std::this_thread::yield();
  }
  std::atomic<int> missing;
};

void meetKernel(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end) {
  static_cast<Meeting *>(buffers[1])->wait();
  recordKernel(buffers, dims, begin, end);
}

TEST(ThreadPool, AChunkStaysWithItsThread) {
  Pool pool(3);
  Record first, second;
  Meeting meeting(3), other(3);
  void *buffers[] = {&first, &meeting}, *again[] = {&second, &other};
  pool->run(meetKernel, buffers, nullptr, 30);
  std::this_thread::sleep_for(std::chrono::milliseconds(5)); // the workers fall asleep in between
  pool->run(meetKernel, again, nullptr, 30);
  std::sort(first.shares.begin(), first.shares.end());
  std::sort(second.shares.begin(), second.shares.end());
  EXPECT_EQ(first.shares, second.shares);
}

/// The core of a worker may be taken by another program. Here there is no thread behind it at all: who
/// waited for it would wait for ever.
TEST(ThreadPool, SharesOfAWorkerThatDoesNotRunAreTheCallers) {
  dlc::runtime::ThreadPool pool;
  dlc::runtime::ThreadPool::Worker worker;
  pool.threads = 2;
  pool.workers = &worker;
  for (int64_t spin : {0, 300000}) {
    pool.spin = spin;
    for (int job = 0; job < 100; ++job) {
      Record record;
      void *buffers[] = {&record};
      pool.run(recordKernel, buffers, nullptr, 4);
      ASSERT_EQ(record.shares.size(), 2u);
      EXPECT_EQ(record.shares[0], std::tuple(2, 4, std::this_thread::get_id()));
      EXPECT_EQ(record.shares[1], std::tuple(0, 2, std::this_thread::get_id()));
    }
  }
}

/// A share that a worker has begun is waited for, however long it takes.
void slowWorkerKernel(void *const *buffers, const int64_t *, int64_t begin, int64_t) {
  auto *shares = static_cast<std::atomic<int> *>(buffers[0]);
  if (begin > 0) { // the caller's
    while (*shares == 0)
      std::this_thread::yield();
    return;
  }
  ++*shares;
  std::this_thread::sleep_for(std::chrono::milliseconds(5));
  ++*shares;
}

TEST(ThreadPool, SharesThatHaveBegunAreWaitedFor) {
  Pool pool(2);
  for (int job = 0; job < 3; ++job) {
    std::atomic<int> shares{0};
    void *buffers[] = {&shares};
    pool->run(slowWorkerKernel, buffers, nullptr, 2);
    EXPECT_EQ(shares, 2);
  }
}

TEST(ThreadPool, ASingleChunkRunsOnTheCaller) {
  Pool pool(4);
  Record record;
  void *buffers[] = {&record};
  pool->run(recordKernel, buffers, nullptr, 1);
  ASSERT_EQ(record.shares.size(), 1u);
  EXPECT_EQ(std::get<2>(record.shares[0]), std::this_thread::get_id());
}

/// Adds 1 to its chunks; what the job before wrote must be visible.
void countKernel(void *const *buffers, const int64_t *, int64_t begin, int64_t end) {
  for (int64_t i = begin; i < end; ++i)
    ++static_cast<int64_t *>(buffers[0])[i];
}

TEST(ThreadPool, ManyShortJobsLoseNothing) {
  for (int threads : {2, 3, 8}) { // more threads than cores sleep and wake all the time
    Pool pool(threads);
    std::vector<int64_t> counts(64);
    void *buffers[] = {counts.data()};
    const int jobs = threads == 2 ? 20000 : 2000;
    for (int i = 0; i < jobs; ++i)
      pool->run(countKernel, buffers, nullptr, 64 - i % 2);
    EXPECT_EQ(std::accumulate(counts.begin(), counts.end(), int64_t{0}), int64_t{64} * jobs - jobs / 2)
        << threads;
  }
}

TEST(ThreadPool, PoolsAreIndependent) {
  auto work = [](int64_t *total) {
    Pool pool(2);
    std::vector<int64_t> counts(16);
    void *buffers[] = {counts.data()};
    for (int i = 0; i < 1000; ++i)
      pool->run(countKernel, buffers, nullptr, 16);
    *total = std::accumulate(counts.begin(), counts.end(), int64_t{0});
  };
  int64_t a = 0, b = 0;
  std::thread first(work, &a), second(work, &b);
  first.join();
  second.join();
  EXPECT_EQ(a, 16000);
  EXPECT_EQ(b, 16000);
}

TEST(ThreadPool, StartsAndStopsOften) {
  for (int i = 0; i < 200; ++i) {
    Pool pool(4);
    ASSERT_NE(pool.get(), nullptr);
    if (i % 2) {
      Record record;
      void *buffers[] = {&record};
      pool->run(recordKernel, buffers, nullptr, 4);
    }
  }
}

TEST(ThreadPool, OneThreadPerCoreByDefault) {
  Pool pool(0);
  ASSERT_NE(pool.get(), nullptr);
  EXPECT_EQ(pool->threads, dlc::runtime::availableCores());
}

#if defined(__x86_64__) || defined(__aarch64__)
void modeKernel(void *const *buffers, const int64_t *, int64_t begin, int64_t end) {
  static_cast<Meeting *>(buffers[1])->wait();
  for (int64_t i = begin; i < end; ++i)
    static_cast<uint64_t *>(buffers[0])[i] = floatControl();
}

TEST(ThreadPool, WorkersFlushDenormals) {
  Pool pool(3);
  uint64_t modes[3] = {};
  Meeting meeting(3);
  void *buffers[] = {modes, &meeting};
  pool->run(modeKernel, buffers, nullptr, 3);
  EXPECT_EQ(modes[0] & flushBits, flushBits);
  EXPECT_EQ(modes[1] & flushBits, flushBits);
}
#endif

TEST(ThreadPool, InstancesTrainSideBySide) {
  tiny::Instance alone;
  tiny::train(alone, 0, 300);
  std::vector<float> results[3];
  std::vector<std::thread> hosts;
  for (std::vector<float> &result : results)
    hosts.emplace_back([&result] {
      tiny::Options options;
      options.threads = 2;
      tiny::Instance instance(options);
      tiny::train(instance, 0, 300);
      result = instance.state();
    });
  for (std::thread &host : hosts)
    host.join();
  for (const std::vector<float> &result : results)
    EXPECT_EQ(result, alone.state());
}

TEST(ThreadPool, TrainingGivesTheSameBitsForAnyNumberOfThreads) {
  tiny::Instance one;
  tiny::train(one, 0, 500);
  for (int threads : {2, 3, 4}) {
    tiny::Options options;
    options.threads = threads;
    tiny::Instance many(options);
    tiny::train(many, 0, 500);
    EXPECT_EQ(many.state(), one.state()) << threads;
  }
}

} // namespace
