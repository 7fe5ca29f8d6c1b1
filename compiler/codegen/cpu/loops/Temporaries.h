//===- Temporaries.h - what operations of a kernel hand to each other ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Their memory is used again at each point of the shared loops, or for each group of vectors along the last
// of them.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_LOOPS_TEMPORARIES_H
#define DLC_COMPILER_CODEGEN_CPU_LOOPS_TEMPORARIES_H

#include "compiler/codegen/kernel/Access.h"
#include "compiler/codegen/kernel/KernelFunction.h"
#include "llvm/ADT/DenseMap.h"

namespace dlc::codegen {

class Temporaries {
public:
  explicit Temporaries(KernelFunction &kernel);

  /// Allocates the temporaries one after the other in the scratch of the chunks of this call, or on the stack
  /// where there is none.
  void place(mlir::Value chunkScratch);
  /// The memory of a temporary; null for other values.
  const Memory *find(mlir::Value tensor) const;
  /// The memory of a temporary at a point, which is number `which` of its group. There is room for whole
  /// vectors.
  Point at(const Point &point, unsigned which) const;

private:
  mlir::Value onStack(int64_t bytes);

  KernelFunction &kernel;
  Builder &b;
  int64_t lanes, vectors; ///< vectors of the last shared loop that run together
  bool lanesShared;       ///< vectors run along that loop
  llvm::DenseMap<mlir::Value, Memory> memories;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_LOOPS_TEMPORARIES_H
