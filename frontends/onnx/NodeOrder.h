//===- NodeOrder.h - the nodes of a graph, producers first -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which nodes a graph's outputs need, and in which order.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_NODEORDER_H
#define DLC_FRONTENDS_ONNX_NODEORDER_H

#include "frontends/onnx/GraphNames.h"

namespace dlc::onnx {

/// Nodes that the graph's outputs need, producers first. Reports what nothing produces, or two nodes.
std::vector<const ::onnx::NodeProto *> sortNodes(const ::onnx::GraphProto &graph, GraphNames &names,
                                                 frontend::Diagnostics &diagnostics);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_NODEORDER_H
