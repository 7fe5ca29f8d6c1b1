//===- Maths.h - functions as polynomials ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_MATHS_H
#define DLC_COMPILER_CODEGEN_KERNEL_MATHS_H

#include "mlir/Pass/Pass.h"

namespace dlc::codegen {

/// f32 exp, log, tanh, erf and their like become polynomials of arithmetic, on vectors as on scalars.
std::unique_ptr<mlir::Pass> createExpandMathsPass();

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_MATHS_H
