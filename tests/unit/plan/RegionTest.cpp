//===- RegionTest.cpp - the bytes of places, with gaps ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Answers are compared with those of sets of bytes.
//===----------------------------------------------------------------------===//
#include "compiler/plan/Region.h"
#include "gtest/gtest.h"

#include <algorithm>
#include <iterator>
#include <random>
#include <set>

namespace dlc::plan {
namespace {

struct Place {
  int64_t begin;
  llvm::SmallVector<int64_t> sizes, strides;

  Region region() const { return Region("", begin, 4, sizes, strides); }
  std::set<int64_t> bytes() const {
    std::set<int64_t> first{begin}, result;
    for (size_t dim = 0; dim < sizes.size(); ++dim) {
      std::set<int64_t> next;
      for (int64_t at : first)
        for (int64_t i = 0; i < sizes[dim]; ++i)
          next.insert(at + 4 * i * strides[dim]);
      first = next;
    }
    for (int64_t at : first)
      for (int64_t byte = 0; byte < 4; ++byte)
        result.insert(at + byte);
    return result;
  }
};

/// A part of rows of 12 elements, in which a tensor of up to three dims may have gaps.
Place randomPlace(std::mt19937 &random) {
  auto upTo = [&](int64_t most) { return int64_t(random() % (most + 1)); };
  return {4 * upTo(30), {upTo(3), 1 + upTo(2), 1 + upTo(5)}, {36, 12, 1}};
}

TEST(Region, AnswersAsSetsOfBytesDo) {
  std::mt19937 random(1);
  int overlapping = 0, containing = 0;
  for (int i = 0; i < 4000; ++i) {
    Place a = randomPlace(random), b = randomPlace(random);
    std::set<int64_t> ofA = a.bytes(), ofB = b.bytes(), both;
    std::set_intersection(ofA.begin(), ofA.end(), ofB.begin(), ofB.end(), std::inserter(both, both.end()));
    ASSERT_EQ(a.region().bytes(), int64_t(ofA.size())) << i;
    if (!ofA.empty())
      ASSERT_EQ(a.region().end(), *ofA.rbegin() + 1) << i;
    ASSERT_EQ(a.region().overlaps(b.region()), !both.empty()) << i;
    ASSERT_EQ(a.region().sharedBytes(b.region()), int64_t(both.size())) << i;
    overlapping += !both.empty();
    // Containing may be missed, never claimed wrongly.
    bool isInside = both.size() == ofB.size();
    if (a.region().contains(b.region())) {
      ASSERT_TRUE(isInside) << i;
      ++containing;
    }
    ASSERT_TRUE(a.region().contains(a.region())) << i;
  }
  EXPECT_GT(overlapping, 400);
  EXPECT_GT(containing, 200);
}

TEST(Region, WithoutGapsIsOneInterval) {
  EXPECT_EQ(Region("", 64, 4, {3, 5, 7}, {35, 7, 1}), Region("", 64, 64 + 4 * 105));
  EXPECT_EQ(Region("", 64, 4, {1, 5, 7}, {1000, 7, 1}), Region("", 64, 64 + 4 * 35));
  EXPECT_FALSE(Region("", 64, 4, {3, 5, 7}, {36, 7, 1}) == Region("", 64, 64 + 4 * 105));
}

TEST(Region, OfAnotherMemoryIsElsewhere) {
  Region a("x", 0, 64), b("y", 0, 64);
  EXPECT_FALSE(a.overlaps(b));
  EXPECT_FALSE(a.contains(b));
}

} // namespace
} // namespace dlc::plan
