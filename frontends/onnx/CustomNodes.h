//===- CustomNodes.h - nodes of operations that users bring themselves -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Owns the declarations of these operations, which docs/custom-ops.md describes, by their full names.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_CUSTOMNODES_H
#define DLC_FRONTENDS_ONNX_CUSTOMNODES_H

#include "frontends/common/ProgramBuilder.h"
#include "frontends/onnx/Trainable.h"

namespace dlc::onnx {

class Node;

class CustomNodes {
public:
  CustomNodes(frontend::ProgramBuilder &program, frontend::Diagnostics &diagnostics)
      : program(program), diagnostics(diagnostics) {}

  /// Declares the operations of the file, if one is given; false after an error.
  bool read(llvm::StringRef path);
  /// The declaration of what the node is; null where it is of no such operation.
  mlir::Operation *find(const ::onnx::NodeProto &node) const;
  /// A parameter that such an operation has is a layer's own, also if it is one number.
  void findParameters(llvm::ArrayRef<const ::onnx::NodeProto *> nodes, Trainable &trainable) const;
  /// Whether the node is as the operation is declared; reports where not.
  bool check(const ::onnx::NodeProto &node, mlir::Operation *declaration);
  void import(Node &node, mlir::Operation *declaration);

private:
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
  llvm::StringMap<mlir::Operation *> declarations; ///< train.custom_function
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_CUSTOMNODES_H
