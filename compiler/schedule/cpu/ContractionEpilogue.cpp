//===- ContractionEpilogue.cpp - what follows a contraction in its kernel --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How the elementwise work on the sums of a tile runs: after the tile or inside the reduction of the next
// one, and what it decides or fetches before.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/ContractionChoice.h"
#include "compiler/support/Elements.h"
#include "compiler/target/cpu/EpilogueStages.h"
#include "compiler/target/cpu/RandomMasks.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <algorithm>

using namespace mlir;

namespace dlc::schedule {

// The most bytes of masks for a column of tiles, so that they leave the first-level cache to the operands.
static constexpr int64_t mostMaskBytes = 8 << 10;

bool drawsRandomBits(train::KernelOp kernel) {
  return kernel.walk([](train::RandomBitsOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// The operation that follows the contraction; null where there is none.
static linalg::GenericOp epilogueOf(train::KernelOp kernel) {
  auto operations = kernel.getBody().getOps<linalg::GenericOp>();
  return llvm::hasNItems(operations, 2) ? *std::next(operations.begin()) : linalg::GenericOp();
}

bool hasMasks(const ContractionChoice &choice) {
  linalg::GenericOp epilogue = epilogueOf(choice.kernel);
  if (!epilogue || choice.row < 0 || choice.target.lanes == 1 || choice.root.getNumParallelLoops() != 2 ||
      llvm::any_of(
          epilogue->getResultTypes(), [](Type type) { return !cast<ShapedType>(type).hasStaticShape(); }))
    return false;
  std::optional<cpu::RandomMasks> masks = cpu::randomMasks(epilogue);
  return masks && int64_t(masks->masks.size()) * choice.bounds[choice.row] *
                          cpu::RandomMasks::bytesOfRow(choice.target.lanes, choice.vectors) <=
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

bool readsFar(ContractionChoice &choice) {
  constexpr int64_t leastSteps = 64;
  if (choice.row < 0 || choice.target.lanes == 1 || choice.steps() < leastSteps)
    return false;
  return llvm::any_of(choice.kernel.getBody().getArguments(), [&](BlockArgument argument) {
    auto type = cast<RankedTensorType>(argument.getType());
    bool isOfRoot = llvm::is_contained(choice.root->getOperands(), argument);
    return !isOfRoot && type.hasStaticShape() &&
           type.getNumElements() * elementBytes(type) >= choice.target.costs.l2Bytes;
  });
}

/// Whether it updates a tensor in place of which a tile's rows do not lie one behind the other. Caches fetch
/// ahead what lies in one piece, but not these.
static bool updatesRowsApart(ContractionChoice &choice) {
  constexpr int64_t part = 16; // of the second-level cache: less stays there from step to step
  linalg::GenericOp epilogue = epilogueOf(choice.kernel);
  return epilogue && updates(choice.kernel) && choice.row >= 0 && choice.target.lanes > 1 &&
         llvm::any_of(epilogue.getDpsInputOperands(), [&](OpOperand *operand) {
           auto type = cast<RankedTensorType>(operand->get().getType());
           // Parallel loops come first: the epilogue's loops are these.
           AffineMap map = epilogue.getMatchingIndexingMap(operand);
           return isa<BlockArgument>(operand->get()) && type.hasStaticShape() &&
                  type.getNumElements() * elementBytes(type) >= choice.target.costs.l2Bytes / part &&
                  strideAlong(choice.kernel, map, operand->get(), choice.row) > choice.width();
         });
}

// The latency of memory is some 64 steps of a tile.
int64_t fetchedAhead(ContractionChoice &choice) {
  constexpr int64_t stepsOfMemory = 64;
  if (updatesRowsApart(choice))
    return std::max<int64_t>(1, llvm::divideCeil(stepsOfMemory, choice.steps()));
  return readsFar(choice);
}

static std::optional<cpu::EpilogueStages> stagesOf(train::KernelOp kernel) {
  linalg::GenericOp epilogue = epilogueOf(kernel);
  // The second part of the epilogue reads from memory what the first one has computed.
  auto isWritten = [](Value result) {
    return llvm::any_of(result.getUsers(), [](Operation *user) { return isa<train::YieldOp>(user); });
  };
  return epilogue && llvm::all_of(epilogue->getResults(), isWritten)
             ? cpu::epilogueStages(epilogue, train::productOf(kernel)->getResult(0))
             : std::nullopt;
}

bool runsSideBySide(ContractionChoice &choice) {
  if (!choice.target.costs.sideBySide || choice.row < 0 || choice.vectors == 1 || choice.target.lanes == 1 ||
      updates(choice.kernel) || drawsRandomBits(choice.kernel) || !computesFunctions(choice.kernel) ||
      (isLarge(choice) && readsFar(choice)))
    return false;
  linalg::GenericOp epilogue = epilogueOf(choice.kernel);
  return epilogue && llvm::all_of(epilogue->getOpOperands(), [&](OpOperand &operand) {
           // Parallel loops come first: the epilogue's loops are these.
           AffineMap map = epilogue.getMatchingIndexingMap(&operand);
           std::optional<int64_t> stride = strideAlong(choice.kernel, map, operand.get(), choice.lane);
           return stride == 0 || stride == 1;
         });
}

/// Pipelining (running the epilogue of a tile inside the next tile's reduction) pays if the epilogue is
/// latency-bound: it updates in place, misses the cache, or calls functions. The reduction must be long
/// enough to hide it.
void choosePipeline(ContractionChoice &choice) {
  bool isFar = isLarge(choice) && readsFar(choice);
  bool isUpdate = updates(choice.kernel);
  if (choice.sideBySide || choice.row < 0 || choice.rowsOfChunk() < 2 * choice.rows ||
      choice.target.lanes == 1 || choice.root.getNumReductionLoops() != 1 || drawsRandomBits(choice.kernel) ||
      (!isUpdate && !isFar && !computesFunctions(choice.kernel)))
    return;
  bool isStatic = llvm::all_of(choice.root.getOperandTypes(),
                               [](Type type) { return cast<ShapedType>(type).hasStaticShape(); });
  int64_t vectors = choice.rows * choice.vectors;
  int64_t length = choice.steps() / choice.perStep(choice.bounds.size() - 1);
  if (!isStatic || choice.bounds[choice.row] < 2 * choice.rows || length < vectors)
    return;
  // The epilogue is interleaved with a part of the reduction, `pipeline` steps of k for each vector of it.
  // Where it waits for memory, it is spread over more steps, so that its loads and stores are issued evenly.
  int64_t most = isFar ? 16 : 2;
  choice.pipeline = std::clamp<int64_t>(length / (choice.target.costs.updateShare * vectors), 1, most);
  if (choice.target.costs.updateStages == 2 && isUpdate && stagesOf(choice.kernel))
    choice.stages = 2;
}

SmallVector<int64_t> sharedPlaces(train::KernelOp kernel, cpu::ContractionAttr form) {
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
