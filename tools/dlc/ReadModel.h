//===- ReadModel.h - from what was asked for to a program ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the command dlc and the library libdlc have in common behind the options.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_READMODEL_H
#define DLC_TOOLS_DLC_READMODEL_H

#include "compiler/pipeline/Diagnostics.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "tools/dlc/Commands.h"

namespace dlc::tool {

/// A context with all dialects, whose messages go to `sink`.
struct Reading {
  explicit Reading(const Invocation &invocation,
                   pipeline::Diagnostics::Sink sink = pipeline::printTo(llvm::errs()));

  mlir::MLIRContext context;
  pipeline::Diagnostics::Sink sink;
  pipeline::Diagnostics diagnostics;
};

/// Whether remarks are printed: not with -q, and not where a model is only shown.
bool wantsRemarks(const Invocation &invocation);

bool isMlir(const Invocation &invocation);
bool isCpp(const Invocation &invocation);
/// A program of torch.export: by its bytes where it is in memory, else by its name.
bool isPt2(const Invocation &invocation);
/// A program of StableHLO, as JAX writes it: its text, or its bytecode, which is refused.
bool isStablehlo(const Invocation &invocation);

/// Whether the program has a loss of its own.
bool hasLoss(mlir::ModuleOp module);

/// The loss that the program's recipe adds; "" where it adds none.
std::string lossNameOf(mlir::ModuleOp module);

/// The model as a program; null after errors. Its recipe has what the options say of the training.
mlir::OwningOpRef<mlir::ModuleOp> readModel(Invocation &invocation, Reading &reading);

/// The same, with everything that stops the import as an error, not only what comes first.
mlir::OwningOpRef<mlir::ModuleOp> checkModel(Invocation &invocation, Reading &reading);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_READMODEL_H
