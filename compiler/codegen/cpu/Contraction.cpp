//===- Contraction.cpp - matrix products with what follows them ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Contraction.h"
#include "compiler/codegen/cpu/PipelinedRows.h"

using namespace mlir;

namespace dlc::codegen {
namespace {

class Contraction {
public:
  explicit Contraction(KernelFunction &kernel)
      : kernel(kernel), b(kernel.builder()), schedule(kernel.schedule()), form(schedule.contraction()),
        code(kernel) {}
  void emit();

private:
  void emitOuter(ArrayRef<int64_t> loops, Point point);
  void emitLanes(Point point);
  void emitRows(Point point, Index lane, int64_t vectors, Value mask);
  void emitTile(const RegisterTile &tile) { code.epilogue(tile, code.reduce(tile, code.initialize(tile))); }
  /// Runs `body` on [0, extent) of a loop, or on the chunk's part of it.
  void range(int64_t loop, llvm::function_ref<void(Index, Index)> body);

  KernelFunction &kernel;
  Builder &b;
  cpu::ScheduleAttr schedule;
  cpu::ContractionAttr form;
  TileCode code;
};

void Contraction::range(int64_t loop, llvm::function_ref<void(Index, Index)> body) {
  if (schedule.getSplit() && loop == schedule.getSplit().getLoop())
    forChunks(kernel, code.extent(loop), body);
  else
    body(Index(0), code.extent(loop));
}

void Contraction::emit() {
  SmallVector<int64_t> outer;
  for (int64_t loop : code.parallelLoops())
    if (loop != code.laneLoop() && loop != code.rowLoop())
      outer.push_back(loop);
  Point point;
  linalg::GenericOp root = kernel.operations().front();
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
  int64_t loop = code.laneLoop();
  if (schedule.getLanes() == 1) // scalar code: the lane loop is an ordinary one
    return range(loop, [&](Index low, Index high) {
      forLoop(b, low, high, 1, [&](Index lane) { emitRows(point, lane, 1, Value()); });
    });
  range(loop, [&](Index low, Index high) {
    forVectors(b, low, high, code.extent(loop), schedule.getLanes(), form.getVectors(),
               [&](Index lane, int64_t vectors, Value mask) { emitRows(point, lane, vectors, mask); });
  });
}

void Contraction::emitRows(Point point, Index lane, int64_t vectors, Value mask) {
  auto tileAt = [&](Index row, int64_t rows, bool aligned) {
    return code.tileAt(point, row, rows, lane, vectors, mask, aligned);
  };
  if (code.rowLoop() < 0)
    return emitTile(tileAt(Index(0), 1, false));
  int64_t rows = form.getRows();
  if (form.getPack())
    code.packColumns(tileAt(Index(0), 1, false));
  range(code.rowLoop(), [&](Index low, Index high) {
    if (low.isConstant() && high.isConstant()) {
      int64_t whole = high.offset / rows * rows;
      if (form.getPipeline() > 0)
        emitPipelinedRows(kernel, code, whole, [&](Index row) { return tileAt(row, rows, rows % 8 == 0); });
      else
        forLoop(b, low, Index(whole), rows, [&](Index row) { emitTile(tileAt(row, rows, rows % 8 == 0)); });
      if (int64_t rest = high.offset - whole)
        emitTile(tileAt(Index(whole), rest, whole % 8 == 0));
      return;
    }
    // Whole tiles, then row by row; nothing where a chunk begins behind the last row.
    Value span = sub(b, high, low).materialize(b);
    Value unit = constantI64(b, rows);
    Value whole = arith::MulIOp::create(b, arith::DivSIOp::create(b, span, unit), unit);
    Index middle = add(b, low, Index(whole));
    bool aligned = rows % 8 == 0 && (!schedule.getSplit() || schedule.getSplit().getSize() % 8 == 0);
    forLoop(b, low, middle, rows, [&](Index row) { emitTile(tileAt(row, rows, aligned)); });
    forLoop(b, middle, high, 1, [&](Index row) { emitTile(tileAt(row, 1, false)); });
  });
}

} // namespace

void emitContraction(KernelFunction &kernel) { Contraction(kernel).emit(); }

} // namespace dlc::codegen
