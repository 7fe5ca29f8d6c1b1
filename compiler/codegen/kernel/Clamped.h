//===- Clamped.h - neighbouring elements between limits --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_CLAMPED_H
#define DLC_COMPILER_CODEGEN_KERNEL_CLAMPED_H

#include "compiler/codegen/kernel/Access.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::codegen {

/// The elements that a body reads where the position along one dim is the lanes' loop, moved by a number and
/// kept between limits, as in a concatenation or behind a padding: of most vectors all lanes read neighbours,
/// or all read one element at a limit. `positions` are those of the point's lanes, of which `axis` differs
/// from lane to lane. A null value where it is no such position.
mlir::Value loadBetweenLimits(Builder &b, const Memory &memory, mlir::tensor::ExtractOp extract,
                              llvm::ArrayRef<mlir::Value> positions, unsigned axis, const Point &point,
                              const mlir::IRMapping &values);

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_CLAMPED_H
