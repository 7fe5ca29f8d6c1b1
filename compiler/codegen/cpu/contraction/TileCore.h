//===- TileCore.h - how the sums of a tile are made ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tile is rows x vectors points of the root's parallel loops, whose sums stay in the CPU over a block of
// the reduction. Where they are meanwhile, and what one step of the reduction is, a core knows: sums in
// vector registers to which it adds products one by one, or two at a time, or sums in a matrix unit.
// TileCode, which knows what surrounds a reduction, hands on what loops carry and looks at no sum itself.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_TILECORE_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_TILECORE_H

#include "compiler/codegen/cpu/contraction/CopiedOperand.h"
#include "compiler/codegen/cpu/contraction/WaitingSums.h"
#include <memory>

namespace dlc::codegen {

struct RegisterTile {
  llvm::SmallVector<Point> points; ///< row by row
  int64_t rows, vectors;
  bool rowsAligned;                        ///< the first row is a multiple of eight
  mlir::Value columnsAt = {}, rowsAt = {}; ///< in copies of the operands; null where there is none
  /// So many rows exist, where that is fewer; only for cores that take any.
  std::optional<Index> inside = std::nullopt;
  const Point &at(int64_t r, int64_t v) const { return points[r * vectors + v]; }
};

/// Copies of a contraction's operands; those that it has none of are read as they lie.
struct TileOperands {
  std::optional<CopiedOperand> columns, rows;
};

class TileCore {
public:
  TileCore(KernelFunction &kernel, TileOperands &operands);
  virtual ~TileCore() = default;

  /// Whether tiles have all their rows, however many exist: which is known only when the program runs.
  virtual bool takesAnyRows() const { return false; }
  /// Around all tiles.
  virtual void enter() {}
  virtual void leave() {}
  /// Sums that begin as `startAt` says for each point; with `areZero`, that is zero. What it returns, the
  /// reduction's loops carry.
  virtual Values begin(const RegisterTile &tile, bool areZero,
                       llvm::function_ref<mlir::Value(const Point &)> startAt) = 0;
  /// Adds the products of one step of the reduction, that at the points of the tile.
  virtual Values multiply(const RegisterTile &tile, Values sums) = 0;
  /// Puts the sums where they wait for what follows.
  virtual void keep(const RegisterTile &tile, const Values &sums, WaitingSums &waiting) = 0;
  /// Hands out the sums, each with its point and the number of its vector in the row.
  virtual void drain(const RegisterTile &tile, const Values &sums,
                     llvm::function_ref<void(const Point &, int64_t vector, mlir::Value sum)> body) = 0;

protected:
  cpu::ContractionAttr form() const { return scheduleOf(kernel).contraction(); }

  KernelFunction &kernel;
  Builder &b;
  mutable mlir::linalg::GenericOp root; ///< mutable, as MLIR's methods are not const
  TileOperands &operands;
};

/// The core that the kernel's schedule names.
std::unique_ptr<TileCore> tileCoreOf(KernelFunction &kernel, TileOperands &operands);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_TILECORE_H
