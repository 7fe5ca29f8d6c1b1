//===- KernelRewrite.h - kernels with permuted tensors ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_KERNELREWRITE_H
#define DLC_COMPILER_SCHEDULE_CPU_KERNELREWRITE_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/SymbolTable.h"

namespace dlc::schedule {

/// Dim i of the new form is dim permutation[i] of the old.
using Permutation = llvm::SmallVector<int64_t, 4>;

mlir::RankedTensorType permuted(mlir::RankedTensorType type, llvm::ArrayRef<int64_t> permutation);

/// The kernels of a program by name, and how many launches each has: asking the program each time would take time
/// in the square of its length.
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

/// The kernel takes argument `index` in the permuted form: types and indexing maps change, values do not.
void permuteArgument(train::KernelOp kernel, unsigned index, llvm::ArrayRef<int64_t> permutation);
/// The kernel yields result `index` in the permuted form.
void permuteResult(train::KernelOp kernel, unsigned index, llvm::ArrayRef<int64_t> permutation);

/// Kernels that are equal but for their names become one; unused ones go.
void mergeEqualKernels(train::ProgramOp program);

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_KERNELREWRITE_H
