//===- VectorLoops.cpp - loops cut into chunks and vectors -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/VectorLoops.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

cpu::ScheduleAttr scheduleOf(KernelFunction &kernel) { return cast<cpu::ScheduleAttr>(kernel.schedule()); }

namespace {

class ChunkLoops {
public:
  ChunkLoops(KernelFunction &kernel, ArrayRef<Index> extents, llvm::function_ref<void(const Chunks &)> body)
      : b(kernel.builder()), extents(extents), body(body) {}

  /// Emits the chunks from `begin` to `end` of a grid, which begins at chunk `origin`.
  void emit(ArrayRef<cpu::SplitAttr> grid, Index begin, Index end, Index origin, Chunks &chunks);

private:
  void setRange(cpu::SplitAttr split, Index begin, Index end, Chunks &chunks) {
    Index low = mul(b, begin, split.getSize());
    // The number must carry no offset into loops that start at it.
    chunks.ranges[split.getLoop()] = {Index(low.materialize(b)),
                                      min(b, mul(b, end, split.getSize()), extents[split.getLoop()])};
  }
  void emitBoxes(cpu::SplitAttr outer, cpu::SplitAttr inner, Index begin, Index end, Index origin,
                 Chunks &chunks);

  Builder &b;
  ArrayRef<Index> extents;
  llvm::function_ref<void(const Chunks &)> body;
};

void ChunkLoops::emit(ArrayRef<cpu::SplitAttr> grid, Index begin, Index end, Index origin, Chunks &chunks) {
  if (grid.size() == 1) {
    setRange(grid[0], begin, end, chunks);
    chunks.first = add(b, origin, begin);
    chunks.number = sub(b, end, begin);
    return body(chunks);
  }
  if (grid.size() == 2)
    return emitBoxes(grid[0], grid[1], begin, end, origin, chunks);
  int64_t inside = 1;
  for (cpu::SplitAttr split : grid.drop_front())
    inside *= split.getChunks();
  Index firstRow = divide(b, begin, inside), endRow = divide(b, end + (inside - 1), inside);
  forLoop(b, firstRow, endRow, 1, [&](Index position) {
    setRange(grid[0], position, position + 1, chunks);
    Index first = mul(b, position, inside);
    Index low = sub(b, onWhole<arith::MaxSIOp>(b, begin, first), first);
    Index high = sub(b, min(b, end, first + inside), first);
    emit(grid.drop_front(), low, high, add(b, origin, first), chunks);
  });
}

/// The chunks are the rest of a first row of the grid, then whole rows, then the beginning of a last one: any
/// of these may be missing.
void ChunkLoops::emitBoxes(cpu::SplitAttr outer, cpu::SplitAttr inner, Index begin, Index end, Index origin,
                           Chunks &chunks) {
  int64_t row = inner.getChunks();
  forRolled(b, Index(0), Index(3), 1, {begin.materialize(b)}, [&](Index, Values carried) -> Values {
    Index at(carried[0]), inRow = remainder(b, at, row), left = sub(b, end, at);
    Index wholeRows = sub(b, left, remainder(b, left, row));
    auto is = [&](arith::CmpIPredicate predicate, Index x, Index y) -> Value {
      Value first = x.materialize(b), second = y.materialize(b);
      return arith::CmpIOp::create(b, predicate, first, second);
    };
    Value begins = is(arith::CmpIPredicate::eq, inRow, Index(0));
    Value enough = is(arith::CmpIPredicate::sge, left, Index(row));
    Value isWhole = arith::AndIOp::create(b, begins, enough);
    auto either = [&](Index whole, Index part) {
      Value x = whole.materialize(b), y = part.materialize(b);
      return Index(arith::SelectOp::create(b, isWhole, x, y).getResult());
    };
    Index number = either(wholeRows, min(b, left, onWhole<arith::SubIOp>(b, Index(row), inRow)));
    Index next = add(b, at, number);
    ifLess(b, at, end, [&] {
      Index firstRow = divide(b, at, row), endRow = divide(b, next + (row - 1), row);
      setRange(outer, firstRow, endRow, chunks);
      setRange(inner, inRow, either(Index(row), add(b, inRow, number)), chunks);
      chunks.first = add(b, origin, at);
      chunks.number = number;
      body(chunks);
    });
    return {next.materialize(b)};
  });
}

} // namespace

void forChunks(KernelFunction &kernel, ArrayRef<Index> extents,
               llvm::function_ref<void(const Chunks &)> body) {
  Chunks chunks{{}, Index(0), Index(1)};
  for (Index extent : extents)
    chunks.ranges.push_back({Index(0), extent});
  ArrayRef<cpu::SplitAttr> grid = scheduleOf(kernel).getSplit();
  if (grid.empty()) {
    if (std::optional<Range> block = kernel.current().block)
      chunks.ranges[kernel.outer().size()] = *block;
    return body(chunks);
  }
  ChunkLoops(kernel, extents, body).emit(grid, Index(kernel.begin()), Index(kernel.end()), Index(0), chunks);
}

Value firstLanes(Builder &b, int64_t lanes, Index count) {
  auto type = VectorType::get({lanes}, b.getI1Type());
  if (count.isConstant()) {
    SmallVector<bool> mask(lanes, false);
    std::fill_n(mask.begin(), std::min(lanes, count.offset), true);
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, mask));
  }
  Value number = arith::IndexCastOp::create(b, b.getIndexType(), count.materialize(b));
  return vector::CreateMaskOp::create(b, type, ValueRange{number});
}

/// x rounded down to a multiple of `unit`.
static Index roundDown(Builder &b, Index x, int64_t unit) {
  if (x.isConstant())
    return Index(x.offset / unit * unit);
  Value factor = constantI64(b, unit);
  Value quotient = arith::DivUIOp::create(b, x.materialize(b), factor);
  return Index(arith::MulIOp::create(b, quotient, factor).getResult());
}

void forVectors(Builder &b, Index low, Index high, Index extent, int64_t lanes, int64_t group,
                llvm::function_ref<void(Index, int64_t, Value)> body) {
  int64_t width = lanes * group;
  Index whole = roundDown(b, extent, width);
  forLoop(b, low, min(b, high, whole), width, [&](Index position) { body(position, group, Value()); });
  if (extent.isConstant()) {
    // Only the last chunk can have a rest.
    if (int64_t rest = extent.offset - whole.offset) {
      int64_t vectors = (rest + lanes - 1) / lanes;
      int64_t last = rest - (vectors - 1) * lanes;
      ifLess(b, whole, high,
             [&] { body(whole, vectors, last == lanes ? Value() : firstLanes(b, lanes, Index(last))); });
    }
    return;
  }
  // Vector by vector, the last one masked by what is left; chunks behind the end have nothing.
  Index rest = onWhole<arith::MaxSIOp>(b, whole, low);
  ifLess(b, rest, high, [&] {
    forLoop(b, rest, high, lanes,
            [&](Index position) { body(position, 1, firstLanes(b, lanes, sub(b, high, position))); });
  });
}

} // namespace dlc::codegen
