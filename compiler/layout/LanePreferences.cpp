//===- LanePreferences.cpp - the layouts that contractions prefer --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/LanePreferences.h"
#include "compiler/layout/Nests.h"
#include "compiler/machine/CpuCosts.h"

using namespace mlir;

namespace dlc::layout {

std::optional<int64_t> preferredLane(linalg::GenericOp op) {
  SmallVector<int64_t> only[2], common; // loops of the result that move one operand alone, or both
  for (unsigned loop = 0; loop < op.getNumParallelLoops(); ++loop) {
    bool inLeft = op.getIndexingMapsArray()[0].isFunctionOfDim(loop);
    bool inRight = op.getIndexingMapsArray()[1].isFunctionOfDim(loop);
    if (inLeft != inRight)
      only[inRight].push_back(loop);
    else if (inLeft)
      common.push_back(loop);
  }
  bool isImage[2];
  for (unsigned side : {0, 1})
    isImage[side] = !op.getIndexingMapsArray()[side].isProjectedPermutation();
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  auto largest = [&](ArrayRef<int64_t> loops) {
    return loops.empty()
               ? -1
               : *llvm::max_element(loops, [&](int64_t a, int64_t b) { return sizes[a] < sizes[b]; });
  };
  // The gradient of a depthwise convolution with strides moves the weight alone along the few positions
  // between two steps. As in other depthwise convolutions, which sum up over windows and no channels, both
  // operands' channels are lanes.
  auto sumsOverWindows = [&](AffineMap image) {
    return llvm::none_of(image.getResults(), [&](AffineExpr expr) {
      auto dim = dyn_cast<AffineDimExpr>(expr);
      return dim && dim.getPosition() >= op.getNumParallelLoops();
    });
  };
  auto lanesOrChannels = [&](int64_t lane, int64_t channels, AffineMap image) {
    constexpr int64_t few = 8;
    bool areChannels = channels >= 0 && !ShapedType::isDynamic(sizes[lane]) && sizes[lane] < few &&
                       sizes[channels] >= few && sumsOverWindows(image);
    return areChannels ? channels : lane;
  };
  for (unsigned side : {1, 0}) {
    bool isOther = isImage[1 - side] && !isImage[side];
    if (isOther && !only[side].empty())
      return lanesOrChannels(largest(only[side]), largest(common), op.getIndexingMapsArray()[1 - side]);
    if (!isImage[side] && only[side].size() == 1 && only[1 - side].size() > 1)
      return largest(only[side]);
  }
  return std::nullopt;
}

std::optional<int64_t> laneOfLongReduction(linalg::GenericOp op) {
  constexpr int64_t fewColumns = 128, manySteps = 1024, stepsForEach = 8;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  if (op.getNumParallelLoops() != 2 || preferredLane(op) || llvm::any_of(sizes, ShapedType::isDynamic))
    return std::nullopt;
  int64_t steps = 1;
  for (int64_t size : ArrayRef<int64_t>(sizes).drop_front(2))
    steps *= size;
  int64_t larger = sizes[1] >= sizes[0], few = sizes[1 - larger], many = sizes[larger];
  if (few > fewColumns || many < 2 * few || steps < std::max(manySteps, stepsForEach * many))
    return std::nullopt;
  return larger;
}

int64_t laneOf(linalg::GenericOp op, ArrayRef<int64_t> resultOrder) {
  AffineExpr last = op.getIndexingMapMatchingResult(op->getResult(0)).getResult(resultOrder.back());
  return cast<AffineDimExpr>(last).getPosition();
}

OpOperand *laneOperand(linalg::GenericOp op, int64_t lane) {
  OpOperand *left = op.getDpsInputOperand(0), *right = op.getDpsInputOperand(1);
  return op.getMatchingIndexingMap(right).isFunctionOfDim(lane) ? right : left;
}

OpOperand *rowOperand(linalg::GenericOp op, int64_t lane) {
  OpOperand *left = op.getDpsInputOperand(0), *right = op.getDpsInputOperand(1);
  return laneOperand(op, lane) == right ? left : right;
}

bool copiesItself(linalg::GenericOp op, OpOperand &operand, AffineMap inMemory, ArrayRef<int64_t> sizes,
                  int64_t lane, int64_t last) {
  constexpr int64_t mostRows = 8; // of a tile
  auto isLoopOrPiece = [](AffineExpr expr) {
    auto piece = dyn_cast<AffineBinaryOpExpr>(expr);
    bool isPiece =
        piece && (piece.getKind() == AffineExprKind::FloorDiv || piece.getKind() == AffineExprKind::Mod);
    return isa<AffineDimExpr>(isPiece ? piece.getLHS() : expr);
  };
  if (llvm::any_of(sizes, ShapedType::isDynamic) || !llvm::all_of(inMemory.getResults(), isLoopOrPiece) ||
      !inMemory.isFunctionOfDim(last) || !runsAlong(inMemory, last))
    return false;
  AffineMap other = op.getMatchingIndexingMap(rowOperand(op, lane));
  bool isWindow = !other.isProjectedPermutation(), areMany = false;
  int64_t steps = 1, rows = 1, rowLoops = 0;
  for (auto [loop, size] : llvm::enumerate(sizes)) {
    if (loop >= op.getNumParallelLoops()) {
      steps *= size;
    } else if (inMemory.isFunctionOfDim(loop) && other.isFunctionOfDim(loop)) {
      areMany = true;
    } else if (!inMemory.isFunctionOfDim(loop) && other.isFunctionOfDim(loop)) {
      rows *= size;
      ++rowLoops;
    }
  }
  return &operand == laneOperand(op, lane) && rowLoops > 0 &&
         steps > CpuCosts::stepsToTranspose(isWindow, areMany, sizes[lane]) &&
         rows >= CpuCosts::tilesToTranspose(isWindow, sizes[lane]) * mostRows;
}

int64_t memoryDimOf(AffineMap map, ArrayRef<int64_t> order, unsigned loop) {
  for (auto [place, dim] : llvm::enumerate(order))
    if (map.getResult(dim).isFunctionOfDim(loop))
      return place;
  return -1;
}

Order laneLast(linalg::GenericOp op, OpOperand &tensor, int64_t lane, std::optional<Order> rowOrder) {
  AffineMap map = op.getMatchingIndexingMap(&tensor);
  AffineMap row = op.getMatchingIndexingMap(rowOperand(op, lane));
  AffineMap column = op.getMatchingIndexingMap(laneOperand(op, lane));
  bool isBatched = preferredLane(op).has_value();
  // Groups of channels, which both operands move along, are part of the channels.
  auto keyOf = [&](int64_t dim) -> std::pair<int, int64_t> {
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop) {
      if (!map.getResult(dim).isFunctionOfDim(loop))
        continue;
      if (int64_t(loop) == lane)
        return {2, 0};
      if (isBatched && loop < op.getNumParallelLoops() && row.isFunctionOfDim(loop) &&
          column.isFunctionOfDim(loop))
        return {1, 0};
      return {0, rowOrder ? memoryDimOf(row, *rowOrder, loop) : 0};
    }
    return {0, 0};
  };
  Order order = identity(map.getNumResults());
  llvm::sort(order, [&](int64_t a, int64_t b) { return std::pair(keyOf(a), a) < std::pair(keyOf(b), b); });
  return order;
}

} // namespace dlc::layout
