//===- ReverseMode.h - reverse-mode differentiation of a block -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradient rules are pure; everything else about differentiation is here: which operations lie between
// the leaves and the outputs, in what order their rules are called, and the sums where a value is used twice.
// The stage backward derives a program's loss with it, the C++ frontend what a description asks for.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_REVERSEMODE_H
#define DLC_DIALECTS_TRAIN_REVERSEMODE_H

#include "dialects/nn/NN.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace train {

/// Whether the operation on purpose lets no gradient flow to this operand.
bool stopsGradient(mlir::OpOperand &operand);

class ReverseMode {
public:
  /// Finds what lies between `leaves` (values to differentiate by) and `outputs`, all in one block.
  ReverseMode(mlir::ArrayRef<mlir::Value> outputs, mlir::ArrayRef<mlir::Value> leaves);

  /// An operand that the outputs depend on through an operation that has no gradient for it.
  struct Missing {
    mlir::Operation *op;
    unsigned operand;
  };
  mlir::ArrayRef<Missing> getMissing() const { return missing; }
  /// Whether an output depends on `leaf` through differentiable operations.
  bool reaches(mlir::Value leaf) const { return reached.contains(leaf); }

  using Finished = llvm::function_ref<void(mlir::Value leaf, mlir::Value gradient)>;
  /// Builds the backward operations of the sum over all outputs of `output * seed`; ones where a seed is null
  /// or none are given. Calls `finished` with a leaf and its gradient as soon as no operation that is built
  /// later reads the leaf. Leaves that the outputs do not depend on are left out.
  mlir::LogicalResult build(mlir::OpBuilder &builder, Finished finished,
                            mlir::ArrayRef<mlir::Value> seeds = {});

private:
  /// An operation to go back through, and which of its operands need a gradient.
  struct TapeEntry {
    mlir::Operation *op;
    llvm::SmallVector<bool> needed;
  };
  void findVaried();
  void recordTape();
  void plant(mlir::OpBuilder &builder, mlir::ArrayRef<mlir::Value> seeds);
  mlir::LogicalResult goBack(const TapeEntry &entry, mlir::OpBuilder &builder);

  llvm::SmallVector<mlir::Value> outputs;
  llvm::SmallDenseSet<mlir::Value> leaves;
  llvm::DenseSet<mlir::Value> varied;  ///< depends differentiably on a leaf
  llvm::DenseSet<mlir::Value> reached; ///< varied, and an output depends on it
  llvm::SmallVector<TapeEntry> tape;   ///< in reverse order of the program
  llvm::SmallVector<Missing> missing;  ///< in order of the program
  llvm::DenseMap<mlir::Value, mlir::Value> gradients;
};

} // namespace train

#endif // DLC_DIALECTS_TRAIN_REVERSEMODE_H
