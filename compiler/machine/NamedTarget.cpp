//===- NamedTarget.cpp - the target that a pass's options name -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/NamedTarget.h"
#include "mlir/IR/Diagnostics.h"

namespace dlc {

mlir::FailureOr<CpuTarget> namedTarget(mlir::Operation *op, llvm::StringRef triple, llvm::StringRef cpu) {
  llvm::Expected<CpuTarget> target = CpuTarget::get(triple, cpu);
  if (target)
    return std::move(*target);
  op->emitError() << llvm::toString(target.takeError());
  return mlir::failure();
}

} // namespace dlc
