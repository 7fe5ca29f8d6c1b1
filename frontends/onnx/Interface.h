//===- Interface.h - what a model takes and gives --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The inputs and outputs of the model's graph become those of the program.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_INTERFACE_H
#define DLC_FRONTENDS_ONNX_INTERFACE_H

#include "frontends/onnx/States.h"

namespace dlc::onnx {

class Interface {
public:
  Interface(const ::onnx::GraphProto &graph, GraphNames &names, frontend::ProgramBuilder &program,
            frontend::Diagnostics &diagnostics)
      : graph(graph), names(names), program(program), diagnostics(diagnostics) {}

  void declareInputs();
  /// What is stored in 16 bits is computed in 32.
  void remarkOnNarrowFloats();
  /// Once the nodes are imported.
  void writeOutputs(States &states);

private:
  mlir::Value quantizedOutput(const ::onnx::ValueInfoProto &output, const GraphValue &value);

  const ::onnx::GraphProto &graph;
  GraphNames &names;
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_INTERFACE_H
