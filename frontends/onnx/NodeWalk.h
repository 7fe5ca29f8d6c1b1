//===- NodeWalk.h - the import of a graph's nodes --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Walks the nodes in topological order and asks the tables of operators for each. An error poisons what
// depends on a node, and the walk goes on, so that all reasons are found in one go.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_NODEWALK_H
#define DLC_FRONTENDS_ONNX_NODEWALK_H

#include "frontends/onnx/CustomNodes.h"
#include "frontends/onnx/Services.h"

namespace dlc::onnx {

struct Operator;

class NodeWalk {
public:
  NodeWalk(Services &services, CustomNodes &customNodes, Trainable &trainable)
      : services(services), names(services.names), diagnostics(services.diagnostics),
        customNodes(customNodes), trainable(trainable) {}

  /// Imports the nodes that the graph's outputs need, which come back, producers first.
  std::vector<const ::onnx::NodeProto *> importNodes(::onnx::GraphProto &graph);

private:
  void importNode(const ::onnx::NodeProto &proto);
  const Operator *findVersion(const ::onnx::NodeProto &proto);
  bool checkNode(const ::onnx::NodeProto &proto, const Operator &version);
  bool areInputsReady(const ::onnx::NodeProto &proto);
  void finishOutputs(const ::onnx::NodeProto &proto, bool isImported);

  Services &services;
  GraphNames &names;
  frontend::Diagnostics &diagnostics;
  CustomNodes &customNodes;
  Trainable &trainable;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_NODEWALK_H
