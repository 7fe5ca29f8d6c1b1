//===- Bodies.h - graphs in attributes -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The branches of an If and the bodies of Loop and Scan become nodes of the graph around them, a body once
// for each time that it runs. Initializers inside are there once.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_BODIES_H
#define DLC_FRONTENDS_ONNX_BODIES_H

#include "frontends/common/ProgramBuilder.h"
#include "frontends/onnx/GraphNames.h"
#include <functional>

namespace dlc::onnx {

class Bodies {
public:
  /// `importNodes`: imports the nodes of a graph into the program.
  Bodies(GraphNames &names, frontend::ProgramBuilder &program, frontend::Diagnostics &diagnostics,
         std::function<void(::onnx::GraphProto &)> importNodes)
      : names(names), program(program), diagnostics(diagnostics), importNodes(std::move(importNodes)) {}

  /// Declares the initializers of the graph, and of those in it, under names that nothing else has.
  void declare(::onnx::GraphProto &graph);
  /// Imports the nodes of such a graph as nodes of the graph around it. Its inputs stand for values of these
  /// names; the names of its outputs come back. Where what they give `mayNotCount`, no state may change.
  std::vector<std::string> import(const ::onnx::GraphProto &body, llvm::ArrayRef<std::string> inputs,
                                  bool mayNotCount);
  /// Whether the nodes that are imported now are in a body that may not count.
  bool mayNotCount() const { return isInBodyThatMayNotCount; }
  /// How many nodes of bodies there are so far.
  int64_t nodeCount() const { return imported; }

private:
  GraphNames &names;
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
  const std::function<void(::onnx::GraphProto &)> importNodes;
  bool isInBodyThatMayNotCount = false;
  int64_t imported = 0;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_BODIES_H
