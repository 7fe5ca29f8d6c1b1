//===- Time.cpp - gradients of operations on sequences ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A reversal is its own inverse, so each element's gradient comes from where the element went.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Expr.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

namespace nn {

SmallVector<Value> ReverseSequenceOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                               ArrayRef<bool> needed) {
  SmallVector<Value> gradients(2);
  if (needed[0])
    gradients[0] =
        ReverseSequenceOp::create(builder, dResults[0], getLengths(), getTimeAttr(), getBatchAttr());
  return gradients;
}

} // namespace nn
