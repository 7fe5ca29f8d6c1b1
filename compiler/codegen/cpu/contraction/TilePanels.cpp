//===- TilePanels.cpp - copies of operands for a matrix unit ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile register takes 16 rows of 32 elements of bf16 each. Of the operand that rows move, its rows are 16
// neighbours, each with 32 steps of the reduction; of the other one, 16 pairs of steps, each with 16
// neighbours. Both are squares of words, which are pairs. So whichever way the operand lies, a square is
// loaded row by row and, where its rows are the wrong ones, transposed in registers.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Interleave.h"
#include "compiler/codegen/cpu/contraction/CopiedOperand.h"
#include "compiler/codegen/cpu/contraction/Pairs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

using cpu::tileSide, cpu::tileSteps;

int64_t CopiedOperand::bytesBetweenTileRows() const {
  constexpr int64_t elementBytes = 2;
  const bool areRows = shape.steps[shape.pairs] == 1;
  return elementBytes * (areRows ? shape.between : 2 * shape.steps[shape.pairs]);
}

/// Words of 32 bits.
static VectorType wordsOfTile(Builder &b) { return VectorType::get({tileSide}, b.getI32Type()); }

/// The pairs that begin at a point, of which only steps before `end` exist; others are zero.
Value CopiedOperand::pairsBefore(const Point &point, const Index &end) {
  const Index &step = point.loops[shape.pairs];
  auto both = [&]() -> Values { return {pairsAt(b, from, point, shape.pairs)}; };
  auto earlier = [&]() -> Values { return {arith::ExtUIOp::create(b, wordsOfTile(b), from.load(b, point))}; };
  auto none = [&]() -> Values { return {arith::ConstantOp::create(b, b.getZeroAttr(wordsOfTile(b)))}; };
  if (step.isConstant() && end.isConstant())
    return (step.offset + 1 < end.offset ? both() : step.offset < end.offset ? earlier() : none())[0];
  auto isBefore = [&](Index x) -> Value {
    Value left = x.materialize(b), right = end.materialize(b);
    return arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left, right);
  };
  return ifElse(b, isBefore(step + 1), both, [&] { return ifElse(b, isBefore(step), earlier, none); })[0];
}

/// A square whose rows are pairs, of an operand whose neighbours lie together.
Values CopiedOperand::pairsOfTile(const Point &at, const Index &position, Value mask, const Index &step,
                                  bool isWhole) {
  Values rows;
  for (int64_t pair = 0; pair < tileSide; ++pair) {
    Point read = at;
    read.loops.back() = position;
    read.loops[shape.pairs] = step + 2 * pair;
    read.laneDim = box.size();
    read.lanes = tileSide;
    read.mask = mask;
    rows.push_back(isWhole ? pairsAt(b, from, read, shape.pairs) : pairsBefore(read, box[shape.pairs].high));
  }
  return rows;
}

/// A square whose rows are neighbours, of an operand whose steps lie together. In place of neighbours behind
/// the last one, that one is read.
Values CopiedOperand::neighboursOfTile(const Point &at, const Index &position, Value mask, const Index &step,
                                       bool isWhole) {
  Index last = kernel.loopExtents(root)[loop] + (-1);
  Values rows;
  for (int64_t neighbour = 0; neighbour < tileSide; ++neighbour) {
    Point read = at;
    read.loops.back() = mask ? min(b, position + neighbour, last) : position + neighbour;
    read.loops[shape.pairs] = step;
    read.laneDim = shape.pairs;
    read.lanes = tileSteps;
    if (!isWhole) {
      const Index &end = box[shape.pairs].high;
      read.mask = firstLanes(b, tileSteps,
                             step.isConstant() && end.isConstant() ? Index(end.offset - step.offset)
                                                                   : sub(b, end, step));
    }
    rows.push_back(LLVM::BitcastOp::create(b, wordsOfTile(b), from.load(b, read)));
  }
  return rows;
}

/// The square of 16 neighbours from `position` on and 32 steps; not all of them exist where a mask, or that
/// it is not whole, says so.
void CopiedOperand::copyTile(const Point &at, const Index &position, Value mask, const Index &step,
                             bool isWhole) {
  const bool liesAlongSteps = from.stride(box.size()) != 1, isForRows = shape.steps[shape.pairs] == 1;
  Values square = liesAlongSteps ? neighboursOfTile(at, position, mask, step, isWhole)
                                 : pairsOfTile(at, position, mask, step, isWhole);
  if (liesAlongSteps != isForRows)
    transposeSquare(b, square);
  Value address = addressOf(position, /*inside=*/true);
  for (auto [number, words] : llvm::enumerate(square)) {
    Point write = at;
    write.loops[shape.pairs] = isForRows ? step : step + 2 * int64_t(number);
    store(address, write, isForRows ? int64_t(number) : 0, words);
  }
}

void CopiedOperand::copyTiles(const Range &range) {
  forCoordinates({}, shape.pairs, [&](const Point &at) {
    const Range &steps = box[shape.pairs];
    const bool isConstant = steps.low.isConstant() && steps.high.isConstant();
    Index length = isConstant ? Index(steps.high.offset - steps.low.offset) : sub(b, steps.high, steps.low);
    Index whole = add(b, steps.low, mul(b, divide(b, length, tileSteps), tileSteps));
    forVectors(b, range.low, range.high, kernel.loopExtents(root)[loop], tileSide, 1,
               [&](Index position, int64_t, Value mask) {
                 forLoop(b, steps.low, whole, tileSteps,
                         [&](Index step) { copyTile(at, position, mask, step, true); });
                 if (!isConstant)
                   ifLess(b, whole, steps.high, [&] { copyTile(at, position, mask, whole, false); });
                 else if (whole.offset < steps.high.offset)
                   copyTile(at, position, mask, whole, false);
               });
  });
}

} // namespace dlc::codegen
