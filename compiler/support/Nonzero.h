//===- Nonzero.h - which terms of a sum may differ from zero ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A contraction that reads an operand padded with zeros may say where its loops meet the padding: all terms
// outside of this set are zero, so that code may leave them out. The set is over the contraction's loops;
// whoever changes these changes it, or drops it.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_NONZERO_H
#define DLC_COMPILER_SUPPORT_NONZERO_H

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/IntegerSet.h"
#include "mlir/IR/Operation.h"

namespace dlc {

/// Null where nothing is known.
inline mlir::IntegerSet nonzeroTerms(mlir::Operation *op) {
  auto attribute = op->getAttrOfType<mlir::IntegerSetAttr>("nonzero");
  return attribute ? attribute.getValue() : mlir::IntegerSet();
}

/// Each expression, of `numLoops` loops, is at least 0.
inline void setNonzeroTerms(mlir::Operation *op, llvm::ArrayRef<mlir::AffineExpr> atLeastZero,
                            unsigned numLoops) {
  if (!atLeastZero.empty())
    op->setAttr("nonzero",
                mlir::IntegerSetAttr::get(mlir::IntegerSet::get(
                    numLoops, 0, atLeastZero, llvm::SmallVector<bool>(atLeastZero.size(), false))));
}

inline void dropNonzeroTerms(mlir::Operation *op) { op->removeAttr("nonzero"); }

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_NONZERO_H
