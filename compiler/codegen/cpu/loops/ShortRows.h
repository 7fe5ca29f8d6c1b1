//===- ShortRows.h - matrices of short rows, a row in each lane ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A kernel that works on rows of a few elements side by side has one row in each lane. It would have to
// gather the elements of a group of rows, and to scatter the results. But the rows of a group are one piece
// of memory: they are read and written as a whole, and brought into the lanes, and back, in registers.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_LOOPS_SHORTROWS_H
#define DLC_COMPILER_CODEGEN_CPU_LOOPS_SHORTROWS_H

#include "compiler/codegen/kernel/Access.h"
#include "compiler/codegen/kernel/KernelFunction.h"
#include "llvm/ADT/MapVector.h"

namespace dlc::codegen {

class ShortRows {
public:
  /// The arguments and results of the kernel that its schedule names.
  explicit ShortRows(KernelFunction &kernel);

  /// Reads the rows of a group of points. If the last vector of the group is masked, ordinary accesses read
  /// them instead.
  void begin(llvm::ArrayRef<Point> points);
  /// Writes those that the kernel computed.
  void end(llvm::ArrayRef<Point> points);
  /// Where a tensor's rows lie between reading and writing, as one vector for each element; null for tensors
  /// that are not such matrices.
  const Memory *find(mlir::Value tensor) const;
  /// The point of those vectors for point number `which` of the group.
  Point at(const Point &point, int64_t which) const;

private:
  struct Matrix {
    mlir::AffineMap map; ///< from the loops that all operations share, and a row's own, to the dims
    Memory exchanged;    ///< [element][vector * lane]
    int64_t size;        ///< elements of a row
  };
  Memory allocate(mlir::RankedTensorType type);
  Point inMemory(const Point &point, int64_t vector) const;
  Point inLanes(const Point &point, int64_t which, int64_t element) const;

  KernelFunction &kernel;
  Builder &b;
  int64_t lanes, shared;
  llvm::MapVector<mlir::Value, Matrix> matrices;
  bool active = false;
};

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_LOOPS_SHORTROWS_H
