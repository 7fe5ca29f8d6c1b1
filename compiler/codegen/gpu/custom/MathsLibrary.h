//===- MathsLibrary.h - mathematics for users' CUDA sources ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A GPU has no library of functions. What a source calls is computed as in dlc's own kernels.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_CUSTOM_MATHSLIBRARY_H
#define DLC_COMPILER_CODEGEN_GPU_CUSTOM_MATHSLIBRARY_H

#include "mlir/IR/MLIRContext.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"
#include <string>

namespace dlc::codegen::gpu {

/// Declarations of the functions in CUDA C++, by C's names: expf and exp, also exp of a float.
std::string mathsDeclarations();
/// Whether it is the symbol of one of them.
bool isMathsSymbol(llvm::StringRef symbol);
/// Their definitions, an LLVM module in bitcode.
llvm::FailureOr<std::string> mathsLibrary(mlir::MLIRContext &context);

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_CUSTOM_MATHSLIBRARY_H
