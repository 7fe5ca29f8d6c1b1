//===- AttentionProducts.cpp - both products of an attention ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Queries and keys lie in shared memory by position, values by column, so that what is summed up lies side by
// side. Shares come from registers: the sums of a tile are words of the next product's left operand, for tf32
// with its steps in another order, in which the values are read as well.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Attention.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace dlc::codegen::gpu {

void AttentionCode::placeMemory() {
  auto place = [&](StringRef name, Op op, unsigned operand, int64_t positions, int64_t steps) {
    Type element = kernel.memoryOf(op.getDpsInputOperand(operand)->get())->element;
    if (element.isBF16()) // bits are brought as they are
      element = b.getI16Type();
    int64_t pitch = steps + form.padding * perWord();
    Memory memory = sharedMemory(kernel, name, element, {positions, pitch});
    memory.strides = {Index(1), Index(pitch)};
    return memory;
  };
  queries = place("queries", attention.scores, 0, form.getRows(), form.getSteps());
  keyTile = place("keys", attention.scores, 1, form.getKeys(), form.getSteps());
  valueTile = place("values", attention.values, 1, form.getColumns(), form.getKeys());
}

Bringing AttentionCode::bringing(Op op, unsigned operand, const Memory &memory, Span positions, Span steps) {
  OpOperand *read = op.getDpsInputOperand(operand);
  Memory source = *kernel.memoryOf(read->get());
  source.element = memory.element;
  return {op, read, source, memory, positions, steps};
}

/// A word, or an f32 where products are computed in it.
Value AttentionCode::word(const Memory &memory, Index position, Index word) {
  Type type = low ? Type(b.getI32Type()) : b.getF32Type();
  Memory words{memory.pointer, type, {Index(1), Index(memory.strides[1].offset / perWord())}};
  return loadAt(b, words, {word, position});
}

/// The scores of the warp's queries and the keys that are in shared memory.
Values AttentionCode::multiplyKeys() {
  Values sums(tiles() * sumsOfTile, number(0));
  Index first = add(b, warpRow, group);
  if (!low)
    return forRolled(b, Index(0), Index(form.getSteps()), 4, sums, [&](Index step, Values sums) {
      for (int64_t s = 0; s < 4; ++s) {
        Value left[] = {word(queries, first, step + s), word(queries, first + 8, step + s)};
        for (int64_t tile = 0; tile < tiles(); ++tile)
          for (int64_t side = 0; side < 2; ++side) {
            Value right = word(keyTile, mul(b, inGroup, 2) + (8 * tile + side), step + s);
            for (int64_t half = 0; half < rowsOfLane; ++half) {
              Value &sum = sums[tile * sumsOfTile + 2 * half + side];
              sum = math::FmaOp::create(b, left[half], right, sum);
            }
          }
      }
      return sums;
    });
  for (int64_t at = 0; at < form.getSteps() / perWord(); at += 8) {
    Values left;
    for (int64_t part = 0; part < 4; ++part) // upper and lower rows, then later steps
      left.push_back(word(queries, first + part % 2 * 8, inGroup + (at + part / 2 * 4)));
    for (int64_t tile = 0; tile < tiles(); ++tile) {
      Values right;
      for (int64_t part = 0; part < 2; ++part)
        right.push_back(word(keyTile, group + 8 * tile, inGroup + (at + part * 4)));
      ArrayRef<Value> before = ArrayRef(sums).slice(tile * sumsOfTile, sumsOfTile);
      llvm::copy(multiplyAdd(b, perWord() == 2, left, right, before), sums.begin() + tile * sumsOfTile);
    }
  }
  return sums;
}

/// Two numbers of bf16, which registers have as f32, as a word.
Value AttentionCode::pack(Value low, Value high) {
  auto bitsOf = [&](Value value) -> Value {
    return arith::ExtUIOp::create(b, b.getI32Type(), toBits(b, value));
  };
  Value lower = bitsOf(low), upper = bitsOf(high);
  Value sixteen = arith::ConstantOp::create(b, b.getI32IntegerAttr(16));
  return arith::OrIOp::create(b, lower, arith::ShLIOp::create(b, upper, sixteen));
}

/// Adds the values that are in shared memory, weighed by the shares of the warp's rows.
Values AttentionCode::multiplyValues(const Values &shares, Values weighed) {
  const int64_t across = form.getColumns() / 8;
  auto share = [&](int64_t tile, int64_t i) { return shares[tile * sumsOfTile + i]; };
  if (!low) {
    for (int64_t key = 0; key < form.getKeys(); ++key) {
      // Of the lane that has this key.
      Index lane = mul(b, group, 4) + key % 8 / 2;
      Value left[] = {ofLane(b, share(key / 8, key % 2), lane), ofLane(b, share(key / 8, 2 + key % 2), lane)};
      for (int64_t column = 0; column < across; ++column)
        for (int64_t side = 0; side < 2; ++side) {
          Value right = word(valueTile, mul(b, inGroup, 2) + (8 * column + side), Index(key));
          for (int64_t half = 0; half < rowsOfLane; ++half) {
            Value &sum = weighed[column * sumsOfTile + 2 * half + side];
            sum = math::FmaOp::create(b, left[half], right, sum);
          }
        }
    }
    return weighed;
  }
  const bool isBf16 = perWord() == 2;
  for (int64_t tile = 0; tile < tiles(); tile += perWord()) {
    Values left;
    if (isBf16) {
      for (int64_t part = 0; part < 4; ++part)
        left.push_back(pack(share(tile + part / 2, part % 2 * 2), share(tile + part / 2, part % 2 * 2 + 1)));
    } else { // steps i and i + 4 of the product are keys 2 i and 2 i + 1
      for (int64_t i : {0, 2, 1, 3})
        left.push_back(arith::BitcastOp::create(b, b.getI32Type(), share(tile, i)));
    }
    for (int64_t column = 0; column < across; ++column) {
      Values right;
      for (int64_t part = 0; part < 2; ++part) {
        Index at = isBf16 ? inGroup + (tile * 4 + part * 4) : mul(b, inGroup, 2) + (tile * 8 + part);
        right.push_back(word(valueTile, group + 8 * column, at));
      }
      ArrayRef<Value> before = ArrayRef(weighed).slice(column * sumsOfTile, sumsOfTile);
      llvm::copy(multiplyAdd(b, isBf16, left, right, before), weighed.begin() + column * sumsOfTile);
    }
  }
  return weighed;
}

} // namespace dlc::codegen::gpu
