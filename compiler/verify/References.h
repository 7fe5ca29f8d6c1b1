//===- References.h - the programs that a compiled one is compared with ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_VERIFY_REFERENCES_H
#define DLC_COMPILER_VERIFY_REFERENCES_H

#include "dialects/train/Train.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"

namespace dlc::verify {

/// As little as possible has been done to them: nothing is folded, recognized or decomposed, so that the
/// interpreter computes what the model says.
struct References {
  /// The model as it was imported, with its loss; batch norms and dropouts know no mode yet. (Where values
  /// stand for each mode, the modes are resolved.)
  mlir::OwningOpRef<mlir::ModuleOp> model;
  /// The library's functions: gradients, updates, evaluation, prediction.
  mlir::OwningOpRef<mlir::ModuleOp> functions;
  /// The gradients of the loss as it is, where those of `functions` are of rounded operands or of a scaled
  /// loss; else null.
  mlir::OwningOpRef<mlir::ModuleOp> unrounded;

  /// Makes the references of a copy of the imported module. `model` is null after an error, which was reported.
  static References of(mlir::ModuleOp imported);

  static train::ProgramOp program(mlir::ModuleOp module) {
    return *module.getOps<train::ProgramOp>().begin();
  }
  bool trains() const;
};

} // namespace dlc::verify

#endif // DLC_COMPILER_VERIFY_REFERENCES_H
