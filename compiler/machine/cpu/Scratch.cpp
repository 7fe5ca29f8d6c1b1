//===- Scratch.cpp - memory of a contraction beside its tensors ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/cpu/Scratch.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::cpu {
namespace {

/// Trip counts inside the first `depth` loops of the nest, of one chunk.
SmallVector<int64_t> sizesInside(ScheduleAttr schedule, ArrayRef<int64_t> bounds, int64_t depth) {
  SmallVector<int64_t> sizes(bounds);
  for (SplitAttr split : schedule.getSplit())
    sizes[split.getLoop()] = std::min(sizes[split.getLoop()], split.getSize());
  ArrayRef<BlockAttr> nest = schedule.contraction().getNest();
  for (BlockAttr block : nest.take_front(std::min<int64_t>(depth, nest.size())))
    sizes[block.getLoop()] = std::min(sizes[block.getLoop()], block.getSize());
  return sizes;
}

/// Elements between the rows of a panel of which each has so many: not so far apart that they share sets of a
/// cache.
int64_t betweenRows(int64_t elements) {
  constexpr int64_t setsElements = 1 << 10, lineElements = 32;
  return elements % setsElements == 0 ? elements + lineElements : elements;
}

PanelShape panelShape(OpOperand &operand, ScheduleAttr schedule, ArrayRef<int64_t> bounds, int64_t depth,
                      int64_t loop, int64_t unit) {
  PanelShape shape;
  SmallVector<int64_t> sizes = sizesInside(schedule, bounds, depth);
  cpu::ContractionAttr form = schedule.contraction();
  bool isOne = depth == form.perColumnOfTiles();
  shape.panels = isOne ? 1 : llvm::divideCeil(sizes[loop], unit);
  shape.unit = shape.stride = unit;
  shape.isTiled = form.getReduction().getAmx();
  PanelCoordinates coordinates(cast<linalg::GenericOp>(operand.getOwner()).getMatchingIndexingMap(&operand),
                               loop);
  SmallVector<int64_t> positions = coordinates.sizes(sizes);
  shape.pairs = coordinates.along(form.getReduction().getPairs());
  shape.steps.resize(positions.size());
  if (shape.isTiled)
    positions[shape.pairs] = llvm::alignTo(positions[shape.pairs], tileSteps);
  auto lay = [&](int64_t coordinate) {
    shape.steps[coordinate] = shape.stride;
    shape.stride *= positions[coordinate];
  };
  if (shape.isTiled && loop == form.getTile().getRow()) {
    shape.steps[shape.pairs] = 1;
    shape.between = betweenRows(positions[shape.pairs]);
    shape.stride = unit * shape.between;
  } else if (shape.pairs >= 0) {
    shape.between = 2;
    lay(shape.pairs);
  }
  for (int64_t coordinate = positions.size() - 1; coordinate >= 0; --coordinate)
    if (coordinate != shape.pairs)
      lay(coordinate);
  // Panels a power of two apart would share few sets of a cache.
  constexpr int64_t lineElements = 16;
  if (!isOne)
    shape.stride = llvm::alignTo(shape.stride, lineElements) + 2 * lineElements;
  return shape;
}

} // namespace

SmallVector<int64_t> coefficientsOf(AffineExpr expr, unsigned numLoops) {
  MLIRContext *context = expr.getContext();
  SmallVector<AffineExpr> at(numLoops, getAffineConstantExpr(0, context));
  auto value = [&] {
    return cast<AffineConstantExpr>(simplifyAffineExpr(expr.replaceDims(at), 0, 0)).getValue();
  };
  SmallVector<int64_t> result;
  int64_t constant = value();
  for (AffineExpr &loop : at) {
    loop = getAffineConstantExpr(1, context);
    result.push_back(value() - constant);
    loop = getAffineConstantExpr(0, context);
  }
  result.push_back(constant);
  return result;
}

PanelCoordinates::PanelCoordinates(AffineMap map, int64_t loop) {
  auto panelOf = [](AffineExpr expr) {
    auto binary = dyn_cast<AffineBinaryOpExpr>(expr);
    bool isPanel =
        binary && (binary.getKind() == AffineExprKind::FloorDiv || binary.getKind() == AffineExprKind::Mod);
    return isPanel ? binary : AffineBinaryOpExpr(nullptr);
  };
  auto movesAlong = [&](AffineExpr expr) {
    AffineBinaryOpExpr panel = panelOf(expr);
    return panel ? panel.getLHS() : expr;
  };
  for (AffineExpr expr : map.getResults())
    if (!expr.isFunctionOfDim(loop) && !llvm::is_contained(positions, movesAlong(expr)))
      positions.push_back(movesAlong(expr));
  SmallVector<AffineExpr> dims;
  for (AffineExpr expr : map.getResults()) {
    unsigned coordinate = llvm::find(positions, movesAlong(expr)) - positions.begin(); // the last: the loop's
    AffineExpr position = getAffineDimExpr(coordinate, map.getContext());
    AffineBinaryOpExpr panel = panelOf(expr);
    dims.push_back(panel ? getAffineBinaryOpExpr(panel.getKind(), position, panel.getRHS()) : position);
  }
  source = AffineMap::get(positions.size() + 1, 0, dims, map.getContext());
}

int64_t PanelCoordinates::along(int64_t loop) const {
  for (auto [coordinate, position] : llvm::enumerate(positions))
    if (auto dim = dyn_cast<AffineDimExpr>(position); dim && int64_t(dim.getPosition()) == loop)
      return coordinate;
  return -1;
}

SmallVector<int64_t> PanelCoordinates::sizes(ArrayRef<int64_t> loops) const {
  SmallVector<int64_t> result;
  for (AffineExpr position : positions) {
    int64_t size = 1;
    for (auto [loop, factor] : llvm::zip_first(loops, coefficientsOf(position, loops.size())))
      size += std::abs(factor) * (loop - 1);
    result.push_back(size);
  }
  return result;
}

OpOperand &operandAlong(linalg::GenericOp root, int64_t loop, int64_t other) {
  return **llvm::find_if(root.getDpsInputOperands(), [&](OpOperand *operand) {
    AffineMap map = root.getMatchingIndexingMap(operand);
    return map.isFunctionOfDim(loop) && (other < 0 || !map.isFunctionOfDim(other));
  });
}

static bool isReduction(linalg::GenericOp root, BlockAttr block) {
  return root.getIteratorTypesArray()[block.getLoop()] == utils::IteratorType::reduction;
}

bool cutsReduction(linalg::GenericOp root, ArrayRef<BlockAttr> nest) {
  return llvm::any_of(nest, [&](BlockAttr block) { return isReduction(root, block); });
}

bool keepsSumsInScratch(linalg::GenericOp root, ArrayRef<BlockAttr> nest) {
  return cutsReduction(root, nest) && llvm::none_of(root->getUsers(), llvm::IsaPred<train::YieldOp>);
}

ContractionScratch::ContractionScratch(linalg::GenericOp root, ScheduleAttr schedule,
                                       ArrayRef<int64_t> bounds) {
  ContractionAttr form = schedule.contraction();
  TileAttr tile = form.getTile();
  PackingAttr packing = form.getPacking();
  int64_t width = tile.width(schedule.getLanes());
  elementBytes = dlc::elementBytes(root.getDpsInputs()[0]);
  resultBytes = dlc::elementBytes(root.getResult(0));
  int64_t lane = tile.getLane(), row = tile.getRow();
  if (packing.packsColumns())
    columns = panelShape(operandAlong(root, lane, row), schedule, bounds, packing.getColumns(), lane, width);
  if (packing.packsRows())
    rows =
        panelShape(operandAlong(root, row, lane), schedule, bounds, packing.getRows(), row, tile.getRows());
  if (!keepsSumsInScratch(root, form.getNest()))
    return;

  // The loop that is split, which is one, is the outermost, so that each chunk has a piece of its own.
  auto first = llvm::find_if(form.getNest(), [&](BlockAttr block) { return isReduction(root, block); });
  const int64_t depth = first - form.getNest().begin();
  SmallVector<int64_t> sizes = sizesInside(schedule, bounds, depth);
  sizes[lane] = llvm::divideCeil(sizes[lane], width);
  int64_t outermost = schedule.getSplit().empty() ? lane : schedule.getSplit().front().getLoop();
  sums.loops.push_back(outermost);
  for (int64_t loop = 0; loop < int64_t(root.getNumParallelLoops()); ++loop)
    if (loop != outermost)
      sums.loops.push_back(loop);
  sums.elements = width;
  for (int64_t loop : llvm::reverse(sums.loops)) {
    sums.steps.insert(sums.steps.begin(), sums.elements);
    sums.elements *= sizes[loop];
  }
}

} // namespace dlc::cpu
