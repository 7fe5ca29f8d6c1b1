//===- Described.h - options that stand in the program -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model that is described as a C++ program says its loss and its optimizer there, as texts NAME=VALUE in an
// attribute of the program, `train.described`. They are what `dlc compile` has as options.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_DESCRIBED_H
#define DLC_COMPILER_PIPELINE_DESCRIBED_H

#include "compiler/pipeline/Options.h"
#include "mlir/IR/BuiltinOps.h"

namespace dlc::pipeline {

/// Takes what the program says into `options`. What the command line gave goes before: `given` has its flags,
/// such as "--loss". The program keeps its texts until it is compiled beyond the stage import.
mlir::LogicalResult takeDescribed(mlir::ModuleOp module, llvm::ArrayRef<std::string> given, Options &options);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_DESCRIBED_H
