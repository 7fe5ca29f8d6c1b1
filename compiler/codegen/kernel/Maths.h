//===- Maths.h - functions as polynomials ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_MATHS_H
#define DLC_COMPILER_CODEGEN_KERNEL_MATHS_H

#include "compiler/codegen/kernel/Index.h"
#include "mlir/Pass/Pass.h"

namespace dlc::codegen {

/// What a machine has instructions for, right to two units in the last place of f32. Null: polynomials and
/// divisions do it.
struct MachineMaths {
  mlir::Value (*powerOfTwo)(Builder &b, mlir::Value x) = nullptr; ///< 2^x
  mlir::Value (*reciprocal)(Builder &b, mlir::Value x) = nullptr; ///< 1 / x, of normal numbers
};

/// f32 exp, log, tanh, erf and their like become polynomials of arithmetic, on vectors as on scalars; exp and
/// erfc become instructions where the machine has them.
std::unique_ptr<mlir::Pass> createExpandMathsPass(MachineMaths machine = {});

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_MATHS_H
