//===- PrecedenceTest.cpp - nodes of an acyclic graph become one -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/groups/Precedence.h"
#include "gtest/gtest.h"
#include <algorithm>
#include <numeric>
#include <random>

using dlc::fuse::Precedence;

namespace {

TEST(Precedence, SeesWhatIsBetween) {
  Precedence graph(4); // 0 -> 1 -> 2, 0 -> 2, 3
  graph.add(0, 1);
  graph.add(1, 2);
  graph.add(0, 2);
  EXPECT_FALSE(graph.isBetween(0, 1));
  EXPECT_TRUE(graph.isBetween(0, 2));
  EXPECT_TRUE(graph.isBetween(2, 0));
  EXPECT_FALSE(graph.isBetween(0, 3));
}

TEST(Precedence, AMergeJoinsWhatComesBeforeAndAfter) {
  Precedence graph(5); // 0 -> 1 -> 2, 3 -> 4
  graph.add(0, 1);
  graph.add(1, 2);
  graph.add(3, 4);
  graph.merge(1, 3);
  EXPECT_TRUE(graph.isBetween(0, 4));
  EXPECT_FALSE(graph.isBetween(2, 4));
  graph.merge(0, 3); // names what has become part of 1
  EXPECT_FALSE(graph.isBetween(0, 4));
}

/// The same questions, answered by looking at the whole graph.
class Reference {
public:
  explicit Reference(unsigned count) : count(count), edge(count, std::vector<bool>(count)) {}

  void add(unsigned before, unsigned after) { edge[before][after] = true; }
  bool isBetween(unsigned a, unsigned b) const { return leads(a, b) || leads(b, a); }
  void merge(unsigned a, unsigned b) {
    for (unsigned i = 0; i < count; ++i) {
      edge[a][i] = i != a && (edge[a][i] || edge[b][i]);
      edge[i][a] = i != a && (edge[i][a] || edge[i][b]);
      edge[b][i] = edge[i][b] = false;
    }
    edge[a][a] = false;
  }

private:
  bool leads(unsigned from, unsigned to) const {
    std::vector<bool> seen(count);
    std::vector<unsigned> queue;
    auto visit = [&](unsigned node) {
      if (!seen[node] && node != from && node != to)
        queue.push_back(node);
      seen[node] = true;
    };
    for (unsigned i = 0; i < count; ++i)
      if (edge[from][i])
        visit(i);
    while (!queue.empty()) {
      unsigned node = queue.back();
      queue.pop_back();
      if (edge[node][to])
        return true;
      for (unsigned i = 0; i < count; ++i)
        if (edge[node][i])
          visit(i);
    }
    return false;
  }

  unsigned count;
  std::vector<std::vector<bool>> edge;
};

TEST(Precedence, AnswersLikeASearchOfTheWholeGraph) {
  std::mt19937 random(1);
  for (int trial = 0; trial < 200; ++trial) {
    unsigned count = 2 + random() % 24, density = 1 + random() % 12;
    Precedence graph(count);
    Reference reference(count);
    for (unsigned a = 0; a < count; ++a)
      for (unsigned b = a + 1; b < count; ++b)
        if (random() % density == 0) {
          graph.add(a, b);
          reference.add(a, b);
        }
    std::vector<unsigned> nodes(count);
    std::iota(nodes.begin(), nodes.end(), 0);
    for (unsigned step = 0; step < 4 * count && nodes.size() > 1; ++step) {
      std::shuffle(nodes.begin(), nodes.end(), random);
      unsigned a = nodes[0], b = nodes[1];
      ASSERT_EQ(graph.isBetween(a, b), reference.isBetween(a, b)) << "trial " << trial << " step " << step;
      if (reference.isBetween(a, b))
        continue;
      graph.merge(a, b);
      reference.merge(a, b);
      nodes.erase(nodes.begin() + 1);
    }
  }
}

} // namespace
