//===- Importer.h - from messages to a train program -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The order in which a model is imported. What it is made of: names (GraphNames.h), parameters (Ties.h,
// ParameterPlan.h, Trainable.h, States.h), nodes (NodeWalk.h, Node.h), inputs and outputs (Interface.h).
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_IMPORTER_H
#define DLC_FRONTENDS_ONNX_IMPORTER_H

#include "frontends/common/ProgramImporter.h"
#include "frontends/onnx/NodeWalk.h"

namespace dlc::onnx {

class ModelFile;

class Importer : public frontend::ProgramImporter {
public:
  /// `checking`: a symbolic batch needs no size.
  /// The graph of the file's model is changed: what layers share is untied.
  Importer(const ModelFile &file, llvm::StringRef path, const ImportOptions &options, bool checking,
           mlir::MLIRContext &context);

private:
  void importGraph() override;
  void finish() override;
  int64_t readOpset();

  ::onnx::ModelProto &model;
  const ImportOptions &onnxOptions;
  const ExportRecord record;
  const ModelFile &file;
  GraphNames names;
  Trainable trainable;
  States states;
  ConstantValues constants;
  DeclaredShapes declaredShapes;
  Bodies bodies;
  CustomNodes customNodes;
  Services services; ///< all of these
  NodeWalk walk;
  std::vector<const ::onnx::NodeProto *> imported; ///< of the graph itself, producers first
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_IMPORTER_H
