//===- LoaderTest.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Shuffled mini-batches: complete, reproducible, independent of the threads.
//===----------------------------------------------------------------------===//
#include "dlc/runtime.h"
#include "runtime/data/Random.h"

#include <atomic>
#include <condition_variable>
#include <csignal>
#include <gtest/gtest.h>
#include <mutex>
#include <numeric>
#include <set>
#include <sys/mman.h>
#include <thread>
#include <unistd.h>

namespace {

/// `samples` rows of three floats and a label; row i is (i, i + 0.25, i + 0.5) with label 2 i.
struct DataSet {
  explicit DataSet(int64_t samples)
      : x(static_cast<size_t>(samples) * 3), labels(static_cast<size_t>(samples)) {
    for (size_t i = 0; i < labels.size(); ++i) {
      for (size_t j = 0; j < 3; ++j)
        x[i * 3 + j] = static_cast<float>(i) + 0.25f * static_cast<float>(j);
      labels[i] = static_cast<int64_t>(2 * i);
    }
    arrays[0] = {DLC_F32, 2, {samples, 3}, x.size() * sizeof(float), x.data()};
    arrays[1] = {DLC_I64, 1, {samples}, labels.size() * sizeof(int64_t), labels.data()};
  }
  std::vector<float> x;
  std::vector<int64_t> labels;
  dlc_array arrays[2];
  const dlc_array *pointers[2] = {&arrays[0], &arrays[1]};
};

dlc_loader_options defaults(int64_t batch, int threads = 0) {
  dlc_loader_options options = {};
  options.struct_size = sizeof options;
  options.batch = batch;
  options.seed = 5;
  options.shuffle = 1;
  options.threads = threads;
  return options;
}

/// Ends the program, as a failure, where a test hangs: a loader may do so that loses a batch.
class Watchdog {
public:
  explicit Watchdog(std::chrono::seconds limit)
      : thread([this, limit] {
          std::unique_lock<std::mutex> lock(mutex);
          if (condition.wait_for(lock, limit, [this] { return done; }))
            return;
          fprintf(stderr, "a loader hangs\n");
          _exit(1);
        }) {}
  ~Watchdog() {
    {
      std::lock_guard<std::mutex> lock(mutex);
      done = true;
    }
    condition.notify_one();
    thread.join();
  }

private:
  std::mutex mutex;
  std::condition_variable condition;
  bool done = false;
  std::thread thread;
};

class Loader {
public:
  Loader(const DataSet &data, const dlc_loader_options &options) {
    EXPECT_EQ(dlc_loader_create(data.pointers, 2, &options, &handle), DLC_OK);
  }
  ~Loader() { dlc_loader_destroy(handle); }

  /// The samples of an epoch, batch by batch; checks that rows of both arrays stay together.
  std::vector<std::vector<int64_t>> epoch(int64_t number) {
    std::vector<std::vector<int64_t>> batches;
    EXPECT_EQ(dlc_loader_start(handle, number), DLC_OK);
    for (;;) {
      int64_t rows;
      const void *batch[2];
      EXPECT_EQ(dlc_loader_next(handle, &rows, batch), DLC_OK);
      if (rows == 0)
        return batches;
      EXPECT_EQ(reinterpret_cast<uintptr_t>(batch[0]) % 64, 0u);
      EXPECT_EQ(reinterpret_cast<uintptr_t>(batch[1]) % 64, 0u);
      batches.emplace_back();
      for (int64_t i = 0; i < rows; ++i) {
        int64_t sample = static_cast<const int64_t *>(batch[1])[i] / 2;
        for (int64_t j = 0; j < 3; ++j)
          EXPECT_EQ(static_cast<const float *>(batch[0])[i * 3 + j],
                    static_cast<float>(sample) + 0.25f * static_cast<float>(j));
        batches.back().push_back(sample);
      }
    }
  }
  dlc_loader *handle = nullptr;

private:
  Watchdog watchdog{std::chrono::seconds(20)};
};

std::vector<int64_t> flat(const std::vector<std::vector<int64_t>> &batches) {
  std::vector<int64_t> all;
  for (const auto &batch : batches)
    all.insert(all.end(), batch.begin(), batch.end());
  return all;
}

TEST(Loader, DeliversEachSampleOnceAnEpoch) {
  DataSet data(1003);
  for (int threads : {0, 1, 3}) {
    Loader loader(data, defaults(64, threads));
    EXPECT_EQ(dlc_loader_batches(loader.handle), 16);
    for (int64_t epoch : {0, 1, 7}) {
      auto batches = loader.epoch(epoch);
      ASSERT_EQ(batches.size(), 16u);
      EXPECT_EQ(batches.back().size(), 1003u % 64);
      std::vector<int64_t> all = flat(batches);
      std::set<int64_t> unique(all.begin(), all.end());
      EXPECT_EQ(all.size(), 1003u);
      EXPECT_EQ(unique.size(), 1003u);
    }
  }
}

TEST(Loader, OrderDependsOnSeedAndEpochOnly) {
  DataSet data(500);
  Loader reference(data, defaults(32));
  const auto expected = reference.epoch(3);
  for (int threads : {1, 2, 5})
    for (int prefetch : {0, 1, 40}) {
      dlc_loader_options options = defaults(32, threads);
      options.prefetch = prefetch;
      Loader loader(data, options);
      loader.epoch(0); // epochs before do not matter either
      EXPECT_EQ(loader.epoch(3), expected) << threads << " threads, prefetch " << prefetch;
    }
  EXPECT_NE(reference.epoch(4), expected);
  dlc_loader_options other = defaults(32);
  other.seed = 6;
  EXPECT_NE(Loader(data, other).epoch(3), expected);
}

TEST(Loader, WithoutShufflingKeepsTheOrder) {
  DataSet data(100);
  for (int threads : {0, 2}) {
    dlc_loader_options options = defaults(7, threads);
    options.shuffle = 0;
    std::vector<int64_t> expected(100);
    std::iota(expected.begin(), expected.end(), 0);
    EXPECT_EQ(flat(Loader(data, options).epoch(9)), expected);
  }
}

TEST(Loader, DropsAnIncompleteBatchOnRequest) {
  DataSet data(100);
  dlc_loader_options options = defaults(30, 1);
  options.drop_last = 1;
  Loader loader(data, options);
  EXPECT_EQ(dlc_loader_batches(loader.handle), 3);
  EXPECT_EQ(flat(loader.epoch(0)).size(), 90u);
  options.batch = 101; // not one full batch
  Loader none(data, options);
  EXPECT_EQ(dlc_loader_batches(none.handle), 0);
  EXPECT_TRUE(none.epoch(0).empty());
}

TEST(Loader, ABatchLargerThanTheDataIsAllOfIt) {
  DataSet data(10);
  Loader loader(data, defaults(INT64_MAX, 2));
  EXPECT_EQ(dlc_loader_batches(loader.handle), 1);
  EXPECT_EQ(flat(loader.epoch(0)).size(), 10u);
}

TEST(Loader, AnEpochCanBeAbandoned) {
  DataSet data(1000);
  for (int threads : {0, 1, 4}) {
    Loader loader(data, defaults(10, threads)), reference(data, defaults(10));
    for (int64_t epoch = 0; epoch < 30; ++epoch) {
      ASSERT_EQ(dlc_loader_start(loader.handle, epoch), DLC_OK);
      int64_t rows;
      const void *batch[2];
      for (int64_t i = 0; i < epoch; ++i)
        ASSERT_EQ(dlc_loader_next(loader.handle, &rows, batch), DLC_OK);
    }
    EXPECT_EQ(loader.epoch(2), reference.epoch(2));
  }
}

TEST(Loader, ABatchStaysUntilTheNextCall) {
  DataSet data(64);
  dlc_loader_options options = defaults(4, 3);
  options.shuffle = 0;
  options.prefetch = 1;
  Loader loader(data, options);
  ASSERT_EQ(dlc_loader_start(loader.handle, 0), DLC_OK);
  for (int64_t step = 0; step < 16; ++step) {
    int64_t rows;
    const void *batch[2];
    ASSERT_EQ(dlc_loader_next(loader.handle, &rows, batch), DLC_OK);
    std::this_thread::sleep_for(std::chrono::milliseconds(1)); // time to overwrite it
    EXPECT_EQ(static_cast<const int64_t *>(batch[1])[3], 2 * (step * 4 + 3));
  }
}

/// A page of samples that whoever reads it first waits at, until the test lets it go.
void *guardedPage = nullptr;
std::atomic<bool> isWaiting{false}, mayRead{false};
void waitAtPage(int, siginfo_t *info, void *) {
  if (info->si_addr != guardedPage)
    _exit(1);
  if (!isWaiting.exchange(true))
    while (!mayRead)
      usleep(100);
  mprotect(guardedPage, static_cast<size_t>(getpagesize()), PROT_READ);
}

TEST(Loader, ASecondThreadIsRefused) {
  const size_t bytes = static_cast<size_t>(getpagesize());
  guardedPage = mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  ASSERT_NE(guardedPage, MAP_FAILED);
  struct sigaction action = {}, previous;
  action.sa_sigaction = waitAtPage;
  action.sa_flags = SA_SIGINFO | SA_NODEFER;
  ASSERT_EQ(sigaction(SIGSEGV, &action, &previous), 0);
  const dlc_array array = {DLC_F32, 1, {static_cast<int64_t>(bytes / sizeof(float))}, bytes, guardedPage};
  const dlc_array *arrays[] = {&array};
  dlc_loader_options options = defaults(8);
  options.shuffle = 0;
  dlc_loader *loader = nullptr;
  ASSERT_EQ(dlc_loader_create(arrays, 1, &options, &loader), DLC_OK);
  ASSERT_EQ(dlc_loader_start(loader, 0), DLC_OK);
  std::thread first([&] {
    int64_t rows;
    const void *batch[1];
    EXPECT_EQ(dlc_loader_next(loader, &rows, batch), DLC_OK);
    EXPECT_EQ(rows, 8);
  });
  while (!isWaiting)
    std::this_thread::yield();
  int64_t rows = 5;
  const void *batch[1];
  EXPECT_EQ(dlc_loader_start(loader, 1), DLC_BUSY);
  EXPECT_EQ(dlc_loader_next(loader, &rows, batch), DLC_BUSY);
  EXPECT_EQ(rows, 0);
  mayRead = true;
  first.join();
  EXPECT_EQ(dlc_loader_next(loader, &rows, batch), DLC_OK);
  dlc_loader_destroy(loader);
  sigaction(SIGSEGV, &previous, nullptr);
  munmap(guardedPage, bytes);
}

TEST(Loader, RefusesBadArguments) {
  DataSet data(10), other(11);
  dlc_loader *loader = nullptr;
  char error[256];
  dlc_loader_options options = defaults(2);
  options.error = error;
  options.error_bytes = sizeof error;
  auto create = [&](std::initializer_list<const dlc_array *> arrays) {
    return dlc_loader_create(arrays.begin(), static_cast<int32_t>(arrays.size()), &options, &loader);
  };
  EXPECT_EQ(create({&data.arrays[0], &other.arrays[1]}), DLC_INVALID_ARGUMENT);
  EXPECT_STREQ(error, "array 1 has 11 samples, array 0 has 10");
  EXPECT_EQ(loader, nullptr);
  EXPECT_EQ(create({}), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(create({nullptr}), DLC_INVALID_ARGUMENT);
  dlc_array broken = data.arrays[0];
  broken.bytes -= 12;
  EXPECT_EQ(create({&broken}), DLC_INVALID_ARGUMENT);
  broken = data.arrays[0];
  broken.shape[0] = 0;
  EXPECT_EQ(create({&broken}), DLC_INVALID_ARGUMENT);
  broken.shape[0] = -10;
  EXPECT_EQ(create({&broken}), DLC_INVALID_ARGUMENT);
  broken.shape[0] = INT64_MAX;
  EXPECT_EQ(create({&broken}), DLC_INVALID_ARGUMENT);
  broken = data.arrays[0];
  broken.rank = 9;
  EXPECT_EQ(create({&broken}), DLC_INVALID_ARGUMENT);
  broken = data.arrays[0];
  broken.data = nullptr;
  EXPECT_EQ(create({&broken}), DLC_INVALID_ARGUMENT);
  auto refuses = [&](auto change) {
    dlc_loader_options bad = defaults(2);
    change(bad);
    return dlc_loader_create(data.pointers, 2, &bad, &loader) == DLC_INVALID_ARGUMENT;
  };
  EXPECT_TRUE(refuses([](auto &o) { o.batch = 0; }));
  EXPECT_TRUE(refuses([](auto &o) { o.batch = -1; }));
  EXPECT_TRUE(refuses([](auto &o) { o.threads = -1; }));
  EXPECT_TRUE(refuses([](auto &o) { o.threads = 10000; }));
  EXPECT_TRUE(refuses([](auto &o) { o.prefetch = -1; }));
  for (size_t size : {0, 8, 48, 80, 96, 120}) // of headers there were 56, 64 and 88
    EXPECT_TRUE(refuses([&](auto &o) { o.struct_size = size; })) << size;
  for (size_t size : {56, 64, 88}) {
    dlc_loader_options older = defaults(2);
    older.struct_size = size;
    EXPECT_EQ(dlc_loader_create(data.pointers, 2, &older, &loader), DLC_OK) << size;
    dlc_loader_destroy(loader);
  }
  EXPECT_EQ(dlc_loader_create(data.pointers, 2, nullptr, &loader), DLC_INVALID_ARGUMENT);

  Loader good(data, defaults(2));
  int64_t rows = 5;
  const void *batch[2];
  EXPECT_EQ(dlc_loader_next(good.handle, &rows, batch), DLC_INVALID_ARGUMENT) << "no epoch was started";
  EXPECT_EQ(rows, 0);
  EXPECT_EQ(dlc_loader_start(nullptr, 0), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_loader_batches(nullptr), 0);
  dlc_loader_destroy(nullptr);
}

TEST(Shuffle, IsTheSameEverywhere) {
  std::vector<int64_t> order(8);
  dlc::runtime::shuffledOrder(1, 0, 8, order.data());
  EXPECT_EQ(order, (std::vector<int64_t>{3, 4, 7, 5, 6, 0, 1, 2}))
      << "a changed order breaks resumed training";
}

TEST(Shuffle, EveryOrderIsEquallyLikely) {
  int counts[24] = {};
  constexpr int rounds = 24000;
  for (uint64_t epoch = 0; epoch < rounds; ++epoch) {
    int64_t order[4];
    dlc::runtime::shuffledOrder(77, epoch, 4, order);
    int rank = 0; // the order's number among all 24
    for (int i = 0; i < 4; ++i) {
      int smaller = 0;
      for (int j = i + 1; j < 4; ++j)
        smaller += order[j] < order[i];
      rank = rank * (4 - i) + smaller;
    }
    ++counts[rank];
  }
  double chiSquare = 0;
  for (int count : counts)
    chiSquare += (count - rounds / 24.0) * (count - rounds / 24.0) / (rounds / 24.0);
  EXPECT_LT(chiSquare, 50) << "23 degrees of freedom: 50 is exceeded once in 1,000";
}

TEST(Shuffle, BoundsAreKept) {
  dlc::runtime::Random random(3, 4);
  for (uint64_t bound : {uint64_t{1}, uint64_t{2}, uint64_t{3}, uint64_t{1} << 63, ~uint64_t{0}})
    for (int i = 0; i < 1000; ++i)
      ASSERT_LT(random.below(bound), bound);
}

TEST(Loader, StartsWithinAnEpoch) {
  DataSet data(23);
  for (int threads : {0, 2}) {
    dlc_loader_options options = defaults(4, threads);
    dlc_loader *whole, *part;
    ASSERT_EQ(dlc_loader_create(data.pointers, 2, &options, &whole), DLC_OK);
    ASSERT_EQ(dlc_loader_create(data.pointers, 2, &options, &part), DLC_OK);
    for (int64_t first : {3, 0, 5, 6}) { // of six batches, the last of which has three rows
      ASSERT_EQ(dlc_loader_start(whole, 7), DLC_OK);
      ASSERT_EQ(dlc_loader_start_at(part, 7, first), DLC_OK);
      for (int64_t batch = 0; batch <= 6; ++batch) {
        int64_t rows, rowsOfPart;
        const void *arrays[2], *arraysOfPart[2];
        ASSERT_EQ(dlc_loader_next(whole, &rows, arrays), DLC_OK);
        if (batch < first)
          continue;
        ASSERT_EQ(dlc_loader_next(part, &rowsOfPart, arraysOfPart), DLC_OK);
        ASSERT_EQ(rowsOfPart, rows);
        if (rows == 0)
          continue;
        EXPECT_EQ(memcmp(arrays[0], arraysOfPart[0], static_cast<size_t>(rows) * 3 * sizeof(float)), 0);
        EXPECT_EQ(memcmp(arrays[1], arraysOfPart[1], static_cast<size_t>(rows) * sizeof(int64_t)), 0);
      }
    }
    EXPECT_EQ(dlc_loader_start_at(part, 0, -1), DLC_INVALID_ARGUMENT);
    EXPECT_EQ(dlc_loader_start_at(part, 0, 7), DLC_INVALID_ARGUMENT);
    dlc_loader_destroy(whole);
    dlc_loader_destroy(part);
  }
}

} // namespace
