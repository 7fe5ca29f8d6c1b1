//===- Indices.h - elements at given indices -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathering and scattering along several dims: the tensor's dims that are indexed count as one, along which
// an element's place is the sum of index * stride. So nn.gather and nn.scatter_add and their gradients do for
// all.
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

// Of a node whose input 0 is the tensor and input 1 the indices. All report what does not fit.

/// The indices as i64; null, after an error, where they are no integers.
mlir::Value indicesOf(Node &node);
/// A negative index counts from the end.
nn::Expr counted(nn::Expr index, nn::Expr size);
/// The attribute `axis` of indices of one element each; nullopt after an error.
std::optional<int64_t> axisOfElements(Node &node);

/// How a tensor is seen for indices along the dims [batch, batch + depth): as [batch * these, rest].
struct Rows {
  nn::Shape joined;   ///< x
  mlir::Value places; ///< of rows, with the shape of the indices without their last dim
  nn::Shape rest;     ///< of a row
};
/// Null places after an error.
Rows rowsAt(Node &node, int64_t batch);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_INDICES_H
