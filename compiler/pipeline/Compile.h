//===- Compile.h - from an imported program to files -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_PIPELINE_COMPILE_H
#define DLC_COMPILER_PIPELINE_COMPILE_H

#include "compiler/forward/raise/Recognized.h"
#include "compiler/pipeline/Options.h"
#include "dialects/train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/raw_ostream.h"

namespace dlc::pipeline {

/// Version of the compiler, as `dlc --version` prints it.
llvm::StringRef version();

/// Compiles the module's program up to the stage `options.emit` and writes what comes out there: text to
/// `out` where no output folder is given, else files. After an error no file has changed.
mlir::LogicalResult compile(mlir::ModuleOp module, const Options &options, llvm::raw_ostream &out);

/// Compiles up to the stage plan and returns the manifest, writing nothing.
mlir::FailureOr<std::string> compileToManifest(mlir::ModuleOp module, const Options &options);

/// What runs in this process: object files, by name, and what they are of.
struct Objects {
  std::vector<std::pair<std::string, std::string>> files;
  std::string manifest;
};

/// Compiles for a CPU of this machine, writing nothing. The object files have the constant `<name>.model`
/// (dlc/abi.h) and, where `functions` are wanted, the C functions of the header; they have no initial values:
/// these stand in the module, which is the planned program afterwards.
mlir::FailureOr<Objects> compileToObjects(mlir::ModuleOp module, const Options &options,
                                          bool functions = false);

/// The functions that a program has as wholes, and those that it nearly has; the module stays as it is.
mlir::FailureOr<forward::Recognized> recognize(mlir::ModuleOp module, const Options &options);

} // namespace dlc::pipeline

#endif // DLC_COMPILER_PIPELINE_COMPILE_H
