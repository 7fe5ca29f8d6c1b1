//===- Epilogue.cpp - what follows a product in its kernel -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the elementwise work on the sums of a tile runs: after the tile or inside the reduction of the next
// one, and what it decides before.
//===----------------------------------------------------------------------===//
#include "compiler/machine/cpu/EpilogueStages.h"
#include "compiler/machine/cpu/RandomMasks.h"
#include "compiler/machine/cpu/Scratch.h"
#include "compiler/schedule/cpu/Contraction.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

// The most bytes of masks for a column of tiles, so that they leave the first-level cache to the operands.
static constexpr int64_t mostMaskBytes = 8 << 10;

bool drawsRandomBits(train::KernelOp kernel) {
  return kernel.walk([](train::RandomBitsOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

linalg::GenericOp epilogueOf(train::KernelOp kernel) {
  auto operations = kernel.getBody().getOps<linalg::GenericOp>();
  return llvm::hasNItems(operations, 2) ? *std::next(operations.begin()) : linalg::GenericOp();
}

/// The vectors of the widest tile that the product could have.
static int64_t mostVectors(const Product &product) {
  const int64_t columns = product.bounds[product.lane];
  if (product.amx)
    return columns > cpu::tileSide ? 2 : 1;
  return std::min<int64_t>(llvm::divideCeil(columns, product.target.lanes), product.target.costs.tileVectors);
}

bool makesMasks(const Product &product) {
  linalg::GenericOp epilogue = epilogueOf(product.kernel);
  if (!product.target.costs.masksFirst || !epilogue || product.row < 0 || product.target.lanes == 1 ||
      product.parallelLoops() != 2 ||
      llvm::any_of(
          epilogue->getResultTypes(), [](Type type) { return !cast<ShapedType>(type).hasStaticShape(); }))
    return false;
  std::optional<cpu::RandomMasks> masks = cpu::randomMasks(epilogue);
  return masks && int64_t(masks->masks.size()) * product.bounds[product.row] *
                          cpu::RandomMasks::bytesOfRow(product.target.lanes, mostVectors(product)) <=
                      mostMaskBytes;
}

bool updates(train::KernelOp kernel) {
  return kernel.getBody().front().getTerminator()->getNumOperands() >= 2 && !inplacePairs(kernel).empty();
}

/// Whether the epilogue computes functions that are long chains of instructions.
static bool computesFunctions(train::KernelOp kernel) {
  auto isLong = [](Operation *op) {
    return isa<math::MathDialect>(op->getDialect()) && !isa<math::FmaOp, math::SqrtOp, math::AbsFOp>(op);
  };
  return kernel
      .walk([&](Operation *op) { return isLong(op) ? WalkResult::interrupt() : WalkResult::advance(); })
      .wasInterrupted();
}

bool readsFar(const Product &product) {
  constexpr int64_t leastSteps = 64;
  if (product.row < 0 || product.target.lanes == 1 || product.steps() < leastSteps)
    return false;
  return llvm::any_of(product.kernel.getBody().getArguments(), [&](BlockArgument argument) {
    auto type = cast<RankedTensorType>(argument.getType());
    bool isOfRoot = llvm::is_contained(product.root->getOperands(), argument);
    return !isOfRoot && type.hasStaticShape() &&
           type.getNumElements() * elementBytes(type) >= product.target.costs.l2Bytes;
  });
}

static std::optional<cpu::EpilogueStages> stagesOf(train::KernelOp kernel) {
  linalg::GenericOp epilogue = epilogueOf(kernel);
  // The second part of the epilogue reads from memory what the first one has computed.
  auto isWritten = [](Value result) {
    return llvm::any_of(result.getUsers(), [](Operation *user) { return isa<train::YieldOp>(user); });
  };
  return epilogue && llvm::all_of(epilogue->getResults(), isWritten)
             ? cpu::epilogueStages(epilogue, analysis::productOf(kernel)->getResult(0))
             : std::nullopt;
}

/// Whether the epilogue runs after the tile on all vectors of a row at once: it computes functions, whose
/// latencies then overlap, and all that it reads and writes is contiguous along the row.
static bool runsSideBySide(const Product &product, cpu::TileAttr tile) {
  if (!product.target.costs.sideBySide || product.row < 0 || tile.getVectors() == 1 ||
      product.target.lanes == 1 || updates(product.kernel) || drawsRandomBits(product.kernel) ||
      !computesFunctions(product.kernel) || (isLarge(product, tile) && readsFar(product)))
    return false;
  linalg::GenericOp epilogue = epilogueOf(product.kernel);
  return epilogue && llvm::all_of(epilogue->getOpOperands(), [&](OpOperand &operand) {
           // Parallel loops come first: the epilogue's loops are these.
           AffineMap map = epilogue.getMatchingIndexingMap(&operand);
           std::optional<int64_t> stride = strideAlong(product.kernel, map, operand.get(), product.lane);
           return stride == 0 || stride == 1;
         });
}

/// Pipelining (running the epilogue of a tile inside the next tile's reduction) pays if the epilogue is
/// latency-bound: it updates in place, misses the cache, or calls functions. The reduction must be long
/// enough to hide it. Returns the steps of k of the next tile that run between two vectors of the epilogue; 0
/// where the epilogue runs by itself.
static int64_t choosePipeline(const Product &product, cpu::TileAttr tile, SplitRef split,
                              ArrayRef<cpu::BlockAttr> nest) {
  bool isFar = isLarge(product, tile) && readsFar(product);
  // Where blocks cut the reduction, sums are not complete when a tile ends.
  if (product.amx || product.row < 0 || sizeOfChunk(product, split, product.row) < 2 * tile.getRows() ||
      product.target.lanes == 1 || product.root.getNumReductionLoops() != 1 ||
      cpu::cutsReduction(product.root, nest) || drawsRandomBits(product.kernel) ||
      (!updates(product.kernel) && !isFar && !computesFunctions(product.kernel)))
    return 0;
  bool isStatic = llvm::all_of(product.root.getOperandTypes(),
                               [](Type type) { return cast<ShapedType>(type).hasStaticShape(); });
  int64_t vectors = tile.getRows() * tile.getVectors();
  int64_t length = product.steps() / product.perStep(product.bounds.size() - 1);
  if (!isStatic || product.bounds[product.row] < 2 * tile.getRows() || length < vectors)
    return 0;
  // The epilogue is interleaved with a part of the reduction, `pipeline` steps of k for each vector of it.
  // Where it waits for memory, it is spread over more steps, so that its loads and stores are issued evenly.
  int64_t most = isFar ? 16 : 2;
  return std::clamp<int64_t>(length / (product.target.costs.updateShare * vectors), 1, most);
}

cpu::EpilogueAttr chooseEpilogue(const Product &product, cpu::TileAttr tile, SplitRef split,
                                 ArrayRef<cpu::BlockAttr> nest) {
  const bool sideBySide = runsSideBySide(product, tile);
  const int64_t pipeline = sideBySide ? 0 : choosePipeline(product, tile, split, nest);
  const bool hasStages = pipeline > 0 && product.target.costs.updateStages == 2 && updates(product.kernel) &&
                         stagesOf(product.kernel);
  return cpu::EpilogueAttr::get(product.kernel.getContext(), pipeline, hasStages ? 2 : 1, sideBySide,
                                makesMasks(product));
}

SmallVector<int64_t> sharedPlaces(train::KernelOp kernel, cpu::EpilogueAttr form) {
  SmallVector<int64_t> all = inplacePairs(kernel), pairs;
  if (form.getStages() == 1)
    return all;
  cpu::EpilogueStages stages = *stagesOf(kernel);
  linalg::GenericOp epilogue = epilogueOf(kernel);
  Block &body = kernel.getBody().front();
  auto isReadLate = [&](Value argument) {
    return llvm::any_of(epilogue.getDpsInputOperands(), [&](OpOperand *operand) {
      return operand->get() == argument && stages.readsLate(epilogue.getMatchingBlockArgument(operand));
    });
  };
  auto isWrittenLate = [&](Value yielded) {
    auto result = cast<OpResult>(yielded);
    return result.getOwner() == epilogue &&
           stages.isLate(epilogue.getBlock()->getTerminator()->getOperand(result.getResultNumber()));
  };
  for (size_t i = 0; i < all.size(); i += 2)
    if (!isReadLate(body.getArgument(all[i])) || isWrittenLate(body.getTerminator()->getOperand(all[i + 1])))
      pairs.append({all[i], all[i + 1]});
  return pairs;
}

} // namespace dlc::schedule
