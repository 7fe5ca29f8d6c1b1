//===- TileCore.h - how the sums of a tile are made ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The sums of a tile stay in the CPU over a block of the reduction. Where they are meanwhile, and what one
// step of the reduction is, a core knows: sums in vector registers to which it adds products one by one, or
// two at a time, or sums in a matrix unit. TileCode, which knows what surrounds a reduction, hands on what
// loops carry and looks at no sum itself.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_TILECORE_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_TILECORE_H

#include "compiler/codegen/cpu/contraction/RegisterTile.h"
#include "compiler/codegen/cpu/contraction/Sums.h"
#include <memory>

namespace dlc::codegen {

class TileCore {
public:
  TileCore(KernelFunction &kernel, TileOperands &operands);
  virtual ~TileCore() = default;

  /// Whether each tile has the same number of rows, however many exist, which is then known only at run time.
  virtual bool takesAnyRows() const { return false; }
  /// Emitted before the first tile, and after the last one.
  virtual void enter() {}
  virtual void leave() {}
  /// Begins the sums with `startAt` of each point, which is zero if `areZero`. Returns the values that the
  /// reduction's loops carry.
  virtual Values begin(const RegisterTile &tile, bool areZero,
                       llvm::function_ref<mlir::Value(const Point &)> startAt) = 0;
  /// Adds the products of one step of k, at the points of the tile.
  virtual Values multiply(const RegisterTile &tile, Values sums) = 0;
  /// Stores the sums where they wait for a pipelined epilogue.
  virtual void keep(const RegisterTile &tile, const Values &sums, WaitingSums &waiting) = 0;
  /// Hands out the sums, each with its point and the number of its vector in the row.
  virtual void drain(const RegisterTile &tile, const Values &sums,
                     llvm::function_ref<void(const Point &, int64_t vector, mlir::Value sum)> body) = 0;

protected:
  /// Loops, rows and vectors of whole tiles.
  cpu::TileAttr shape() const { return scheduleOf(kernel).contraction().getTile(); }
  cpu::ReductionAttr reduction() const { return scheduleOf(kernel).contraction().getReduction(); }

  KernelFunction &kernel;
  Builder &b;
  mutable mlir::linalg::GenericOp root; ///< mutable, as MLIR's methods are not const
  TileOperands &operands;
};

/// The core that the kernel's schedule names.
std::unique_ptr<TileCore> tileCoreOf(KernelFunction &kernel, TileOperands &operands);
/// The core of a matrix unit (AmxCore.cpp).
std::unique_ptr<TileCore> amxCore(KernelFunction &kernel, TileOperands &operands);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_TILECORE_H
