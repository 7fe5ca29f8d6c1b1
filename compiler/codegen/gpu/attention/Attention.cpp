//===- Attention.cpp - attentions, keys by keys -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/attention/Attention.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/kernel/Body.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace dlc::codegen::gpu {

Values AttentionCode::State::all() const {
  Values values{rowMax[0], rowMax[1], sum[0], sum[1]};
  llvm::append_range(values, weighed);
  return values;
}

AttentionCode::State AttentionCode::State::of(const Values &all) {
  return {{all[0], all[1]}, {all[2], all[3]}, Values(ArrayRef(all).drop_front(4))};
}

AttentionCode::AttentionCode(KernelFunction &kernel)
    : kernel(kernel), b(kernel.builder()), operands(kernel),
      attention(*analysis::attentionOf(kernel.getKernel())),
      schedule(cast<dlc::gpu::ScheduleAttr>(kernel.schedule())), form(schedule.attention()),
      warp(b, analysis::lowTypeOf(attention.scores)) {
  for (auto [loop, extent] : llvm::enumerate(kernel.loopExtents(attention.scores))) {
    Loops &kind = loop >= attention.scores.getNumParallelLoops() ? steps
                  : int64_t(loop) == attention.row               ? rows
                  : int64_t(loop) == attention.key               ? keys
                                                                 : products;
    kind.add(b, loop, extent);
  }
  for (auto [loop, extent] : llvm::enumerate(kernel.loopExtents(attention.values)))
    if (int64_t is = attention.loops[attention.values][loop]; is < 0)
      columns.add(b, loop, extent);
    else if (is == attention.key)
      keysOfValues.add(b, loop, extent);
}

Value AttentionCode::number(double value) {
  return arith::ConstantOp::create(b, b.getF32FloatAttr(float(value)));
}

Point AttentionCode::pointOf(Op op, Index row, Index key) {
  Point at;
  for (int64_t is : attention.loops[op])
    at.loops.push_back(is < 0                ? Index(0)
                       : is == attention.row ? row
                       : is == attention.key ? key
                                             : point.loops[is]);
  return at;
}

void AttentionCode::emit() {
  for (const Loops *loops : {&products, &rows})
    if (loops->size.isConstant() && loops->size.offset == 0)
      return; // no results
  warp.findThread();
  Index down = divide(b, rows.size + (form.getRows() - 1), form.getRows());
  SmallVector<Index, 4> block = positionsOf(b, blockIndex(b), {products.size, down});
  firstRow = mul(b, block[1], form.getRows());
  point.loops.assign(attention.scores.getNumLoops(), Index(0));
  placeMemory();
  // With open sizes, there may be fewer heads and rows than the blocks are for.
  Value isHead;
  if (!products.size.isConstant() || !rows.size.isConstant())
    isHead = isLess(b, block[0], products.size);
  where(b, isHead, [&] {
    kernel.readScalars();
    products.place(b, block[0], point);
    loadOf(attention.scores, 0, queries, {&rows, firstRow, form.getRows()},
           {&steps, Index(0), form.getSteps()})
        .emit(b, point, warp.thread, schedule.getThreads(), /*inFlight=*/8);
    Values all = forLoop(
        b, Index(0), keysOf(firstRow), form.getKeys(), start().all(),
        [&](Index firstKey, const Values &carried) { return step(firstKey, State::of(carried)).all(); });
    finish(State::of(all));
  });
  warp.useMachineExponentials(kernel);
}

/// Where the keys end that the rows from here on see.
Index AttentionCode::keysOf(Index firstRow) {
  auto seen = [&](Op op) {
    std::optional<train::Triangle> triangle = train::triangleOf(op);
    if (triangle)
      for (int64_t *loop : {&triangle->upTo, &triangle->beyond})
        *loop = attention.loops[op][*loop];
    return triangle;
  };
  std::optional<train::Triangle> triangle = seen(attention.sum);
  if (!triangle || seen(attention.rowMax) != triangle || triangle->upTo != attention.row ||
      triangle->beyond != attention.key)
    return keys.size;
  return min(b, firstRow + (form.getRows() + triangle->offset), keys.size);
}

AttentionCode::State AttentionCode::start() {
  State state;
  for (int64_t half = 0; half < rowsOfLane; ++half) {
    state.rowMax[half] = arith::ConstantOp::create(b, kernel.initialValue(attention.rowMax.getDpsInits()[0]));
    state.sum[half] = number(0);
  }
  state.weighed.assign(form.getColumns() / 8 * sumsOfTile, number(0));
  return state;
}

/// Some keys more.
AttentionCode::State AttentionCode::step(Index firstKey, State state) {
  const Span theseKeys{&keys, firstKey, form.getKeys()};
  loadOf(attention.scores, 1, keyTile, theseKeys, {&steps, Index(0), form.getSteps()})
      .emit(b, point, warp.thread, schedule.getThreads(), /*inFlight=*/8);
  loadOf(attention.values, 1, valueTile, {&keysOfValues, firstKey, form.getKeys()},
         {&columns, Index(0), form.getColumns()})
      .emit(b, pointOf(attention.values, Index(0), Index(0)), warp.thread, schedule.getThreads(),
            /*inFlight=*/8);
  barrier(b);
  Values scores = multiplyKeys(), masked = this->masked(scores, firstKey);
  for (int64_t half = 0; half < rowsOfLane; ++half) {
    Value before = state.rowMax[half], after = rowMaxOf(before, masked, half);
    // Before the first score that is no minus infinity, all sums are zero.
    Value isFirst = isNone(before);
    Value old = subtrahend(before, half), now = subtrahend(after, half);
    Value factor = math::ExpOp::create(b, arith::SubFOp::create(b, old, now));
    factor = arith::SelectOp::create(b, isFirst, number(0), factor);
    state.rowMax[half] = after;
    state.sum[half] = arith::MulFOp::create(b, state.sum[half], factor);
    for (size_t i = 0; i < state.weighed.size(); ++i)
      if (halfOf(i) == half)
        state.weighed[i] = arith::MulFOp::create(b, state.weighed[i], factor);
  }
  Values both = probabilitiesOf(masked, scores, firstKey, state), probabilities;
  for (size_t i = 0; i < scores.size(); ++i) {
    Value &sum = state.sum[halfOf(i)];
    sum = arith::AddFOp::create(b, sum, both[2 * i]);
    probabilities.push_back(both[2 * i + 1]);
  }
  state.weighed = multiplyValues(probabilities, std::move(state.weighed));
  if (!keys.size.isConstant() || keys.size.offset > form.getKeys())
    barrier(b); // the next keys overwrite what was read
  return state;
}

void AttentionCode::finish(const State &state) {
  Operation *adds = analysis::combinerOf(attention.sum, 0);
  Value factors[rowsOfLane];
  for (int64_t half = 0; half < rowsOfLane; ++half) {
    Value sum = warp.acrossRow(state.sum[half], adds);
    factors[half] =
        where(b, isRow(half), {b.getF32Type()}, [&]() -> Values {
          operands.forget();
          Values made = ofRow(state.rowMax[half], sum, half);
          Value factor = attention.factor == attention.sum.getResult(0) ? sum : Value();
          where(b, isLess(b, warp.inGroup, Index(1)), [&] {
            auto write = [&](Op op, Value value) {
              operands.write(cast<OpResult>(op.getResult(0)), pointOf(op, row(half), Index(0)), value);
            };
            write(attention.rowMax, state.rowMax[half]);
            write(attention.sum, sum);
            for (auto [op, value] : llvm::zip_equal(attention.rowValues, made))
              write(op, value);
          });
          for (auto [op, value] : llvm::zip_equal(attention.rowValues, made))
            if (Op(op).getResult(0) == attention.factor)
              factor = value;
          return {factor};
        }).front();
  }
  for (size_t i = 0; i < state.weighed.size(); ++i) {
    Index column = warp.column(i);
    const Span allColumns{&columns, Index(0), form.getColumns()};
    where(b, allColumns.isInside(b, column, isRow(halfOf(i))), [&] {
      Point at = pointOf(attention.values, row(halfOf(i)), Index(0));
      columns.place(b, column, at);
      finishAt(at, arith::MulFOp::create(b, state.weighed[i], factors[halfOf(i)]));
    });
  }
}

/// The loops of what follows are the product's parallel loops, in order.
void AttentionCode::finishAt(const Point &at, Value value) {
  operands.forget();
  auto keep = [&](Op op, const Point &at, const Values &results) {
    for (auto [result, value] : llvm::zip_equal(op->getResults(), results)) {
      operands.keep(result, value);
      operands.write(result, at, value);
    }
  };
  keep(attention.values, at, {value});
  Point after;
  after.loops.assign(at.loops.begin(), at.loops.begin() + attention.values.getNumParallelLoops());
  for (Op op : kernel.operations())
    if (!attention.contains(op))
      keep(op, after, Values(emitBody(kernel, op, operands.arguments(op, after), after)));
}

void emitAttention(KernelFunction &kernel) { AttentionCode(kernel).emit(); }

} // namespace dlc::codegen::gpu
