//===- Attention.h - softmaxes between two products -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A product gives a matrix of scores; in each row, their exponentials are divided by their sum; these shares
// weigh the rows of another matrix. A target may compute all of it block by block, with the largest score and
// the sum of each row so far, so that no matrix of scores is ever in memory as a whole.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_ATTENTION_H
#define DLC_DIALECTS_TRAIN_ATTENTION_H

#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include <optional>

namespace train {

struct Attention {
  using Op = mlir::linalg::GenericOp;

  Op scores;                       ///< the first product
  llvm::SmallVector<Op, 2> masks;  ///< of each score: what is done before the row's largest one is taken
  Op largest;                      ///< the maximum of each row
  Op exponentials;                 ///< of the scores less a number of the row, which the maximum gives
  Op sum;                          ///< of these, of each row
  llvm::SmallVector<Op, 2> ofRows; ///< one number of each row, made of the maximum or the sum, in order
  llvm::SmallVector<Op, 2> shares; ///< what becomes of each exponential, in order
  mlir::Value factor;              ///< of a row, made of the sum: each share is a product with it
  Op values;                       ///< the second product, whose left operand the shares are

  int64_t row = 0, key = 0; ///< loops of `scores`: that of the rows, and that along which the sums go
  /// Each loop of each of the operations between both products, and of `values`: which loop of `scores` it
  /// is; -1 for those of the columns of `values`.
  llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 4>> loops;

  /// Of each score or share.
  bool isOfElements(mlir::Operation *op) const {
    return op == scores || op == exponentials || llvm::is_contained(masks, op) ||
           llvm::is_contained(shares, op);
  }
  /// Both products, and all between them.
  bool contains(mlir::Operation *op) const { return op == scores || loops.contains(op); }
  /// How long the sums of `scores` are, and how many columns `values` has.
  int64_t steps() const, columns() const;

  /// Rows of a head that are longer would not leave a thread enough registers.
  static constexpr int64_t mostElements = 128;
};

/// The attention whose second product this is; nullopt where it is none. What is read of its scores and
/// shares by others is not looked at, as long as operations of the same kind read it.
std::optional<Attention> attentionOf(mlir::linalg::GenericOp values);
/// The attention that a kernel is, with elementwise operations after it at most: it yields results of the
/// second product and numbers of rows only.
std::optional<Attention> attentionOf(KernelOp kernel);

} // namespace train

#endif // DLC_DIALECTS_TRAIN_ATTENTION_H
