//===- Diagnostics.cpp - messages as compilers print them ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/support/Messages.h"
#include "mlir/IR/Location.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace dlc::pipeline {

LogicalResult report(MLIRContext *context, llvm::Error error) {
  if (!error)
    return success();
  return emitError(UnknownLoc::get(context), llvm::toString(std::move(error)));
}

Diagnostics::Diagnostics(MLIRContext &context, std::string file, bool remarks, llvm::raw_ostream &out)
    : ScopedDiagnosticHandler(&context), file(std::move(file)), out(out) {
  setHandler([this, remarks](Diagnostic &diagnostic) {
    if (remarks || diagnostic.getSeverity() != DiagnosticSeverity::Remark)
      print(diagnostic);
  });
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

/// Names come from files of any origin: what a terminal might obey is shown as a number.
static std::string printable(StringRef text) {
  std::string result;
  for (char c : text) {
    if (llvm::isPrint(c) || c == '\n' || c == '\t' || static_cast<unsigned char>(c) >= 0x80)
      result += c;
    else
      result += "\\x" + llvm::utohexstr(static_cast<unsigned char>(c), /*LowerCase=*/true, /*Width=*/2);
  }
  return result;
}

void Diagnostics::print(Diagnostic &diagnostic) {
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
  // Whoever wrote the program knows its operations; whoever has a model knows the model's nodes.
  bool isProgram = StringRef(file).ends_with(".mlir");
  std::string message = isProgram ? diagnostic.str() : forUsersOfModels(diagnostic.str());
  out << ": " << severityName(diagnostic.getSeverity()) << ": ";
  if (!node.empty() && !StringRef(message).contains(("'" + node + "'").str()))
    out << "at '" << printable(node) << "': ";
  out << printable(message) << '\n';
  for (Diagnostic &note : diagnostic.getNotes())
    print(note);
}

} // namespace dlc::pipeline
