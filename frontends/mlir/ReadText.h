//===- ReadText.h - programs written as MLIR text --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// MLIR's parser trusts its input: it makes room for every result number that a text mentions
// (`%3#2147483648`) and calls itself for every bracket inside a bracket or sign after a sign. Here a text is
// looked through before it is parsed.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_MLIR_READTEXT_H
#define DLC_FRONTENDS_MLIR_READTEXT_H

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/MemoryBuffer.h"

namespace dlc::text {

/// The module in the file at `path` (`-`: standard input), or null after an error at a place in it.
mlir::OwningOpRef<mlir::ModuleOp> readFile(llvm::StringRef path, mlir::MLIRContext &context);

/// The module in a text that has been read already; the buffer's name is the file's in messages.
mlir::OwningOpRef<mlir::ModuleOp> parse(std::unique_ptr<llvm::MemoryBuffer> text, mlir::MLIRContext &context);

} // namespace dlc::text

#endif // DLC_FRONTENDS_MLIR_READTEXT_H
