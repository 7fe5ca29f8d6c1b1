//===- ParameterGroups.h - parameters with settings of their own -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// `*.bias|norm*:weight_decay=0,lr_scale=0.1` gives the parameters that its globs match numbers of their own
// in place of the optimizer's. Each is a hyperparameter like those that all share, named after its group
// (`group1_lr_scale`), but for a weight decay of 0, which is part of the program.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_PARAMETERGROUPS_H
#define DLC_COMPILER_BACKWARD_PARAMETERGROUPS_H

#include "compiler/backward/TrainingState.h"

namespace dlc::backward {

class ParameterGroups {
public:
  /// The settings of a parameter, by name; null: always 0. "lr_scale" is a factor of the learning rate.
  using Settings = llvm::StringMap<train::StateOp>;

  /// Declares what the recipe's groups set; an error where one matches no parameter, names what the optimizer does not
  /// have, or sets what another group sets for the same parameter.
  static mlir::FailureOr<ParameterGroups> declare(train::ProgramOp program, const Optimizer &optimizer);

  const Settings &of(train::StateOp parameter) const {
    auto found = settings.find(parameter);
    return found == settings.end() ? none : found->second;
  }

private:
  mlir::LogicalResult addGroup(train::ProgramOp program, train::GroupAttr group, llvm::StringRef name,
                               const Optimizer &optimizer);
  mlir::LogicalResult addSetting(train::ProgramOp program, llvm::StringRef setting, llvm::StringRef group,
                                 llvm::ArrayRef<train::StateOp> members, const Optimizer &optimizer);

  llvm::DenseMap<mlir::Operation *, Settings> settings;
  Settings none;
};

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_PARAMETERGROUPS_H
