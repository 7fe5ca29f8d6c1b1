//===- TrainingState.h - state that training adds to a model ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Beside its parameters, a program that trains keeps their gradients and the optimizer's slots, the
// hyperparameters and the number of updates made.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_TRAININGSTATE_H
#define DLC_COMPILER_BACKWARD_TRAININGSTATE_H

#include "compiler/backward/Optimizer.h"

namespace dlc::backward {

/// The gradients of the trainable parameters, by the parameter's name, in the model's order.
using GradientStates = llvm::MapVector<mlir::StringAttr, train::StateOp>;
mlir::FailureOr<GradientStates> declareGradients(train::ProgramOp program);
/// The weight of the labels that they are the mean over (f64), where they are one; like them, it is not
/// saved.
train::StateOp declareGradientWeight(train::ProgramOp program);
/// A number (f64) that the parts of a batch add up; it is not saved either.
train::StateOp declarePartSum(train::ProgramOp program, llvm::StringRef name);

/// A number (f64) of the training itself, 0 at first, which is saved like the optimizer's state.
train::StateOp declareTrainingNumber(train::ProgramOp program, llvm::StringRef name);

/// The hyperparameter that the loss is multiplied by while gradients flow back (`loss_scale` of the program),
/// and the name that it has if that is free; null where there is none.
inline constexpr llvm::StringLiteral lossScaleName = "loss_scale";
void declareLossScale(train::ProgramOp program, double initial);
train::StateOp lossScaleOf(train::ProgramOp program);

/// Declares a number that users may set between steps, within the range.
train::StateOp declareHyperparameter(train::ProgramOp program, llvm::StringRef name, double initial,
                                     train::HyperparameterRange range);

/// A trainable parameter, and what the optimizer keeps for it.
struct ParameterSlots {
  train::StateOp owner;
  const UpdateKind *kind = nullptr; ///< of the optimizer, which lives longer
  llvm::SmallVector<train::StateOp, 3> slots;
  train::StateOp average; ///< of its values; null: none is kept
};

struct OptimizerState {
  llvm::MapVector<mlir::StringAttr, ParameterSlots> parameters; ///< by name, in the model's order
  llvm::SmallVector<train::StateOp> hyperparameters;
  train::StateOp step, emaDecay; ///< the decay of averages: null where none are kept

  /// Declares all of it in the program.
  static OptimizerState declare(train::ProgramOp program, const Optimizer &optimizer, double emaDecay);
};

/// The parameters that a glob of this option matches; an error where it is malformed or matches none.
mlir::FailureOr<llvm::SmallVector<train::StateOp>> matching(train::ProgramOp program, llvm::StringRef option,
                                                            llvm::StringRef glob);

/// Freezes the parameters that `train` globs leave out or `freeze` globs match; a glob that is malformed or
/// matches no parameter is an error.
mlir::LogicalResult freezeParameters(train::ProgramOp program, llvm::ArrayRef<std::string> train,
                                     llvm::ArrayRef<std::string> freeze);

/// Sets the initial seed of the random state, if the program has one.
void setSeed(train::ProgramOp program, uint64_t seed);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_TRAININGSTATE_H
