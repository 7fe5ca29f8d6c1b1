//===- Import.h - programs of StableHLO as train programs -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the text of a StableHLO program, as JAX writes it, into a module with one `train.program`: inputs,
// predictions, parameters and the function `forward`, without loss. Nothing in the text is trusted.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_STABLEHLO_IMPORT_H
#define DLC_FRONTENDS_STABLEHLO_IMPORT_H

#include "frontends/common/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dlc::stablehlo {

struct ImportOptions : frontend::ImportOptions {
  /// A file of the parameters' values (.safetensors); empty: the program has no parameters.
  std::string parameters;
};

/// The program, or null after errors: one for each thing that dlc cannot import, at the file's location.
/// Remarks say what concerns training.
mlir::OwningOpRef<mlir::ModuleOp> importStablehlo(llvm::StringRef path, const ImportOptions &options,
                                                  mlir::MLIRContext &context);

/// Everything that stops the import, in the words of importStablehlo's errors; empty if nothing does. A batch
/// without a given size is no reason: it has one row then. Where nothing stops the import, the program goes
/// to
/// `*module` if there is one, with the remarks of importStablehlo.
std::vector<std::string> checkStablehlo(llvm::StringRef path, const ImportOptions &options,
                                        mlir::MLIRContext &context,
                                        mlir::OwningOpRef<mlir::ModuleOp> *module = nullptr);

/// Whether a file that begins so is a program of StableHLO: a text with functions that is no program of
/// dlc's, or the bytecode of one, which importStablehlo refuses with a sentence of its own.
bool isStablehlo(llvm::StringRef beginning);
/// Whether a file is a program of StableHLO; false where it cannot be read.
bool isStablehloFile(llvm::StringRef path);

} // namespace dlc::stablehlo

#endif // DLC_FRONTENDS_STABLEHLO_IMPORT_H
