//===- Optimizer.h - the updates of a program's optimizer ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_OPTIMIZER_H
#define DLC_COMPILER_BACKWARD_OPTIMIZER_H

#include "dialects/train/Train.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dlc::backward {

/// An update operation, and the names of its operands.
struct UpdateKind {
  llvm::StringRef operation, flag;
  llvm::ArrayRef<llvm::StringRef> slots, hyperparameters;
};

/// Which parameters an update is for.
enum class Updated {
  All,
  Matrices,     ///< of two axes
  RowsColumns,  ///< of two axes or more
  LookedUpRows, ///< whose only use is that rows are taken out of them by index, as of an embedding's table
};

/// The updates of a program: the same for all parameters, but for those that only some can have.
class Optimizer {
public:
  explicit Optimizer(train::OptimizerAttr recipe);

  /// The update of a parameter of the program.
  const UpdateKind &kindFor(train::StateOp parameter) const;
  /// The names of the hyperparameters of all its updates, each once.
  llvm::SmallVector<llvm::StringRef> getHyperparameterNames() const;
  double getInitialValue(llvm::StringRef hyperparameter) const {
    return recipe.getInitialValue(hyperparameter);
  }

private:
  train::OptimizerAttr recipe;
  UpdateKind kind;
  Updated updated = Updated::All;
  std::optional<UpdateKind> ofOthers; ///< of all parameters that `kind` is not for
};

/// The new parameter, followed by the new slots.
mlir::ValueRange buildUpdate(mlir::ImplicitLocOpBuilder &builder, const UpdateKind &kind,
                             mlir::Value parameter, mlir::Value gradient, mlir::ValueRange slots,
                             mlir::ValueRange hyperparameters, mlir::Value step);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_OPTIMIZER_H
