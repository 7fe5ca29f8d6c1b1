//===- Contraction.cpp - matrix products with what follows them ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/Contraction.h"
#include "compiler/analysis/KernelSizes.h"
#include "compiler/codegen/cpu/contraction/TileCode.h"
#include "dialects/train/Nonzero.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

class Contraction {
public:
  explicit Contraction(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()), schedule(scheduleOf(kernel)), form(schedule.contraction()),
        shape(form.getTile()), packing(form.getPacking()), root(kernel.operations().front()), code(kernel) {}
  void emit();

private:
  using Ranges = SmallVector<Range>; ///< of the root's loops

  void placeCopies(Index firstChunk, Index chunks);
  /// Whether a packed copy covers one chunk along the loop, of which a thread may have several: it holds
  /// everything that the loop reads of a coordinate, and is not packed anew for each of its iterations.
  bool isChunkCopied(int64_t loop);
  void emitChunks(ArrayRef<cpu::SplitAttr> split, const Ranges &ranges);
  /// Emits loop number `depth` of the nest, and what is inside.
  void emitNest(size_t depth, const Ranges &ranges);
  Range blockAt(int64_t loop, const Range &range, Index position, int64_t size);
  void forBlocks(int64_t loop, const Range &range, int64_t size,
                 llvm::function_ref<void(const Range &)> body);
  Ranges withoutZeros(const Ranges &ranges);
  Value whenToCopy(int64_t loop, int64_t other, size_t depth);
  void emitColumns(const Ranges &ranges);
  void emitRows(const Ranges &ranges, Index lane, int64_t vectors, Value mask);
  /// Emits the tile at a row and a column, without terms that do not count.
  void emitTileAt(const RegisterTile &tile, Index row, Index lane);
  void emitTile(const RegisterTile &tile) {
    if (code.prefetcher.hasEpilogue())
      code.whereLast([&] { code.prefetcher.epilogueOf(tile); });
    code.finish(tile, code.reduce(tile, code.initialize(tile)));
  }

  KernelFunction &kernel;
  Builder &b;
  cpu::ScheduleAttr schedule;
  cpu::ContractionAttr form;
  cpu::TileAttr shape;
  cpu::PackingAttr packing;
  linalg::GenericOp root;
  TileCode code;
};

void Contraction::emit() {
  SmallVector<Index> extents;
  for (const Range &range : code.block)
    extents.push_back(range.high);
  code.tileCore().enter();
  forChunks(kernel, extents, [&](const Chunks &chunks) {
    Ranges ranges(chunks.ranges);
    for (auto [loop, position] : llvm::enumerate(kernel.outer()))
      ranges[loop] = {position, position + 1};
    placeCopies(chunks.first, chunks.number);
    emitChunks(schedule.getSplit(), ranges);
  });
  code.tileCore().leave();
}

bool Contraction::isChunkCopied(int64_t loop) {
  auto isHeld = [&](int64_t own, int64_t other, int64_t depth) {
    const size_t outside = std::clamp<int64_t>(depth, 0, form.getNest().size());
    return depth >= 0 && loop != own &&
           root.getMatchingIndexingMap(&cpu::operandAlong(root, own, other)).isFunctionOfDim(loop) &&
           llvm::none_of(form.getNest().take_front(outside),
                         [&](cpu::BlockAttr block) { return block.getLoop() == loop; });
  };
  return isHeld(shape.getLane(), shape.getRow(), packing.getColumns()) ||
         isHeld(shape.getRow(), shape.getLane(), packing.getRows());
}

void Contraction::emitChunks(ArrayRef<cpu::SplitAttr> split, const Ranges &ranges) {
  if (split.empty())
    return emitNest(0, ranges);
  const int64_t loop = split.front().getLoop();
  if (!isChunkCopied(loop))
    return emitChunks(split.drop_front(), ranges);
  forBlocks(loop, ranges[loop], split.front().getSize(), [&](const Range &here) {
    Ranges inside = ranges;
    inside[loop] = here;
    emitChunks(split.drop_front(), inside);
  });
}

/// Allocates packed operands and sums in the kernel's scratch, else on the stack.
void Contraction::placeCopies(Index firstChunk, Index chunks) {
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel.getKernel(), root);
  if (kernel.current().block) {
    int64_t &bound = bounds[kernel.outer().size()];
    bound = std::min(bound, kernel.current().blockSize);
  }
  cpu::ContractionScratch sizes(root, schedule, bounds);
  Type byte = b.getI8Type();
  Index used = mul(b, firstChunk, sizes.bytes());
  auto place = [&](int64_t bytes) -> Value {
    if (bytes == 0)
      return Value();
    if (Value scratch = kernel.scratch()) {
      Value result = pointerAt(b, scratch, used);
      used = add(b, used, mul(b, chunks, bytes));
      return result;
    }
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.entry());
    return LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), byte, constantI64(b, bytes),
                                  64);
  };
  int64_t lane = shape.getLane(), row = shape.getRow();
  if (Value memory = place(sizes.columnsBytes()))
    code.operands.columns.emplace(kernel, root, cpu::operandAlong(root, lane, row), lane, sizes.columns,
                                  memory);
  if (Value memory = place(sizes.rowsBytes()))
    code.operands.rows.emplace(kernel, root, cpu::operandAlong(root, row, lane), row, sizes.rows, memory);
  code.partial.emplace(kernel, root, sizes.sums, place(sizes.sumsBytes()));
}

/// What is left of the range from `position` on, at most `size` iterations.
Range Contraction::blockAt(int64_t loop, const Range &range, Index position, int64_t size) {
  Index extent = code.loops.extent(loop);
  cpu::SplitAttr split = schedule.splitOf(loop);
  bool areWhole = size == 1 || (extent.isConstant() && extent.offset % size == 0 && !kernel.isBlocked(loop) &&
                                (!split || split.getSize() % size == 0));
  return {position, areWhole ? position + size : min(b, position + size, range.high)};
}

/// Emits the range in blocks, in the loop's direction.
void Contraction::forBlocks(int64_t loop, const Range &range, int64_t size,
                            llvm::function_ref<void(const Range &)> body) {
  const bool descends = code.loops.reduction().descends(loop);
  Index beyond;
  if (descends) { // the position where the last block begins, mirrored
    Index length = sub(b, range.high, range.low), twiceLow = add(b, range.low, range.low);
    beyond = add(b, twiceLow, mul(b, divide(b, length + -1, size), size));
  }
  forLoop(b, range.low, range.high, size, [&](Index position) {
    body(blockAt(loop, range, descends ? sub(b, beyond, position) : position, size));
  });
}

/// The ranges of reduction loops without terms that are known to be zero because of where the loops of the
/// nest are.
Contraction::Ranges Contraction::withoutZeros(const Ranges &ranges) {
  Ranges result = ranges;
  IntegerSet terms = train::nonzeroTerms(root);
  auto isFixed = [&](int64_t loop) {
    return llvm::any_of(form.getNest(), [&](cpu::BlockAttr block) {
      return block.getLoop() == loop && block.getSize() == 1;
    });
  };
  for (AffineExpr atLeastZero : terms ? terms.getConstraints() : ArrayRef<AffineExpr>()) {
    SmallVector<int64_t> factors = cpu::coefficientsOf(atLeastZero, root.getNumLoops());
    auto moves = [&](int64_t loop) { return factors[loop] != 0 && !isFixed(loop); };
    auto isReduced = [&](int64_t loop) { return factors[loop] != 0 && code.loops.isReduced(loop); };
    auto loops = llvm::seq<int64_t>(root.getNumLoops());
    SmallVector<int64_t> moving = llvm::to_vector(llvm::make_filter_range(loops, moves));
    if (moving.empty()) // of a block of one iteration, all terms or none
      moving = llvm::to_vector(llvm::make_filter_range(loops, isReduced));
    if (moving.size() != 1 || !isReduced(moving.front()))
      continue;
    Index rest(factors.back());
    for (int64_t loop : loops)
      if (factors[loop] != 0 && loop != moving.front())
        rest = add(b, rest, mul(b, ranges[loop].low, factors[loop]));
    // factor * position + rest >= 0. Positions are not negative, so quotients below 0 may be rounded up.
    Range &range = result[moving.front()];
    int64_t factor = factors[moving.front()], steps = std::abs(factor);
    auto quotient = [&](Index x) { return steps == 1 ? x : onWhole<arith::DivSIOp>(b, x, Index(steps)); };
    if (factor > 0)
      range.low = onWhole<arith::MaxSIOp>(b, range.low, quotient(mul(b, rest, -1) + (steps - 1)));
    else
      range.high = min(b, range.high, quotient(rest + steps));
  }
  return result;
}

/// The condition on which the operand along `loop` is packed inside of the first `depth` loops of the nest;
/// null where it always is. A packed copy that neither these loops nor the blocks of a loop change is kept.
Value Contraction::whenToCopy(int64_t loop, int64_t other, size_t depth) {
  bool isOutside = llvm::all_of(form.getNest().take_front(depth), [&](cpu::BlockAttr block) {
    return block.getLoop() < int64_t(kernel.outer().size());
  });
  AffineMap map = root.getMatchingIndexingMap(&cpu::operandAlong(root, loop, other));
  return isOutside && !map.isFunctionOfDim(kernel.outer().size()) ? kernel.current().isFirstBlock : Value();
}

void Contraction::emitNest(size_t depth, const Ranges &ranges) {
  if (packing.getColumns() == int64_t(depth))
    code.operands.columns->copy(ranges, whenToCopy(shape.getLane(), shape.getRow(), depth));
  if (packing.getRows() == int64_t(depth))
    code.operands.rows->copy(ranges, whenToCopy(shape.getRow(), shape.getLane(), depth));
  if (depth == form.getNest().size())
    return emitColumns(withoutZeros(ranges));

  cpu::BlockAttr entry = form.getNest()[depth];
  int64_t loop = entry.getLoop();
  bool isReduction = code.loops.isReduced(loop);
  Value first = code.isFirst, last = code.isLast;
  if (isReduction && !first)
    code.partial->begin(ranges);
  forBlocks(loop, ranges[loop], entry.getSize(), [&](const Range &here) {
    Ranges inside = ranges;
    inside[loop] = here;
    if (isReduction) {
      auto isAt = [&](Index place, Index end, Value outside) -> Value {
        Value x = place.materialize(b), y = end.materialize(b);
        Value here = arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, y);
        return outside ? arith::AndIOp::create(b, outside, here).getResult() : here;
      };
      Index begin(0), end = code.loops.extent(loop);
      const bool descends = code.loops.reduction().descends(loop);
      code.isFirst = descends ? isAt(here.high, end, first) : isAt(here.low, begin, first);
      code.isLast = descends ? isAt(here.low, begin, last) : isAt(here.high, end, last);
    }
    emitNest(depth + 1, inside);
  });
  code.isFirst = first;
  code.isLast = last;
}

void Contraction::emitColumns(const Ranges &ranges) {
  code.block = ranges;
  int64_t loop = shape.getLane();
  Index low = ranges[loop].low, high = ranges[loop].high;
  if (schedule.getLanes() == 1) // scalar code: the lane loop is an ordinary one
    return forLoop(b, low, high, 1, [&](Index lane) { emitRows(ranges, lane, 1, Value()); });
  forVectors(b, low, high, code.loops.extent(loop), schedule.getLanes(), shape.getVectors(),
             [&](Index lane, int64_t vectors, Value mask) {
               if (form.packsColumnsInTurn())
                 code.operands.columns->copyPanel(ranges, lane, vectors, mask);
               emitRows(ranges, lane, vectors, mask);
             });
}

void Contraction::emitTileAt(const RegisterTile &tile, Index row, Index lane) {
  std::optional<train::Triangle> triangle = kernel.triangle(root);
  if (!triangle)
    return emitTile(tile);
  auto [upTo, beyond, offset] = *triangle;
  auto firstOf = [&](int64_t loop) { return loop == shape.getRow() ? row : lane; };
  auto lastOf = [&](int64_t loop) {
    return loop == shape.getRow() ? row + (tile.rows - 1) : lane + (tile.vectors * schedule.getLanes() - 1);
  };
  auto isReduced = [&](int64_t loop) { return code.loops.isReduced(loop); };
  if (!isReduced(upTo) && !isReduced(beyond))
    return ifLess(b, kernel.beginUpTo(*triangle, firstOf(beyond), code.loops.extent(upTo)), lastOf(upTo) + 1,
                  [&] { emitTile(tile); });
  SmallVector<Range> all = code.block;
  if (isReduced(beyond))
    code.block[beyond].high =
        min(b, kernel.endBeyond(*triangle, lastOf(upTo), code.loops.extent(beyond)), all[beyond].high);
  else
    code.block[upTo].low = onWhole<arith::MaxSIOp>(
        b, kernel.beginUpTo(*triangle, firstOf(beyond), code.loops.extent(upTo)), all[upTo].low);
  emitTile(tile);
  code.block = all;
}

void Contraction::emitRows(const Ranges &ranges, Index lane, int64_t vectors, Value mask) {
  Point point;
  for (const Range &range : ranges)
    point.loops.push_back(range.low);
  auto tileAt = [&](Index row, int64_t rows, bool aligned) {
    return code.tileAt(point, row, rows, lane, vectors, mask, aligned);
  };
  if (shape.getRow() < 0)
    return emitTile(tileAt(Index(0), 1, false));
  if (code.epilogue.decidesFirst())
    code.whereLast([&] {
      code.epilogue.makeMasks(ranges[shape.getRow()],
                              [&](Index row) { return tileAt(row, cpu::rowsOfWords, true); });
    });
  // Chunks and blocks begin at whole tiles.
  int64_t rows = shape.getRows();
  const bool takesAny = code.tileCore().takesAnyRows();
  auto whole = [&](Index row) { return tileAt(row, rows, rows % 8 == 0 && !takesAny); };
  auto emitRest = [&](Index row, Index count) {
    RegisterTile tile = whole(row);
    tile.inside = count;
    emitTileAt(tile, row, lane);
  };
  Index low = ranges[shape.getRow()].low, high = ranges[shape.getRow()].high;
  if (Index extent = code.loops.extent(shape.getRow()); extent.isConstant()) {
    int64_t rest = extent.offset % rows;
    Index end = rest ? min(b, high, Index(extent.offset - rest)) : high;
    if (code.epilogue.pipeline() > 0)
      ifLess(b, low, end, [&] { emitPipelinedRows(kernel, code, {low, end}, whole); });
    else
      forLoop(b, low, end, rows, [&](Index row) { emitTileAt(whole(row), row, lane); });
    Index restAt(extent.offset - rest);
    if (rest)
      ifLess(b, restAt, high, [&] {
        if (takesAny)
          emitRest(restAt, Index(rest));
        else
          emitTileAt(tileAt(restAt, rest, restAt.offset % 8 == 0), restAt, lane);
      });
    return;
  }
  // Emits whole tiles, then the rest as one tile or row by row; nothing where a chunk begins behind the last
  // row.
  Value span = sub(b, high, low).materialize(b);
  Value unit = constantI64(b, rows);
  Value tiles = arith::MulIOp::create(b, arith::DivSIOp::create(b, span, unit), unit);
  Index middle = add(b, low, Index(tiles));
  forLoop(b, low, middle, rows, [&](Index row) { emitTileAt(whole(row), row, lane); });
  if (takesAny)
    return ifLess(b, middle, high, [&] { emitRest(middle, sub(b, high, middle)); });
  forLoop(b, middle, high, 1, [&](Index row) { emitTileAt(tileAt(row, 1, false), row, lane); });
}

} // namespace

void emitContraction(KernelFunction &kernel) { Contraction(kernel).emit(); }

} // namespace dlc::codegen
