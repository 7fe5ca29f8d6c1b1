//===- PartialSums.h - a contraction's sums between blocks of its reduction ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PARTIALSUMS_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PARTIALSUMS_H

#include "compiler/codegen/cpu/VectorLoops.h"
#include "compiler/codegen/kernel/Access.h"
#include "compiler/target/cpu/Scratch.h"

namespace dlc::codegen {

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

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PARTIALSUMS_H
