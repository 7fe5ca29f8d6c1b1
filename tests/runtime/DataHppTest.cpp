//===- DataHppTest.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data sets as C++ classes.
//===----------------------------------------------------------------------===//
#include "dlc/data.hpp"
#include "tests/runtime/TempFolder.h"

#include <gtest/gtest.h>
#include <set>

namespace {

namespace data = dlc::data;

// A pointer into an array without a name, or to a data set without one, would point at what is gone.
template <typename A, typename = void> struct HasData : std::false_type {};
template <typename A>
struct HasData<A, std::void_t<decltype(std::declval<A>().template data<float>())>> : std::true_type {};
static_assert(HasData<data::Array &>::value && HasData<const data::Array &>::value);
static_assert(!HasData<data::Array>::value && !HasData<const data::Array>::value);
static_assert(std::is_constructible_v<data::Loader, data::Dataset &, dlc_loader_options>);
static_assert(!std::is_constructible_v<data::Loader, data::Dataset, dlc_loader_options>);

/// Words of different lengths, and a number at random.
struct Words : data::Dataset {
  int64_t size() const override { return 9; }
  std::vector<dlc_field> fields() const override {
    return {data::field(DLC_I32, {4}, /*padded=*/true, 99), data::field(DLC_I64)};
  }
  void get(int64_t sample, data::Sample &to) const override {
    if (sample == lost)
      throw std::runtime_error("word " + std::to_string(sample) + " is lost");
    const int64_t length = 1 + sample % 4;
    to.set_length(0, length);
    std::fill_n(to.field<int32_t>(0), length, static_cast<int32_t>(sample));
    *to.field<int64_t>(1) = to.random.below(1000);
  }
  int64_t lost = -1;
};

dlc_loader_options inBatches(int64_t batch, bool shuffle) {
  dlc_loader_options options = {};
  options.batch = batch;
  options.shuffle = shuffle;
  options.threads = 2;
  return options;
}

TEST(DataHpp, DatasetsAreClasses) {
  const Words words;
  data::Loader loader(words, inBatches(4, true));
  EXPECT_EQ(loader.batches(), 3);
  std::set<int32_t> seen;
  std::vector<int64_t> random[2];
  for (int pass = 0; pass < 2; ++pass) {
    loader.start(1);
    while (const int64_t rows = loader.next())
      for (int64_t row = 0; row < rows; ++row) {
        const int32_t *word = loader.field<int32_t>(0) + row * loader.length();
        seen.insert(word[0]);
        for (int64_t i = 0; i < loader.length(); ++i)
          EXPECT_EQ(word[i], i <= word[0] % 4 ? word[0] : 99);
        random[pass].push_back(loader.field<int64_t>(1)[row]);
      }
  }
  EXPECT_EQ(seen.size(), size_t{9});
  EXPECT_EQ(random[0], random[1]);
  loader.start(1, 2);
  EXPECT_EQ(loader.next(), 1);
  EXPECT_EQ(loader.field<int64_t>(1)[0], random[0][8]);
  EXPECT_THROW(loader.start(0, 4), data::Error);
}

TEST(DataHpp, WhatGetThrowsIsTheLoadersError) {
  Words words;
  words.lost = 5;
  data::Loader loader(words, inBatches(4, false));
  loader.start(0);
  EXPECT_EQ(loader.next(), 4);
  try {
    loader.next();
    FAIL() << "expected an error";
  } catch (const data::Error &error) {
    EXPECT_STREQ(error.what(), "word 5 is lost");
  }
  EXPECT_EQ(loader.next(), 1);
}

TEST(DataHpp, TablesBecomeBatches) {
  TempFolder folder;
  const data::Table table(folder.write("t.csv", "a,b,c\n1,2,0\n3,4,1\n5,6,0\n"));
  const data::Array x = table.numbers({"b", "a"}), labels = table.numbers({"c"}, DLC_I64);
  EXPECT_EQ(x.samples(), 3);
  data::Loader loader({&x, &labels}, inBatches(2, false));
  loader.start(0);
  EXPECT_EQ(loader.next(), 2);
  EXPECT_EQ(loader.field<float>(0)[0], 2);
  EXPECT_EQ(loader.field<float>(0)[3], 3);
  EXPECT_EQ(loader.field<int64_t>(1)[1], 1);
  EXPECT_THROW(table.numbers({"d"}), data::Error);
  EXPECT_THROW(data::Table("/nowhere.csv"), data::Error);
  EXPECT_THROW(data::read_npy("/nowhere.npy"), data::Error);
}

TEST(DataHpp, Transforms) {
  const uint8_t bytes[] = {0, 51, 255};
  float values[3];
  data::to_float(bytes, 3, values);
  EXPECT_EQ(values[0], 0);
  EXPECT_FLOAT_EQ(values[1], 0.2f);
  EXPECT_EQ(values[2], 1);
  float image[] = {1, 2, 3, 4};
  data::normalize(image, 2, {1, 0}, {0.5f, 2});
  EXPECT_EQ(std::vector<float>(image, image + 4), (std::vector<float>{0, 2, 1.5f, 2}));

  // Two channels of 3 x 4; parts of 2 x 2.
  std::vector<float> large(24), part(8), row = {1, 2, 3};
  for (size_t i = 0; i < large.size(); ++i)
    large[i] = static_cast<float>(i);
  std::set<float> corners;
  int flipped = 0;
  data::Random random(1);
  for (int i = 0; i < 400; ++i) {
    data::random_crop(random, large.data(), 2, 3, 4, 2, 2, part.data());
    corners.insert(part[0]);
    const float corner = part[0];
    EXPECT_EQ(part, (std::vector<float>{corner, corner + 1, corner + 4, corner + 5, corner + 12, corner + 13,
                                        corner + 16, corner + 17}));
    const float before = row[0];
    data::random_flip(random, row.data(), 1, 1, 3);
    flipped += row[0] != before;
  }
  EXPECT_EQ(corners, (std::set<float>{0, 1, 2, 4, 5, 6}));
  EXPECT_NEAR(flipped, 200, 50);
  std::vector<int64_t> order = data::split(10, 3);
  std::sort(order.begin(), order.end());
  EXPECT_EQ(order.front(), 0);
  EXPECT_EQ(order.back(), 9);
}

} // namespace
