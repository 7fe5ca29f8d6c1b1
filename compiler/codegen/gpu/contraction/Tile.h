//===- Tile.h - tiles of operands in shared memory --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile lies as its operand does: steps of a position side by side, or positions of a step. Rows have no
// padding, so that wide copies fit. Instead a row's pieces of 16 bytes change places among themselves, as its
// number says: then what a warp reads at the same time comes from all banks of shared memory. Of longer rows,
// each 128 bytes (all banks) are a panel, which has all rows before the next panel begins. This is also how
// products of warp groups want it (PTX's "swizzling modes").
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_CONTRACTION_TILE_H
#define DLC_COMPILER_CODEGEN_GPU_CONTRACTION_TILE_H

#include "compiler/codegen/gpu/device/Device.h"

namespace dlc::codegen::gpu {

class Tile {
public:
  /// How the pieces of a row are permuted (swizzled), so that a warp's loads hit different banks.
  enum class Order {
    kept,    ///< they do not: a warp reads along rows
    byRows,  ///< a warp reads the same piece of eight rows
    byPairs, ///< a warp reads the same two pieces of four rows
  };
  /// The coordinates of an element in a tile: its row, the piece of that row, and the element of that piece.
  struct Coordinates {
    Index row, piece, element;
  };

  Tile() = default;
  /// Memory for some stages of `rows` by `columns` elements.
  Tile(KernelFunction &kernel, llvm::StringRef name, mlir::Type element, int64_t stages, int64_t rows,
       int64_t columns, Order order);

  /// Elements of a piece.
  int64_t perPiece() const;
  /// The coordinates of element `column` of a row.
  Coordinates place(Builder &b, Index row, Index column) const;
  mlir::Value address(Builder &b, Index stage, const Coordinates &place) const;
  /// The address `bytes` behind the begin of a stage.
  mlir::Value address(Builder &b, Index stage, Index bytes) const;
  /// Where pieces change places: of a row in a panel, and from one panel to the next.
  int64_t rowBytes() const;
  int64_t panelBytes() const { return rows * rowBytes(); }
  /// The element there, as memory of one element.
  Memory at(Builder &b, Index stage, const Coordinates &place) const {
    return {address(b, stage, place), element, {}};
  }
  /// Neighbours, a power of two of them, that begin at a multiple of their number.
  Values load(Builder &b, Index stage, const Coordinates &first, int64_t count) const;

  mlir::Type element;

private:
  Index permutation(Builder &b, const Index &row) const;

  mlir::Value pointer;
  int64_t rows = 0, columns = 0;
  Order order = Order::kept;
};

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_CONTRACTION_TILE_H
