//===- TiledMatrices.h - matrices that a function makes tile by tile --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_FUSE_TILED_TILEDMATRICES_H
#define DLC_COMPILER_FUSE_TILED_TILEDMATRICES_H

#include "compiler/analysis/Attention.h"
#include "compiler/analysis/Transient.h"
#include <map>

namespace dlc::fuse {

/// The analysis of a function that finds its attentions and its transient matrices: the one place in which
/// passes of the stage look for them. Each is looked for when a pass first asks, and known until a pass
/// changes the function.
class TiledMatrices {
public:
  explicit TiledMatrices(mlir::Operation *) {}

  /// The attention whose second product this is; null where it is none.
  const analysis::Attention *attentionOf(mlir::linalg::GenericOp values);
  /// The transient matrices that begin with this producer; null where there are none.
  const analysis::Transient *transientFrom(mlir::linalg::GenericOp producer);

private:
  std::map<mlir::Operation *, std::optional<analysis::Attention>> attentions;
  std::map<mlir::Operation *, std::optional<analysis::Transient>> transients;
};

} // namespace dlc::fuse

#endif // DLC_COMPILER_FUSE_TILED_TILEDMATRICES_H
