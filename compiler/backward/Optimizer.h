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
  bool nesterov = false, centered = false;
};

/// The names of all optimizers.
std::vector<std::string> optimizers();

/// A hyperparameter's value; an error for what is no number, or out of the hyperparameter's range.
mlir::FailureOr<double> parseHyperparameter(llvm::StringRef name, llvm::StringRef text,
                                            llvm::function_ref<mlir::InFlightDiagnostic()> emitError);

/// One kind of update, the same for all parameters.
class Optimizer {
public:
  using EmitError = llvm::function_ref<mlir::InFlightDiagnostic()>;
  /// PyTorch's defaults, overridden by the options; an error for names and values that make no sense.
  static mlir::FailureOr<Optimizer> get(const OptimizerOptions &options, EmitError emitError);

  llvm::ArrayRef<llvm::StringRef> getSlotNames() const { return slots; }
  llvm::ArrayRef<llvm::StringRef> getHyperparameterNames() const { return hyperparameters; }
  double getInitialValue(llvm::StringRef hyperparameter) const { return values.at(hyperparameter); }

  /// The new parameter, followed by the new slots.
  mlir::ValueRange buildUpdate(mlir::ImplicitLocOpBuilder &builder, mlir::Value parameter,
                               mlir::Value gradient, mlir::ValueRange slotValues,
                               mlir::ValueRange hyperparameterValues, mlir::Value step) const;

private:
  template <typename Op> void use(llvm::StringRef setFlag = "");

  llvm::StringRef operation, flag;
  llvm::ArrayRef<llvm::StringRef> slots, hyperparameters;
  llvm::StringMap<double> values;
};

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_OPTIMIZER_H
