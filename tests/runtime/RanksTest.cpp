//===- RanksTest.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaders of several processes: what their ranks have of each batch is, one behind the other, the batch of
// one process, bit by bit.
//===----------------------------------------------------------------------===//
#include "runtime/data/Ranks.h"
#include "dlc/data.hpp"
#include "tests/runtime/TempFolder.h"

#include <functional>
#include <gtest/gtest.h>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

namespace {

constexpr int64_t samples = 23, pixels = 16, classes = 3;

/// The rows of each batch of an epoch, as bytes.
using Batches = std::vector<std::vector<std::string>>;

class Ranked : public testing::Test {
protected:
  Ranked() {
    for (int64_t i = 0; i < samples; ++i) {
      for (int64_t p = 0; p < pixels; ++p)
        images.push_back(static_cast<float>((i * 37 + p * 11) % 101) / 101);
      for (int64_t c = 0; c < classes; ++c)
        targets.push_back(i % classes == c);
      weights.push_back(1 + static_cast<double>(i % 4));
      lengths.push_back(i * 7 % 10);
    }
    arrays[0] = {DLC_F32, 4, {samples, 1, 4, 4}, images.size() * 4, images.data()};
    arrays[1] = {DLC_F32, 2, {samples, classes}, targets.size() * 4, targets.data()};
  }

  dlc_loader_options optionsFor(int64_t batch, int32_t threads) {
    dlc_loader_options options = {};
    options.struct_size = sizeof options;
    options.batch = batch;
    options.seed = 9;
    options.shuffle = 1;
    options.threads = threads;
    options.error = error;
    options.error_bytes = sizeof error;
    return options;
  }
  void change(dlc_loader_options &options, const char *text) {
    options.augmentation = &augmentation;
    options.changes = text;
    options.mixed = &mixed;
    dlc_changes_check(text, &options.mixed_count, nullptr, 0);
  }

  static dlc_status get(void *context, int64_t sample, const dlc_sample *to) {
    auto &self = *static_cast<Ranked *>(context);
    std::copy_n(self.images.data() + sample * pixels, pixels, static_cast<float *>(to->fields[0]));
    std::copy_n(self.targets.data() + sample * classes, classes, static_cast<float *>(to->fields[1]));
    return DLC_OK;
  }

  /// Epoch 3, from batch `first` on.
  Batches epoch(dlc_loader_options options, int32_t rank, int32_t ranks, bool isDataset, int64_t first = 0) {
    const dlc_array *pointers[] = {&arrays[0], &arrays[1]};
    const dlc_field fields[2] = {{DLC_F32, 3, {1, 4, 4}, 0, 0, 0}, {DLC_F32, 1, {classes}, 0, 0, 0}};
    const dlc_dataset dataset = {samples, 2, 0, fields, get, this};
    options.rank = rank;
    options.ranks = ranks;
    dlc_loader *made = nullptr;
    EXPECT_EQ(isDataset ? dlc_loader_create_dataset(&dataset, &options, &made)
                        : dlc_loader_create(pointers, 2, &options, &made),
              DLC_OK)
        << error;
    const std::unique_ptr<dlc_loader, decltype(&dlc_loader_destroy)> loader(made, dlc_loader_destroy);
    Batches batches;
    EXPECT_EQ(dlc_loader_start_at(made, 3, first), DLC_OK);
    for (;;) {
      int64_t rows = -1;
      const void *batch[2];
      EXPECT_EQ(dlc_loader_next(made, &rows, batch), DLC_OK);
      if (!batch[0])
        break;
      batches.emplace_back();
      for (int64_t row = 0; row < rows; ++row)
        batches.back().push_back(
            std::string(static_cast<const char *>(batch[0]) + row * pixels * 4, pixels * 4) +
            std::string(static_cast<const char *>(batch[1]) + row * classes * 4, classes * 4));
    }
    EXPECT_EQ(static_cast<int64_t>(batches.size()) + first, dlc_loader_batches(made));
    return batches;
  }

  /// What all ranks have of each batch, one behind the other.
  Batches joined(const dlc_loader_options &options, int32_t ranks, bool isDataset, int64_t first = 0) {
    Batches all;
    for (int32_t rank = 0; rank < ranks; ++rank) {
      const Batches part = epoch(options, rank, ranks, isDataset, first);
      all.resize(std::max(all.size(), part.size()));
      EXPECT_EQ(all.size(), part.size()) << "each rank has as many batches";
      for (size_t i = 0; i < part.size(); ++i)
        all[i].insert(all[i].end(), part[i].begin(), part[i].end());
    }
    return all;
  }

  std::vector<float> images, targets;
  std::vector<double> weights;
  std::vector<int64_t> lengths;
  dlc_array arrays[2];
  dlc_augmentation augmentation = {0, 1, 1, 0, nullptr};
  int32_t mixed = 1;
  char error[500] = "";
};

TEST_F(Ranked, PartsAreTheBatchOfOneProcess) {
  const std::vector<int64_t> chosen = {4, 2, 17, 9, 9, 0, 22, 11};
  const std::pair<const char *, std::function<void(dlc_loader_options &)>> kinds[] = {
      {"shuffled", [](auto &) {}},
      {"in order", [](auto &options) { options.shuffle = 0; }},
      {"drop_last", [](auto &options) { options.drop_last = 1; }},
      {"by weight", [&](auto &options) { options.weights = weights.data(); }},
      {"some samples",
       [&](auto &options) {
         options.samples = chosen.data();
         options.sample_count = static_cast<int64_t>(chosen.size());
       }},
      {"by length",
       [&](auto &options) {
         options.lengths = lengths.data();
         options.bucket = 2;
       }},
      {"changed", [&](auto &options) { change(options, "rotate:10,erase"); }},
      {"mixup", [&](auto &options) { change(options, "mixup:0.4"); }},
      {"cutmix of changed ones", [&](auto &options) { change(options, "rotate:10,cutmix"); }},
  };
  for (const auto &[name, set] : kinds)
    for (int64_t batch : {7, 10, 22, 100}) // of 23 samples: the last batch has 2, 3, 1 or all of them
      for (bool isDataset : {false, true})
        for (int32_t threads : {0, 2}) {
          dlc_loader_options options = optionsFor(batch, threads);
          set(options);
          const Batches one = epoch(options, 0, 0, isDataset);
          for (int32_t ranks = 1; ranks <= 4; ++ranks)
            EXPECT_EQ(joined(options, ranks, isDataset), one) << name << ", " << batch << ", " << ranks;
          if (one.size() > 1)
            EXPECT_EQ(joined(options, 3, isDataset, 1), Batches(one.begin() + 1, one.end())) << name;
        }
}

TEST_F(Ranked, SharesDifferByOneRowAtMost) {
  const dlc_loader_options options = optionsFor(9, 0);
  size_t rows[4][3];
  for (int32_t rank = 0; rank < 4; ++rank) {
    const Batches part = epoch(options, rank, 4, false);
    ASSERT_EQ(part.size(), 3u);
    for (size_t i = 0; i < 3; ++i)
      rows[rank][i] = part[i].size();
  }
  const size_t expected[4][3] = {{2, 2, 1}, {2, 2, 1}, {2, 2, 1}, {3, 3, 2}};
  for (int32_t rank = 0; rank < 4; ++rank)
    for (size_t i = 0; i < 3; ++i)
      EXPECT_EQ(rows[rank][i], expected[rank][i]) << rank << ", " << i;
}

/// A last batch of fewer rows than ranks: nothing is repeated for the others, and all have as many batches.
TEST_F(Ranked, ARankMayHaveNoRows) {
  dlc_loader_options options = optionsFor(22, 1);
  change(options, "mixup");
  for (int32_t rank = 0; rank < 4; ++rank) {
    const Batches part = epoch(options, rank, 4, false);
    ASSERT_EQ(part.size(), 2u);
    EXPECT_EQ(part[1].size(), rank == 3 ? 1u : 0u);
  }
}

/// Fields of different lengths are filled up to the longest of the rank's own rows.
TEST(RanksOfDatasets, PaddedFields) {
  struct Words : dlc::data::Dataset {
    int64_t size() const override { return 9; }
    std::vector<dlc_field> fields() const override {
      return {dlc::data::field(DLC_I32, {4}, /*padded=*/true, -1), dlc::data::field(DLC_I64)};
    }
    void get(int64_t sample, dlc::data::Sample &to) const override {
      to.set_length(0, 1 + sample % 4);
      std::fill_n(to.field<int32_t>(0), 1 + sample % 4, static_cast<int32_t>(sample));
      *to.field<int64_t>(1) = sample;
    }
  };
  const Words words;
  std::vector<int64_t> seen[2];
  for (int32_t rank = 0; rank < 2; ++rank) {
    dlc_loader_options options = {};
    options.batch = 4;
    options.rank = rank;
    options.ranks = 2;
    dlc::data::Loader loader(words, options);
    int steps = 0;
    for (auto [word, number] : loader) { // of the last batch, which has one row, rank 0 has none
      ++steps;
      int64_t longest = 0;
      for (int64_t i = 0; i < number.shape[0]; ++i) {
        const int64_t sample = number.values<int64_t>()[static_cast<size_t>(i)];
        seen[rank].push_back(sample);
        longest = std::max(longest, 1 + sample % 4);
      }
      EXPECT_EQ(word.shape, (std::vector<int64_t>{number.shape[0], longest}));
    }
    EXPECT_EQ(steps, 3);
    EXPECT_TRUE(loader.has_ended());
  }
  EXPECT_EQ(seen[0], (std::vector<int64_t>{0, 1, 4, 5}));
  EXPECT_EQ(seen[1], (std::vector<int64_t>{2, 3, 6, 7, 8}));
}

/// The row that a rank's first image is mixed with is another rank's, whose length is nobody's here.
TEST(RanksOfDatasets, PaddedFieldsBesideMixedImages) {
  struct Pictures : dlc::data::Dataset {
    int64_t size() const override { return 6; }
    std::vector<dlc_field> fields() const override {
      return {dlc::data::field(DLC_F32, {1, 2, 2}), dlc::data::field(DLC_F32, {2}),
              dlc::data::field(DLC_I64, {9}, /*padded=*/true, -1)};
    }
    void get(int64_t sample, dlc::data::Sample &to) const override {
      std::fill_n(to.field<float>(0), 4, static_cast<float>(sample));
      std::fill_n(to.field<float>(1), 2, static_cast<float>(sample));
      to.set_length(2, 9 - sample);
      std::fill_n(to.field<int64_t>(2), 9 - sample, sample);
    }
  };
  const Pictures pictures;
  const dlc_augmentation augmentation = {0, 0, 0, 0, nullptr};
  const int32_t mixed = 1;
  auto read = [&](int32_t rank, int32_t ranks) {
    dlc_loader_options options = {};
    options.batch = 4;
    options.rank = rank;
    options.ranks = ranks;
    options.augmentation = &augmentation;
    options.changes = "mixup:1";
    options.mixed = &mixed;
    options.mixed_count = 1;
    dlc::data::Loader loader(pictures, options);
    std::vector<float> values;
    for (auto [images, targets, words] : loader.epoch<3>(4)) {
      const auto pixels = images.values<float>(), parts = targets.values<float>();
      values.insert(values.end(), pixels.begin(), pixels.end());
      const int64_t first = words.values<int64_t>()[0];
      EXPECT_EQ(words.shape[1], 9 - first) << "the first of the rank's own rows is its longest";
      EXPECT_EQ(pixels[0], parts[0]);
    }
    return values;
  };
  const std::vector<float> one = read(0, 0);
  std::vector<float> joined(read(0, 2));
  const std::vector<float> other = read(1, 2);
  joined.insert(joined.begin() + 2 * 4, other.begin(), other.begin() + 2 * 4);
  joined.insert(joined.end(), other.begin() + 2 * 4, other.end());
  EXPECT_EQ(joined, one);
}

TEST(RanksOfTokens, PartsAreTheBatchOfOneProcess) {
  TempFolder folder;
  std::string bytes;
  for (int i = 0; i < 100; ++i)
    bytes += {static_cast<char>(i), 0};
  const std::string path = folder.write("tokens", bytes);
  auto read = [&](int32_t random, int32_t rank, int32_t ranks) {
    dlc_tokens_options options = {};
    options.struct_size = sizeof options;
    options.token_bytes = 2;
    options.window = 3;
    options.batch = 5;
    options.random = random;
    options.rank = rank;
    options.ranks = ranks;
    dlc_tokens *tokens = nullptr;
    EXPECT_EQ(dlc_tokens_open(path.c_str(), &options, &tokens), DLC_OK);
    std::vector<int64_t> all;
    const int64_t rows = dlc_tokens_rows(tokens);
    for (int64_t step = 0; step < 9; ++step) {
      std::vector<int64_t> inputs(static_cast<size_t>(rows * 3)), targets = inputs;
      EXPECT_EQ(dlc_tokens_batch(tokens, step, inputs.data(), targets.data()), DLC_OK);
      for (size_t i = 0; i < inputs.size(); ++i)
        EXPECT_EQ(targets[i], inputs[i] + 1);
      all.insert(all.end(), inputs.begin(), inputs.end());
    }
    EXPECT_EQ(dlc_tokens_batches(tokens), 7);
    dlc_tokens_close(tokens);
    return all;
  };
  for (int32_t random : {0, 1}) {
    const std::vector<int64_t> one = read(random, 0, 0);
    EXPECT_EQ(one.size(), 9u * 5 * 3);
    for (int32_t ranks : {1, 2, 3, 4, 7}) {
      std::vector<std::vector<int64_t>> parts;
      for (int32_t rank = 0; rank < ranks; ++rank)
        parts.push_back(read(random, rank, ranks));
      std::vector<int64_t> joined;
      for (size_t step = 0; step < 9; ++step)
        for (const std::vector<int64_t> &part : parts)
          joined.insert(joined.end(), part.begin() + static_cast<ptrdiff_t>(step * part.size() / 9),
                        part.begin() + static_cast<ptrdiff_t>((step + 1) * part.size() / 9));
      EXPECT_EQ(joined, one) << ranks;
    }
  }
  EXPECT_EQ(dlc_tokens_rows(nullptr), 0);
}

TEST_F(Ranked, RefusesRanksThatThereAreNot) {
  const dlc_array *pointers[] = {&arrays[0], &arrays[1]};
  for (auto [rank, ranks] : {std::pair{-1, 2}, {2, 2}, {1, 0}, {1, 1}, {0, -1}}) {
    dlc_loader_options options = optionsFor(4, 0);
    options.rank = rank;
    options.ranks = ranks;
    dlc_loader *loader = nullptr;
    EXPECT_EQ(dlc_loader_create(pointers, 2, &options, &loader), DLC_INVALID_ARGUMENT);
    EXPECT_EQ(std::string(error), "rank " + std::to_string(rank) + " of " + std::to_string(ranks) +
                                      " ranks: expected a number from 0, below the number of ranks");
  }
}

/// Cut without a product that 64 bits cannot hold.
TEST(Ranks, LargeBatches) {
  dlc::runtime::Error error;
  constexpr int64_t whole = INT64_MAX - 1;
  constexpr int32_t count = INT32_MAX;
  int64_t before = 0;
  for (int32_t rank : {0, 1, 2}) {
    dlc::runtime::Ranks ranks;
    ASSERT_EQ(ranks.take(rank, count, error), DLC_OK);
    EXPECT_EQ(ranks.begin(whole), before);
    before = ranks.end(whole);
    EXPECT_LE(before - ranks.begin(whole), ranks.most(whole));
  }
  dlc::runtime::Ranks last;
  ASSERT_EQ(last.take(count - 1, count, error), DLC_OK);
  EXPECT_EQ(last.end(whole), whole);
}

} // namespace
