//===- ExportWarnings.h - what a file does not have of its module ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters fold, merge and leave out, so that the file may be another network than its author's, above all
// in training. What can be told of that is warned of.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_EXPORTWARNINGS_H
#define DLC_FRONTENDS_ONNX_EXPORTWARNINGS_H

#include "frontends/common/Diagnostics.h"
#include "frontends/onnx/ExportRecord.h"

namespace dlc::onnx {

class GraphNames;
class Ties;

class ExportWarnings {
public:
  ExportWarnings(const ::onnx::ModelProto &model, const ExportRecord &record, const GraphNames &names,
                 bool predictOnly, frontend::Diagnostics &diagnostics)
      : model(model), record(record), names(names), predictOnly(predictOnly), diagnostics(diagnostics) {}

  /// Before nodes are imported: warns of what parameters and statistics became. `graph` is the model's.
  void warnOfParameters(::onnx::GraphProto &graph, const Ties &ties);
  /// Tells of dropout, which an exporter leaves out where the module is in evaluation mode.
  void tellOfDropout();

private:
  void warnOfStatistics();
  void warnOfMissing(::onnx::GraphProto &graph, const Ties &ties);
  void warnOfMissingBiases(::onnx::GraphProto &graph);
  void warnOfFolding();
  void warnOfDetached();
  void warnOfSeparated(const Ties &ties);

  const ::onnx::ModelProto &model;
  const ExportRecord &record;
  const GraphNames &names;
  const bool predictOnly;
  frontend::Diagnostics &diagnostics;
};

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_EXPORTWARNINGS_H
