//===- Attributes.h - numbers that operations carry ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_ATTRIBUTES_H
#define DLC_COMPILER_SUPPORT_ATTRIBUTES_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace dlc {

/// An operation's integer attribute of this name, or `otherwise` where it has none.
inline int64_t numberOf(mlir::Operation *op, llvm::StringRef name, int64_t otherwise = 0) {
  auto number = op->getAttrOfType<mlir::IntegerAttr>(name);
  return number ? number.getInt() : otherwise;
}

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_ATTRIBUTES_H
