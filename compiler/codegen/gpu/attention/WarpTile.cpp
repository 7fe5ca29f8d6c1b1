//===- WarpTile.cpp - tiles of matrices in the registers of a warp ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/attention/WarpTile.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "compiler/target/GpuTarget.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace dlc::codegen::gpu {

void WarpTile::findThread() {
  constexpr int64_t rows = 16;
  thread = threadIndex(b);
  Index lane = remainder(b, thread, GpuTarget::warp);
  group = divide(b, lane, 4);
  inGroup = remainder(b, lane, 4);
  warpRow = mul(b, divide(b, thread, GpuTarget::warp), rows);
}

Value WarpTile::word(const Memory &memory, Index position, Index word) {
  Type type = low ? Type(b.getI32Type()) : b.getF32Type();
  Memory words{memory.pointer, type, {Index(1), Index(memory.strides[1].offset / perWord())}};
  return loadAt(b, words, {word, position});
}

Value WarpTile::wordAcross(const Memory &memory, Index step, Index word) {
  if (perWord() == 1)
    return this->word(memory, word, step);
  Index first = mul(b, word, 2);
  Value lower = loadAt(b, memory, {step, first}), upper = loadAt(b, memory, {step, first + 1});
  return packBits(lower, upper);
}

Values WarpTile::multiply(const Memory &left, const Memory &right, int64_t steps, int64_t columns) {
  const int64_t tiles = columns / 8;
  Values sums(tiles * sumsOfTile, zero());
  Index first = row(0);
  if (!low)
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
  for (int64_t at = 0; at < steps / perWord(); at += 8) {
    Values rows;
    for (int64_t part = 0; part < 4; ++part) // upper and lower rows, then later steps
      rows.push_back(word(left, first + part % 2 * 8, inGroup + (at + part / 2 * 4)));
    for (int64_t tile = 0; tile < tiles; ++tile) {
      Values others;
      for (int64_t part = 0; part < 2; ++part)
        others.push_back(word(right, group + 8 * tile, inGroup + (at + part * 4)));
      ArrayRef<Value> before = ArrayRef(sums).slice(tile * sumsOfTile, sumsOfTile);
      llvm::copy(multiplyAdd(b, perWord() == 2, rows, others, before), sums.begin() + tile * sumsOfTile);
    }
  }
  return sums;
}

/// The bits of two numbers as a word.
Value WarpTile::packBits(Value low, Value high) {
  Value lower = arith::ExtUIOp::create(b, b.getI32Type(), low),
        upper = arith::ExtUIOp::create(b, b.getI32Type(), high);
  Value sixteen = arith::ConstantOp::create(b, b.getI32IntegerAttr(16));
  return arith::OrIOp::create(b, lower, arith::ShLIOp::create(b, upper, sixteen));
}

/// Two numbers of bf16, which registers have as f32, as a word.
Value WarpTile::pack(Value low, Value high) {
  Value lower = toBits(b, low), upper = toBits(b, high);
  return packBits(lower, upper);
}

Values WarpTile::addProduct(const Values &tile, Values sums,
                            llvm::function_ref<Value(Index word, Index column)> right) {
  const int64_t across = int64_t(sums.size()) / sumsOfTile, tiles = int64_t(tile.size()) / sumsOfTile;
  auto number = [&](int64_t of, int64_t i) { return tile[of * sumsOfTile + i]; };
  if (!low) {
    for (int64_t step = 0; step < 8 * tiles; ++step) {
      // Of the lane that has this column of the tile.
      Index lane = mul(b, group, 4) + step % 8 / 2;
      Value left[] = {ofLane(b, number(step / 8, step % 2), lane),
                      ofLane(b, number(step / 8, 2 + step % 2), lane)};
      for (int64_t column = 0; column < across; ++column)
        for (int64_t side = 0; side < 2; ++side) {
          Value other = right(Index(step), mul(b, inGroup, 2) + (8 * column + side));
          for (int64_t half = 0; half < rowsOfLane; ++half) {
            Value &sum = sums[column * sumsOfTile + 2 * half + side];
            sum = math::FmaOp::create(b, left[half], other, sum);
          }
        }
    }
    return sums;
  }
  const bool isBf16 = perWord() == 2;
  for (int64_t of = 0; of < tiles; of += perWord()) {
    Values left;
    if (isBf16) {
      for (int64_t part = 0; part < 4; ++part)
        left.push_back(pack(number(of + part / 2, part % 2 * 2), number(of + part / 2, part % 2 * 2 + 1)));
    } else { // steps i and i + 4 of the product are columns 2 i and 2 i + 1 of the tile
      for (int64_t i : {0, 2, 1, 3})
        left.push_back(arith::BitcastOp::create(b, b.getI32Type(), number(of, i)));
    }
    for (int64_t column = 0; column < across; ++column) {
      Values others;
      for (int64_t part = 0; part < 2; ++part) {
        Index at = isBf16 ? inGroup + (of * 4 + part * 4) : mul(b, inGroup, 2) + (of * 8 + part);
        others.push_back(right(at, group + 8 * column));
      }
      ArrayRef<Value> before = ArrayRef(sums).slice(column * sumsOfTile, sumsOfTile);
      llvm::copy(multiplyAdd(b, isBf16, left, others, before), sums.begin() + column * sumsOfTile);
    }
  }
  return sums;
}

Value WarpTile::acrossRow(Value value, Operation *combiner) {
  for (int32_t bits : {1, 2})
    value = combine(b, combiner, value, ofOtherLane(b, value, bits));
  return value;
}

} // namespace dlc::codegen::gpu
