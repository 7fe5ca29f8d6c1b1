//===- DeclaredShapes.h - what the file says of results, compared ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A file may declare the shapes of its outputs and of what lies between (value_info). They are not needed:
// each node's shape follows from its operands. But they are what the exporter knew of the model, and where
// another shape follows here, one of both has read the node wrongly. Names of sizes are the exporter's own
// and are not compared.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_DECLAREDSHAPES_H
#define DLC_FRONTENDS_ONNX_DECLAREDSHAPES_H

#include "frontends/onnx/GraphNames.h"

namespace dlc::onnx {

class DeclaredShapes {
public:
  /// Reads the declarations of the model's graph, which must outlive this.
  void read(const ::onnx::GraphProto &graph);
  /// Reports where the value of that name has another shape than the file declares.
  void check(llvm::StringRef name, const GraphNames &names, frontend::Diagnostics &diagnostics) const;
  /// What the file declares of this name is not what its exporter means.
  void forget(llvm::StringRef name) { shapes.erase(name); }

private:
  /// By name; an output may be declared twice.
  llvm::StringMap<llvm::SmallVector<const ::onnx::TensorShapeProto *, 1>> shapes;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_DECLAREDSHAPES_H
