//===- Maths.h - functions of double precision as arithmetic ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_GPU_MATHS_MATHS_H
#define DLC_COMPILER_CODEGEN_GPU_MATHS_MATHS_H

#include "mlir/Pass/Pass.h"

namespace dlc::codegen::gpu {

/// Functions of f64 become arithmetic: there is no libm to call. So do those functions of f32 that have no
/// polynomial of their own (pow, sin, cos, atan); they are computed in f64.
std::unique_ptr<mlir::Pass> createExpandDoubleMathsPass();
/// Functions that are left and that the machine does not have are errors.
std::unique_ptr<mlir::Pass> createCheckMathsPass();

} // namespace dlc::codegen::gpu

#endif // DLC_COMPILER_CODEGEN_GPU_MATHS_MATHS_H
