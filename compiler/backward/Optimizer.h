//===- Optimizer.h - choice of the optimizer and its settings --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_OPTIMIZER_H
#define DLC_COMPILER_BACKWARD_OPTIMIZER_H

#include "dialects/train/Train.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dlc::backward {

/// What a user may ask for.
struct OptimizerOptions {
  llvm::StringRef name;
  llvm::ArrayRef<std::string> hyperparameters; ///< NAME=NUMBER
  bool nesterov = false, centered = false, amsgrad = false;
};

/// The names of all optimizers.
std::vector<std::string> optimizers();

/// A hyperparameter's value; an error for what is no number, or out of the hyperparameter's range.
mlir::FailureOr<double> parseHyperparameter(llvm::StringRef name, llvm::StringRef text,
                                            llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

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
  using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
  /// PyTorch's defaults, overridden by the options; an error for names and values that make no sense.
  static mlir::FailureOr<Optimizer> get(const OptimizerOptions &options, EmitError emitError);

  /// The update of a parameter of the program.
  const UpdateKind &kindFor(train::StateOp parameter) const;
  /// Those of all its updates, each once.
  llvm::SmallVector<llvm::StringRef> getHyperparameterNames() const;
  double getInitialValue(llvm::StringRef hyperparameter) const { return values.at(hyperparameter); }

private:
  UpdateKind kind;
  Updated updated = Updated::All;
  std::optional<UpdateKind> ofOthers; ///< of all parameters that `kind` is not for
  llvm::StringMap<double> values;
};

/// The new parameter, followed by the new slots.
mlir::ValueRange buildUpdate(mlir::ImplicitLocOpBuilder &builder, const UpdateKind &kind,
                             mlir::Value parameter, mlir::Value gradient, mlir::ValueRange slots,
                             mlir::ValueRange hyperparameters, mlir::Value step);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_OPTIMIZER_H
