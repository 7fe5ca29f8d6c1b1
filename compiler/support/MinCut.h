//===- MinCut.h - the cheapest way to part a network -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A directed network whose edges have capacities. A cut parts its nodes into a side with the source and one
// with the sink, and costs the capacities of all edges from the first to the second. The largest flow finds
// the cheapest cut (Dinic's algorithm).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_MINCUT_H
#define DLC_COMPILER_SUPPORT_MINCUT_H

#include <cstdint>
#include <limits>
#include <vector>

namespace dlc {

class Network {
public:
  /// No cut goes through an edge of this capacity, unless all do.
  static constexpr int64_t unlimited = std::numeric_limits<int64_t>::max() / 4;

  unsigned addNode();
  void addEdge(unsigned from, unsigned to, int64_t capacity);
  /// Per node: whether it is on the source's side of a cheapest cut; of these, the one with the fewest nodes
  /// there. To be called once.
  std::vector<bool> sourceSide(unsigned source, unsigned sink);

private:
  struct Edge {
    unsigned to;
    int64_t left; ///< of its capacity
  };
  /// Edges that have something left from the source: how many lead there. -1 where none do.
  std::vector<int> distances(unsigned source) const;
  /// Sends what it can along edges that lead farther from the source.
  void saturate(unsigned source, unsigned sink, const std::vector<int> &distance);

  std::vector<Edge> edges; ///< each followed by the one back
  std::vector<std::vector<unsigned>> leaving;
};

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_MINCUT_H
