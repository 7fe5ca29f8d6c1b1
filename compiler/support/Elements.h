//===- Elements.h - elements of tensors in memory --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_ELEMENTS_H
#define DLC_COMPILER_SUPPORT_ELEMENTS_H

#include "mlir/IR/TypeUtilities.h"

namespace dlc {

/// The bytes that an element takes in memory and in files: a truth value takes a whole one. `type` is that of
/// an element or of a tensor.
inline int64_t elementBytes(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return element.isInteger(1) ? 1 : element.getIntOrFloatBitWidth() / 8;
}
inline int64_t elementBytes(mlir::Value value) { return elementBytes(value.getType()); }

/// Whether two elements are a word of 32 bits: bf16 and f16. `type` is that of an element or of a tensor.
inline bool isHalfWord(mlir::Type type) {
  mlir::Type element = mlir::getElementTypeOrSelf(type);
  return element.isBF16() || element.isF16();
}

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_ELEMENTS_H
