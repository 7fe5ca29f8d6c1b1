//===- Inputs.h - values of inputs from files ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_VERIFY_INPUTS_H
#define DLC_TOOLS_DLC_VERIFY_INPUTS_H

#include "compiler/interpret/Tensor.h"
#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/StringMap.h"

namespace dlc::tool {

/// Reads "NAME=FILE": the elements of an input of the model, row-major, with each open size at its largest.
/// Failure after an error, which was reported.
mlir::LogicalResult readInputs(mlir::ModuleOp module, llvm::ArrayRef<std::string> files,
                               llvm::StringMap<interpret::Tensor> &inputs);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_VERIFY_INPUTS_H
