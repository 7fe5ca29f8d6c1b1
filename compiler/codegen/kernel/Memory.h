//===- Memory.h - where a tensor's elements lie ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_MEMORY_H
#define DLC_COMPILER_CODEGEN_KERNEL_MEMORY_H

#include "compiler/codegen/kernel/Index.h"

namespace dlc::codegen {

/// A tensor's elements in memory: the strides of its dims, some of them known only at run time.
struct Memory {
  mlir::Value pointer;
  mlir::Type element; ///< as values have it; i1 is a byte in memory
  llvm::SmallVector<Index, 4> strides;
};

/// Strides of a tensor that lies row by row, `step` elements for each position of the last axis. Along an
/// axis of size 0, all positions have the same place.
llvm::SmallVector<Index, 4> rowMajor(llvm::ArrayRef<int64_t> sizes, int64_t step = 1);

/// The same memory with bf16 elements seen as their bits (i16).
Memory asBits(Builder &b, Memory memory);

/// `pointer`, and `bytes` further.
mlir::Value pointerAt(Builder &b, mlir::Value pointer, Index bytes);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_MEMORY_H
