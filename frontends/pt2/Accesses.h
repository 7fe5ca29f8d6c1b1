//===- Accesses.h - which nodes read and write which names -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns what the graph as a whole says of its names, before any node is imported.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_ACCESSES_H
#define DLC_FRONTENDS_PT2_ACCESSES_H

#include "frontends/pt2/Model.h"
#include "llvm/ADT/StringSet.h"

namespace dlc::pt2 {

class Accesses {
public:
  explicit Accesses(const Model &model);

  /// Whether a node, or the graph's end, reads the name.
  bool isRead(llvm::StringRef name) const { return lastReads.contains(name); }
  /// Whether one reads it after the node of that number.
  bool isReadAfter(llvm::StringRef name, size_t node) const {
    auto last = lastReads.find(name);
    return last != lastReads.end() && last->second > node;
  }
  /// Whether a node, or the graph's end, writes this input of the graph.
  bool isChanged(llvm::StringRef input) const { return changed.contains(input); }
  /// Whether this is a buffer of integers that nothing but its own update reads.
  bool isCounter(llvm::StringRef input) const { return counters.contains(input); }

private:
  void findLastReads(const Graph &graph);
  void findChanged(const Model &model);

  llvm::StringSet<> changed, counters;
  llvm::StringMap<size_t> lastReads; ///< of names: the last node that reads them
};

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_ACCESSES_H
