//===- CpuCosts.h - what is fast on a CPU ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One small table of numbers for each kind of CPU, from measurements (docs/rationale/targets.md says which).
// LLVM's scheduling models are not asked: for the units that decide here, they are wrong by factors of two to
// five.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_CPUCOSTS_H
#define DLC_COMPILER_MACHINE_CPUCOSTS_H

#include "llvm/ADT/StringRef.h"
#include <algorithm>
#include <cstdint>
#include <string>

namespace dlc {

/// None of these numbers changes results, but for `pairs`: they say in which order and from where elements
/// are read.
struct CpuCosts {
  std::string kind;           ///< the table's name, "intel-avx512"
  int64_t l1Bytes = 32 << 10; ///< data cache of a core
  int64_t l2Bytes = 1 << 20;  ///< second-level cache of a core
  int64_t tileRows = 6;       ///< rows of a register tile that is `tileVectors` wide
  int64_t tileVectors = 2;    ///< vectors of a row of the tile, and of a panel of a weight
  int64_t narrowTileRows = 6; ///< rows of a tile whose result has too few columns for `tileVectors`
  bool fetchRows = true;      ///< rows of the next tile are prefetched
  bool fetchCopied = false;   ///< copies of operands prefetch what they read some steps later
  int64_t updateStages = 1;   ///< parts in which an update inside a reduction runs, 1 or 2
  int64_t updateTiles = 1;    ///< tiles of a chunk of rows that ends in an update
  int64_t updateShare = 2;    ///< an update inside a reduction takes part in 1/updateShare of its steps
  int64_t unrolledSteps = 1;  ///< steps of a product between two jumps
  bool sideBySide = false;    ///< functions behind a product run on all vectors of a row at once
  bool halfVectors = false;   ///< along at most half of a widest vector's lanes, vectors are half as wide
  bool masksFirst = false;    ///< random decisions are made before tiles, so that these may have any shape
  bool pairs = false;         ///< instructions for pairs of bf16, where it has them, are the faster ones
  int64_t farRowBytes = 1024; ///< rows that lie together are copied if steps are so many bytes apart
  int64_t minShared = 8;      ///< common iterations that make it worth giving up further common loops
  bool anyOrder = false;      ///< reads cost the same in whichever order they go through memory

  /// A reduction of more than `smallSteps` does not run from the first-level cache. Operands are then
  /// copied into panels, and transposed on the way, if so many tiles read them. Those of windows lie further
  /// apart. Of many small matrices, those that vectors would read across are transposed for fewer steps and
  /// fewer tiles, too, and so are long ones of `manyColumns`: transposed in memory, each step would lie on
  /// pages of its own.
  static constexpr int64_t smallSteps = 256, smallWindowSteps = 128, fewSteps = 32, copiedForTiles = 16;
  static constexpr int64_t manyColumns = 4096;
  /// Pairs are brought side by side by a copy if so many tiles read them.
  static constexpr int64_t pairedForTiles = 4;
  static int64_t stepsToTranspose(bool isWindow, bool areMany, int64_t columns) {
    return isWindow ? smallWindowSteps : areMany || columns >= manyColumns ? fewSteps : smallSteps;
  }
  /// Steps whose columns, so many bytes each, the first-level cache holds while all tiles of rows read them.
  int64_t stepsNear(int64_t bytes) const { return std::min(smallSteps, l1Bytes / bytes); }
  static int64_t tilesToTranspose(bool isWindow, int64_t columns) {
    return !isWindow && columns >= manyColumns ? copiedForTiles / 2 : copiedForTiles;
  }
};

/// The table for LLVM's name of a CPU; what it has no name for goes by its vectors: of `lanes` elements, in
/// so many `registers`.
CpuCosts costsOf(llvm::StringRef cpu, int64_t lanes, int64_t registers);

} // namespace dlc

#endif // DLC_COMPILER_MACHINE_CPUCOSTS_H
