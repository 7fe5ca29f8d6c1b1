//===- Variant.h - the program as it becomes for one target ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_VARIANT_H
#define DLC_COMPILER_PIPELINE_VARIANT_H

#include "compiler/pipeline/ChosenTarget.h"
#include "compiler/pipeline/CustomCode.h"
#include "dialects/train/Train.h"
#include "mlir/IR/BuiltinOps.h"

namespace dlc::pipeline {

/// Up to the stage that Pipeline.h's lastShared names, the program is one for all targets of a compilation.
/// From there on each has a copy, with its own layouts, kernels and plan.
struct Variant {
  ChosenTarget target;
  CustomCode custom; ///< users' own operations
  mlir::ModuleOp module;
  train::ProgramOp program; ///< in `module`
};

/// What users and files see must be one thing in all variants: a weights file serves all of them, and a
/// checkpoint of one can be loaded in another. Diagnosed where it is not.
mlir::LogicalResult verifySameInterface(llvm::ArrayRef<Variant> variants);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_VARIANT_H
