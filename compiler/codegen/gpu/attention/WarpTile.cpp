//===- WarpTile.cpp - tiles of matrices in the registers of a warp ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/attention/WarpTile.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/codegen/kernel/Memory.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "compiler/machine/GpuTarget.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <cmath>

using namespace mlir;

namespace dlc::codegen::gpu {

void WarpTile::findThread() {
  constexpr int64_t rows = 16;
  thread = threadIndex(b);
  lane = remainder(b, thread, GpuTarget::warp);
  group = divide(b, lane, 4);
  inGroup = remainder(b, lane, 4);
  warpRow = mul(b, divide(b, thread, GpuTarget::warp), rows);
}

Value WarpTile::word(const Memory &memory, Index position, Index number) {
  Memory words{memory.pointer, low ? Type(b.getI32Type()) : b.getF32Type(), memory.strides};
  return loadAt(b, words, {number, position});
}

Values WarpTile::squares(const Memory &memory, Index position, int64_t number, int64_t count,
                         bool alongPositions, bool transposed) {
  constexpr int64_t size = 8, bytes = 2;
  Index square = divide(b, lane, size); // whose row this lane names
  Index fast = remainder(b, square, 2), slow = divide(b, square, 2);
  Index down = alongPositions ? fast : slow, across = alongPositions ? slow : fast;
  Index ofSquare = mul(b, down, size), inSquare = remainder(b, lane, size);
  Index row = add(b, position, add(b, ofSquare, inSquare));
  Index ofRow = mul(b, row, memory.strides[1].offset), place = add(b, ofRow, mul(b, across, size) + number);
  return loadMatrices(b, pointerAt(b, memory.pointer, mul(b, place, bytes)), count, transposed);
}

/// With fused multiply-adds.
Values WarpTile::multiplyExact(const Memory &left, const Memory &right, int64_t steps, int64_t columns) {
  const int64_t tiles = columns / 8;
  Values sums(tiles * sumsOfTile, zero());
  Index first = row(0);
  return forRolled(b, Index(0), Index(steps), 4, sums, [&](Index step, Values sums) {
    for (int64_t s = 0; s < 4; ++s) {
      Value rows[] = {word(left, first, step + s), word(left, first + 8, step + s)};
      for (int64_t tile = 0; tile < tiles; ++tile)
        for (int64_t side = 0; side < 2; ++side) {
          Value other = word(right, mul(b, inGroup, 2) + (8 * tile + side), step + s);
          for (int64_t half = 0; half < rowsOfLane; ++half) {
            Value &sum = sums[tile * sumsOfTile + 2 * half + side];
            sum = math::FmaOp::create(b, rows[half], other, sum);
          }
        }
    }
    return sums;
  });
}

Values WarpTile::multiply(const Memory &left, const Memory &right, int64_t steps, int64_t columns) {
  if (!low)
    return multiplyExact(left, right, steps, columns);
  const bool isHalf = isHalfWord(low);
  const int64_t tiles = columns / 8, stepsOfProduct = isHalf ? 16 : 8;
  Values sums(tiles * sumsOfTile, zero());
  Index first = row(0);
  for (int64_t at = 0; at < steps; at += stepsOfProduct) {
    Values rows;
    if (isHalf)
      rows = squares(left, warpRow, at, 4, /*alongPositions=*/true, /*transposed=*/false);
    else
      for (int64_t part = 0; part < 4; ++part) // upper and lower rows, then later steps
        rows.push_back(word(left, first + part % 2 * 8, inGroup + (at + part / 2 * 4)));
    Values others; // of two tiles, or of one
    for (int64_t tile = 0; tile < tiles; ++tile) {
      if (!isHalf) {
        others.clear();
        for (int64_t part = 0; part < 2; ++part)
          others.push_back(word(right, group + 8 * tile, inGroup + (at + part * 4)));
      } else if (tile % 2 == 0) {
        others = squares(right, Index(8 * tile), at, tile + 1 < tiles ? 4 : 2, /*alongPositions=*/false,
                         /*transposed=*/false);
      }
      ArrayRef<Value> before = ArrayRef(sums).slice(tile * sumsOfTile, sumsOfTile);
      llvm::copy(multiplyAdd(b, low, rows, ArrayRef(others).take_front(2), before),
                 sums.begin() + tile * sumsOfTile);
      others.erase(others.begin(), others.begin() + 2);
    }
  }
  return sums;
}

/// Two numbers of 16 bits, which registers have as f32, as a word.
Value WarpTile::pack(Value first, Value second) {
  Value lower = toBits(b, low, first), upper = toBits(b, low, second);
  lower = arith::ExtUIOp::create(b, b.getI32Type(), lower);
  upper = arith::ExtUIOp::create(b, b.getI32Type(), upper);
  Value sixteen = arith::ConstantOp::create(b, b.getI32IntegerAttr(16));
  return arith::OrIOp::create(b, lower, arith::ShLIOp::create(b, upper, sixteen));
}

Values WarpTile::addProductExact(const Values &tile, Values sums, const Memory &right) {
  const int64_t across = int64_t(sums.size()) / sumsOfTile, tiles = int64_t(tile.size()) / sumsOfTile;
  for (int64_t step = 0; step < 8 * tiles; ++step) {
    // The lane that holds this column of the tile.
    Index holder = mul(b, group, 4) + step % 8 / 2;
    const int64_t of = step / 8 * sumsOfTile;
    Value left[] = {ofLane(b, tile[of + step % 2], holder), ofLane(b, tile[of + 2 + step % 2], holder)};
    for (int64_t column = 0; column < across; ++column)
      for (int64_t side = 0; side < 2; ++side) {
        Value other = word(right, Index(step), mul(b, inGroup, 2) + (8 * column + side));
        for (int64_t half = 0; half < rowsOfLane; ++half) {
          Value &sum = sums[column * sumsOfTile + 2 * half + side];
          sum = math::FmaOp::create(b, left[half], other, sum);
        }
      }
  }
  return sums;
}

Values WarpTile::addProduct(const Values &tile, Values sums, const Memory &right) {
  if (!low)
    return addProductExact(tile, std::move(sums), right);
  const bool isHalf = isHalfWord(low);
  const int64_t across = int64_t(sums.size()) / sumsOfTile, tiles = int64_t(tile.size()) / sumsOfTile;
  auto number = [&](int64_t of, int64_t i) { return tile[of * sumsOfTile + i]; };
  for (int64_t of = 0; of < tiles; of += perWord()) {
    Values left;
    if (isHalf) {
      for (int64_t part = 0; part < 4; ++part)
        left.push_back(pack(number(of + part / 2, part % 2 * 2), number(of + part / 2, part % 2 * 2 + 1)));
    } else { // steps i and i + 4 of the product are columns 2 i and 2 i + 1 of the tile
      for (int64_t i : {0, 2, 1, 3})
        left.push_back(arith::BitcastOp::create(b, b.getI32Type(), number(of, i)));
    }
    Values others; // of two columns of tiles, or of one
    for (int64_t column = 0; column < across; ++column) {
      if (!isHalf) {
        others.clear();
        for (int64_t part = 0; part < 2; ++part)
          others.push_back(word(right, mul(b, inGroup, 2) + (of * 8 + part), group + 8 * column));
      } else if (column % 2 == 0) {
        others = squares(right, Index(of * 8), 8 * column, column + 1 < across ? 4 : 2,
                         /*alongPositions=*/true, /*transposed=*/true);
      }
      ArrayRef<Value> before = ArrayRef(sums).slice(column * sumsOfTile, sumsOfTile);
      llvm::copy(multiplyAdd(b, low, left, ArrayRef(others).take_front(2), before),
                 sums.begin() + column * sumsOfTile);
      others.erase(others.begin(), others.begin() + 2);
    }
  }
  return sums;
}

void WarpTile::useMachineExponentials(KernelFunction &kernel) {
  if (!low)
    return;
  kernel.entry().getParentOp()->walk([&](math::ExpOp op) {
    if (!op.getType().isF32())
      return;
    Builder at(op.getLoc(), op);
    Value factor = arith::ConstantOp::create(at, at.getF32FloatAttr(float(M_LOG2E)));
    op.replaceAllUsesWith(powerOfTwo(at, arith::MulFOp::create(at, op.getOperand(), factor)));
    op.erase();
  });
}

Value WarpTile::acrossRow(Value value, Operation *combiner) {
  for (int32_t bits : {1, 2})
    value = combine(b, combiner, value, ofOtherLane(b, value, bits));
  return value;
}

} // namespace dlc::codegen::gpu
