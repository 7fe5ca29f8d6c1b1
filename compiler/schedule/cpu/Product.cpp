//===- Product.cpp - a product, and the loops that its tiles run along -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which loop the rows of a tile lie along, and which instructions add its products.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Product.h"
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/machine/cpu/Scratch.h"
#include "dialects/train/Nonzero.h"

using namespace mlir;

namespace dlc::schedule {
namespace {

using cpu::tileSide, cpu::tileSteps;
using Operands = std::pair<OpOperand *, OpOperand *>; // of columns and of rows

/// The operand that `lane` moves but `row` does not, and the one that only `row` moves; two null pointers
/// where they are not like that.
Operands operandsAlong(const Product &product, int64_t lane, int64_t row) {
  OpOperand *columns = product.root.getDpsInputOperand(0), *other = product.root.getDpsInputOperand(1);
  if (product.stride(columns, lane) == 0)
    std::swap(columns, other);
  bool areSuch = row >= 0 && product.stride(columns, lane) != 0 && product.stride(columns, row) == 0 &&
                 product.stride(other, lane) == 0;
  return areSuch ? Operands(columns, other) : Operands();
}

// The rows of a tile share the steps of its reduction. Where a window slides along them, steps with padding
// are left out only if all rows meet padding; positions of other images meet it together.

// A loop other than the innermost must fill at least so many rows of a tile to be worth it.
constexpr int64_t fills = 8;
// Rows along the innermost loop are near each other in memory, which is worth this factor of multiply-adds.
constexpr double worthNearness = 1.06;
// Reductions of fewer steps are bound by memory, where contiguous rows matter more.
constexpr int64_t fewSteps = 64;
// In longer loops, padding is a small fraction.
constexpr int64_t mostCounted = 1 << 14;

/// The factor of multiply-adds that are computed, over those that are needed, if rows lie along `loop`,
/// because of padding along the window's loop `reduction`.
double paddingAlong(const Product &product, int64_t loop, int64_t reduction) {
  SmallVector<SmallVector<int64_t>> constraints;
  IntegerSet terms = train::nonzeroTerms(product.root);
  for (AffineExpr atLeastZero : terms ? terms.getConstraints() : ArrayRef<AffineExpr>()) {
    SmallVector<int64_t> factors = cpu::coefficientsOf(atLeastZero, product.bounds.size());
    int64_t others =
        llvm::count_if(ArrayRef(factors).drop_back(), [](int64_t factor) { return factor != 0; });
    if (others == 2 && factors[loop] != 0 && factors[reduction] != 0)
      constraints.push_back({factors[loop], factors[reduction], factors.back()});
  }
  int64_t all = product.bounds[loop] * product.bounds[reduction], needed = 0;
  if (constraints.empty() || all > mostCounted)
    return 1;
  for (int64_t position = 0; position < product.bounds[loop]; ++position)
    for (int64_t element = 0; element < product.bounds[reduction]; ++element)
      needed += llvm::all_of(constraints, [&](ArrayRef<int64_t> factors) {
        return factors[0] * position + factors[1] * element + factors[2] >= 0;
      });
  return needed > 0 ? double(all) / double(needed) : 1;
}

/// What tiles with rows along `loop` compute, as a multiple of what is needed. A last tile of few rows takes
/// as long as one of half the rows.
double costAlong(const Product &product, int64_t loop) {
  int64_t bound = product.bounds[loop], rest = bound % fills;
  int64_t rows = bound - rest + (rest > 0 && bound > fills ? std::max(rest, fills / 2) : rest);
  double cost = double(rows) / double(bound);
  for (int64_t reduction = product.parallelLoops(); reduction < int64_t(product.bounds.size()); ++reduction)
    cost *= paddingAlong(product, loop, reduction);
  return cost;
}

/// Chooses, among the loops that move only the operand of the rows, the innermost that fills a tile, or one
/// further out if tiles then compute much less; if none fills a tile, the longest. Without such loops, takes
/// the innermost of all.
int64_t rowLoopOf(const Product &product, int64_t lane) {
  if (lane < 0)
    return -1;
  int64_t best = -1, innermost = -1;
  SmallVector<int64_t> sizes = product.root.getStaticLoopRanges();
  for (int64_t loop = 0; loop < product.parallelLoops(); ++loop) {
    if (loop == lane)
      continue;
    innermost = loop;
    if (!operandsAlong(product, lane, loop).first)
      continue;
    auto filled = [&](int64_t loop) { return std::min(fills, product.bounds[loop]); };
    // A loop of an open size may be short at run time.
    bool isWorse = best >= 0 && product.steps() >= fewSteps && filled(loop) == filled(best) &&
                   !ShapedType::isDynamic(sizes[best]) &&
                   costAlong(product, loop) > worthNearness * costAlong(product, best);
    if (best < 0 || (filled(loop) >= filled(best) && !isWorse))
      best = loop;
  }
  return best >= 0 ? best : innermost;
}

/// The target, with vectors that suit the lane loop.
CpuTarget targetAlong(CpuTarget target, ArrayRef<int64_t> bounds, int64_t lane) {
  if (lane >= 0)
    target.lanes = target.lanesFor(bounds[lane]);
  return target;
}

// The instructions. Vectors compute fewer multiply-adds than `leastProducts` before the tile registers are
// configured and the operands packed; they also compute reductions, rows or columns that would leave most of
// a tile register empty.
constexpr int64_t leastProducts = 1 << 15, leastSize = 8;

/// Whether the loop alone indexes one dim of the operand, as k in A[i, k]; or a dim that lies in panels whose
/// width is a multiple of `unit`.
bool movesAlone(AffineMap map, int64_t loop, int64_t unit) {
  auto isAlone = [&](AffineExpr expr) {
    if (auto panel = dyn_cast<AffineBinaryOpExpr>(expr);
        panel && llvm::is_contained({AffineExprKind::FloorDiv, AffineExprKind::Mod}, expr.getKind()))
      return isa<AffineDimExpr>(panel.getLHS()) &&
             cast<AffineConstantExpr>(panel.getRHS()).getValue() % unit == 0;
    return isa<AffineDimExpr>(expr);
  };
  return map.isFunctionOfDim(loop) && llvm::all_of(map.getResults(), [&](AffineExpr expr) {
           return !expr.isFunctionOfDim(loop) || isAlone(expr);
         });
}

bool movesAlone(const Product &product, int64_t loop, int64_t unit) {
  return llvm::all_of(product.root.getDpsInputOperands(), [&](OpOperand *operand) {
    return movesAlone(product.root.getMatchingIndexingMap(operand), loop, unit);
  });
}

/// Whether a loop's range begins or ends where others are.
bool isCutBy(IntegerSet terms, int64_t loop) {
  return terms && llvm::any_of(terms.getConstraints(),
                               [&](AffineExpr atLeastZero) { return atLeastZero.isFunctionOfDim(loop); });
}

bool hasBf16Operands(const Product &product) {
  FloatType low = analysis::lowTypeOf(product.root);
  auto isLow = [](Value operand) { return getElementTypeOrSelf(operand.getType()).isBF16(); };
  return low && low.isBF16() && llvm::all_of(product.root.getDpsInputs(), isLow);
}

/// The reduction loop whose iterations are multiplied in pairs (vdpbf16ps, for example); -1: none.
int64_t pairedLoopOf(const Product &product) {
  constexpr int64_t leastLanes = 8; // vectors of 256 bits
  if (product.lane < 0 || !product.target.addsPairs() || product.target.lanes < leastLanes ||
      !hasBf16Operands(product))
    return -1;
  // Pairs do not suit ranges that begin or end anywhere; the ranges that a mask hides end with whole blocks.
  IntegerSet terms = train::triangleOf(product.root) ? IntegerSet() : train::nonzeroTerms(product.root);
  SmallVector<int64_t> sizes = product.root.getStaticLoopRanges();
  for (int64_t loop = sizes.size() - 1; loop >= product.parallelLoops(); --loop)
    if (!ShapedType::isDynamic(sizes[loop]) && sizes[loop] % 2 == 0 && !isCutBy(terms, loop) &&
        movesAlone(product, loop, /*unit=*/2))
      return loop;
  return -1;
}

/// The reduction loop along which the unit takes its steps: of those that no operand moves along but in a dim
/// of its own, and that runs whole, the longest; -1: none.
int64_t unitLoopOf(const Product &product) {
  IntegerSet terms = train::nonzeroTerms(product.root);
  int64_t best = -1;
  for (int64_t loop = product.parallelLoops(); loop < int64_t(product.bounds.size()); ++loop)
    if (!isCutBy(terms, loop) && (best < 0 || product.bounds[loop] > product.bounds[best]) &&
        movesAlone(product, loop, tileSteps))
      best = loop;
  return best;
}

/// Whether an operand can be packed in squares, in which `loop` runs along neighbours.
bool canPackSquares(const Product &product, OpOperand *operand, int64_t loop, int64_t steps) {
  return movesAlone(product.root.getMatchingIndexingMap(operand), loop, tileSide) &&
         (product.stride(operand, loop) == 1 || product.stride(operand, steps) == 1);
}

bool canReadUnitRows(const Product &product, int64_t steps) {
  auto isInPanels = [&](AffineExpr expr) {
    return expr.isFunctionOfDim(product.row) &&
           (expr.getKind() == AffineExprKind::FloorDiv || expr.getKind() == AffineExprKind::Mod);
  };
  const int64_t length = product.root.getStaticLoopRanges()[steps];
  return !ShapedType::isDynamic(length) && length % tileSteps == 0 &&
         product.stride(product.rows, steps) == 1 &&
         product.stride(product.rows, product.row).value_or(0) > 0 &&
         llvm::none_of(product.root.getMatchingIndexingMap(product.rows).getResults(), isInPanels);
}

bool runsOnMatrixUnit(const Product &product) {
  if (product.lane < 0 || !product.target.amx || product.target.lanes != tileSide || product.row < 0 ||
      !hasBf16Operands(product) || product.products() < leastProducts)
    return false;
  const int64_t steps = unitLoopOf(product);
  if (!product.columns || steps < 0)
    return false;
  for (int64_t loop : {product.lane, product.row, steps})
    if (product.bounds[loop] < leastSize)
      return false;
  return canPackSquares(product, product.columns, product.lane, steps) &&
         (canReadUnitRows(product, steps) || canPackSquares(product, product.rows, product.row, steps));
}

} // namespace

Product::Product(train::KernelOp kernel, const CpuTarget &target)
    : kernel(kernel), root(analysis::productOf(kernel)), bounds(analysis::loopBounds(kernel, root)),
      lane(laneLoopOf(kernel)), row(rowLoopOf(*this, lane)), target(targetAlong(target, bounds, lane)),
      columns(lane < 0 ? nullptr : operandsAlong(*this, lane, row).first),
      rows(lane < 0 ? nullptr : operandsAlong(*this, lane, row).second), amx(runsOnMatrixUnit(*this)),
      pairs(amx ? unitLoopOf(*this) : pairedLoopOf(*this)) {}

std::optional<int64_t> Product::stride(OpOperand *operand, int64_t loop) const {
  return strideAlong(kernel, root.getMatchingIndexingMap(operand), operand->get(), loop);
}

int64_t Product::steps() const { return llvm::product_of(ArrayRef(bounds).drop_front(parallelLoops())); }

int64_t Product::products() const { return llvm::product_of(bounds); }

bool Product::readsAcross() const {
  return llvm::any_of(root.getDpsInputOperands(), [&](OpOperand *operand) {
    auto apart = stride(operand, lane);
    return apart != 0 && apart != 1;
  });
}

bool Product::readsUnitRows() const { return canReadUnitRows(*this, pairs); }

bool Product::wantsPairsPacked(OpOperand *operand, int64_t loop) const {
  return pairs >= 0 && movesAlone(root.getMatchingIndexingMap(operand), loop, /*unit=*/1);
}

} // namespace dlc::schedule
