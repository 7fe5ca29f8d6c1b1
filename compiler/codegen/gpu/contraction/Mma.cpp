//===- Mma.cpp - contractions on tensor cores ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operands of bf16 or f16, or of f32 that was rounded to tf32, whose products the warps of a block compute
// with PTX's mma.sync: 16 rows by 8 columns in 16 (tf32: 8) steps. Each lane has a few elements of these
// matrices in words of 32 bits, two of 16 bits or one of tf32. Whichever way an operand lies, it needs no
// transposition: PTX's ldmatrix gives lanes their words of two from rows of steps or of positions, and words
// of tf32 lanes read one by one.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/gpu/contraction/Contraction.h"
#include "compiler/machine/GpuTarget.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

/// The rows and columns of an mma instruction, and the words that its steps of k take.
constexpr int64_t mmaRows = 16, mmaColumns = 8, mmaWords = 8;

class MmaCode : public ContractionCode {
public:
  MmaCode(KernelFunction &kernel, dlc::gpu::MmaAttr form)
      : ContractionCode(kernel, form), form(form), low(analysis::lowTypeOf(root)), isHalf(isHalfWord(low)) {}

private:
  int64_t down() const { return form.getWarpRows() / mmaRows; }
  int64_t across() const { return form.getWarpColumns() / mmaColumns; }

  void placeThread() override;
  Type broughtType(Type element) const override { return isHalf ? b.getI16Type() : element; } // as bits
  Tile::Order orderOf(const Side &side) const override {
    return isHalf || side.isAlongSteps() ? Tile::Order::byRows : Tile::Order::byPairs;
  }
  int64_t sumsOfThread() const override { return down() * across() * 4; }
  std::pair<Index, Index> placeOfSum(int64_t i) override;
  int64_t neighbouringSums() const override { return 2; }
  Values multiply(Index stage, Values sums) override;
  enum Fragment { ofLeft, ofRight, ofTwoRights };
  Values words(Fragment fragment, Index stage, Index position, int64_t step);
  Value word(const Side &side, Index stage, Index position, int64_t step);

  dlc::gpu::MmaAttr form;
  FloatType low; ///< of the operands
  bool isHalf;
  Index row, column;    ///< of the warp's part of the tile: the first
  Index group, inGroup; ///< of the lane, as the PTX manual has them
  Index lane;
};

void MmaCode::placeThread() {
  Index warp = divide(b, thread, GpuTarget::warp);
  lane = remainder(b, thread, GpuTarget::warp);
  int64_t warpsAcross = form.getColumns() / form.getWarpColumns();
  row = mul(b, divide(b, warp, warpsAcross), form.getWarpRows());
  column = mul(b, remainder(b, warp, warpsAcross), form.getWarpColumns());
  group = divide(b, lane, 4);
  inGroup = remainder(b, lane, 4);
}

std::pair<Index, Index> MmaCode::placeOfSum(int64_t i) {
  int64_t tile = i / 4, r = tile / across() * mmaRows, c = tile % across() * mmaColumns;
  Index m = add(b, row, group) + (r + (i % 4 < 2 ? 0 : 8));
  Index n = add(b, column, mul(b, inGroup, 2)) + (c + i % 2);
  return {m, n};
}

/// This lane's words of two for one instruction, or for two with neighbouring columns: of squares of 8
/// positions by 8 steps, of which each lane names a row. The instruction takes those of the left operand by
/// steps and then positions, of the right one by positions and then steps.
Values MmaCode::words(Fragment fragment, Index stage, Index position, int64_t step) {
  constexpr int64_t square = 8;
  const Side &side = fragment == ofLeft ? left : right;
  Index inSquare = remainder(b, lane, square), number = divide(b, lane, square);
  Index fast = remainder(b, number, 2), slow = fragment == ofRight ? Index(0) : divide(b, number, 2);
  auto [ofPosition, ofStep] = fragment == ofLeft ? std::pair(fast, slow) : std::pair(slow, fast);
  Tile::Coordinates place;
  if (side.isAlongSteps()) {
    place.row = add(b, position, add(b, mul(b, ofPosition, square), inSquare));
    place.piece = ofStep + step / square;
  } else {
    place.row = add(b, mul(b, ofStep, square), inSquare) + step;
    place.piece = add(b, divide(b, Index(position.base), square), ofPosition) + position.offset / square;
  }
  Value address = side.tile.address(b, stage, place);
  return loadMatrices(b, address, fragment == ofRight ? 2 : 4, !side.isAlongSteps());
}

/// A word of tf32.
Value MmaCode::word(const Side &side, Index stage, Index position, int64_t step) {
  const int64_t perPiece = side.tile.perPiece();
  Tile::Coordinates place{add(b, position, group), Index(step / perPiece), inGroup};
  if (!side.isAlongSteps()) {
    Index first = divide(b, Index(position.base), perPiece),
          piece = add(b, first, divide(b, group, perPiece));
    place = {inGroup + step, piece + position.offset / perPiece, remainder(b, group, perPiece)};
  }
  return loadAt(b, {side.tile.address(b, stage, place), b.getI32Type(), {}}, {});
}

Values MmaCode::multiply(Index stage, Values sums) {
  for (int64_t step = 0; step < form.getSteps(); step += isHalf ? 2 * mmaWords : mmaWords) {
    SmallVector<Values> a(down()), c(across());
    for (int64_t r = 0; r < down(); ++r) {
      const Index position = row + r * mmaRows;
      if (isHalf)
        a[r] = words(ofLeft, stage, position, step);
      else
        for (int64_t part = 0; part < 4; ++part) // upper and lower rows, then later steps
          a[r].push_back(word(left, stage, position + part % 2 * 8, step + part / 2 * mmaWords / 2));
    }
    for (int64_t n = 0; n < across(); ++n) {
      const Index position = column + n * mmaColumns;
      if (!isHalf)
        for (int64_t part = 0; part < 2; ++part)
          c[n].push_back(word(right, stage, position, step + part * mmaWords / 2));
      else if (n + 1 == across())
        c[n] = words(ofRight, stage, position, step);
      else {
        Values both = words(ofTwoRights, stage, position, step);
        c[n].assign(both.begin(), both.begin() + 2);
        c[++n].assign(both.begin() + 2, both.end());
      }
    }
    for (int64_t i = 0; i < down() * across(); ++i) {
      ArrayRef<Value> before = ArrayRef(sums).slice(4 * i, 4);
      llvm::copy(multiplyAdd(b, low, a[i / across()], c[i % across()], before), sums.begin() + 4 * i);
    }
  }
  return sums;
}

} // namespace

void emitMma(KernelFunction &kernel) {
  MmaCode(kernel, cast<dlc::gpu::ScheduleAttr>(kernel.schedule()).mma()).emit();
}

} // namespace dlc::codegen::gpu
