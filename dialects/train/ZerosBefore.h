//===- ZerosBefore.h - nests that put zeros around a tensor ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Such a nest reads its tensor at computed positions. So that these need not be understood, it may say how
// many zeros stand before the tensor along each of its loops; what is left behind the tensor is zeros, too.
// Whoever changes the loops changes this, or drops it. It stands in the dialect's attribute
// `train.zeros_before`, whose verifier (Facts.cpp) knows how many loops there are.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_ZEROSBEFORE_H
#define DLC_DIALECTS_TRAIN_ZEROSBEFORE_H

#include "dialects/train/Train.h"

namespace train {

/// Per loop; null where the nest is not known to pad.
inline mlir::DenseI64ArrayAttr zerosBefore(mlir::Operation *op) {
  return TrainDialect::ZerosBeforeAttrHelper(op->getContext()).getAttr(op);
}

inline void setZerosBefore(mlir::Operation *op, llvm::ArrayRef<int64_t> zeros) {
  TrainDialect::ZerosBeforeAttrHelper(op->getContext())
      .setAttr(op, mlir::DenseI64ArrayAttr::get(op->getContext(), zeros));
}

inline void dropZerosBefore(mlir::Operation *op) {
  op->removeAttr(TrainDialect::ZerosBeforeAttrHelper::getNameStr());
}

} // namespace train

#endif // DLC_DIALECTS_TRAIN_ZEROSBEFORE_H
