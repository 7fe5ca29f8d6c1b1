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

Diagnostics::Diagnostics(MLIRContext &context, std::string file, bool remarks, Sink sink)
    : ScopedDiagnosticHandler(&context), file(std::move(file)), sink(std::move(sink)) {
  setHandler([this, remarks](Diagnostic &diagnostic) {
    if (remarks || diagnostic.getSeverity() != DiagnosticSeverity::Remark)
      tell(diagnostic);
  });
}

Diagnostics::Diagnostics(MLIRContext &context, std::string file, bool remarks, llvm::raw_ostream &out)
    : Diagnostics(context, std::move(file), remarks, printTo(out)) {}

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

void Diagnostics::tell(Diagnostic &diagnostic) {
  // The outermost name is the node's (or says what was derived from it); a file is further inside.
  StringRef node;
  FileLineColLoc place;
  diagnostic.getLocation()->walk([&](Location location) {
    if (auto named = dyn_cast<NameLoc>(location); named && node.empty())
      node = named.getName();
    place = dyn_cast<FileLineColLoc>(location);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  Message message{diagnostic.getSeverity(), place ? place.getFilename().str() : file, ""};
  if (place && place.getLine())
    message.place += ":" + std::to_string(place.getLine()) + ":" + std::to_string(place.getColumn());
  // Whoever wrote the program knows its operations; whoever has a model knows the model's nodes.
  bool isProgram = StringRef(file).ends_with(".mlir");
  std::string text = isProgram ? diagnostic.str() : forUsersOfModels(diagnostic.str());
  if (!node.empty() && !StringRef(text).contains(("'" + node + "'").str()))
    message.text = "at '" + printable(node) + "': ";
  message.text += printable(text);
  sink(message);
  for (Diagnostic &note : diagnostic.getNotes())
    tell(note);
}

Diagnostics::Sink printTo(llvm::raw_ostream &out) {
  return [&out](const Message &message) {
    out << message.place << ": " << severityName(message.severity) << ": " << message.text << '\n';
  };
}

} // namespace dlc::pipeline
