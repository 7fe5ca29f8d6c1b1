//===- Contraction.cpp - contractions in tiles of a block ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For operands of any type, stride and size: each thread brings elements to shared memory one by one, zeros
// where the operand ends, and sums up in the order of the steps. What follows the product is computed for
// each element where its sum is in a register.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Contraction.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace dlc::codegen::gpu {

ContractionCode::ContractionCode(KernelFunction &kernel, Tile tile)
    : kernel(kernel), b(kernel.builder()), root(kernel.operations().front()), operands(kernel),
      schedule(cast<dlc::gpu::ScheduleAttr>(kernel.schedule())), tile(tile),
      element(registerType(getElementTypeOrSelf(root.getResult(0).getType()))) {
  auto maps = root.getIndexingMapsArray();
  for (auto [loop, extent] : llvm::enumerate(kernel.loopExtents(root))) {
    bool inLeft = maps[0].isFunctionOfDim(loop), inRight = maps[1].isFunctionOfDim(loop);
    Loops &kind = loop >= root.getNumParallelLoops() ? steps
                  : inLeft == inRight                ? products
                  : inLeft                           ? rows
                                                     : columns;
    kind.add(b, loop, extent);
  }
}

ContractionCode::Side ContractionCode::side(unsigned which, const Loops &loops, int64_t size, Index first) {
  OpOperand *operand = root.getDpsInputOperand(which);
  Memory source = *kernel.memoryOf(operand->get());
  Memory memory = place(which == 0 ? "left" : "right", size, source);
  return {operand, &loops, size, first, std::move(source), std::move(memory)};
}

Index ContractionCode::tiles(const Loops &loops, int64_t size) {
  return loops.size.isConstant() ? Index(llvm::divideCeil(loops.size.offset, size))
                                 : divide(b, loops.size + (size - 1), size);
}

void ContractionCode::emit() {
  for (const Loops *loops : {&rows, &columns, &products})
    if (loops->size.isConstant() && loops->size.offset == 0)
      return; // no results
  thread = threadIndex(b);
  Index across = tiles(columns, tile.columns), down = tiles(rows, tile.rows);
  SmallVector<Index, 4> block = positionsOf(b, blockIndex(b), {products.size, down, across});
  point.loops.assign(root.getNumLoops(), Index(0));
  placeThread();
  left = side(0, rows, tile.rows, mul(b, block[1], tile.rows));
  right = side(1, columns, tile.columns, mul(b, block[2], tile.columns));
  // Of open sizes, there may be fewer products than blocks are for.
  Value isProduct = isLess(b, block[0], products.size);
  if (products.size.isConstant() && rows.size.isConstant() && columns.size.isConstant())
    isProduct = Value();
  const bool isOneRound = steps.size.isConstant() && steps.size.offset <= tile.steps;
  where(b, isProduct, [&] {
    kernel.readScalars();
    products.place(b, block[0], point);
    finish(forLoop(b, Index(0), steps.size, tile.steps, start(), [&](Index step, Values sums) {
      bring(left, step);
      bring(right, step);
      barrier(b);
      sums = multiply(std::move(sums));
      if (!isOneRound)
        barrier(b); // the next round overwrites what was read
      return sums;
    }));
  });
}

/// Brings the operand's elements of some steps to shared memory: all are asked for before the first is
/// stored.
void ContractionCode::bring(const Side &side, Index step) {
  const int64_t threads = schedule.getThreads();
  Bringing{root,
           side.operand,
           side.source,
           side.memory,
           {side.loops, side.first, side.size},
           {&steps, step, tile.steps}}
      .emit(b, point, thread, threads, side.size * tile.steps / threads);
}

void ContractionCode::forSums(llvm::function_ref<void(const Point &, Value, int64_t)> body) {
  for (int64_t i = 0; i < sumsOfThread(); ++i) {
    auto [row, column] = placeOfSum(i);
    Index m = add(b, left.first, row), n = add(b, right.first, column);
    Point here = point;
    rows.place(b, m, here);
    columns.place(b, n, here);
    Span down{&rows, left.first, tile.rows}, across{&columns, right.first, tile.columns};
    Value isInside = across.isInside(b, n, down.isInside(b, m, Value()));
    body(here, isInside, i);
  }
}

Values ContractionCode::start() {
  Values sums;
  forSums([&](const Point &here, Value isInside, int64_t) {
    if (TypedAttr constant = kernel.initialValue(root.getDpsInits()[0]))
      sums.push_back(arith::ConstantOp::create(b, constant));
    else
      sums.push_back(where(b, isInside, {element}, [&]() -> Values {
                       return {operands.initial(root, 0, here)};
                     }).front());
  });
  return sums;
}

void ContractionCode::finish(const Values &sums) {
  forSums([&](const Point &here, Value isInside, int64_t number) {
    where(b, isInside, [&] { finishAt(here, sums[number]); });
  });
}

/// The loops of what follows are the product's parallel loops, in order.
void ContractionCode::finishAt(const Point &here, Value sum) {
  operands.forget();
  auto keep = [&](linalg::GenericOp op, const Point &at, const Values &results) {
    for (auto [result, value] : llvm::zip_equal(op->getResults(), results)) {
      operands.keep(result, value);
      operands.write(result, at, value);
    }
  };
  keep(root, here, {sum});
  Point after;
  after.loops.assign(here.loops.begin(), here.loops.begin() + root.getNumParallelLoops());
  for (linalg::GenericOp op : kernel.operations().drop_front())
    keep(op, after, Values(emitBody(kernel, op, operands.arguments(op, after), after)));
}

namespace {

/// Products of single threads, which multiply a square of elements each. One step of an operand lies behind
/// the other.
class ThreadsCode : public ContractionCode {
public:
  ThreadsCode(KernelFunction &kernel, dlc::gpu::ContractionAttr form)
      : ContractionCode(kernel, {form.getRows(), form.getColumns(), form.getSteps()}), form(form) {}

private:
  void placeThread() override {
    int64_t threadsAcross = form.getColumns() / form.getThreadColumns();
    row = mul(b, divide(b, thread, threadsAcross), form.getThreadRows());
    column = mul(b, remainder(b, thread, threadsAcross), form.getThreadColumns());
  }
  Memory place(StringRef name, int64_t size, Memory &source) override {
    return sharedMemory(kernel, name, source.element, {form.getSteps(), size + form.padding});
  }
  int64_t sumsOfThread() const override { return form.getThreadRows() * form.getThreadColumns(); }
  std::pair<Index, Index> placeOfSum(int64_t i) override {
    return {row + i / form.getThreadColumns(), column + i % form.getThreadColumns()};
  }
  Values multiply(Values sums) override;

  dlc::gpu::ContractionAttr form;
  Index row, column; ///< of the first sum
};

Values ThreadsCode::multiply(Values sums) {
  bool isFloat = isa<FloatType>(sums[0].getType());
  for (int64_t step = 0; step < form.getSteps(); ++step) {
    Values x, y;
    for (int64_t r = 0; r < form.getThreadRows(); ++r)
      x.push_back(loadAt(b, left.memory, {Index(step), row + r}));
    for (int64_t c = 0; c < form.getThreadColumns(); ++c)
      y.push_back(loadAt(b, right.memory, {Index(step), column + c}));
    for (size_t i = 0; i < sums.size(); ++i) {
      Value a = x[i / form.getThreadColumns()], c = y[i % form.getThreadColumns()];
      sums[i] = isFloat ? math::FmaOp::create(b, a, c, sums[i]).getResult()
                        : arith::AddIOp::create(b, sums[i], arith::MulIOp::create(b, a, c)).getResult();
    }
  }
  return sums;
}

} // namespace

void emitContraction(KernelFunction &kernel) {
  ThreadsCode(kernel, cast<dlc::gpu::ScheduleAttr>(kernel.schedule()).contraction()).emit();
}

} // namespace dlc::codegen::gpu
