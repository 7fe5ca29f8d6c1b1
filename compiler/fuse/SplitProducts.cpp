//===- SplitProducts.cpp - products with few tiles of results --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU computes one tile of a product's results on each multiprocessor. The gradient of a weight has long
// sums and few results: nine tiles leave most of the GPU idle, and 144 on 132 multiprocessors take as long as
// 264. Then tiles of partial sums are computed, and a second kernel, which only memory limits, adds these up
// in order and has what follows. The number of parts depends on sizes alone, and so do the bits.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/fuse/SplitReductions.h"
#include "compiler/fuse/tiled/TiledMatrices.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_SPLITPRODUCTS
#include "compiler/fuse/Passes.h.inc"

namespace {

// The rows and columns of a tile, and the fewest steps of k for which a tile pays.
constexpr int64_t tileSide = 128, leastSteps = 128;
constexpr int64_t mostParts = 64;
// The multiply-adds that a GPU could compute while memory moves a byte, and while a kernel starts (an H100
// computes 225e12 multiply-adds of bf16 in a second, and moves 3e12 bytes; with float32 it computes less).
constexpr double ofByte = 64, ofLaunch = 1 << 28;

struct Product {
  explicit Product(GenericOp op) : op(op), sizes(op.getStaticLoopRanges()) {
    auto maps = op.getIndexingMapsArray();
    int64_t m = 1, n = 1, products = 1;
    for (auto [loop, size] : llvm::enumerate(sizes)) {
      bool inLeft = maps[0].isFunctionOfDim(loop), inRight = maps[1].isFunctionOfDim(loop);
      if (loop >= op.getNumParallelLoops())
        steps *= size;
      else
        (inLeft == inRight ? products : inLeft ? m : n) *= size;
    }
    results = m * n * products;
    tiles = llvm::divideCeil(m, tileSide) * llvm::divideCeil(n, tileSide) * products;
  }

  /// The cost of the product, cut into so many parts.
  double cost(int64_t parts, int64_t tilesAtOnce) const {
    constexpr int64_t bytes = 2 * sizeof(float); // of a partial sum, written and read
    const double all = double(tiles) * double(parts);
    const double rounds = double(llvm::divideCeil(tiles * parts, tilesAtOnce));
    const double products = double(results) * double(steps) * (rounds * double(tilesAtOnce) / all);
    return parts == 1 ? products : products + double(parts * results * bytes) * ofByte + ofLaunch;
  }

  void split(int64_t tilesAtOnce) {
    int64_t best = 1, along = -1;
    for (int64_t loop = op.getNumParallelLoops(); loop < int64_t(sizes.size()); ++loop)
      for (int64_t parts = 2; parts <= std::min(sizes[loop], mostParts); ++parts)
        if (sizes[loop] % parts == 0 && steps / parts >= leastSteps && canSplitAlong(op, loop) &&
            cost(parts, tilesAtOnce) < cost(best, tilesAtOnce)) {
          best = parts;
          along = loop;
        }
    if (along >= 0)
      splitAlong(op, along, best);
  }

  GenericOp op;
  SmallVector<int64_t> sizes;
  int64_t results, steps = 1, tiles;
};

/// The producers and consumers of transient matrices, which must stay whole.
llvm::DenseSet<Operation *> productsOfTransients(mlir::Block &block, TiledMatrices &matrices) {
  llvm::DenseSet<Operation *> found;
  for (GenericOp op : block.getOps<GenericOp>()) {
    if (const analysis::Transient *transient = matrices.transientFrom(op)) {
      found.insert_range(transient->producers);
      found.insert_range(transient->consumers);
    }
    if (const analysis::Attention *attention = matrices.attentionOf(op)) {
      found.insert(attention->scores);
      found.insert(attention->values);
    }
  }
  return found;
}

void splitProducts(mlir::Block &block, int64_t tilesAtOnce, TiledMatrices &matrices) {
  llvm::DenseSet<Operation *> whole = productsOfTransients(block, matrices);
  for (GenericOp op : llvm::to_vector(block.getOps<GenericOp>()))
    if (isProduct(op) && canSplit(op) && !whole.contains(op) && op.getNumDpsInputs() == 2)
      Product(op).split(tilesAtOnce);
}

struct SplitProductsPass : public impl::SplitProductsBase<SplitProductsPass> {
  using SplitProductsBase::SplitProductsBase;

  void runOnOperation() override {
    forEachFunction(getOperation(), [&](train::FunctionOp function, mlir::Block &block) {
      splitProducts(block, tilesAtOnce, getChildAnalysis<TiledMatrices>(function));
    });
  }
};

} // namespace

} // namespace dlc::fuse
