//===- Points.cpp - kernels whose threads share points of loops ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where several threads work on a point, they must meet between operations: what one wrote, others read, and
// what one overwrites (an output may have the place of an input), others have read. Barriers are for all
// threads of the block, so those without a point of their own come along and only skip what is between.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/gpu/Meetings.h"
#include "compiler/codegen/gpu/Operands.h"
#include "compiler/codegen/kernel/Body.h"
#include "compiler/support/Elements.h"
#include "compiler/target/gpu/Schedule.h"
#include "dialects/train/KernelSizes.h"
#include "dialects/train/Reductions.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen::gpu {
namespace {

class PointsCode {
public:
  explicit PointsCode(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()), operands(kernel),
        schedule(cast<dlc::gpu::ScheduleAttr>(kernel.schedule())), form(schedule.points()),
        members(form.getMembers()), perBlock(schedule.getThreads() / members), shared(kernel.shared()),
        meetings(kernel, members == 1) {}

  void emit();

private:
  void placeTemporaries(Index block, Index slot);
  void emitOperation(linalg::GenericOp op);
  /// Elements of a point, each of which is one thread's.
  void emitElements(linalg::GenericOp op);
  /// The one element of a point, which all its threads have afterwards.
  void emitElement(linalg::GenericOp op);
  /// Reductions in partial results.
  void emitPartials(linalg::GenericOp op, int64_t partials);
  void combinePartials(linalg::GenericOp op, int64_t partials, Index number, const Values &partial);
  void keepElement(linalg::GenericOp op, const Values &results);
  Values compute(linalg::GenericOp op, Point at);
  Values reduce(linalg::GenericOp op, Point at, int64_t loop, Values sums);
  Values reducePart(linalg::GenericOp op, Point at, Index first, int64_t partials);
  void write(linalg::GenericOp op, const Point &at, const Values &results);

  /// The sizes of an operation's own parallel loops, and of its reductions.
  ArrayRef<Index> own(linalg::GenericOp op) {
    return ArrayRef(extents).slice(shared, op.getNumParallelLoops() - shared);
  }
  ArrayRef<Index> reductions(linalg::GenericOp op) {
    return ArrayRef(extents).drop_front(op.getNumParallelLoops());
  }
  Point pointOf(linalg::GenericOp op, ArrayRef<Index> ownPositions) {
    Point at = point;
    at.loops.append(ownPositions.begin(), ownPositions.end());
    at.loops.resize(op.getNumLoops());
    return at;
  }
  SmallVector<Type> elementTypes(linalg::GenericOp op) {
    return llvm::map_to_vector(op->getResultTypes(), [](Type type) { return getElementTypeOrSelf(type); });
  }
  int64_t partialsOf(linalg::GenericOp op) {
    ArrayRef<int64_t> all = form.getPartials();
    return all.empty() ? 1 : all[llvm::find(kernel.operations(), op) - kernel.operations().begin()];
  }
  /// What an operation reads at a point, and where its sums begin; what it writes. Elements are spread over
  /// threads by the groups of `partials` that have one each; 0: any thread may touch any element.
  SmallVector<Touch> reads(linalg::GenericOp op, int64_t partials);
  SmallVector<Touch> starts(linalg::GenericOp op, int64_t partials);
  SmallVector<Touch> writes(linalg::GenericOp op, int64_t partials);
  Spread spreadOf(linalg::GenericOp op, OpOperand &operand, int64_t partials) {
    if (partials == 0)
      return {};
    return {partials, llvm::to_vector<4>(own(op)), op.getMatchingIndexingMap(&operand).getResults()};
  }

  KernelFunction &kernel;
  Builder &b;
  Operands operands;
  dlc::gpu::ScheduleAttr schedule;
  dlc::gpu::PointsAttr form;
  int64_t members, perBlock, shared;
  Meetings meetings;
  Index thread, member;            ///< numbers of this thread: in its block, and among those of its point
  Point point;                     ///< of the shared loops
  Value isPoint;                   ///< whether there is one for this thread; null: always
  SmallVector<Index, 4> extents;   ///< of the operation that is emitted
  Value partialMemory;             ///< shared
  SmallVector<Memory> partialSums; ///< by result, there: one for each thread
};

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
  Index number = add(b, mul(b, block, perBlock), slot), points = productOf(b, sizes);
  point.loops = positionsOf(b, number, sizes);
  if (!points.isConstant() || points.offset != schedule.getGrid() * perBlock)
    isPoint = isLess(b, number, points);
  placeTemporaries(block, slot);
  if (int64_t bytes = dlc::gpu::partialBytes(kernel.getKernel(), form.getPartials()))
    partialMemory = sharedMemory(kernel, "partials", b.getI8Type(), {schedule.getThreads() * bytes}).pointer;
  auto all = [&] {
    kernel.readScalars();
    for (BlockArgument argument : kernel.getKernel().getBody().getArguments())
      if (kernel.scalarInput(argument))
        meetings.before({{argument, /*isWrite=*/false}});
    for (linalg::GenericOp op : kernel.operations())
      emitOperation(op);
  };
  if (members > 1)
    return all();
  Value condition = isPoint;
  isPoint = Value();
  where(b, condition, all);
}

/// Where a point keeps what operations hand to each other: in shared memory, in scratch, or in the thread's
/// own memory, one temporary after the other.
void PointsCode::placeTemporaries(Index block, Index slot) {
  auto temporaries = train::temporariesOf(kernel.getKernel(), kernel.operations(), shared);
  int64_t bytes = 0;
  for (const train::Temporary &temporary : temporaries)
    bytes += temporary.bytes(1, 0);
  if (bytes == 0)
    return;
  Value start;
  if (form.getShared() > 0) {
    Memory rows = sharedMemory(kernel, "rows", b.getI8Type(), {perBlock, form.getShared()});
    start = pointerAt(b, rows.pointer, mul(b, slot, form.getShared()));
  } else if (Value scratch = kernel.scratch()) {
    start = pointerAt(b, scratch, mul(b, add(b, mul(b, block, perBlock), slot), bytes));
  } else {
    start = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(),
                                   constantI64(b, bytes), 16);
  }
  int64_t offset = 0;
  for (const train::Temporary &temporary : temporaries) {
    Memory memory{pointerAt(b, start, Index(offset)), getElementTypeOrSelf(temporary.result.getType()),
                  SmallVector<Index, 4>(temporary.sizes.size(), Index(0))};
    int64_t step = 1;
    for (int64_t axis = int64_t(temporary.sizes.size()) - 1; axis >= 0; --axis)
      if (temporary.sizes[axis] != 0) {
        memory.strides[axis] = Index(step);
        step *= temporary.sizes[axis];
      }
    operands.place(temporary.result, std::move(memory));
    offset += temporary.bytes(1, 0);
  }
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

SmallVector<Touch> PointsCode::reads(linalg::GenericOp op, int64_t partials) {
  SmallVector<Touch> touches;
  for (OpOperand *input : op.getDpsInputOperands())
    if (operands.isInMemory(*input) && !op.getMatchingBlockArgument(input).use_empty())
      touches.push_back({input->get(), /*isWrite=*/false, spreadOf(op, *input, partials)});
  op.getBlock()->walk([&](Operation *inner) { // at computed places
    for (Value operand : inner->getOperands())
      if (isa<TensorType>(operand.getType()))
        touches.push_back({operand, /*isWrite=*/false});
  });
  return touches;
}

SmallVector<Touch> PointsCode::starts(linalg::GenericOp op, int64_t partials) {
  SmallVector<Touch> touches;
  for (OpOperand &init : op.getDpsInitsMutable())
    if (operands.isInMemory(init) &&
        (op.getNumReductionLoops() > 0 || !op.getMatchingBlockArgument(&init).use_empty()))
      touches.push_back({init.get(), /*isWrite=*/false, spreadOf(op, init, partials)});
  return touches;
}

SmallVector<Touch> PointsCode::writes(linalg::GenericOp op, int64_t partials) {
  SmallVector<Touch> touches;
  for (OpResult result : op->getResults())
    if (operands.isInMemory(result))
      touches.push_back({result, /*isWrite=*/true,
                         spreadOf(op, *op.getDpsInitOperand(result.getResultNumber()), partials)});
  return touches;
}

void PointsCode::emitElements(linalg::GenericOp op) {
  meetings.before(llvm::to_vector(llvm::concat<Touch>(reads(op, /*partials=*/1), starts(op, /*partials=*/1),
                                                      writes(op, /*partials=*/1))));
  where(b, isPoint, [&] {
    Index count = productOf(b, own(op));
    forLoop(b, member, count, members, [&](Index number) {
      Point at = pointOf(op, positionsOf(b, number, own(op)));
      write(op, at, compute(op, at));
    });
  });
}

void PointsCode::emitElement(linalg::GenericOp op) {
  meetings.before(
      llvm::to_vector(llvm::concat<Touch>(reads(op, /*partials=*/0), starts(op, /*partials=*/0))));
  Point at = pointOf(op, {});
  keepElement(op, where(b, isPoint, elementTypes(op), [&] { return compute(op, at); }));
}

/// Of the threads, which all have the element, one writes it after all have read what it may overwrite.
void PointsCode::keepElement(linalg::GenericOp op, const Values &results) {
  for (auto [result, value] : llvm::zip_equal(op->getResults(), results))
    operands.keep(result, value);
  SmallVector<Touch> written = writes(op, /*partials=*/0);
  if (written.empty())
    return;
  meetings.before(written);
  Value isWriter = members > 1 ? both(b, isPoint, isLess(b, member, Index(1))) : isPoint;
  where(b, isWriter, [&] { write(op, pointOf(op, {}), results); });
}

/// Threads of a point are cut into groups of `partials`, each of which has one element at a time.
void PointsCode::emitPartials(linalg::GenericOp op, int64_t partials) {
  int64_t groups = members / partials;
  Index group = divide(b, member, partials), number = remainder(b, member, partials);
  const bool hasOwn = !own(op).empty();
  Index count = hasOwn ? productOf(b, own(op)) : Index(1);
  const bool isSurelyOnce = count.isConstant() && count.offset > 0 && count.offset <= groups;
  const Meetings::State earlier = meetings.state();
  forLoop(b, Index(0), count, groups, [&](Index base) {
    // In a loop, what the last iteration had in the same memory must have been read.
    if (!isSurelyOnce)
      meetings.meet();
    SmallVector<Touch> touches = reads(op, /*partials=*/0);
    touches.push_back({partialMemory, /*isWrite=*/true});
    meetings.before(touches);
    Index element = add(b, base, group);
    Point at = pointOf(op, positionsOf(b, element, own(op)));
    Value isElement = groups > 1 || hasOwn ? both(b, isPoint, isLess(b, element, count)) : isPoint;
    Values partial =
        where(b, isElement, elementTypes(op), [&] { return reducePart(op, at, number, partials); });
    combinePartials(op, partials, number, partial);
    auto totals = [&](Index leader) {
      Values totals;
      for (unsigned result = 0; result < op.getNumResults(); ++result) {
        Value initial = operands.initial(op, result, at);
        totals.push_back(codegen::combine(b, train::combinerOf(op, result), initial,
                                          loadAt(b, partialSums[result], {leader})));
      }
      return totals;
    };
    if (hasOwn) { // the first thread of a group has its sum
      meetings.before(llvm::to_vector(llvm::concat<Touch>(starts(op, partials), writes(op, partials))));
      where(b, both(b, isElement, isLess(b, number, Index(1))), [&] { write(op, at, totals(thread)); });
    } else { // all threads of the point take it
      touches = starts(op, /*partials=*/0);
      touches.push_back({partialMemory, /*isWrite=*/false});
      meetings.before(touches);
      Index leader = form.getAcross() ? remainder(b, thread, perBlock) : sub(b, thread, member);
      keepElement(op, where(b, isPoint, elementTypes(op), [&] { return totals(leader); }));
    }
  });
  if (!count.isConstant() || count.offset == 0)
    meetings.mayBeSkipped(earlier);
}

/// Adds up the partial results of each group, in a tree: number 0 has the sum afterwards.
void PointsCode::combinePartials(linalg::GenericOp op, int64_t partials, Index number,
                                 const Values &partial) {
  partialSums.clear();
  int64_t before = 0; // bytes of a thread
  for (Value value : partial) {
    Value start = pointerAt(b, partialMemory, Index(before * schedule.getThreads()));
    partialSums.push_back({start, value.getType(), {Index(1)}});
    before += elementBytes(value);
    storeAt(b, partialSums.back(), {thread}, value);
  }
  for (int64_t half = partials / 2; half >= 1; half /= 2) {
    meetings.meet();
    meetings.before({{partialMemory, /*isWrite=*/true}});
    Index other = thread + half * (form.getAcross() ? perBlock : 1);
    where(b, isLess(b, number, Index(half)), [&] {
      for (auto [result, memory] : llvm::enumerate(partialSums)) {
        Value mine = loadAt(b, memory, {thread}), theirs = loadAt(b, memory, {other});
        storeAt(b, memory, {thread}, codegen::combine(b, train::combinerOf(op, result), mine, theirs));
      }
    });
  }
}

/// The terms `first`, `first + partials` ...
Values PointsCode::reducePart(linalg::GenericOp op, Point at, Index first, int64_t partials) {
  Values neutral = neutralElements(b, op, {at});
  return forLoop(b, first, productOf(b, reductions(op)), partials, neutral, [&](Index term, Values sums) {
    Point here = at;
    for (auto [loop, position] : llvm::enumerate(positionsOf(b, term, reductions(op))))
      here.loops[op.getNumParallelLoops() + loop] = position;
    return Values(emitBody(kernel, op, operands.arguments(op, here, sums), here));
  });
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

} // namespace

void emitPoints(KernelFunction &kernel) { PointsCode(kernel).emit(); }

} // namespace dlc::codegen::gpu
