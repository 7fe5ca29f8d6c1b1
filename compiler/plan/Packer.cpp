//===- Packer.cpp - offsets for buffers with known lifetimes ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/plan/Packer.h"
#include <algorithm>
#include <functional>
#include <map>
#include <numeric>
#include <utility>

namespace dlc::plan {

int64_t alignTo(int64_t bytes, int64_t alignment) { return (bytes + alignment - 1) / alignment * alignment; }

int64_t lowerBound(const std::vector<Buffer> &buffers, const std::vector<Alias> &aliases, int64_t alignment) {
  auto sizeOf = [&](int64_t i) { return alignTo(buffers[i].bytes, alignment); };
  std::vector<int64_t> saved(buffers.size(), 0); // where the buffer begins, by taking another's storage
  for (const Alias &alias : aliases)
    saved[alias.second] = std::max(saved[alias.second], std::min(sizeOf(alias.first), sizeOf(alias.second)));
  // For each position, the bytes that pass from a buffer that ends there to one that begins there: they are
  // live twice but count once.
  std::map<int64_t, int64_t> changes;
  for (size_t i = 0; i < buffers.size(); ++i) {
    changes[buffers[i].begin] += sizeOf(i) - saved[i];
    changes[buffers[i].begin + 1] += saved[i];
    changes[buffers[i].end + 1] -= sizeOf(i);
  }
  int64_t largest = 0, live = 0;
  for (auto [position, change] : changes)
    largest = std::max(largest, live += change);
  return largest;
}

namespace {

/// A block is a chain of buffers that pass their storage on, and are placed as one.
struct Block {
  Buffer extent;
  std::vector<int64_t> members;
};

enum class Sharing { None, EqualSize, Any };

/// Joins buffers along aliases; each buffer passes its storage to at most one other, and takes that of at
/// most one.
std::vector<Block> formBlocks(const std::vector<Buffer> &buffers, const std::vector<Alias> &aliases,
                              Sharing sharing, int64_t alignment) {
  std::vector<int64_t> next(buffers.size(), -1), previous(buffers.size(), -1);
  auto sizeOf = [&](int64_t i) { return alignTo(buffers[i].bytes, alignment); };
  auto join = [&](bool equal) {
    for (const Alias &alias : aliases)
      if (next[alias.first] < 0 && previous[alias.second] < 0 &&
          (sizeOf(alias.first) == sizeOf(alias.second)) == equal) {
        next[alias.first] = alias.second;
        previous[alias.second] = alias.first;
      }
  };
  if (sharing != Sharing::None)
    join(/*equal=*/true);
  if (sharing == Sharing::Any)
    join(/*equal=*/false);

  std::vector<Block> blocks;
  for (size_t i = 0; i < buffers.size(); ++i) {
    if (previous[i] >= 0)
      continue;
    Block block{buffers[i], {}};
    for (int64_t member = i; member >= 0; member = next[member]) {
      block.members.push_back(member);
      block.extent.bytes = std::max(block.extent.bytes, buffers[member].bytes);
      block.extent.end = std::max(block.extent.end, buffers[member].end);
    }
    block.extent.bytes = alignTo(block.extent.bytes, alignment);
    blocks.push_back(std::move(block));
  }
  return blocks;
}

/// Places the blocks in this order, each into the smallest gap that it fits between placed blocks it is
/// live together with. Returns the room needed.
int64_t place(const std::vector<Block> &blocks, const std::vector<size_t> &order,
              std::vector<int64_t> &offsets) {
  offsets.assign(blocks.size(), -1);
  int64_t top = 0;
  std::vector<size_t> placed; // by offset
  for (size_t index : order) {
    const Buffer &block = blocks[index].extent;
    int64_t cursor = 0, best = -1, bestGap = 0;
    for (size_t other : placed) {
      const Buffer &extent = blocks[other].extent;
      if (extent.end < block.begin || block.end < extent.begin)
        continue;
      int64_t gap = offsets[other] - cursor;
      if (gap >= block.bytes && (best < 0 || gap < bestGap)) {
        best = cursor;
        bestGap = gap;
      }
      cursor = std::max(cursor, offsets[other] + extent.bytes);
    }
    offsets[index] = best < 0 ? cursor : best;
    top = std::max(top, offsets[index] + block.bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), index,
                                   [&](size_t a, size_t b) { return offsets[a] < offsets[b]; }),
                  index);
  }
  return top;
}

} // namespace

Packing pack(const std::vector<Buffer> &buffers, const std::vector<Alias> &aliases, int64_t alignment) {
  using Key = std::function<int64_t(const Buffer &)>;
  // Orders in which to place blocks, by what would fit worst later: large blocks first, long-lived ones
  // first, or early ones first.
  const Key keys[] = {[](const Buffer &b) { return -b.bytes; },
                      [](const Buffer &b) { return -b.bytes * (b.end - b.begin + 1); },
                      [](const Buffer &b) { return b.begin - b.end; },
                      [](const Buffer &b) { return b.begin; }, [](const Buffer &b) { return -b.end; }};
  // If none of these orders is good enough, the block that lies highest moves to the front of the order,
  // again and again, unless there are so many blocks that the time is not worth it.
  constexpr int repairs = 32;
  constexpr int64_t maxComparisons = 200'000'000;
  int64_t comparisons = 0;
  const int64_t bound = lowerBound(buffers, aliases, alignment);
  Packing best;
  bool first = true;
  for (Sharing sharing : {Sharing::Any, Sharing::EqualSize, Sharing::None}) {
    std::vector<Block> blocks = formBlocks(buffers, aliases, sharing, alignment);
    for (const Key &key : keys) {
      std::vector<size_t> order(blocks.size());
      std::iota(order.begin(), order.end(), 0);
      std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
        return std::pair(key(blocks[a].extent), a) < std::pair(key(blocks[b].extent), b);
      });
      for (int attempt = 0; attempt <= repairs; ++attempt) {
        std::vector<int64_t> offsets;
        int64_t bytes = place(blocks, order, offsets);
        if (first || bytes < best.bytes) {
          first = false;
          best.bytes = bytes;
          best.offsets.assign(buffers.size(), 0);
          for (size_t i = 0; i < blocks.size(); ++i)
            for (int64_t member : blocks[i].members)
              best.offsets[member] = offsets[i];
        }
        comparisons += static_cast<int64_t>(order.size() * order.size() / 2);
        if (best.bytes <= bound || order.empty() || comparisons > maxComparisons)
          return best;
        auto highest = std::max_element(order.begin(), order.end(), [&](size_t a, size_t b) {
          return offsets[a] + blocks[a].extent.bytes < offsets[b] + blocks[b].extent.bytes;
        });
        std::rotate(order.begin(), highest, highest + 1);
      }
    }
  }
  return best;
}

} // namespace dlc::plan
