//===- Precedence.h - what must run before what ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An acyclic graph in which two nodes at a time are merged into one, and which stays acyclic. Every node has
// a rank above those of the nodes before it, so that a search looks only at what lies between two ranks; a
// merge changes ranks only there (Pearce and Kelly, "A dynamic topological sort algorithm for directed
// acyclic graphs").
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_GROUPS_PRECEDENCE_H
#define DLC_COMPILER_FUSE_GROUPS_PRECEDENCE_H

#include "llvm/ADT/SmallVector.h"
#include <vector>

namespace dlc::fuse {

class Precedence {
public:
  /// Nodes 0 to `count` - 1, none of which must come before another.
  explicit Precedence(unsigned count);

  /// Before the first merge: `before` < `after`, so that the graph is acyclic.
  void add(unsigned before, unsigned after);
  /// Whether a third node comes after one of the two and before the other.
  bool isBetween(unsigned a, unsigned b);
  /// Makes one node of both, which is `a` from now on. No third node may come between them.
  void merge(unsigned a, unsigned b);

private:
  using Nodes = llvm::SmallVector<unsigned, 2>;

  unsigned find(unsigned node);
  /// Searches from `start` by `next` among ranks up to that of `end`: true where a third node leads to `end`,
  /// else `found` has all that `start` leads to.
  bool search(const std::vector<Nodes> &next, unsigned start, unsigned end, std::vector<unsigned> &found);
  void append(Nodes &to, const Nodes &from, unsigned self);

  std::vector<Nodes> successors, predecessors; ///< may name nodes that are part of others by now
  std::vector<unsigned> parent;                ///< what a node has become part of; itself where it has not
  std::vector<unsigned> rank;
  std::vector<unsigned> seenIn; ///< the last search that came across a node
  unsigned searches = 0;
};

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_GROUPS_PRECEDENCE_H
