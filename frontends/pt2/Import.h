//===- Import.h - exported programs of PyTorch as train programs ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads a .pt2 file, which torch.export.save has written, into a module with one `train.program`: inputs,
// predictions, parameters, buffers and the function `forward`, without loss. Nothing in the file is trusted.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_IMPORT_H
#define DLC_FRONTENDS_PT2_IMPORT_H

#include "frontends/common/Options.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dlc::pt2 {

using frontend::ImportOptions;

/// The program, or null after errors: one for each thing that dlc cannot import, at the file's location.
/// Remarks say what concerns training.
mlir::OwningOpRef<mlir::ModuleOp> importPt2(llvm::StringRef path, const ImportOptions &options,
                                            mlir::MLIRContext &context);

/// Everything that stops the import, in the words of importPt2's errors; empty if nothing does. A batch
/// without a given size is no reason: it has one row then. Where nothing stops the import, the program goes
/// to
/// `*module` if there is one, with the warnings and remarks of importPt2.
std::vector<std::string> checkPt2(llvm::StringRef path, const ImportOptions &options,
                                  mlir::MLIRContext &context,
                                  mlir::OwningOpRef<mlir::ModuleOp> *module = nullptr);

/// Whether a file that begins so is a zip archive.
inline bool isArchive(llvm::StringRef bytes) {
  return bytes.starts_with("PK\3\4") || bytes.starts_with("PK\5\6");
}

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_IMPORT_H
