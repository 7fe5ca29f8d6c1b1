//===- Tile.cpp - tiles of operands in shared memory ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/contraction/Tile.h"
#include "compiler/support/Elements.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen::gpu {

/// So many lie in all banks, four in each: what eight lanes read at the same time.
static constexpr int64_t pieceBytes = 16, piecesOfBanks = 8;

/// What products of warp groups may read begins so that places are those of eight rows from address 0 on.
static int64_t alignmentOf(Type element) {
  return elementBytes(element) == 2 ? piecesOfBanks * piecesOfBanks * pieceBytes : pieceBytes;
}

Tile::Tile(KernelFunction &kernel, StringRef name, Type element, int64_t stages, int64_t rows,
           int64_t columns, Order order)
    : element(element),
      pointer(sharedMemory(kernel, name, element, {stages, rows, columns}, alignmentOf(element)).pointer),
      rows(rows), columns(columns), order(order) {
  assert(columns % perPiece() == 0 && llvm::isPowerOf2_64(columns) && "rows are powers of two of pieces");
}

int64_t Tile::perPiece() const { return pieceBytes / elementBytes(element); }
int64_t Tile::rowBytes() const { return std::min(columns / perPiece(), piecesOfBanks) * pieceBytes; }

Tile::Coordinates Tile::place(Builder &b, Index row, Index column) const {
  if (order == Order::kept)
    return {row, {}, column};
  return {row, divide(b, column, perPiece()), remainder(b, column, perPiece())};
}

/// What the numbers of a row's pieces are combined with, bit by bit. Rows that are shorter than all banks
/// share them, and change places together.
Index Tile::permutation(Builder &b, const Index &row) const {
  const int64_t pieces = std::min(columns / perPiece(), piecesOfBanks);
  // Eight rows further, it is the same.
  Index number = row.offset % piecesOfBanks == 0 ? Index(row.base) : row;
  Index together = divide(b, number, piecesOfBanks / pieces);
  return remainder(b, mul(b, together, order == Order::byPairs ? 2 : 1), pieces);
}

Value Tile::address(Builder &b, Index stage, const Coordinates &place) const {
  const int64_t bytes = elementBytes(element);
  const Index ofElement = mul(b, place.element, bytes);
  if (order == Order::kept || columns <= perPiece()) {
    const Index ofRow = mul(b, place.row, columns * bytes), ofPiece = mul(b, place.piece, pieceBytes);
    return address(b, stage, add(b, ofRow, add(b, ofPiece, ofElement)));
  }
  Index piece = place.piece;
  // Whole panels of the constant stay one.
  Index panel(piece.offset / piecesOfBanks);
  piece.offset %= piecesOfBanks;
  if (columns / perPiece() > piecesOfBanks) {
    panel = add(b, divide(b, piece, piecesOfBanks), panel);
    piece = remainder(b, piece, piecesOfBanks);
  }
  piece = onWhole<arith::XOrIOp>(b, piece, permutation(b, place.row));
  const Index ofPanel = mul(b, panel, panelBytes()), ofRow = mul(b, place.row, rowBytes());
  const Index line = add(b, ofPanel, ofRow), ofPiece = mul(b, piece, pieceBytes);
  return address(b, stage, add(b, line, add(b, ofPiece, ofElement)));
}

Value Tile::address(Builder &b, Index stage, Index inStage) const {
  // In this order, what is the same in all rounds, and for many places, is computed once.
  Value address = pointer;
  if (inStage.base)
    address = pointerAt(b, address, Index(inStage.base));
  Index ofStage = mul(b, stage, rows * columns * elementBytes(element));
  if (ofStage.base)
    address = pointerAt(b, address, Index(ofStage.base));
  int64_t rest = inStage.offset + ofStage.offset;
  return rest ? pointerAt(b, address, Index(rest)) : address;
}

Values Tile::load(Builder &b, Index stage, const Coordinates &first, int64_t count) const {
  if (count == 1)
    return {loadAt(b, at(b, stage, first), {})};
  auto vector = VectorType::get({count}, element);
  Value all = LLVM::LoadOp::create(b, vector, address(b, stage, first), count * elementBytes(element));
  Values values;
  for (int64_t i = 0; i < count; ++i)
    values.push_back(LLVM::ExtractElementOp::create(b, all, constantI64(b, i)));
  return values;
}

} // namespace dlc::codegen::gpu
