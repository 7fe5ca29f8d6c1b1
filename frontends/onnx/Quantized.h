//===- Quantized.h - integers that float numbers stand for -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Results of QuantizeLinear are float numbers in the program, so that gradients pass. Only operators that
// move elements, or choose among them, may read such a tensor: others compute with integers otherwise than
// with floats.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_QUANTIZED_H
#define DLC_FRONTENDS_ONNX_QUANTIZED_H

#include "frontends/onnx/GraphNames.h"

namespace dlc::onnx {

/// Whether the node may read its inputs; reports where not.
bool mayReadQuantized(const ::onnx::NodeProto &node, const GraphNames &names,
                      frontend::Diagnostics &diagnostics);
/// The node's results are such integers, too, where they consist of elements of its inputs.
void passQuantized(const ::onnx::NodeProto &node, GraphNames &names);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_QUANTIZED_H
