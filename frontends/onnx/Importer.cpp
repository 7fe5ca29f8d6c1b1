//===- Importer.cpp - from messages to a train program ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Importer.h"
#include "frontends/common/CustomOps.h"
#include "frontends/onnx/Copies.h"
#include "frontends/onnx/DropoutFormula.h"
#include "frontends/onnx/EmbeddingBags.h"
#include "frontends/onnx/ExportWarnings.h"
#include "frontends/onnx/Interface.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Ties.h"
#include "frontends/onnx/TrainedCheck.h"

using namespace mlir;

namespace dlc::onnx {

Importer::Importer(const ModelFile &file, StringRef path, const ImportOptions &options, bool checking,
                   MLIRContext &context)
    : ProgramImporter(path, options, checking, context), model(file.model()), onnxOptions(options),
      record(model), file(file), names(file, context, program.symbols, diagnostics),
      trainable(names, record, model.producer_name() == "pytorch", options, diagnostics),
      states(names, trainable, record, program, diagnostics),
      bodies(names, program, diagnostics, [this](::onnx::GraphProto &graph) { walk.importNodes(graph); }),
      customNodes(program, diagnostics),
      services{model,       options, record, file,      maxOpset,       program,
               diagnostics, names,   states, constants, declaredShapes, bodies},
      walk(services, customNodes, trainable) {}

void Importer::importGraph() {
  ::onnx::GraphProto &graph = *model.mutable_graph();
  services.opset = readOpset();
  if (!customNodes.read(onnxOptions.customOps))
    return;

  // Constants, and whose parameters they are: the graph is changed until each layer has its own.
  names.readInitializers(graph);
  recognizeBags(graph, services.opset, names);
  joinCopies(graph, record, names);
  Ties ties(graph, record, onnxOptions.keepTies);
  trainable.follow(planParameters(graph, ties, record, names, options, diagnostics));
  ExportWarnings warnings(model, record, names, options.predictOnly, diagnostics);
  warnings.warnOfParameters(graph, ties);
  recognizeDropout(graph, services.opset, names);
  names.reserveAll(graph);

  // The program: a constant becomes a state when a node reads it.
  Interface interface(graph, names, program, diagnostics);
  interface.declareInputs();
  interface.remarkOnNarrowFloats();
  declaredShapes.read(graph);
  imported = walk.importNodes(graph);
  diagnostics.currentNode.clear();

  // What there is to know of the whole.
  if (!options.predictOnly)
    states.tell();
  warnings.tellOfDropout();
  interface.writeOutputs(states);
  if (onnxOptions.runningVariance && program.forward.getOps<train::BatchNormOp>().empty())
    diagnostics.warn("--running-variance has no effect: the model has no batch normalization that keeps "
                     "statistics");
}

void Importer::finish() {
  if (!onnxOptions.customOps.empty() && !frontend::dropUnusedCustomOps(program.op))
    diagnostics.warn("--custom-ops has no effect: the model has no node of the operations in '" +
                     onnxOptions.customOps + "'");
  TrainedCheck(record, names, trainable, states, program, diagnostics).run(imported);
}

int64_t Importer::readOpset() {
  int64_t opset = -1;
  for (const auto &import : model.opset_import())
    if (import.domain().empty() || import.domain() == "ai.onnx")
      opset = import.version();
  if (opset >= minOpset && opset <= maxOpset)
    return opset;
  diagnostics.addReason(opset < 0
                            ? "the model does not say its opset of the domain ai.onnx"
                            : "opset " + std::to_string(opset) + " is not supported: dlc reads opsets " +
                                  std::to_string(minOpset) + " to " + std::to_string(maxOpset));
  // What else is wrong shows with the nearest one.
  return opset >= 0 && opset < minOpset ? minOpset : maxOpset;
}

} // namespace dlc::onnx
