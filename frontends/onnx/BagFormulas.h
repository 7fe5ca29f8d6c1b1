//===- BagFormulas.h - sums of embeddings without a loop --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What EmbeddingBags.cpp recognizes, as nodes that can be compiled.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_BAGFORMULAS_H
#define DLC_FRONTENDS_ONNX_BAGFORMULAS_H

#include "frontends/onnx/Proto.h"
#include <string>

namespace dlc::onnx {

/// What a loop computes, by names of the graph around it.
struct Bags {
  std::string table, indices, weights; ///< of the rows; `weights` may be empty
  std::string rows;                    ///< or the rows themselves
  std::string offsets;
  bool hasEnd = false; ///< whether the last offset is the end of the last bag
  std::string mode;    ///< the reduction's operator
};

/// Adds nodes to the graph that compute the bags, named after `stem`, and returns the result's name.
/// `length`: the name of the number of indices in each bag, where all have as many; else "".
std::string addBags(::onnx::GraphProto &graph, const std::string &stem, int64_t opset, const Bags &bags,
                    const std::string &length);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_BAGFORMULAS_H
