//===- NamedTarget.h - the target that a pass's options name ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_NAMEDTARGET_H
#define DLC_COMPILER_MACHINE_NAMEDTARGET_H

#include "compiler/machine/CpuTarget.h"
#include "mlir/IR/Operation.h"

namespace dlc {

/// CpuTarget::get for a pass that is run alone and has options for both; an error at `op` where it fails.
mlir::FailureOr<CpuTarget> namedTarget(mlir::Operation *op, llvm::StringRef triple, llvm::StringRef cpu);

} // namespace dlc

#endif // DLC_COMPILER_MACHINE_NAMEDTARGET_H
