//===- Region.h - the bytes of a place -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PLAN_REGION_H
#define DLC_COMPILER_PLAN_REGION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace dlc::plan {

/// The bytes of a tensor in the arena, or in an input or output. There may be gaps between its rows.
class Region {
public:
  /// `sizes` elements of `elementBytes` along each dim, neighbours `strides` elements apart. `memory` names
  /// an input or output; empty: the arena.
  Region(llvm::StringRef memory, int64_t begin, int64_t elementBytes, llvm::ArrayRef<int64_t> sizes,
         llvm::ArrayRef<int64_t> strides);
  /// All bytes from `begin` to `end`.
  Region(llvm::StringRef memory, int64_t begin, int64_t end) : Region(memory, begin, 1, {end - begin}, {1}) {}

  llvm::StringRef memory() const { return name; }
  int64_t begin() const { return first; }
  int64_t end() const; ///< behind the last byte
  int64_t bytes() const;
  bool isEmpty() const { return bytes() == 0; }
  /// Whether both regions have a byte in common.
  bool overlaps(const Region &other) const;
  /// Whether this region contains all bytes of `other`. May be false although it does, if the gaps of both
  /// differ in form.
  bool contains(const Region &other) const;
  /// The number of bytes that both regions have. Takes time for each row without gaps.
  int64_t sharedBytes(const Region &other) const;
  bool operator==(const Region &other) const {
    return name == other.name && first == other.first && dims == other.dims;
  }

private:
  /// A dim: `count` bytes or rows, `step` bytes apart.
  struct Dim {
    int64_t count, step;
    bool operator==(const Dim &other) const { return count == other.count && step == other.step; }
  };
  /// The beginnings of the rows without gaps, in ascending order.
  llvm::SmallVector<int64_t> rows() const;
  bool isDense() const { return dims.size() == 1 && dims.front().step == 1; }

  llvm::StringRef name;
  int64_t first;
  llvm::SmallVector<Dim, 3> dims; ///< the widest steps first; no two that could be one
};

} // namespace dlc::plan

#endif // DLC_COMPILER_PLAN_REGION_H
