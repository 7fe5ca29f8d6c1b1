//===- DatasetTest.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaders of samples that a program makes, of parts of a data set, and by weight.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"

#include <algorithm>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace {

/// Sample i has 1 + i % 5 words, which are i, and one label, 10 i; `random` is told in the third field.
struct Sentences {
  dlc_field fields[3] = {{DLC_I64, 1, {5}, 1, 0, -7}, {DLC_F32, 0, {}, 0, 0, 0}, {DLC_I64, 1, {1}, 0, 0, 0}};
  dlc_dataset dataset = {23, 3, 0, fields, get, this};
  int64_t failing = -1, wrongLength = 0;

  static dlc_status get(void *context, int64_t sample, const dlc_sample *to) {
    const auto &self = *static_cast<const Sentences *>(context);
    if (sample == self.failing) {
      snprintf(to->error, to->error_bytes, "sample %d is lost", static_cast<int>(sample));
      return DLC_IO_ERROR;
    }
    EXPECT_EQ(to->lengths[0], 5);
    to->lengths[0] = self.wrongLength ? self.wrongLength : 1 + sample % 5;
    std::fill_n(static_cast<int64_t *>(to->fields[0]), std::min<int64_t>(to->lengths[0], 5), sample);
    *static_cast<float *>(to->fields[1]) = 10 * static_cast<float>(sample);
    memcpy(to->fields[2], &to->random, sizeof to->random);
    return DLC_OK;
  }
};

dlc_loader_options defaults(int64_t batch, int threads) {
  dlc_loader_options options = {};
  options.struct_size = sizeof options;
  options.batch = batch;
  options.seed = 5;
  options.shuffle = 1;
  options.threads = threads;
  return options;
}

/// All samples of an epoch and what is random about them; checks the batches.
std::vector<std::pair<int64_t, int64_t>> epochOf(dlc_loader *loader, int64_t epoch) {
  std::vector<std::pair<int64_t, int64_t>> samples;
  EXPECT_EQ(dlc_loader_start(loader, epoch), DLC_OK);
  int64_t rows;
  const void *arrays[3];
  while (dlc_loader_next(loader, &rows, arrays) == DLC_OK && rows > 0) {
    const auto *words = static_cast<const int64_t *>(arrays[0]),
               *random = static_cast<const int64_t *>(arrays[2]);
    const int64_t length = dlc_loader_length(loader);
    int64_t longest = 0;
    for (int64_t row = 0; row < rows; ++row) {
      const int64_t sample = words[row * length], own = 1 + sample % 5;
      longest = std::max(longest, own);
      for (int64_t i = 0; i < length; ++i)
        EXPECT_EQ(words[row * length + i], i < own ? sample : -7);
      EXPECT_EQ(static_cast<const float *>(arrays[1])[row], 10 * static_cast<float>(sample));
      samples.emplace_back(sample, random[row]);
    }
    EXPECT_EQ(length, longest);
  }
  return samples;
}

TEST(Dataset, BatchesAreAsLongAsTheirLongest) {
  Sentences sentences;
  std::vector<std::pair<int64_t, int64_t>> first;
  for (int threads : {0, 1, 3}) {
    dlc_loader_options options = defaults(4, threads);
    dlc_loader *loader;
    ASSERT_EQ(dlc_loader_create_dataset(&sentences.dataset, &options, &loader), DLC_OK);
    const auto samples = epochOf(loader, 2), next = epochOf(loader, 3);
    std::set<int64_t> seen;
    std::set<int64_t> random;
    for (const auto &[sample, drawn] : samples) {
      seen.insert(sample);
      random.insert(drawn);
    }
    EXPECT_EQ(seen.size(), size_t{23});
    EXPECT_EQ(random.size(), size_t{23});
    EXPECT_NE(samples, next);
    if (first.empty())
      first = samples;
    EXPECT_EQ(samples, first); // for any number of threads
    EXPECT_EQ(epochOf(loader, 2), first);
    dlc_loader_destroy(loader);
  }
}

TEST(Dataset, SamplesThatCannotBeMade) {
  Sentences sentences;
  sentences.failing = 6;
  for (int threads : {0, 2}) {
    dlc_loader_options options = defaults(4, threads);
    options.shuffle = 0;
    dlc_loader *loader;
    ASSERT_EQ(dlc_loader_create_dataset(&sentences.dataset, &options, &loader), DLC_OK);
    int64_t rows;
    const void *arrays[3];
    ASSERT_EQ(dlc_loader_start(loader, 0), DLC_OK);
    EXPECT_EQ(dlc_loader_next(loader, &rows, arrays), DLC_OK);
    EXPECT_STREQ(dlc_loader_last_error(loader), "");
    EXPECT_EQ(dlc_loader_next(loader, &rows, arrays), DLC_IO_ERROR);
    EXPECT_EQ(rows, 0);
    EXPECT_STREQ(dlc_loader_last_error(loader), "sample 6 is lost");
    EXPECT_EQ(dlc_loader_next(loader, &rows, arrays), DLC_OK); // the batches after it are whole
    EXPECT_EQ(rows, 4);
    dlc_loader_destroy(loader);
  }
  sentences.failing = -1;
  for (int64_t length : {-1, 6}) {
    sentences.wrongLength = length;
    dlc_loader_options options = defaults(4, 0);
    dlc_loader *loader;
    ASSERT_EQ(dlc_loader_create_dataset(&sentences.dataset, &options, &loader), DLC_OK);
    ASSERT_EQ(dlc_loader_start(loader, 0), DLC_OK);
    int64_t rows;
    const void *arrays[3];
    EXPECT_EQ(dlc_loader_next(loader, &rows, arrays), DLC_INVALID_ARGUMENT);
    EXPECT_NE(std::string(dlc_loader_last_error(loader)).find("expected 1 to 5"), std::string::npos);
    dlc_loader_destroy(loader);
  }
}

TEST(Dataset, RefusesBadFields) {
  Sentences sentences;
  char error[300];
  dlc_loader_options options = defaults(4, 0);
  options.error = error;
  options.error_bytes = sizeof error;
  dlc_loader *loader;
  auto refused = [&](const char *text) {
    EXPECT_EQ(dlc_loader_create_dataset(&sentences.dataset, &options, &loader), DLC_INVALID_ARGUMENT);
    EXPECT_EQ(loader, nullptr);
    EXPECT_NE(std::string(error).find(text), std::string::npos) << error;
    sentences = Sentences();
    sentences.dataset.fields = sentences.fields; // of this one
  };
  EXPECT_EQ(dlc_loader_create_dataset(nullptr, &options, &loader), DLC_INVALID_ARGUMENT);
  sentences.dataset.samples = 0;
  refused("a data set of 0 samples");
  sentences.dataset.get = nullptr;
  refused("a function that makes samples");
  sentences.fields[0].shape[0] = 0;
  refused("field 0: its shape is empty");
  sentences.fields[1].dtype = 99;
  refused("its dtype 99 is none");
  sentences.fields[1].padded = 1;
  refused("field 1: padded is 1, expected 0, or 1 with at least one axis");
  sentences.fields[2].padded = 1;
  refused("field 2: is padded up to 1, another up to 5");
  dlc_augmentation augmentation = {};
  options.augmentation = &augmentation;
  refused("which is padded: its images differ in size");
  augmentation.images = 1;
  refused("augmentation of array 1: expected images of floats");
  augmentation.images = 3;
  refused("augmentation of array 3, expected one of the 3 arrays");
}

/// The samples of an epoch of `count` numbers.
std::vector<int64_t> drawn(const dlc_loader_options &options, int64_t count, int64_t epoch,
                           dlc_status expected = DLC_OK) {
  std::vector<int64_t> values(static_cast<size_t>(count)), result;
  std::iota(values.begin(), values.end(), 0);
  dlc_array array = {DLC_I64, 1, {count}, values.size() * sizeof(int64_t), values.data()};
  const dlc_array *arrays[] = {&array};
  dlc_loader *loader;
  EXPECT_EQ(dlc_loader_create(arrays, 1, &options, &loader), expected);
  if (!loader)
    return result;
  EXPECT_EQ(dlc_loader_start(loader, epoch), DLC_OK);
  int64_t rows;
  const void *batch[1];
  while (dlc_loader_next(loader, &rows, batch) == DLC_OK && rows > 0)
    for (int64_t i = 0; i < rows; ++i)
      result.push_back(static_cast<const int64_t *>(batch[0])[i]);
  dlc_loader_destroy(loader);
  return result;
}

TEST(Sampling, PartsOfASplit) {
  std::vector<int64_t> order(50), again(50), other(50);
  ASSERT_EQ(dlc_split(50, 3, order.data()), DLC_OK);
  ASSERT_EQ(dlc_split(50, 3, again.data()), DLC_OK);
  ASSERT_EQ(dlc_split(50, 4, other.data()), DLC_OK);
  EXPECT_EQ(order, again);
  EXPECT_NE(order, other);
  EXPECT_EQ(std::set<int64_t>(order.begin(), order.end()).size(), size_t{50});
  EXPECT_EQ(dlc_split(-1, 0, order.data()), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_split(1, 0, nullptr), DLC_INVALID_ARGUMENT);

  dlc_loader_options options = defaults(4, 1);
  options.samples = order.data() + 40;
  options.sample_count = 10;
  const std::vector<int64_t> shuffled = drawn(options, 50, 1);
  const std::vector<int64_t> part(order.begin() + 40, order.end());
  EXPECT_TRUE(std::is_permutation(shuffled.begin(), shuffled.end(), part.begin(), part.end()));
  EXPECT_NE(shuffled, part);
  options.shuffle = 0;
  EXPECT_EQ(drawn(options, 50, 1), part);
  EXPECT_TRUE(drawn(options, 40, 1, DLC_INVALID_ARGUMENT).empty()); // some are beyond the 40
  options.sample_count = 0;
  EXPECT_TRUE(drawn(options, 50, 1, DLC_INVALID_ARGUMENT).empty());
  options.samples = nullptr;
  options.sample_count = 3;
  EXPECT_TRUE(drawn(options, 50, 1, DLC_INVALID_ARGUMENT).empty());
}

TEST(Sampling, ByWeight) {
  const double weights[4] = {1, 0, 3, 0};
  dlc_loader_options options = defaults(4, 0);
  options.weights = weights;
  int64_t counts[4] = {};
  for (int64_t epoch = 0; epoch < 1000; ++epoch)
    for (int64_t sample : drawn(options, 4, epoch))
      ++counts[sample];
  EXPECT_EQ(counts[1] + counts[3], 0);
  EXPECT_EQ(counts[0] + counts[2], 4000);
  EXPECT_NEAR(static_cast<double>(counts[0]), 1000, 100); // three deviations are 82
  EXPECT_EQ(drawn(options, 4, 7), drawn(options, 4, 7));
  const int64_t part[2] = {3, 1};
  options.samples = part;
  options.sample_count = 2;
  const double ofPart[2] = {0, 1};
  options.weights = ofPart;
  EXPECT_EQ(drawn(options, 4, 0), (std::vector<int64_t>{1, 1}));
  options.shuffle = 0;
  EXPECT_TRUE(drawn(options, 4, 0, DLC_INVALID_ARGUMENT).empty());
  options.shuffle = 1;
  for (double wrong :
       {-1.0, 0.0, std::numeric_limits<double>::infinity(), std::numeric_limits<double>::quiet_NaN()}) {
    const double bad[2] = {0, wrong};
    options.weights = bad;
    EXPECT_TRUE(drawn(options, 4, 0, DLC_INVALID_ARGUMENT).empty()) << wrong;
  }
}

/// Batches of samples of about equal length: all samples are there once, and the lengths of most batches
/// differ little.
TEST(Sampling, ByLength) {
  constexpr int64_t all = 403, batch = 10;
  std::vector<int64_t> lengths;
  for (int64_t i = 0; i < all; ++i)
    lengths.push_back(i * 7919 % 101);
  dlc_loader_options options = defaults(batch, 0);
  options.lengths = lengths.data();
  options.bucket = 10;
  auto spreads = [&](const std::vector<int64_t> &order) {
    int64_t sum = 0;
    for (size_t first = 0; first + batch <= order.size(); first += batch) {
      int64_t least = INT64_MAX, most = 0;
      for (size_t i = first; i < first + batch; ++i) {
        least = std::min(least, lengths[static_cast<size_t>(order[i])]);
        most = std::max(most, lengths[static_cast<size_t>(order[i])]);
      }
      sum += most - least;
    }
    return sum / (all / batch);
  };
  std::vector<int64_t> order = drawn(options, all, 3);
  EXPECT_LT(spreads(order), 13); // 100 samples over 101 lengths: batches of ten have ten neighbours
  EXPECT_EQ(drawn(options, all, 3), order);
  EXPECT_NE(drawn(options, all, 4), order);
  // Batches are not in the order of their lengths.
  int64_t rising = 0;
  for (size_t first = 0; first + 2 * batch <= order.size(); first += batch)
    rising += lengths[static_cast<size_t>(order[first])] < lengths[static_cast<size_t>(order[first + batch])];
  EXPECT_GT(rising, 10);
  EXPECT_LT(rising, 30);
  std::sort(order.begin(), order.end());
  for (int64_t i = 0; i < all; ++i)
    EXPECT_EQ(order[static_cast<size_t>(i)], i);
  options.bucket = 1000000; // of the whole epoch; the incomplete batch has the longest
  order = drawn(options, all, 3);
  EXPECT_LE(spreads(order), 4);
  EXPECT_EQ(lengths[static_cast<size_t>(order.back())], 100);
  options.bucket = 0;
  EXPECT_TRUE(drawn(options, all, 3, DLC_INVALID_ARGUMENT).empty());
  options.bucket = 2;
  options.shuffle = 0;
  EXPECT_TRUE(drawn(options, all, 3, DLC_INVALID_ARGUMENT).empty());
  options.shuffle = 1;
  lengths[5] = -1;
  EXPECT_TRUE(drawn(options, all, 3, DLC_INVALID_ARGUMENT).empty());
  options.lengths = nullptr;
  EXPECT_TRUE(drawn(options, all, 3, DLC_INVALID_ARGUMENT).empty());
}

} // namespace
