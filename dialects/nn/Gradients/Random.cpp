//===- Random.cpp - gradient of dropout ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The kept elements are a function of state, stream and place: the same dropout of the gradient keeps the
// same elements, so no mask is stored.
//===----------------------------------------------------------------------===//
#include "dialects/nn/Expr.h"

using llvm::ArrayRef, llvm::SmallVector;
using mlir::ImplicitLocOpBuilder, mlir::Value, mlir::ValueRange;

namespace nn {

SmallVector<Value> DropoutOp::gradient(ImplicitLocOpBuilder &builder, ValueRange dResults,
                                       ArrayRef<bool> needed) {
  SmallVector<Value> gradients(2);
  if (needed[0])
    gradients[0] = DropoutOp::create(builder, dResults[0], getRng(), getRatioAttr(), getStreamAttr());
  return gradients;
}

} // namespace nn
