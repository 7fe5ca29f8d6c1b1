//===- Services.h - what an import is made of ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What the import of a model's nodes works with. Nodes are given this, and nothing else of the importer.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_SERVICES_H
#define DLC_FRONTENDS_ONNX_SERVICES_H

#include "frontends/onnx/Bodies.h"
#include "frontends/onnx/ConstantValues.h"
#include "frontends/onnx/DeclaredShapes.h"
#include "frontends/onnx/ImportOptions.h"
#include "frontends/onnx/States.h"

namespace dlc::onnx {

class ModelFile;

struct Services {
  const ::onnx::ModelProto &model;
  const ImportOptions &options;
  const ExportRecord &record; ///< of the exporter, made before the graph was changed
  const ModelFile &file;      ///< has the elements of its tensors
  int64_t opset;              ///< of the model
  frontend::ProgramBuilder &program;
  frontend::Diagnostics &diagnostics;
  GraphNames &names;
  States &states;
  ConstantValues &constants;
  DeclaredShapes &declaredShapes;
  Bodies &bodies;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_SERVICES_H
