//===- TiledMatrices.cpp - matrices that a function makes tile by tile ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/tiled/TiledMatrices.h"
#include "compiler/fuse/tiled/AttentionSearch.h"
#include "compiler/fuse/tiled/TransientSearch.h"

namespace dlc::fuse {

const analysis::Attention *TiledMatrices::attentionOf(mlir::linalg::GenericOp values) {
  auto [known, isNew] = attentions.try_emplace(values);
  if (isNew)
    known->second = findAttention(values);
  return known->second ? &*known->second : nullptr;
}

const analysis::Transient *TiledMatrices::transientFrom(mlir::linalg::GenericOp producer) {
  auto [known, isNew] = transients.try_emplace(producer);
  if (isNew)
    known->second = findTransients(producer);
  return known->second ? &*known->second : nullptr;
}

} // namespace dlc::fuse
