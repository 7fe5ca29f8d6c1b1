//===- DropoutFormula.h - dropout of whole channels ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Finds the formula that exporters write for it, and writes Dropout into the graph.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_DROPOUTFORMULA_H
#define DLC_FRONTENDS_ONNX_DROPOUTFORMULA_H

#include "frontends/onnx/Proto.h"
#include <cstdint>

namespace dlc::onnx {

class GraphNames;

void recognizeDropout(::onnx::GraphProto &graph, int64_t opset, const GraphNames &names);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_DROPOUTFORMULA_H
