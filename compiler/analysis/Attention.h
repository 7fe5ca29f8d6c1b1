//===- Attention.h - softmaxes between two products -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// scores = queries * keys^T (perhaps masked); probabilities = softmax(scores) along each row; output =
// probabilities * values. A target may compute all of it block by block, with the maximum and the sum of each
// row so far, so that no matrix of scores is ever in memory as a whole (flash attention).
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_ANALYSIS_ATTENTION_H
#define DLC_COMPILER_ANALYSIS_ATTENTION_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace dlc::analysis {

struct Attention {
  using Op = mlir::linalg::GenericOp;

  Op scores;                      ///< the first product
  llvm::SmallVector<Op, 2> masks; ///< elementwise operations on the scores before the row's maximum
  Op rowMax;                      ///< the maximum of each row
  Op exponentials;                ///< exp(score - subtrahend): one subtrahend per row, made of its maximum
  Op sum;                         ///< the sum of the exponentials of each row
  llvm::SmallVector<Op, 2> rowValues; ///< operations on one number per row, made of the maximum or the sum
  llvm::SmallVector<Op, 2> probabilities; ///< elementwise operations from exponentials to probabilities
  mlir::Value factor; ///< one number per row, made of the sum, that scales the exponentials
  Op values;          ///< the second product: probabilities times values

  int64_t row = 0, key = 0; ///< loops of `scores`: that of the rows, and that along which the sums go
  /// Each loop of each of the operations between both products, and of `values`: which loop of `scores` it
  /// is; -1 for those of the columns of `values`.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 4>> loops;

  /// Whether the operation computes one number for each score.
  bool isOfElements(mlir::Operation *op) const {
    return op == scores || op == exponentials || llvm::is_contained(masks, op) ||
           llvm::is_contained(probabilities, op);
  }
  /// Both products, and all between them.
  bool contains(mlir::Operation *op) const { return op == scores || loops.contains(op); }
  /// Finds `row` and `key` by what the operands of `scores` are read along.
  void setSides();
  /// How long the sums of `scores` are, and how many columns `values` has.
  int64_t steps() const, columns() const;

  /// Rows of a head that are longer would not leave a thread enough registers.
  static constexpr int64_t mostElements = 128;
};

/// The attention that a kernel is, with elementwise operations after it at most, as the roles of its nests
/// say (Roles.h); nullopt for other kernels.
std::optional<Attention> attentionOf(train::KernelOp kernel);

} // namespace dlc::analysis

#endif // DLC_COMPILER_ANALYSIS_ATTENTION_H
