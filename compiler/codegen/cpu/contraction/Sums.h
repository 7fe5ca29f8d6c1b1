//===- Sums.h - where the sums of tiles are kept in memory -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_SUMS_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_SUMS_H

#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/kernel/Access.h"
#include "compiler/machine/cpu/Scratch.h"

namespace dlc::codegen {

/// A contraction's sums between blocks of its reduction.
class PartialSums {
public:
  /// The sums lie at `place` in the order of `shape`; in the result itself where `place` is null.
  PartialSums(KernelFunction &kernel, mlir::linalg::GenericOp root, cpu::SumsShape shape, mlir::Value place);

  /// Begins the blocks of a reduction. Only the sums of these ranges of the root's loops are kept.
  void begin(llvm::ArrayRef<Range> ranges);
  mlir::Value load(const Point &point) const;
  void store(const Point &point, mlir::Value value) const;

private:
  KernelFunction &kernel;
  Builder &b;
  mlir::linalg::GenericOp root;
  cpu::SumsShape shape;
  mlir::Value place;
  Access access;
};

/// Memory [row][vector][lane] where the sums of a finished tile wait for their epilogue.
class WaitingSums {
public:
  /// Allocates memory for tiles of this size on the stack of the kernel whose code `b` emits.
  WaitingSums(Builder &b, mlir::Block &entry, mlir::Type element, int64_t rows, int64_t vectors,
              int64_t lanes);

  void keep(llvm::ArrayRef<mlir::Value> sums);
  void store(Index row, int64_t vector, mlir::Value sum);
  mlir::Value address(Index row, int64_t vector);
  int64_t bytesBetweenRows() const;
  /// `count` neighbouring vectors of a row, as one.
  mlir::Value load(Index row, int64_t vector, int64_t count = 1);

private:
  Access access() const;
  Point place(Index row, int64_t vector, int64_t count) const;

  Builder &b;
  int64_t vectors, lanes;
  Memory memory;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_SUMS_H
