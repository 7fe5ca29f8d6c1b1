//===- PackerTest.cpp - offsets for buffers with known lifetimes -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/plan/Packer.h"
#include "gtest/gtest.h"
#include <random>

using namespace dlc::plan;

namespace {

constexpr int64_t alignment = 64;

bool areAliased(const std::vector<Alias> &aliases, int64_t a, int64_t b) {
  for (const Alias &alias : aliases)
    if ((alias.first == a && alias.second == b) || (alias.first == b && alias.second == a))
      return true;
  return false;
}

/// No two buffers that are live together overlap, but for aliased ones at one place.
void expectValid(const std::vector<Buffer> &buffers, const std::vector<Alias> &aliases,
                 const Packing &packing) {
  ASSERT_EQ(packing.offsets.size(), buffers.size());
  for (size_t i = 0; i < buffers.size(); ++i) {
    EXPECT_EQ(packing.offsets[i] % alignment, 0);
    EXPECT_GE(packing.offsets[i], 0);
    EXPECT_LE(packing.offsets[i] + buffers[i].bytes, packing.bytes);
    for (size_t j = i + 1; j < buffers.size(); ++j) {
      bool together = buffers[i].begin <= buffers[j].end && buffers[j].begin <= buffers[i].end;
      bool overlap = packing.offsets[i] < packing.offsets[j] + buffers[j].bytes &&
                     packing.offsets[j] < packing.offsets[i] + buffers[i].bytes;
      if (together && overlap) {
        EXPECT_TRUE(areAliased(aliases, i, j)) << "buffers " << i << " and " << j;
        EXPECT_EQ(packing.offsets[i], packing.offsets[j]);
      }
    }
  }
  EXPECT_GE(packing.bytes, lowerBound(buffers, aliases, alignment));
}

/// The sum at every position, with what buffers take over where they begin counted once.
int64_t liveBytes(const std::vector<Buffer> &buffers, const std::vector<Alias> &aliases) {
  int64_t largest = 0;
  for (int64_t position = 0; position < 64; ++position) {
    int64_t live = 0;
    for (size_t i = 0; i < buffers.size(); ++i) {
      if (buffers[i].begin > position || position > buffers[i].end)
        continue;
      int64_t saved = 0;
      for (const Alias &alias : aliases)
        if (alias.second == static_cast<int64_t>(i) && buffers[i].begin == position)
          saved = std::max(saved, alignTo(std::min(buffers[i].bytes, buffers[alias.first].bytes), alignment));
      live += alignTo(buffers[i].bytes, alignment) - saved;
    }
    largest = std::max(largest, live);
  }
  return largest;
}

TEST(Packer, PacksNothing) {
  Packing packing = pack({}, {}, alignment);
  EXPECT_EQ(packing.bytes, 0);
  EXPECT_TRUE(packing.offsets.empty());
}

TEST(Packer, AlignsSizesAndOffsets) {
  std::vector<Buffer> buffers{{1, 0, 1}, {65, 0, 1}, {64, 1, 2}};
  Packing packing = pack(buffers, {}, alignment);
  expectValid(buffers, {}, packing);
  EXPECT_EQ(packing.bytes, 64 + 128 + 64);
}

TEST(Packer, ReusesStorageOfDeadBuffers) {
  std::vector<Buffer> buffers{{640, 0, 1}, {640, 1, 2}, {640, 2, 3}, {640, 3, 4}};
  Packing packing = pack(buffers, {}, alignment);
  expectValid(buffers, {}, packing);
  EXPECT_EQ(packing.bytes, 2 * 640);
}

TEST(Packer, TakesTheStorageOfADyingBufferWhereAllowed) {
  std::vector<Buffer> buffers{{640, 0, 1}, {640, 1, 2}, {640, 2, 3}};
  std::vector<Alias> aliases{{0, 1}, {1, 2}};
  Packing packing = pack(buffers, aliases, alignment);
  expectValid(buffers, aliases, packing);
  EXPECT_EQ(packing.bytes, 640);
  EXPECT_EQ(lowerBound(buffers, aliases, alignment), 640);
}

TEST(Packer, GivesAPlaceToOneBufferOnly) {
  // Both may take the place of the first, but they live together.
  std::vector<Buffer> buffers{{640, 0, 1}, {640, 1, 2}, {640, 1, 2}};
  std::vector<Alias> aliases{{0, 1}, {0, 2}};
  Packing packing = pack(buffers, aliases, alignment);
  expectValid(buffers, aliases, packing);
  EXPECT_EQ(packing.bytes, 2 * 640);
}

TEST(Packer, LowerBoundIsTheLargestSumOfLiveBytes) {
  EXPECT_EQ(lowerBound({{100, 0, 0}, {64, 1, 3}, {64, 2, 4}, {200, 4, 5}}, {}, alignment), 64 + 256);
}

// Lifetimes of a training step: activations live from forward to backward, nested like brackets, with
// short-lived gradients between.
TEST(Packer, ReachesTheBoundOnNestedLifetimes) {
  std::vector<Buffer> buffers;
  const int64_t layers = 24;
  for (int64_t i = 0; i < layers; ++i) {
    buffers.push_back({1000 + 700 * (i % 5), i, 2 * layers - i});
    buffers.push_back({1000 + 700 * ((i + 1) % 5), 2 * layers - i, 2 * layers - i + 1});
  }
  Packing packing = pack(buffers, {}, alignment);
  expectValid(buffers, {}, packing);
  EXPECT_LE(packing.bytes, 1.05 * lowerBound(buffers, {}, alignment));
}

TEST(Packer, IsValidAndDeterministicOnRandomLifetimes) {
  std::mt19937 random(1);
  for (int round = 0; round < 50; ++round) {
    std::vector<Buffer> buffers;
    std::vector<Alias> aliases;
    for (int i = 0; i < 40; ++i) {
      int64_t begin = random() % 30;
      buffers.push_back({int64_t(1 + random() % 5000), begin, begin + int64_t(random() % 8)});
    }
    for (int64_t i = 0; i < 40; ++i)
      for (int64_t j = 0; j < 40; ++j)
        if (i != j && buffers[i].end == buffers[j].begin && buffers[i].begin < buffers[j].begin &&
            random() % 2)
          aliases.push_back({i, j});
    Packing packing = pack(buffers, aliases, alignment);
    expectValid(buffers, aliases, packing);
    EXPECT_EQ(pack(buffers, aliases, alignment).offsets, packing.offsets);
    EXPECT_EQ(lowerBound(buffers, aliases, alignment), liveBytes(buffers, aliases));
    EXPECT_LE(packing.bytes, 1.35 * lowerBound(buffers, aliases, alignment));
  }
}

} // namespace
