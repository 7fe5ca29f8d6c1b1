//===- HessianProduct.h - the function hvp ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_HESSIANPRODUCT_H
#define DLC_COMPILER_BACKWARD_HESSIANPRODUCT_H

#include "dialects/train/Train.h"

namespace dlc::backward {

/// Adds a function that gives the Hessian of the loss of `forward` by the trained parameters, times a vector.
mlir::LogicalResult buildHessianProduct(train::FunctionOp forward);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_HESSIANPRODUCT_H
