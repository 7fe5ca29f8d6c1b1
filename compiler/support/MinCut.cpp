//===- MinCut.cpp - the cheapest way to part a network ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/MinCut.h"
#include <algorithm>

namespace dlc {

unsigned Network::addNode() {
  leaving.emplace_back();
  return leaving.size() - 1;
}

void Network::addEdge(unsigned from, unsigned to, int64_t capacity) {
  leaving[from].push_back(edges.size());
  edges.push_back({to, capacity});
  leaving[to].push_back(edges.size());
  edges.push_back({from, 0});
}

std::vector<int> Network::distances(unsigned source) const {
  std::vector<int> distance(leaving.size(), -1);
  std::vector<unsigned> queue{source};
  distance[source] = 0;
  for (size_t next = 0; next < queue.size(); ++next)
    for (unsigned edge : leaving[queue[next]])
      if (edges[edge].left > 0 && distance[edges[edge].to] < 0) {
        distance[edges[edge].to] = distance[queue[next]] + 1;
        queue.push_back(edges[edge].to);
      }
  return distance;
}

void Network::saturate(unsigned source, unsigned sink, const std::vector<int> &distance) {
  std::vector<size_t> tried(leaving.size(), 0); // edges of a node that lead no farther
  std::vector<unsigned> path;                   // of edges, from the source
  for (unsigned node = source;;) {
    if (node == sink) {
      int64_t flow = Network::unlimited;
      for (unsigned edge : path)
        flow = std::min(flow, edges[edge].left);
      for (unsigned edge : path) {
        edges[edge].left -= flow;
        edges[edge ^ 1].left += flow;
      }
      path.clear();
      node = source;
      continue;
    }
    if (tried[node] < leaving[node].size()) {
      unsigned edge = leaving[node][tried[node]];
      if (edges[edge].left > 0 && distance[edges[edge].to] == distance[node] + 1) {
        path.push_back(edge);
        node = edges[edge].to;
      } else {
        ++tried[node];
      }
      continue;
    }
    if (path.empty())
      return;
    node = edges[path.back() ^ 1].to; // back, and not here again
    ++tried[node];
    path.pop_back();
  }
}

std::vector<bool> Network::sourceSide(unsigned source, unsigned sink) {
  std::vector<int> distance;
  while ((distance = distances(source))[sink] >= 0)
    saturate(source, sink, distance);
  std::vector<bool> side(leaving.size());
  std::transform(distance.begin(), distance.end(), side.begin(), [](int steps) { return steps >= 0; });
  return side;
}

} // namespace dlc
