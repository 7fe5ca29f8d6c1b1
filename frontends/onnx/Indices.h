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

#include "frontends/common/Places.h"
#include "frontends/onnx/Node.h"

namespace dlc::onnx {

using frontend::counted, frontend::gatherElements, frontend::placesOfElements, frontend::staticCount;

// These functions are for nodes whose input 0 is the tensor and input 1 the indices. All report what does not
// fit.

/// The indices as i64; null, after an error, where they are no integers.
mlir::Value indicesOf(Node &node);
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
