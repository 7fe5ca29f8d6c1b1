//===- Contraction.cpp - matrix products with what follows them ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Contraction.h"
#include "compiler/codegen/cpu/Body.h"
#include "compiler/codegen/cpu/Loops.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

class Contraction {
public:
  explicit Contraction(KernelFunction &kernel);
  void emit();

private:
  /// A register tile: points of the root's loops, row by row.
  struct Tile {
    SmallVector<Point> points;
    int64_t rows, vectors;
    bool rowsAligned; ///< the first row is a multiple of eight
    const Point &at(int64_t r, int64_t v) const { return points[r * vectors + v]; }
  };

  void emitOuter(ArrayRef<int64_t> loops, Point point);
  void emitLanes(Point point);
  void emitRows(Point point, Index lane, int64_t vectors, Value mask);
  Tile tileAt(Point point, Index row, int64_t rows, Index lane, int64_t vectors, Value mask, bool aligned);
  void emitTile(const Tile &tile);
  Values initialize(const Tile &tile);
  Values reduce(const Tile &tile, ArrayRef<int64_t> loops, Values accumulators);
  Values multiplyAdd(const Tile &tile, Values accumulators);
  void epilogue(const Tile &tile, const Values &accumulators);
  void epilogueAt(const Tile &tile, int64_t which, Value accumulator, RandomWords &words);
  void storeResult(linalg::GenericOp op, unsigned result, const Point &point, Value value);
  Point epiloguePoint(linalg::GenericOp op, const Point &point);
  /// Runs `body` on [0, extent) of a loop, or on the chunk's part of it.
  void range(int64_t loop, llvm::function_ref<void(Index, Index)> body);

  KernelFunction &kernel;
  Builder &b;
  train::ScheduleAttr schedule;
  linalg::GenericOp root;
  SmallVector<Index, 4> extents;
  SmallVector<int64_t> parallel, reductions;
  int64_t laneLoop, rowLoop = -1;
};

Contraction::Contraction(KernelFunction &kernel)
    : kernel(kernel), b(kernel.builder()), schedule(kernel.schedule()), root(kernel.operations().front()),
      extents(kernel.loopExtents(root)), laneLoop(schedule.getLaneDim()) {
  for (auto [loop, type] : llvm::enumerate(root.getIteratorTypesArray())) {
    bool isReduction = type == utils::IteratorType::reduction;
    (isReduction ? reductions : parallel).push_back(loop);
    if (!isReduction && int64_t(loop) != laneLoop)
      rowLoop = loop;
  }
}

void Contraction::range(int64_t loop, llvm::function_ref<void(Index, Index)> body) {
  if (loop == schedule.getSplitDim())
    forChunks(kernel, extents[loop], body);
  else
    body(Index(0), extents[loop]);
}

void Contraction::emit() {
  SmallVector<int64_t> outer;
  for (int64_t loop : parallel)
    if (loop != laneLoop && loop != rowLoop)
      outer.push_back(loop);
  Point point;
  point.loops.resize(root.getNumLoops());
  emitOuter(outer, point);
}

void Contraction::emitOuter(ArrayRef<int64_t> loops, Point point) {
  if (loops.empty())
    return emitLanes(point);
  range(loops.front(), [&](Index low, Index high) {
    forLoop(b, low, high, 1, [&](Index position) {
      Point next = point;
      next.loops[loops.front()] = position;
      emitOuter(loops.drop_front(), next);
    });
  });
}

void Contraction::emitLanes(Point point) {
  if (schedule.getLanes() == 1) // scalar code: the lane loop is an ordinary one
    return range(laneLoop, [&](Index low, Index high) {
      forLoop(b, low, high, 1, [&](Index lane) { emitRows(point, lane, 1, Value()); });
    });
  range(laneLoop, [&](Index low, Index high) {
    forVectors(b, low, high, extents[laneLoop], schedule.getLanes(), schedule.getVectors(),
               [&](Index lane, int64_t vectors, Value mask) { emitRows(point, lane, vectors, mask); });
  });
}

void Contraction::emitRows(Point point, Index lane, int64_t vectors, Value mask) {
  if (rowLoop < 0)
    return emitTile(tileAt(point, Index(0), 1, lane, vectors, mask, false));
  int64_t rows = schedule.getRows();
  range(rowLoop, [&](Index low, Index high) {
    if (low.isConstant() && high.isConstant()) {
      int64_t whole = high.offset / rows * rows;
      forLoop(b, low, Index(whole), rows, [&](Index row) {
        emitTile(tileAt(point, row, rows, lane, vectors, mask, rows % 8 == 0));
      });
      if (int64_t rest = high.offset - whole)
        emitTile(tileAt(point, Index(whole), rest, lane, vectors, mask, whole % 8 == 0));
      return;
    }
    // Whole tiles, then row by row; nothing where a chunk begins behind the last row.
    Value span = arith::SubIOp::create(b, high.materialize(b), low.materialize(b));
    Value unit = constantI64(b, rows);
    Value whole = arith::MulIOp::create(b, arith::DivSIOp::create(b, span, unit), unit);
    Index middle = add(b, low, Index(whole));
    forLoop(b, low, middle, rows, [&](Index row) {
      emitTile(tileAt(point, row, rows, lane, vectors, mask, rows % 8 == 0 && schedule.getSplit() % 8 == 0));
    });
    forLoop(b, middle, high, 1,
            [&](Index row) { emitTile(tileAt(point, row, 1, lane, vectors, mask, false)); });
  });
}

Contraction::Tile Contraction::tileAt(Point point, Index row, int64_t rows, Index lane, int64_t vectors, Value mask,
                                      bool aligned) {
  Tile tile{{}, rows, vectors, aligned};
  for (int64_t r = 0; r < rows; ++r)
    for (int64_t v = 0; v < vectors; ++v) {
      Point p = point;
      if (rowLoop >= 0)
        p.loops[rowLoop] = row + r;
      p.loops[laneLoop] = lane + v * schedule.getLanes();
      p.laneDim = laneLoop;
      p.lanes = schedule.getLanes();
      p.mask = v + 1 == vectors ? mask : Value();
      tile.points.push_back(p);
    }
  return tile;
}

void Contraction::emitTile(const Tile &tile) {
  epilogue(tile, reduce(tile, reductions, initialize(tile)));
}

Values Contraction::initialize(const Tile &tile) {
  Values accumulators;
  OpOperand &init = *root.getDpsInitOperand(0);
  TypedAttr constant = kernel.initialValue(init.get());
  for (const Point &point : tile.points) {
    Value value;
    if (constant)
      value = arith::ConstantOp::create(b, constant);
    else
      value = Access(kernel, *kernel.memoryOf(init.get()), root.getMatchingIndexingMap(&init)).load(b, point);
    accumulators.push_back(asVector(b, point, value));
  }
  return accumulators;
}

Values Contraction::reduce(const Tile &tile, ArrayRef<int64_t> loops, Values accumulators) {
  if (loops.empty())
    return multiplyAdd(tile, accumulators);
  return forLoop(b, Index(0), extents[loops.front()], 1, accumulators, [&](Index position, Values carried) {
    Tile inner = tile;
    for (Point &point : inner.points)
      point.loops[loops.front()] = position;
    return reduce(inner, loops.drop_front(), carried);
  });
}

/// One step of the reduction: each element of an operand is loaded once for all points that see it.
Values Contraction::multiplyAdd(const Tile &tile, Values accumulators) {
  Values operands[2];
  for (auto [which, operand] : llvm::enumerate(root.getDpsInputOperands())) {
    Access access(kernel, *kernel.memoryOf(operand->get()), root.getMatchingIndexingMap(operand));
    bool perRow = rowLoop >= 0 && access.dependsOn(rowLoop), perVector = access.dependsOn(laneLoop);
    for (int64_t r = 0; r < tile.rows; ++r)
      for (int64_t v = 0; v < tile.vectors; ++v) {
        int64_t same = (perRow ? r : 0) * tile.vectors + (perVector ? v : 0);
        if (same < int64_t(operands[which].size())) {
          operands[which].push_back(operands[which][same]);
          continue;
        }
        operands[which].push_back(asVector(b, tile.at(r, v), access.load(b, tile.at(r, v))));
      }
  }
  bool isFloat = isa<FloatType>(getElementTypeOrSelf(accumulators[0].getType()));
  for (size_t i = 0; i < accumulators.size(); ++i) {
    Value x = operands[0][i], y = operands[1][i];
    if (!isFloat)
      accumulators[i] = arith::AddIOp::create(b, accumulators[i], arith::MulIOp::create(b, x, y));
    else if (isa<VectorType>(x.getType()))
      accumulators[i] = vector::FMAOp::create(b, x, y, accumulators[i]);
    else
      accumulators[i] = math::FmaOp::create(b, x, y, accumulators[i]);
  }
  return accumulators;
}

/// The loops of an epilogue are the root's parallel loops, in order.
Point Contraction::epiloguePoint(linalg::GenericOp op, const Point &point) {
  Point result = point;
  result.loops.clear();
  for (auto [position, loop] : llvm::enumerate(parallel)) {
    if (loop == point.laneDim)
      result.laneDim = position;
    result.loops.push_back(point.loops[loop]);
  }
  assert(result.loops.size() == op.getNumLoops() && "an epilogue runs over the root's parallel loops");
  return result;
}

void Contraction::storeResult(linalg::GenericOp op, unsigned result, const Point &point, Value value) {
  for (const Memory &memory : kernel.outputsOf(op->getResult(result)))
    Access(kernel, memory, op.getMatchingIndexingMap(op.getDpsInitOperand(result))).store(b, point, value);
}

void Contraction::epilogue(const Tile &tile, const Values &accumulators) {
  RandomWords words;
  for (size_t which = 0; which < tile.points.size(); ++which)
    epilogueAt(tile, which, accumulators[which], words);
}

/// Everything after the reduction, for one vector of a tile.
void Contraction::epilogueAt(const Tile &tile, int64_t which, Value accumulator, RandomWords &words) {
  const Point &point = tile.points[which];
  DenseMap<Value, Value> registers;
  registers[root->getResult(0)] = accumulator;
  storeResult(root, 0, point, accumulator);
  for (linalg::GenericOp op : kernel.operations().drop_front()) {
    Point here = epiloguePoint(op, point);
    Values arguments;
    for (OpOperand &operand : op->getOpOperands()) {
      Value argument;
      if (op.getMatchingBlockArgument(&operand).use_empty())
        ;
      else if (auto it = registers.find(operand.get()); it != registers.end())
        argument = it->second;
      else if (TypedAttr constant = kernel.initialValue(operand.get()))
        argument = arith::ConstantOp::create(b, constant);
      else
        argument = Access(kernel, *kernel.memoryOf(operand.get()), op.getMatchingIndexingMap(&operand)).load(b, here);
      arguments.push_back(argument);
    }
    auto results = emitBody(kernel, op, arguments, here, tile.rowsAligned ? &words : nullptr);
    for (auto [result, value] : llvm::enumerate(results)) {
      registers[op->getResult(result)] = value;
      storeResult(op, result, here, value);
    }
  }
}

} // namespace

void emitContraction(KernelFunction &kernel) { Contraction(kernel).emit(); }

} // namespace dlc::codegen
