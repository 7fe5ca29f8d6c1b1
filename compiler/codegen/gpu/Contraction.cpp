//===- Contraction.cpp - contractions in tiles of a block ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// For operands of any type, stride and size: each thread brings elements to shared memory one by one, zeros
// where the operand ends, and sums up in the order of the steps. What follows the product is computed for
// each element where its sum is in a register.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/gpu/Operands.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/target/gpu/Schedule.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

/// Loops that are one here: those of rows, of columns, of products beside each other, and of steps.
struct Loops {
  SmallVector<int64_t> loops;
  SmallVector<Index, 4> extents;
  Index size;

  void add(Builder &b, int64_t loop, Index extent) {
    loops.push_back(loop);
    extents.push_back(extent);
    size = loops.size() == 1 ? extent : mul(b, size, extent);
  }
  void place(Builder &b, Index number, Point &point) const {
    for (auto [loop, position] : llvm::zip_equal(loops, positionsOf(b, number, extents)))
      point.loops[loop] = position;
  }
};

class ContractionCode {
public:
  explicit ContractionCode(KernelFunction &kernel);
  void emit();

private:
  /// One operand's part of a tile: `size` rows or columns by the steps, of which one column lies behind the
  /// other.
  struct Side {
    OpOperand *operand;
    const Loops *loops;
    int64_t size;
    Index first; ///< of the tile
    Memory memory;
  };
  Side side(unsigned which, const Loops &loops, int64_t size, Index first);
  void bring(const Side &side, Index step);
  Values multiply(Values sums);
  Values start();
  void finish(const Values &sums);
  void finishAt(const Point &point, Value sum);

  Index tiles(const Loops &loops, int64_t size) {
    return loops.size.isConstant() ? Index(llvm::divideCeil(loops.size.offset, size))
                                   : divide(b, loops.size + (size - 1), size);
  }
  /// For each sum of the thread, under the condition that it is an element of the result.
  void forSums(llvm::function_ref<void(const Point &, Value isInside, int64_t)> body);

  KernelFunction &kernel;
  Builder &b;
  Operands operands;
  linalg::GenericOp root;
  dlc::gpu::ScheduleAttr schedule;
  dlc::gpu::ContractionAttr form;
  Type element;
  Loops rows, columns, products, steps;
  Point point;               ///< of the block's product
  Index thread, row, column; ///< of this thread's sums in the tile: the first
  Side left, right;
};

ContractionCode::ContractionCode(KernelFunction &kernel)
    : kernel(kernel), b(kernel.builder()), operands(kernel), root(kernel.operations().front()),
      schedule(cast<dlc::gpu::ScheduleAttr>(kernel.schedule())), form(schedule.contraction()),
      element(getElementTypeOrSelf(root.getResult(0).getType())) {
  rows.size = columns.size = products.size = steps.size = Index(1);
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
  Memory memory =
      sharedMemory(kernel, which == 0 ? "left" : "right", getElementTypeOrSelf(operand->get().getType()),
                   {form.getSteps(), size + form.padding});
  return {operand, &loops, size, first, std::move(memory)};
}

void ContractionCode::emit() {
  for (const Loops *loops : {&rows, &columns, &products})
    if (loops->size.isConstant() && loops->size.offset == 0)
      return; // no results
  thread = threadIndex(b);
  Index across = tiles(columns, form.getColumns()), down = tiles(rows, form.getRows());
  SmallVector<Index, 4> block = positionsOf(b, blockIndex(b), {products.size, down, across});
  point.loops.assign(root.getNumLoops(), Index(0));
  int64_t threadsAcross = form.getColumns() / form.getThreadColumns();
  row = mul(b, divide(b, thread, threadsAcross), form.getThreadRows());
  column = mul(b, remainder(b, thread, threadsAcross), form.getThreadColumns());
  left = side(0, rows, form.getRows(), mul(b, block[1], form.getRows()));
  right = side(1, columns, form.getColumns(), mul(b, block[2], form.getColumns()));
  // Of open sizes, there may be fewer products than blocks are for.
  Value isProduct = isLess(b, block[0], products.size);
  if (products.size.isConstant() && rows.size.isConstant() && columns.size.isConstant())
    isProduct = Value();
  const bool isOneRound = steps.size.isConstant() && steps.size.offset <= form.getSteps();
  where(b, isProduct, [&] {
    kernel.readScalars();
    products.place(b, block[0], point);
    finish(forLoop(b, Index(0), steps.size, form.getSteps(), start(), [&](Index step, Values sums) {
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

/// Brings the operand's elements of some steps to shared memory, an element a thread at a time, in the order
/// in which they lie. All are asked for before the first is stored.
void ContractionCode::bring(const Side &side, Index step) {
  Access access(b, *kernel.memoryOf(side.operand->get()), root.getMatchingIndexingMap(side.operand));
  bool alongSteps = access.stride(steps.loops.back()) == 1;
  int64_t count = side.size * form.getSteps(), threads = schedule.getThreads();
  SmallVector<std::array<Index, 2>> places;
  Values loaded;
  for (int64_t first = 0; first < count; first += threads) {
    Index number = thread + first;
    Index s = alongSteps ? remainder(b, number, form.getSteps()) : divide(b, number, side.size);
    Index d = alongSteps ? divide(b, number, form.getSteps()) : remainder(b, number, side.size);
    Index position = add(b, side.first, d), at = add(b, step, s);
    Value isInside;
    auto check = [&](Index position, Index size, int64_t unit) {
      if (!size.isConstant() || size.offset % unit != 0)
        isInside = both(b, isInside, isLess(b, position, size));
    };
    check(position, side.loops->size, side.size);
    check(at, steps.size, form.getSteps());
    places.push_back({s, d});
    loaded.push_back(where(b, isInside, {side.memory.element}, [&]() -> Values {
                       Point here = point;
                       side.loops->place(b, position, here);
                       steps.place(b, at, here);
                       return {access.load(b, here)};
                     }).front());
  }
  for (auto [place, value] : llvm::zip_equal(places, loaded))
    storeAt(b, side.memory, place, value);
}

Values ContractionCode::multiply(Values sums) {
  for (int64_t step = 0; step < form.getSteps(); ++step) {
    Values x, y;
    for (int64_t r = 0; r < form.getThreadRows(); ++r)
      x.push_back(loadAt(b, left.memory, {Index(step), row + r}));
    for (int64_t c = 0; c < form.getThreadColumns(); ++c)
      y.push_back(loadAt(b, right.memory, {Index(step), column + c}));
    for (size_t i = 0; i < sums.size(); ++i) {
      Value a = x[i / form.getThreadColumns()], c = y[i % form.getThreadColumns()];
      sums[i] = isa<FloatType>(element)
                    ? math::FmaOp::create(b, a, c, sums[i]).getResult()
                    : arith::AddIOp::create(b, sums[i], arith::MulIOp::create(b, a, c)).getResult();
    }
  }
  return sums;
}

void ContractionCode::forSums(llvm::function_ref<void(const Point &, Value, int64_t)> body) {
  for (int64_t i = 0; i < form.getThreadRows() * form.getThreadColumns(); ++i) {
    Index m = add(b, left.first, row + i / form.getThreadColumns());
    Index n = add(b, right.first, column + i % form.getThreadColumns());
    Point here = point;
    rows.place(b, m, here);
    columns.place(b, n, here);
    Value isInside;
    auto check = [&](Index position, const Loops &loops, int64_t unit) {
      if (!loops.size.isConstant() || loops.size.offset % unit != 0)
        isInside = both(b, isInside, isLess(b, position, loops.size));
    };
    check(m, rows, form.getRows());
    check(n, columns, form.getColumns());
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

} // namespace

void emitContraction(KernelFunction &kernel) { ContractionCode(kernel).emit(); }

} // namespace dlc::codegen::gpu
