//===- session_loader_test.cpp - batches of a loader in a session ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/data.hpp"
#include "tests/cpp/Expect.h"
#include "tests/cpp/SessionModels.h"
#include <algorithm>
#include <cstdlib>
#include <cstring>

using namespace dlc;
using namespace models;

namespace {

/// The same elements as those of the runtime.
data::Array arrayOf(const dlc::Array &values, int32_t dtype) {
  return data::Array::from([&](dlc_array *out, char *, size_t) {
    *out = {};
    out->dtype = dtype;
    for (int64_t size : values.shape())
      out->shape[out->rank++] = size;
    out->bytes = values.bytes().size();
    out->data = std::malloc(out->bytes);
    std::memcpy(out->data, values.bytes().data(), out->bytes);
    return DLC_OK;
  });
}

dlc_loader_options batchesOf(int64_t rows, bool shuffle = false) {
  dlc_loader_options options = {};
  options.batch = rows;
  options.seed = 3;
  options.shuffle = shuffle;
  return options;
}

struct SessionLoader : testing::Test {
  SessionLoader()
      : given(rows(20)), x(arrayOf(given.first, DLC_F32)), labels(arrayOf(given.second, DLC_I64)) {}
  std::pair<dlc::Array, dlc::Array> given;
  data::Array x, labels;
};

TEST_F(SessionLoader, StepsAreThoseOfTheSameRows) {
  Session looped(classifier()), called(classifier());
  data::Loader loader({&x, &labels}, batchesOf(8));
  std::vector<float> losses, expected;
  std::vector<int64_t> sizes;
  for (auto [bx, by] : loader) {
    losses.push_back(looped.train_step(bx, by));
    sizes.push_back(bx.shape.at(0));
    EXPECT_EQ(by.shape, (std::vector<int64_t>{sizes.back()}));
  }
  EXPECT_EQ(sizes, (std::vector<int64_t>{8, 8, 4}));
  const int64_t width = given.first.shape()[1];
  for (int64_t first = 0; first < 20; first += 8) {
    const int64_t count = std::min<int64_t>(8, 20 - first);
    const float *values = given.first.values<float>().data() + first * width;
    const int64_t *classes = given.second.values<int64_t>().data() + first;
    expected.push_back(called.train_step({View(std::span(values, size_t(count * width)), {count, width}),
                                          View(std::span(classes, size_t(count)), {count})}));
  }
  // A whole array is a view of all rows.
  EXPECT_EQ(looped.evaluate(x, labels).loss(), called.evaluate({given.first, given.second}).loss());
}

TEST_F(SessionLoader, EachLoopIsTheNextEpoch) {
  auto orderOf = [&](data::Loader &loader) {
    std::vector<int64_t> order;
    for (auto [bx, by] : loader) {
      const data::Elements<int64_t> classes = by.values<int64_t>();
      order.insert(order.end(), classes.begin(), classes.end());
    }
    return order;
  };
  data::Loader loader({&x, &labels}, batchesOf(8, true)), again({&x, &labels}, batchesOf(8, true));
  const std::vector<int64_t> first = orderOf(loader), second = orderOf(loader);
  EXPECT_EQ(first.size(), 20u);
  EXPECT_NE(first, second);
  again.set_epoch(1);
  EXPECT_EQ(orderOf(again), second);
}

TEST_F(SessionLoader, ElementsOfABatchHaveItsType) {
  data::Loader loader({&x, &labels}, batchesOf(20));
  for (auto [bx, by] : loader) {
    const std::span<const float> pixels = bx.values<float>();
    EXPECT_TRUE(std::ranges::equal(pixels, given.first.values<float>()));
    EXPECT_EQ(by.values<int64_t>()[19], given.second.values<int64_t>()[19]);
    try {
      by.values<float>();
      FAIL() << "labels as floats";
    } catch (const data::Error &error) {
      EXPECT_STREQ(error.what(), "the elements are int64, not float32");
    }
  }
}

TEST_F(SessionLoader, OtherNumbersOfFields) {
  data::Loader loader({&x, &x, &labels}, batchesOf(20));
  int batches = 0;
  for (auto [a, b, by] : loader.epoch<3>(0)) {
    EXPECT_EQ(a.shape, b.shape);
    EXPECT_EQ(by.dtype, DLC_I64);
    ++batches;
  }
  EXPECT_EQ(batches, 1);
  try {
    for (auto [bx, by] : loader)
      FAIL() << "a loop over pairs of " << bx.shape.size() << by.shape.size();
  } catch (const data::Error &error) {
    EXPECT_STREQ(error.what(), "a sample has 3 fields, and the loop takes 2: write for (auto [a, b, ...] : "
                               "loader.epoch<3>(number))");
  }
}

TEST_F(SessionLoader, AnUnknownTypeIsAnErrorAtTheLineOfTheCall) {
  Session session(classifier());
  data::Values strange = x.values();
  strange.dtype = 99;
  EXPECT_MESSAGE(session.train_step(strange, labels), "a view: 99 is no dlc_dtype");
}

} // namespace
