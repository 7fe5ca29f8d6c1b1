//===- Narrow.h - floats of fewer bits than f32 ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// bf16 and f16 are types of memory: in registers their numbers are f32, in which they are computed and then
// rounded. A load widens (of bf16, it moves the bits to the upper half), a store rounds. On CPUs, integer
// instructions do both for bf16, because those of some processors round to other numbers, and for f16 where
// there are no others; GPUs have instructions for it. tf32, which bodies round to, is f32 in memory as well.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_NARROW_H
#define DLC_COMPILER_CODEGEN_KERNEL_NARROW_H

#include "compiler/codegen/kernel/Index.h"
#include "mlir/Pass/Pass.h"

namespace dlc::codegen {

/// Whether the numbers of an element type, or of vectors of it, are f32 in registers.
bool isNarrow(mlir::Type type);
/// The type that a value of this one, or a vector of it, has in registers.
mlir::Type registerType(mlir::Type type);
/// A constant as registers have it.
mlir::TypedAttr registerConstant(mlir::TypedAttr value);

/// The nearest numbers of the narrow type `element`, as f32: of bf16 and f16 halves go to the even one, of
/// tf32 away from zero. NaN stays NaN.
mlir::Value roundedTo(Builder &b, mlir::Type element, mlir::Value value);
/// f32 from the bits of bf16 or f16 in memory, and back.
mlir::Value fromBits(Builder &b, mlir::Type element, mlir::Value bits);
mlir::Value toBits(Builder &b, mlir::Type element, mlir::Value value);

/// What these have made of conversions between f32 and bf16 becomes integer instructions; between f32 and
/// f16, unless the machine `convertsHalves`.
std::unique_ptr<mlir::Pass> createNarrowByIntegersPass(bool convertsHalves);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_NARROW_H
