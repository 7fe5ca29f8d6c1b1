//===- ProgramImporter.cpp - from a file's graph to a train program --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/ProgramImporter.h"
#include "compiler/support/Messages.h"
#include "frontends/common/Freeze.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"

using namespace mlir;

namespace dlc::frontend {

ProgramImporter::ProgramImporter(StringRef path, const ImportOptions &options, bool checking,
                                 MLIRContext &context, StringRef batchName)
    : options(options), context(context), program(options, checking, context, batchName, diagnostics),
      path(path) {}

ProgramImporter::~ProgramImporter() = default;

Imported ProgramImporter::run() {
  // Errors that operations report while they are made belong to the current node.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success(); // notes of an error that is told already
    diagnostics.addNodeReason(withKindOfValues(forUsersOfModels(diagnostic.str())));
    return success();
  });
  context.loadDialect<nn::NNDialect, train::TrainDialect>();
  // One thread makes everything here; without others a location's name is looked up without locks.
  bool isThreaded = context.isMultithreadingEnabled();
  context.disableMultithreading();
  auto restore = llvm::scope_exit([&] { context.disableMultithreading(!isThreaded); });
  program.begin(path);
  importGraph();
  diagnostics.currentNode.clear();
  program.forward.setSymName(program.symbols.added("forward"));
  diagnostics.addGroups();
  if (diagnostics.errors() == 0) {
    freezeUnreached(program.op, program.forward);
    finish();
  }
  if (diagnostics.errors() > 0 || failed(verify(*program.module)))
    return {{}, diagnostics.takeReasons()};
  return {std::move(program.module), {}};
}

void ProgramImporter::tell() const {
  diagnostics.tell(FileLineColLoc::get(&context, path, 0, 0), options.verbose);
}

OwningOpRef<ModuleOp> moduleOrErrors(Imported imported, StringRef path, MLIRContext &context) {
  for (const std::string &reason : imported.reasons)
    emitError(FileLineColLoc::get(&context, path, 0, 0)) << reason;
  return std::move(imported.module);
}

std::vector<std::string> reasonsAgainst(Imported imported, OwningOpRef<ModuleOp> *module) {
  if (imported.module && module)
    *module = std::move(imported.module);
  return std::move(imported.reasons);
}

} // namespace dlc::frontend
