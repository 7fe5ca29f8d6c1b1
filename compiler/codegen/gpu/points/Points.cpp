//===- Points.cpp - kernels whose threads share points of loops ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/points/Points.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/kernel/Body.h"

using namespace mlir;

namespace dlc::codegen::gpu {

void PointsCode::emit() {
  linalg::GenericOp first = kernel.operations().front();
  SmallVector<Index, 4> sizes = kernel.loopExtents(first);
  sizes.resize(shared);
  thread = threadIndex(b);
  Index block = blockIndex(b), slot = thread;
  if (members > 1) {
    slot = form.getAcross() ? remainder(b, thread, perBlock) : divide(b, thread, members);
    member = form.getAcross() ? divide(b, thread, perBlock) : remainder(b, thread, members);
  }
  Index number = mul(b, add(b, mul(b, block, perBlock), slot), elements), points = productOf(b, sizes);
  point.loops = positionsOf(b, number, sizes);
  if (!points.isConstant() || points.offset != schedule.getGrid() * perBlock * elements)
    isPoint = isLess(b, number, points);
  placeTemporaries(block, slot);
  if (int64_t bytes = dlc::gpu::partialBytes(kernel.getKernel(), form.getPartials()))
    partialMemory = sharedMemory(kernel, "partials", b.getI8Type(), {schedule.getThreads() * bytes}).pointer;
  auto all = [&] {
    kernel.readScalars([&](BlockArgument argument) { return !isReadLater(argument); });
    for (BlockArgument argument : kernel.getKernel().getBody().getArguments())
      if (kernel.scalarInput(argument))
        barriers.before({{argument, /*isWrite=*/false}});
    if (elements > 1)
      return emitNeighbours();
    for (ArrayRef<linalg::GenericOp> rest = kernel.operations(); !rest.empty();) {
      const size_t together = countTogether(rest);
      if (together > 1 || isAlongRow(rest.front()))
        emitTogether(rest.take_front(together));
      else
        emitOperation(rest.front());
      rest = rest.drop_front(together);
    }
  };
  if (members > 1)
    return all();
  Value condition = isPoint;
  isPoint = Value();
  where(b, condition, all);
}

/// What only operations without loops read, and no result overwrites, is read there. Of many such scalars
/// (the sums of all gradients' parts, say), each would be in a register of all threads through the loops
/// before.
bool PointsCode::isReadLater(BlockArgument argument) {
  ArrayRef<int64_t> inplace = schedule.getInplace();
  for (size_t pair = 0; pair < inplace.size(); pair += 2)
    if (inplace[pair] == argument.getArgNumber())
      return false;
  return llvm::all_of(argument.getUsers(), [](Operation *user) {
    auto op = dyn_cast<linalg::GenericOp>(user);
    return op && op.getNumLoops() == 0;
  });
}

void PointsCode::emitNeighbours() {
  const Index first = point.loops.back();
  operands.hold();
  for (int64_t i = 0; i < elements; ++i) {
    point.loops.back() = first + i;
    operands.forget();
    for (linalg::GenericOp op : kernel.operations())
      emitOperation(op);
  }
  operands.release();
}

void PointsCode::emitOperation(linalg::GenericOp op) {
  extents = kernel.loopExtents(op);
  if (int64_t partials = partialsOf(op); partials > 1)
    emitPartials(op, partials);
  else if (own(op).empty())
    emitElement(op);
  else
    emitElements(op);
}

void PointsCode::emitElements(linalg::GenericOp op) {
  const Ownership elements = ownership(/*members=*/1, own(op));
  barriers.before(llvm::to_vector(
      llvm::concat<MemoryAccess>(reads(op, elements), starts(op, elements), writes(op, elements))));
  where(b, isPoint, [&] {
    Index count = productOf(b, own(op));
    forShare(member, count, members, {}, [&](Index number, const Values &) -> Values {
      Point at = pointOf(op, positionsOf(b, number, own(op)));
      write(op, at, compute(op, at));
      return {};
    });
  });
}

Values PointsCode::forShare(Index first, Index count, int64_t threads, Values carried,
                            llvm::function_ref<Values(Index, Values)> body) {
  constexpr int64_t mostTogether = 4;
  int64_t group = mostTogether * threads;
  while (group > threads && (!count.isConstant() || count.offset < group))
    group /= 2;
  if (group == threads)
    return forLoop(b, first, count, threads, std::move(carried), body);
  const int64_t whole = count.offset / group * group;
  carried = forRolled(b, Index(0), Index(whole), group, std::move(carried), [&](Index base, Values next) {
    operands.hold();
    for (int64_t number = 0; number < group; number += threads)
      next = body(add(b, first, base) + number, std::move(next));
    operands.release();
    return next;
  });
  return whole == count.offset ? carried
                               : forLoop(b, first + whole, count, threads, std::move(carried), body);
}

Values PointsCode::forTurns(Values carried, llvm::function_ref<Values(Index, Values)> body) {
  operands.hold();
  for (int64_t turn = 0; turn < form.getTurns(); ++turn) {
    operands.beginTurn(turn);
    carried = body(member + turn * members, std::move(carried));
  }
  operands.endTurns();
  operands.release();
  return carried;
}

void PointsCode::emitElement(linalg::GenericOp op) {
  barriers.before(llvm::to_vector(llvm::concat<MemoryAccess>(reads(op), starts(op))));
  Point at = pointOf(op, {});
  keepElement(op, where(b, isPoint, elementTypes(op), [&] { return compute(op, at); }));
}

/// All threads have the element; one of them writes it, after all have read what it may overwrite.
void PointsCode::keepElement(linalg::GenericOp op, const Values &results) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
    operands.keep(result, value);
  SmallVector<MemoryAccess> written = writes(op, Ownership::onFirst());
  if (written.empty())
    return;
  barriers.before(written);
  Value isWriter = members > 1 ? both(b, isPoint, isLess(b, member, Index(1))) : isPoint;
  where(b, isWriter, [&] { write(op, pointOf(op, {}), results); });
}

Values PointsCode::compute(linalg::GenericOp op, Point at) {
  if (op.getNumReductionLoops() == 0)
    return Values(emitBody(kernel, op, operands.arguments(op, at), at));
  Values sums;
  for (unsigned result = 0; result < op.getNumResults(); ++result)
    sums.push_back(operands.initial(op, result, at));
  return reduce(op, at, op.getNumParallelLoops(), sums);
}

Values PointsCode::reduce(linalg::GenericOp op, Point at, int64_t loop, Values sums) {
  if (loop == int64_t(op.getNumLoops()))
    return Values(emitBody(kernel, op, operands.arguments(op, at, sums), at));
  return forLoop(b, Index(0), extents[loop], 1, sums, [&](Index position, Values carried) {
    Point next = at;
    next.loops[loop] = position;
    return reduce(op, next, loop + 1, carried);
  });
}

void PointsCode::write(linalg::GenericOp op, const Point &at, const Values &results) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
    operands.write(result, at, value);
}

void emitPoints(KernelFunction &kernel) { PointsCode(kernel).emit(); }

} // namespace dlc::codegen::gpu
