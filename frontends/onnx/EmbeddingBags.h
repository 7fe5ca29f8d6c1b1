//===- EmbeddingBags.h - sums of embeddings that exporters write as loops
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds such loops, which cannot be compiled as they are, and writes what they mean into the graph.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_EMBEDDINGBAGS_H
#define DLC_FRONTENDS_ONNX_EMBEDDINGBAGS_H

#include "frontends/onnx/Proto.h"
#include <cstdint>

namespace dlc::onnx {

class GraphNames;

void recognizeBags(::onnx::GraphProto &graph, int64_t opset, const GraphNames &names);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_EMBEDDINGBAGS_H
