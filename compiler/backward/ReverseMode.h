//===- ReverseMode.h - reverse-mode differentiation of a block -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gradient rules are pure; everything else about differentiation is here: which operations lie between
// the leaves and the loss, in what order their rules are called, and the sums where a value is used twice.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_REVERSEMODE_H
#define DLC_COMPILER_BACKWARD_REVERSEMODE_H

#include "dialects/nn/NN.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace dlc::backward {

class ReverseMode {
public:
  /// Finds what lies between `leaves` (values to differentiate by) and `loss`, all in one block.
  ReverseMode(mlir::Value loss, mlir::ArrayRef<mlir::Value> leaves);

  /// An operand that the loss depends on through an operation that has no gradient for it.
  struct Missing {
    mlir::Operation *op;
    unsigned operand;
  };
  mlir::ArrayRef<Missing> getMissing() const { return missing; }
  /// Whether the loss depends on `leaf` through differentiable operations.
  bool reaches(mlir::Value leaf) const { return reached.contains(leaf); }

  /// Builds the backward operations. Calls `finished` with a leaf and its gradient as soon as no operation
  /// that is built later reads the leaf. Leaves that the loss does not depend on are left out.
  mlir::LogicalResult build(mlir::OpBuilder &builder,
                            llvm::function_ref<void(mlir::Value leaf, mlir::Value gradient)> finished);

private:
  /// An operation to go back through, and which of its operands need a gradient.
  struct Step {
    mlir::Operation *op;
    llvm::SmallVector<bool> needed;
  };
  void findVaried();
  void findSteps();
  mlir::LogicalResult goBack(const Step &step, mlir::OpBuilder &builder);

  mlir::Value loss;
  llvm::SmallDenseSet<mlir::Value> leaves;
  llvm::DenseSet<mlir::Value> varied;  ///< depends differentiably on a leaf
  llvm::DenseSet<mlir::Value> reached; ///< varied, and the loss depends on it
  llvm::SmallVector<Step> steps;       ///< in reverse order of the program
  llvm::SmallVector<Missing> missing;  ///< in order of the program
  llvm::DenseMap<mlir::Value, mlir::Value> gradients;
};

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_REVERSEMODE_H
