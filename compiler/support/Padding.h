//===- Padding.h - nests that put zeros around a tensor --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such a nest reads its tensor at computed positions. So that these need not be understood, it may say how
// many zeros stand before the tensor along each of its loops; what is left behind the tensor is zeros, too.
// Whoever changes the loops changes this, or drops it.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_PADDING_H
#define DLC_COMPILER_SUPPORT_PADDING_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/Operation.h"

namespace dlc {

/// Per loop; null where the nest is not known to pad.
inline mlir::DenseI64ArrayAttr zerosBefore(mlir::Operation *op) {
  return op->getAttrOfType<mlir::DenseI64ArrayAttr>("zeros_before");
}

inline void setZerosBefore(mlir::Operation *op, llvm::ArrayRef<int64_t> zeros) {
  op->setAttr("zeros_before", mlir::DenseI64ArrayAttr::get(op->getContext(), zeros));
}

inline void dropZerosBefore(mlir::Operation *op) { op->removeAttr("zeros_before"); }

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_PADDING_H
