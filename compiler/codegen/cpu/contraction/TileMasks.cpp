//===- TileMasks.cpp - what tiles decide at random, made before them -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Eight rows of a matrix share their random words, and tiles of six rows would compute most of them twice. So
// a column of tiles decides first, for all its rows, and keeps one bit of each element.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/RegisterTile.h"
#include "dialects/train/KernelSizes.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen {

Value TileCode::placeOfMask(size_t mask, Index row, int64_t vector, int64_t lanes) {
  int64_t bytes = cpu::RandomMasks::bytesOfRow(lanes, shape().getVectors());
  Index offset = add(b, mul(b, row, bytes), Index(vector * cpu::RandomMasks::bytesOfRow(lanes, 1)));
  offset = offset + int64_t(mask) * bytes * maskRows;
  return pointerAt(b, masksAt, offset);
}

void TileCode::makeMasks(const Point &point, const Range &rows, Index firstLane, int64_t vectors,
                         Value mask) {
  linalg::GenericOp epilogue = kernel.operations().back();
  int64_t lanes = scheduleOf(kernel).getLanes();
  if (!masksAt) {
    masks = cpu::randomMasks(epilogue);
    maskRows = llvm::alignTo(train::loopBounds(kernel.getKernel(), root)[row], cpu::rowsOfWords);
    int64_t bytes =
        masks->masks.size() * maskRows * cpu::RandomMasks::bytesOfRow(lanes, shape().getVectors());
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(&kernel.entry());
    masksAt = LLVM::AllocaOp::create(b, LLVM::LLVMPointerType::get(b.getContext()), b.getI8Type(),
                                     constantI64(b, bytes), 64);
  }
  Values arguments(epilogue->getNumOperands());
  Index low = mul(b, divide(b, rows.low, cpu::rowsOfWords), cpu::rowsOfWords);
  forRolled(b, low, rows.high, cpu::rowsOfWords, {}, [&](Index first, Values) {
    RegisterTile group = tileAt(point, first, cpu::rowsOfWords, firstLane, vectors, mask, true);
    RandomWords words;
    for (int64_t v = 0; v < vectors; ++v)
      for (int64_t r = 0; r < cpu::rowsOfWords; ++r)
        for (auto [number, value] : llvm::enumerate(masks->masks)) {
          const Point &at = group.at(r, v);
          Value keep = emitPart(kernel, epilogue, value, arguments, epiloguePoint(at), &words);
          LLVM::StoreOp::create(b, keep, placeOfMask(number, first + r, v, lanes));
        }
    return Values();
  });
}

Values TileCode::masksAtPoint(const Point &point, int64_t vector) {
  Type type = VectorType::get({point.lanes}, b.getI1Type());
  Values result;
  for (size_t mask = 0; mask < masks->masks.size(); ++mask)
    result.push_back(LLVM::LoadOp::create(b, type, placeOfMask(mask, point.loops[row], vector, point.lanes)));
  return result;
}

} // namespace dlc::codegen
