//===- KernelRewrite.h - kernels with tensors in other forms ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_KERNELREWRITE_H
#define DLC_COMPILER_SCHEDULE_CPU_KERNELREWRITE_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/SymbolTable.h"

namespace dlc::schedule {

/// Another order of a tensor's elements. Dim i of the new form is dim permutation[i] of the old; with a
/// `panel`, the last of these is then cut into panels of so many elements, and the panel's number comes
/// first.
struct Form {
  llvm::SmallVector<int64_t, 4> permutation;
  int64_t panel = 0;

  mlir::RankedTensorType of(mlir::RankedTensorType type) const;
  mlir::AffineMap of(mlir::AffineMap map) const;
};

/// The kernels of a program by name, and how many launches each has: asking the program each time would take
/// time in the square of its length.
class Kernels {
public:
  explicit Kernels(train::ProgramOp program);
  train::KernelOp of(train::LaunchOp launch) const {
    return symbols.lookup<train::KernelOp>(launch.getKernelAttr().getAttr());
  }
  /// The launch's kernel, a copy where other launches have it too.
  train::KernelOp ownedBy(train::LaunchOp launch);
  /// Puts a new kernel into the program, under a name that is free; it will have one launch.
  void insert(train::KernelOp kernel, mlir::Block::iterator place = {});

private:
  mlir::SymbolTable symbols;
  llvm::DenseMap<mlir::StringAttr, unsigned> launches;
  llvm::StringMap<unsigned> suffixes; ///< the next to try, by name
};

/// The kernel takes argument `index` in the form: types and indexing maps change, values do not. Panels are
/// for arguments that generics read, not for those that bodies read at computed places.
void changeArgument(train::KernelOp kernel, unsigned index, const Form &form);
/// The kernel yields result `index` in the form.
void changeResult(train::KernelOp kernel, unsigned index, const Form &form);
/// Whether all operations of the kernel compute each element by itself, whatever its place.
bool isElementwise(train::KernelOp kernel);
/// Gives an elementwise kernel the loops of its first result's dims in memory, panels and all.
void followMemory(train::KernelOp kernel);

/// Kernels that are equal but for their names become one; unused ones go.
void mergeEqualKernels(train::ProgramOp program);

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_KERNELREWRITE_H
