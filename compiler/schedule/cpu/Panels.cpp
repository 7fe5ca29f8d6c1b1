//===- Panels.cpp - which operands of a contraction are copied -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands whose neighbouring steps lie far apart in memory are copied into panels before they are multiplied
// (docs/rationale/cpu-kernels.md).
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/ContractionChoice.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::schedule {

// Steps of k that are this many bytes apart are neither prefetched by the hardware nor spread over the sets
// of a cache.
constexpr int64_t farBytes = 1 << 10;

int64_t longestPackedBlock(const ContractionChoice &choice) {
  auto [columns, rows] = choice.columnsAndRows();
  int64_t part = choice.stride(rows, choice.row) == 1 ? 8 : 2;
  return choice.target.costs.l2Bytes / part / (choice.width() * elementBytes(columns->get()));
}

/// The stride in bytes between neighbouring steps of k in an operand's memory; 0 if the stride varies.
static int64_t bytesApart(const ContractionChoice &choice, OpOperand *operand) {
  SmallVector<unsigned> reductions;
  choice.root.getReductionDims(reductions);
  return choice.stride(operand, reductions.back()).value_or(0) * elementBytes(operand->get());
}

bool isFar(const ContractionChoice &choice, OpOperand *operand) {
  return bytesApart(choice, operand) >= farBytes;
}

int64_t tilesOfColumns(const ContractionChoice &choice) {
  AffineMap map = choice.root.getMatchingIndexingMap(choice.columnsAndRows().first);
  int64_t rows = 1;
  for (int64_t loop = 0; loop < int64_t(choice.root.getNumParallelLoops()); ++loop)
    if (!map.isFunctionOfDim(loop))
      rows *= choice.bounds[loop];
  return rows / choice.rows;
}

bool isLarge(const ContractionChoice &choice) {
  auto [columns, rows] = choice.columnsAndRows();
  if (!columns || choice.row < 0 || choice.target.lanes == 1)
    return false;
  SmallVector<unsigned> reductions;
  choice.root.getReductionDims(reductions);
  bool isWindow = llvm::any_of(choice.root.getMatchingIndexingMap(rows).getResults(), [&](AffineExpr expr) {
    return llvm::count_if(llvm::seq(choice.bounds.size()),
                          [&](size_t loop) { return expr.isFunctionOfDim(loop); }) > 1;
  });
  bool across = choice.stride(columns, choice.lane) != 1;
  AffineMap ofColumns = choice.root.getMatchingIndexingMap(columns),
            ofRows = choice.root.getMatchingIndexingMap(rows);
  bool areMany = llvm::any_of(llvm::seq(choice.root.getNumParallelLoops()), [&](unsigned loop) {
    return ofColumns.isFunctionOfDim(loop) && ofRows.isFunctionOfDim(loop);
  });
  int64_t wide = across ? choice.bounds[choice.lane] : 0;
  int64_t tiles = choice.pairs >= 0 ? CpuCosts::pairedForTiles : CpuCosts::tilesToTranspose(isWindow, wide);
  int64_t small = CpuCosts::stepsToTranspose(isWindow, across && areMany, wide);
  if (!across)
    small = std::min(small, choice.target.costs.stepsNear(choice.width() * elementBytes(columns->get())));
  if (choice.steps() <= small || tilesOfColumns(choice) < tiles)
    return false;
  for (OpOperand *operand : {columns, rows})
    if (!cast<ShapedType>(operand->get().getType()).hasStaticShape())
      return false;
  int64_t last = reductions.back();
  // Squares are transposed along the last reduction loop.
  auto isLoop = [&](AffineExpr expr) {
    return !expr.isFunctionOfDim(last) || isa<AffineDimExpr>(expr) || expr.getKind() == AffineExprKind::Mod ||
           expr.getKind() == AffineExprKind::FloorDiv;
  };
  if (across && (choice.stride(columns, last) != 1 ||
                 !llvm::all_of(choice.root.getMatchingIndexingMap(columns).getResults(), isLoop)))
    return false;
  return across || wantsPairsCopied(choice, columns, choice.lane) || isFar(choice, columns) ||
         choice.stride(rows, choice.row) == 1;
}

bool areTogether(const ContractionChoice &choice, OpOperand *rows) {
  return llvm::none_of(choice.root.getMatchingIndexingMap(rows).getResults(), [&](AffineExpr expr) {
    auto inside = dyn_cast<AffineBinaryOpExpr>(expr);
    auto panel = inside ? dyn_cast<AffineConstantExpr>(inside.getRHS()) : nullptr;
    return panel && inside.getKind() == AffineExprKind::Mod && expr.isFunctionOfDim(choice.row) &&
           panel.getValue() % choice.rows != 0;
  });
}

bool copiesRows(const ContractionChoice &choice) {
  OpOperand *rows = choice.columnsAndRows().second;
  return isLarge(choice) && choice.stride(rows, choice.row) == 1 && areTogether(choice, rows) &&
         (wantsPairsCopied(choice, rows, choice.row) ||
          bytesApart(choice, rows) >= choice.target.costs.farRowBytes);
}

bool copiesColumns(const ContractionChoice &choice) {
  OpOperand *columns = choice.columnsAndRows().first;
  return isLarge(choice) && (wantsPairsCopied(choice, columns, choice.lane) ||
                             choice.stride(columns, choice.lane) != 1 || isFar(choice, columns));
}

int64_t copyAheadOf(const ContractionChoice &choice) {
  constexpr int64_t stepsOfMemory = 8; // memory takes as long as a copy of so many
  auto [columns, rows] = choice.columnsAndRows();
  bool areFar =
      (choice.columns >= 0 && isFar(choice, columns)) || (choice.rowsCopied >= 0 && isFar(choice, rows));
  return choice.target.costs.fetchCopied && areFar ? stepsOfMemory : 0;
}

int64_t rowsBytes(const ContractionChoice &choice) {
  return elementBytes(choice.columnsAndRows().second->get()) * choice.bounds[choice.row] * choice.steps();
}

// In a matrix product both of whose operands have far strides along k, the smaller operand is packed as a
// whole, and the larger one panel by panel, so that a packed panel never leaves the second-level cache.
bool copiesRowsOnce(const ContractionChoice &choice) {
  if (!copiesRows(choice) || !copiesColumns(choice) || choice.root.getNumParallelLoops() != 2 ||
      choice.root.getNumReductionLoops() != 1)
    return false;
  return choice.stride(choice.columnsAndRows().first, choice.lane) == 1 &&
         choice.bounds[choice.row] < choice.bounds[choice.lane] &&
         choice.steps() <= longestPackedBlock(choice) && rowsBytes(choice) <= mostColumnsBytes;
}

} // namespace dlc::schedule
