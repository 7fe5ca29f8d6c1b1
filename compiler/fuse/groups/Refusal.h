//===- Refusal.h - why two operations are not in one kernel ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_GROUPS_REFUSAL_H
#define DLC_COMPILER_FUSE_GROUPS_REFUSAL_H

#include <cstdint>
#include <string>

namespace dlc::fuse {

/// Why Grouping did not make one kernel of the producer of a tensor and its reader.
struct Refusal {
  enum class Reason {
    Product,         ///< the reader is one
    Scatter,         ///< one of both is
    TooLong,         ///< `has` operations of at most `most`
    Gathered,        ///< the reader reads at computed positions
    OtherLoops,      ///< the reader shares `has` of a product's `most` loops
    MakesMore,       ///< what the reader makes besides is read by others, without the product
    NotOnTiles,      ///< the reader is not elementwise on the product, in its order
    TwoSums,         ///< of everything
    NothingShared,   ///< no loops go along with each other
    SmallBeside,     ///< the tensor is, beside the matrices of a product
    Columns,         ///< one of both sums over columns
    FewIterations,   ///< `has` common ones of at least `most`
    Between,         ///< another kernel has to run after the one and before the other
    LargerThanCache, ///< steps would hand on `has` bytes at a time, of at most `most`
  };
  Reason reason;
  int64_t has = 0, most = 0;

  /// A sentence without capital and full stop.
  std::string sentence() const;
};

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_GROUPS_REFUSAL_H
