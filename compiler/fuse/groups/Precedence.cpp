//===- Precedence.cpp - what must run before what --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/groups/Precedence.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cassert>
#include <numeric>

namespace dlc::fuse {

Precedence::Precedence(unsigned count)
    : successors(count), predecessors(count), parent(count), rank(count), seenIn(count, 0) {
  std::iota(parent.begin(), parent.end(), 0);
  std::iota(rank.begin(), rank.end(), 0);
}

void Precedence::add(unsigned before, unsigned after) {
  assert(before < after && "nodes are numbered in an order in which they can run");
  successors[before].push_back(after);
  predecessors[after].push_back(before);
}

unsigned Precedence::find(unsigned node) {
  while (parent[node] != node)
    node = parent[node] = parent[parent[node]];
  return node;
}

bool Precedence::search(const std::vector<Nodes> &next, unsigned start, unsigned end,
                        std::vector<unsigned> &found) {
  auto [low, high] = std::minmax(rank[start], rank[end]);
  std::vector<unsigned> queue{start};
  seenIn[start] = ++searches;
  while (!queue.empty()) {
    unsigned node = queue.back();
    queue.pop_back();
    for (unsigned other : next[node]) {
      other = find(other);
      if (other == end && node != start)
        return true;
      if (other == end || seenIn[other] == searches || rank[other] < low || rank[other] > high)
        continue;
      seenIn[other] = searches;
      queue.push_back(other);
      found.push_back(other);
    }
  }
  return false;
}

bool Precedence::isBetween(unsigned a, unsigned b) {
  a = find(a), b = find(b);
  std::vector<unsigned> found;
  return rank[a] < rank[b] ? search(successors, a, b, found) : search(successors, b, a, found);
}

// Each neighbour is listed once: otherwise, long-lived nodes would gather duplicates with every merge.
void Precedence::append(Nodes &to, const Nodes &from, unsigned self) {
  Nodes all;
  seenIn[self] = ++searches;
  for (const Nodes *nodes : {static_cast<const Nodes *>(&to), &from})
    for (unsigned node : *nodes)
      if (node = find(node); seenIn[node] != searches) {
        seenIn[node] = searches;
        all.push_back(node);
      }
  to = std::move(all);
}

void Precedence::merge(unsigned a, unsigned b) {
  a = find(a), b = find(b);
  auto [first, last] = rank[a] < rank[b] ? std::pair(a, b) : std::pair(b, a);
  std::vector<unsigned> before, after;
  bool isCyclic = search(successors, first, last, after) || search(predecessors, last, first, before);
  assert(!isCyclic && "something is between the nodes");
  (void)isCyclic;

  // Deals the ranks of the nodes concerned anew: first what comes before `last`, then both nodes, then what
  // comes after `first`.
  auto byRank = [&](unsigned x, unsigned y) { return rank[x] < rank[y]; };
  llvm::sort(before, byRank);
  llvm::sort(after, byRank);
  std::vector<unsigned> ranks{rank[a], rank[b]};
  for (const std::vector<unsigned> *nodes : {&before, &after})
    for (unsigned node : *nodes)
      ranks.push_back(rank[node]);
  llvm::sort(ranks);
  auto next = ranks.begin();
  for (unsigned node : before)
    rank[node] = *next++;
  rank[a] = *next++;
  ++next; // one rank is left over
  for (unsigned node : after)
    rank[node] = *next++;

  parent[b] = a;
  append(successors[a], successors[b], a);
  append(predecessors[a], predecessors[b], a);
}

} // namespace dlc::fuse
