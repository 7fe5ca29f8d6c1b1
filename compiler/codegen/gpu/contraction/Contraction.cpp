//===- Contraction.cpp - contractions in tiles of a block ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A block goes through the steps in rounds. While its threads multiply one round, the next ones are on their
// way to shared memory: in copies that run by themselves, so many rounds ahead as there are stages, or in
// registers, one round ahead. The threads meet once a round: then all see what has come, and the stage that
// was multiplied before is free. What follows the product is computed for each element where its sum is in a
// register.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/contraction/Contraction.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "compiler/support/Elements.h"

using namespace mlir;

namespace dlc::codegen::gpu {

ContractionCode::ContractionCode(KernelFunction &kernel, Shape shape, dlc::gpu::CopyAttr leftCopy,
                                 dlc::gpu::CopyAttr rightCopy)
    : kernel(kernel), b(kernel.builder()), root(kernel.operations().front()), operands(kernel),
      schedule(cast<dlc::gpu::ScheduleAttr>(kernel.schedule())), shape(shape),
      element(registerType(getElementTypeOrSelf(root.getResult(0).getType()))) {
  left = {root.getDpsInputOperand(0), &rows, shape.rows, leftCopy, {}, {}, {}};
  right = {root.getDpsInputOperand(1), &columns, shape.columns, rightCopy, {}, {}, {}};
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

void ContractionCode::place(Side &side, StringRef name) {
  side.source = *kernel.memoryOf(side.operand->get());
  side.source.element = broughtType(side.source.element);
  const bool alongSteps = side.isAlongSteps();
  side.tile = Tile(kernel, name, side.source.element, shape.stages, alongSteps ? side.size : shape.steps,
                   alongSteps ? shape.steps : side.size, orderOf(side));
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
  Index across = tiles(columns, shape.columns), down = tiles(rows, shape.rows);
  SmallVector<Index, 4> block = blockOf(down, across);
  point.loops.assign(root.getNumLoops(), Index(0));
  left.first = mul(b, block[1], shape.rows);
  right.first = mul(b, block[2], shape.columns);
  placeThread();
  place(left, "left");
  place(right, "right");
  // With open sizes, there may be fewer products than the blocks are for.
  Value isProduct = isLess(b, block[0], products.size);
  if (products.size.isConstant() && rows.size.isConstant() && columns.size.isConstant())
    isProduct = Value();
  where(b, isProduct, [&] {
    kernel.readScalars();
    products.place(b, block[0], point);
    bringFirst();
    Values carried = start();
    carried.push_back(constantI64(b, 0)); // the stage of the first round
    // A round is long enough as it is: more of them together only need more registers.
    carried = forRolled(b, Index(0), steps.size, shape.steps, carried,
                        [&](Index step, Values carried) { return round(step, std::move(carried)); });
    carried.pop_back();
    finish(results(std::move(carried)));
  });
}

/// The product, and the tile's place in it. Blocks run in the order of their numbers, so those that run at
/// the same time should read the same rows and columns, which then come from the second-level cache: they
/// fill some rows of tiles, not one long one.
SmallVector<Index, 4> ContractionCode::blockOf(Index down, Index across) {
  constexpr int64_t mostRows = 16;
  int64_t together = mostRows;
  if (!down.isConstant() || !across.isConstant() || across.offset <= mostRows)
    together = 1;
  while (down.offset % together)
    together /= 2;
  if (together == 1)
    return positionsOf(b, blockIndex(b), {products.size, down, across});
  SmallVector<Index, 4> place =
      positionsOf(b, blockIndex(b), {products.size, Index(down.offset / together), across, Index(together)});
  return {place[0], add(b, mul(b, place[1], together), place[3]), place[2]};
}

OperandBlock ContractionCode::elementsOf(const Side &side, Index step) const {
  return OperandBlock(b, root, side.operand, side.source, {side.loops, side.first, side.size},
                      {&steps, step, shape.steps}, point);
}

/// Begins the copies of an operand's elements of some steps.
void ContractionCode::copy(const Side &side, Index stage, Index step) {
  const OperandBlock elements = elementsOf(side, step);
  const int64_t bytes = side.copy.getBytes(), together = bytes / elementBytes(side.tile.element);
  const int64_t all = elements.size() / together, threads = schedule.getThreads();
  for (int64_t first = 0; first < all; first += threads) {
    Index number = thread + first;
    where(b, all - first < threads ? isLess(b, number, all) : Value(), [&] {
      OperandBlock::Coordinates place = elements.place(b, mul(b, number, together), side.isAlongSteps());
      Value to = side.tile.address(b, stage, side.place(b, place));
      Value from = elements.address(b, place), isInside = elements.isInside(b, place);
      beginCopy(b, to, from, bytes, isInside);
    });
  }
}

void ContractionCode::copyBoth(Index stage, Index step) {
  for (const Side *side : {&left, &right})
    if (side->copy.getBytes())
      copy(*side, stage, step);
}

/// This thread's elements of some steps, of the operands that are not copied.
Values ContractionCode::loadBoth(Index step) {
  Values values;
  for (const Side *side : {&left, &right})
    if (!side->copy.getBytes()) {
      const OperandBlock elements = elementsOf(*side, step);
      for (int64_t i = 0; i < elements.size(); i += schedule.getThreads())
        values.push_back(elements.load(b, elements.place(b, thread + i, side->isAlongSteps())));
    }
  return values;
}

/// Puts them in a stage.
void ContractionCode::storeBoth(Index stage, ArrayRef<Value> values) {
  for (const Side *side : {&left, &right})
    if (!side->copy.getBytes()) {
      const OperandBlock elements = elementsOf(*side, Index(0));
      for (int64_t i = 0; i < elements.size(); i += schedule.getThreads()) {
        OperandBlock::Coordinates place = elements.place(b, thread + i, side->isAlongSteps());
        storeAt(b, side->tile.at(b, stage, side->place(b, place)), {}, values.consume_front());
      }
    }
}

/// What has to be on its way when the first round begins.
void ContractionCode::bringFirst() {
  for (int64_t stage = 0; stage < std::max<int64_t>(shape.stages - 1, 1); ++stage) {
    const Index step(stage * shape.steps);
    where(b, isLess(b, step, steps.size), [&] {
      copyBoth(Index(stage), step);
      if (stage == 0)
        storeBoth(Index(0), loadBoth(step));
    });
    if (hasCopies())
      endGroup(b);
  }
}

/// The stage some stages further, of which `last` is the last one before `first` comes.
Index ContractionCode::stageAfter(Index stage, int64_t distance, int64_t last, int64_t first) {
  Value isLast = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, stage.base, constantI64(b, last));
  Value from = constantI64(b, first), after = (stage + distance).materialize(b);
  return Index(arith::SelectOp::create(b, isLast, from, after).getResult());
}

/// What goes through registers is stored behind the last round as well.
bool ContractionCode::fillsStagesAgain() const {
  return shape.stages > 1 && (!left.copy.getBytes() || !right.copy.getBytes() || !steps.size.isConstant() ||
                              steps.size.offset > shape.stages * shape.steps);
}

/// The products of one round; the last value is its stage. Of copies there is a group for each round, also
/// for those behind the last one, so that the number of groups tells which rounds have come.
Values ContractionCode::round(Index step, Values carried) {
  const Index stage(carried.pop_back_val());
  if (hasCopies())
    waitForGroups(b, std::max<int64_t>(shape.stages - 2, 0));
  beforeMeeting(fillsStagesAgain());
  barrier(b);
  if (shape.stages == 1) {
    carried = multiply(Index(0), std::move(carried));
    carried.push_back(stage.base);
    return carried;
  }
  const Index next = stageAfter(stage, 1, shape.stages - 1, 0);
  const Index before = stageAfter(stage, -1, 0, shape.stages - 1);
  const Index copied = step + (shape.stages - 1) * shape.steps, loaded = step + shape.steps;
  if (hasCopies()) {
    where(b, isLess(b, copied, steps.size), [&] { copyBoth(before, copied); });
    endGroup(b);
  }
  SmallVector<Type> types;
  for (const Side *side : {&left, &right})
    if (!side->copy.getBytes())
      types.append(side->size * shape.steps / schedule.getThreads(), registerType(side->tile.element));
  Values values = where(b, isLess(b, loaded, steps.size), types, [&] { return loadBoth(loaded); });
  carried = multiply(stage, std::move(carried));
  storeBoth(next, values); // behind the last round zeros, which nobody reads
  carried.push_back(next.base);
  return carried;
}

void ContractionCode::forSums(llvm::function_ref<void(const Point &, Value, int64_t)> body) {
  for (int64_t i = 0; i < sumsOfThread(); ++i) {
    auto [row, column] = placeOfSum(i);
    Index m = add(b, left.first, row), n = add(b, right.first, column);
    Point here = point;
    rows.place(b, m, here);
    columns.place(b, n, here);
    Span down{&rows, left.first, shape.rows}, across{&columns, right.first, shape.columns};
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

int64_t ContractionCode::sumsTogether() const {
  int64_t together = neighbouringSums();
  while (!columns.size.isConstant() || columns.size.offset % together)
    if ((together /= 2) <= 1)
      return 1;
  return together;
}

/// Neighbours are written one after the other, behind what is read for them.
void ContractionCode::finish(const Values &sums) {
  const int64_t together = sumsTogether();
  SmallVector<std::pair<Point, Value>> places;
  forSums([&](const Point &here, Value isInside, int64_t) { places.push_back({here, isInside}); });
  for (int64_t first = 0; first < int64_t(places.size()); first += together)
    where(b, places[first].second, [&] {
      operands.hold();
      for (int64_t i = first; i < first + together; ++i)
        finishAt(places[i].first, sums[i]);
      operands.release();
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

} // namespace dlc::codegen::gpu
