//===- MinCutTest.cpp - the cheapest way to part a network -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/MinCut.h"
#include "gtest/gtest.h"
#include <random>

using dlc::Network;

namespace {

struct Edge {
  unsigned from, to;
  int64_t capacity;
};

int64_t costOf(const std::vector<Edge> &edges, const std::vector<bool> &side) {
  int64_t cost = 0;
  for (const Edge &edge : edges)
    if (side[edge.from] && !side[edge.to])
      cost += edge.capacity;
  return cost;
}

std::vector<bool> cut(unsigned nodes, const std::vector<Edge> &edges) {
  Network network;
  for (unsigned i = 0; i < nodes; ++i)
    network.addNode();
  for (const Edge &edge : edges)
    network.addEdge(edge.from, edge.to, edge.capacity);
  return network.sourceSide(0, nodes - 1);
}

} // namespace

TEST(MinCut, CutsTheNarrowestPlace) {
  EXPECT_EQ(cut(4, {{0, 1, 5}, {1, 2, 2}, {2, 3, 4}}), (std::vector<bool>{true, true, false, false}));
}

TEST(MinCut, TakesNothingThatLeadsNowhere) {
  EXPECT_EQ(cut(3, {{1, 2, 7}}), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(cut(2, {}), (std::vector<bool>{true, false}));
}

TEST(MinCut, LeavesEdgesWithoutLimitWhole) {
  // To win 10 by node 1, node 2 has to be taken as well, which costs 3; not so for node 3, which costs 20.
  EXPECT_EQ(cut(6, {{0, 1, 10},
                    {1, 2, Network::unlimited},
                    {2, 5, 3},
                    {0, 4, 10},
                    {4, 3, Network::unlimited},
                    {3, 5, 20}}),
            (std::vector<bool>{true, true, true, false, false, false}));
}

TEST(MinCut, IsTheCheapestOfAll) {
  std::mt19937 random(1);
  for (int round = 0; round < 300; ++round) {
    const unsigned nodes = 2 + random() % 8;
    std::vector<Edge> edges;
    for (unsigned i = random() % 24; i > 0; --i)
      if (unsigned from = random() % nodes, to = random() % nodes; from != to)
        edges.push_back({from, to, int64_t(random() % 10)});
    std::vector<bool> found = cut(nodes, edges);
    ASSERT_TRUE(found.front() && !found.back());
    for (unsigned bits = 0; bits < 1u << (nodes - 2); ++bits) {
      std::vector<bool> other(nodes, false);
      other[0] = true;
      for (unsigned node = 1; node + 1 < nodes; ++node)
        other[node] = bits >> (node - 1) & 1;
      ASSERT_GE(costOf(edges, other), costOf(edges, found));
      // Of equally cheap ones, it has the fewest nodes on the source's side.
      if (costOf(edges, other) == costOf(edges, found))
        for (unsigned node = 0; node < nodes; ++node)
          ASSERT_TRUE(!found[node] || other[node]);
    }
  }
}

TEST(MinCut, OfALongChainIsFound) {
  constexpr unsigned nodes = 100000;
  std::vector<Edge> edges;
  for (unsigned i = 0; i + 1 < nodes; ++i)
    edges.push_back({i, i + 1, i == 70000 ? 1 : 2});
  std::vector<bool> side = cut(nodes, edges);
  EXPECT_TRUE(side[70000]);
  EXPECT_FALSE(side[70001]);
}
