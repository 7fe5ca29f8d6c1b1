//===- Importer.cpp - from an exported program to a train program ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Importer.h"
#include "frontends/pt2/Inputs.h"
#include "frontends/pt2/Outputs.h"

using namespace mlir;

namespace dlc::pt2 {

Importer::Importer(const Archive &archive, StringRef path, const ImportOptions &options, bool checking,
                   MLIRContext &context)
    : ProgramImporter(path, options, checking, context, "batch"), accesses(archive.model),
      states(archive, accesses, values, program, diagnostics),
      services{archive.model, program, diagnostics, values, accesses, states, modes} {}

void Importer::importGraph() {
  Inputs(services).declare();
  NodeWalk(services).importNodes();
  diagnostics.currentNode.clear();
  writeOutputs(services);
  states.writeBuffers();
  tellOfModes(services);
}

} // namespace dlc::pt2
