//===- Pairs.h - neighbouring elements of bf16 in a word -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A CPU with AVX512-BF16 adds two products of bf16 to an f32 at once. A pair, two neighbouring steps of the
// reduction, is a word of 32 bits with the earlier step in its lower half.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PAIRS_H
#define DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PAIRS_H

#include "compiler/codegen/kernel/Access.h"

namespace dlc::codegen {

/// The pairs that begin at a point and go on along `loop`, a word for each lane; one word where all lanes see
/// the same. `bits` accesses the elements' bits (asBits).
mlir::Value pairsAt(Builder &b, const Access &bits, const Point &point, int64_t loop);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_CPU_CONTRACTION_PAIRS_H
