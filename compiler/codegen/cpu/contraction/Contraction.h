//===- Contraction.h - matrix products with what follows them --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTION_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTION_H

#include "compiler/codegen/kernel/KernelFunction.h"

namespace dlc::codegen {

/// Emits a kernel whose first operation is a sum of products and whose others are elementwise on its
/// result. The result is computed in register tiles of `rows` x `vectors` vectors that stay in registers
/// over the whole reduction; the elementwise operations run on the tile before it is stored.
void emitContraction(KernelFunction &kernel);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_CONTRACTION_H
