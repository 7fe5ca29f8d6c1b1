//===- Indices.h - elements at given indices -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_INDICES_H
#define DLC_FRONTENDS_ONNX_INDICES_H

#include "frontends/onnx/Node.h"

namespace dlc::onnx {

/// The places, in row-major order, of x[i..., indices[i..., j, k...], k...], j along `axis`: x has the shape
/// `x`, indices are i64. Null after an error.
mlir::Value placesOfElements(Node &node, mlir::Value indices, llvm::ArrayRef<nn::Dim> x, int64_t axis);

/// The elements at these places.
mlir::Value gatherElements(Node &node, mlir::Value x, mlir::Value indices, int64_t axis);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_INDICES_H
