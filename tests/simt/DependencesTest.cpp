//===- DependencesTest.cpp ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cuda/Dependences.h"

#include <gtest/gtest.h>
#include <vector>

namespace {

using dlc::runtime::Array;
using dlc::runtime::cuda::Dependences;

struct Use {
  uint64_t begin, bytes;
  bool writes;
};

std::vector<std::vector<uint32_t>> edges(const std::vector<std::vector<Use>> &launches) {
  Dependences dependences;
  std::vector<std::vector<uint32_t>> result;
  EXPECT_TRUE(dependences.begin(launches.size()));
  for (const std::vector<Use> &launch : launches) {
    for (const Use &use : launch)
      EXPECT_TRUE(dependences.uses(use.begin, use.bytes, use.writes));
    Array<uint32_t> waitsFor;
    EXPECT_TRUE(dependences.add(waitsFor));
    result.emplace_back(waitsFor.begin(), waitsFor.end());
  }
  return result;
}

using Edges = std::vector<std::vector<uint32_t>>;

TEST(Dependences, FollowFromBytesThatOneWrites) {
  const Use reads = {0, 8, false}, writes = {4, 8, true}, beside = {12, 4, true}, nothing = {4, 0, true};
  EXPECT_EQ(edges({{reads}, {reads}}), (Edges{{}, {}}));
  EXPECT_EQ(edges({{reads}, {writes}}), (Edges{{}, {0}}));
  EXPECT_EQ(edges({{writes}, {reads}}), (Edges{{}, {0}}));
  EXPECT_EQ(edges({{writes}, {writes}}), (Edges{{}, {0}}));
  EXPECT_EQ(edges({{writes}, {beside}}), (Edges{{}, {}}));
  EXPECT_EQ(edges({{writes}, {nothing}}), (Edges{{}, {}}));
}

TEST(Dependences, WhatFollowsFromOthersIsLeftOut) {
  const Use a = {0, 4, true}, b = {4, 4, true}, readsA = {0, 4, false}, readsB = {4, 4, false};
  EXPECT_EQ(edges({{a}, {readsA, b}, {readsA, readsB}}), (Edges{{}, {0}, {1}}));
  EXPECT_EQ(edges({{a}, {b}, {readsA, readsB}, {a}}), (Edges{{}, {}, {1, 0}, {2}}));
}

TEST(Dependences, OfManyLaunches) {
  std::vector<std::vector<Use>> launches;
  for (uint64_t i = 0; i < 200; ++i)
    launches.push_back({{i % 2, 1, true}});
  const Edges found = edges(launches);
  for (uint32_t i = 2; i < 200; ++i)
    EXPECT_EQ(found[i], std::vector<uint32_t>{i - 2});
}

} // namespace
