//===- AttentionProbabilities.cpp - what becomes of scores in an attention -===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Masks, exponentials, and what follows these, for each score that a lane has; and the numbers of its rows.
// All of it is the kernel's own operations, at a point of their loops.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/gpu/attention/Attention.h"
#include "compiler/codegen/kernel/Body.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include <limits>

using namespace mlir;

namespace dlc::codegen::gpu {

static constexpr double infinity = std::numeric_limits<double>::infinity();

/// What the largest is taken of, minus infinity where there is no score; beside it for each score, what its
/// masks give.
Values AttentionCode::masked(const Values &scores, Index firstKey) {
  Values all;
  Op op = attention.rowMax;
  Operation *combiner = analysis::combinerOf(op, 0);
  Value term = combiner->getOperand(combiner->getOperand(0) == op.getRegionOutputArgs()[0] ? 1 : 0);
  for (size_t i = 0; i < scores.size(); ++i) {
    auto compute = [&]() -> Values {
      Index row = this->row(halfOf(i)), key = keyOf(firstKey, i);
      operands.forget();
      operands.keep(attention.scores.getResult(0), scores[i]);
      Values made;
      for (Op mask : attention.masks) {
        Point at = pointOf(mask, row, key);
        made.push_back(emitBody(kernel, mask, operands.arguments(mask, at), at).front());
        operands.keep(mask.getResult(0), made.back());
      }
      Point at = pointOf(op, row, key);
      made.push_back(emitPart(kernel, op, term, operands.arguments(op, at, {Value()}), at));
      return made;
    };
    Value isInside = isElement(firstKey, i);
    Values made = !isInside ? compute() : ifElse(b, isInside, compute, [&] {
      return Values(attention.masks.size() + 1, number(-infinity));
    });
    llvm::append_range(all, made);
  }
  return all;
}

/// Makes known what is made of score number `i` before its exponential.
void AttentionCode::keepElement(const Values &masked, const Values &scores, size_t i) {
  operands.keep(attention.scores.getResult(0), scores[i]);
  for (auto [mask, op] : llvm::enumerate(attention.masks))
    operands.keep(Op(op).getResult(0), masked[i * (attention.masks.size() + 1) + mask]);
}

/// The largest score of a row, with those of these keys.
Value AttentionCode::rowMaxOf(Value rowMax, const Values &masked, int64_t half) {
  Operation *combiner = analysis::combinerOf(attention.rowMax, 0);
  const size_t each = attention.masks.size() + 1;
  for (size_t i = 0; i < masked.size() / each; ++i)
    if (halfOf(i) == half)
      rowMax = combine(b, combiner, rowMax, masked[i * each + each - 1]);
  return warp.acrossRow(rowMax, combiner);
}

/// The numbers of a row that its largest score and its sum give; without the sum, those that need none.
Values AttentionCode::ofRow(Value rowMax, Value sum, int64_t half) {
  operands.keep(attention.rowMax.getResult(0), rowMax);
  if (sum)
    operands.keep(attention.sum.getResult(0), sum);
  Values made;
  for (Op op : attention.rowValues) {
    if (!sum && attention.sum->isBeforeInBlock(op))
      break;
    Point at = pointOf(op, row(half), Index(0));
    made.push_back(emitBody(kernel, op, operands.arguments(op, at), at).front());
    operands.keep(op.getResult(0), made.back());
  }
  return made;
}

/// Whether all scores of a row are minus infinity so far.
Value AttentionCode::isNone(Value rowMax) {
  return arith::CmpFOp::create(b, arith::CmpFPredicate::OEQ, rowMax, number(-infinity));
}

/// Zero while there is no largest score: infinity less infinity is no number.
Value AttentionCode::finite(Value rowMax) {
  return arith::SelectOp::create(b, isNone(rowMax), number(0), rowMax);
}

/// What is subtracted from the scores of a row.
Value AttentionCode::subtrahend(Value rowMax, int64_t half) {
  Op op = attention.exponentials;
  Value known = finite(rowMax);
  Value difference = op.getBody()->getTerminator()->getOperand(0).getDefiningOp<math::ExpOp>().getOperand();
  Value wanted = difference.getDefiningOp<arith::SubFOp>().getRhs();
  return where(b, isRow(half), {b.getF32Type()},
               [&]() -> Values {
                 operands.forget();
                 ofRow(known, Value(), half);
                 Values arguments;
                 for (OpOperand *input : op.getDpsInputOperands()) {
                   bool isNeeded =
                       analysis::neededFor(op, wanted).contains(op.getMatchingBlockArgument(input));
                   arguments.push_back(isNeeded ? operands.read(op, *input, pointOf(op, row(half), Index(0)))
                                                : Value());
                 }
                 arguments.push_back(Value());
                 return {emitPart(kernel, op, wanted, arguments, pointOf(op, row(half), Index(0)))};
               })
      .front();
}

/// The exponential and the unnormalized probability of each score: the number that divides the row counts as
/// 1.
Values AttentionCode::probabilitiesOf(const Values &masked, const Values &scores, Index firstKey,
                                      const State &state) {
  Values all, known;
  for (Value rowMax : state.rowMax)
    known.push_back(finite(rowMax));
  for (size_t i = 0; i < scores.size(); ++i) {
    Values made = where(b, isElement(firstKey, i), SmallVector<Type>(2, b.getF32Type()), [&]() -> Values {
      Index row = this->row(halfOf(i)), key = keyOf(firstKey, i);
      operands.forget();
      ofRow(known[halfOf(i)], Value(), halfOf(i));
      operands.keep(attention.factor, number(1));
      keepElement(masked, scores, i);
      Values both;
      auto compute = [&](Op op) {
        Point at = pointOf(op, row, key);
        Value made = emitBody(kernel, op, operands.arguments(op, at), at).front();
        operands.keep(op.getResult(0), made);
        return made;
      };
      both.push_back(compute(attention.exponentials));
      for (Op op : attention.probabilities)
        both.resize(1), both.push_back(compute(op));
      return both;
    });
    llvm::append_range(all, made);
  }
  return all;
}

} // namespace dlc::codegen::gpu
