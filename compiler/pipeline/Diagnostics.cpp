//===- Diagnostics.cpp - messages as compilers print them ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Diagnostics.h"
#include "mlir/IR/Location.h"

using namespace mlir;

namespace dlc::pipeline {

Diagnostics::Diagnostics(MLIRContext &context, std::string file, bool remarks, llvm::raw_ostream &out)
    : ScopedDiagnosticHandler(&context), file(std::move(file)), remarks(remarks), out(out) {
  setHandler([this](Diagnostic &diagnostic) { print(diagnostic); });
}

static StringRef severityName(DiagnosticSeverity severity) {
  switch (severity) {
  case DiagnosticSeverity::Note:
    return "note";
  case DiagnosticSeverity::Warning:
    return "warning";
  case DiagnosticSeverity::Error:
    return "error";
  case DiagnosticSeverity::Remark:
    return "remark";
  }
  llvm_unreachable("all severities are handled");
}

void Diagnostics::print(Diagnostic &diagnostic) {
  if (diagnostic.getSeverity() == DiagnosticSeverity::Remark && !remarks)
    return;
  // The outermost name is the node's (or says what was derived from it); a file is further inside.
  StringRef node;
  FileLineColLoc place;
  diagnostic.getLocation()->walk([&](Location location) {
    if (auto named = dyn_cast<NameLoc>(location); named && node.empty())
      node = named.getName();
    place = dyn_cast<FileLineColLoc>(location);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  out << (place ? place.getFilename().getValue() : StringRef(file));
  if (place && place.getLine())
    out << ':' << place.getLine() << ':' << place.getColumn();
  std::string message = diagnostic.str();
  out << ": " << severityName(diagnostic.getSeverity()) << ": ";
  if (!node.empty() && !StringRef(message).contains(("'" + node + "'").str()))
    out << "at '" << node << "': ";
  out << message << '\n';
  for (Diagnostic &note : diagnostic.getNotes())
    print(note);
}

} // namespace dlc::pipeline
