//===- Source.cpp - a program of StableHLO as it was written ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Source.h"
#include "frontends/mlir/ReadText.h"
#include "frontends/stablehlo/Grammar.h"
#include "mlir/IR/Diagnostics.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::stablehlo {

Source::Source() : context(MLIRContext::Threading::DISABLED) { loadGrammar(context); }

llvm::Expected<std::unique_ptr<Source>> Source::parse(StringRef text, StringRef name) {
  if (text.size() > maxTextBytes)
    return llvm::createStringError("is larger than " + Twine(maxTextBytes >> 20) +
                                   " MiB; pass parameters as arguments of the function, not as constants");
  std::unique_ptr<Source> source(new Source);
  std::string problem;
  ScopedDiagnosticHandler handler(&source->context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() == DiagnosticSeverity::Error && problem.empty()) {
      auto place = dyn_cast<FileLineColLoc>(diagnostic.getLocation());
      problem = (place ? "line " + std::to_string(place.getLine()) + ": " : "") + diagnostic.str();
    }
    return success();
  });
  source->module = text::parse(llvm::MemoryBuffer::getMemBufferCopy(text, name), source->context);
  if (!source->module)
    return llvm::createStringError("is no text of StableHLO that dlc can read: " +
                                   (problem.empty() ? "it has no module" : problem));
  for (func::FuncOp function : source->module->getOps<func::FuncOp>()) {
    if (function.isExternal())
      continue;
    if (!function.getBody().hasOneBlock() || !isa<func::ReturnOp>(function.getBody().front().back()))
      return llvm::createStringError("function @" + function.getSymName() +
                                     " jumps, expected operations one after the other and func.return");
    if (function.getSymName() == "main")
      source->mainFunction = function;
  }
  if (!source->mainFunction)
    return llvm::createStringError("has no function @main, which is the program");
  return std::move(source);
}

func::FuncOp Source::find(StringRef function) const {
  return dyn_cast_or_null<func::FuncOp>(SymbolTable::lookupSymbolIn(*module, function));
}

void Source::visitOperations(llvm::function_ref<void(Operation *)> visit) const {
  ModuleOp(*module).walk([&](Operation *op) { visit(op); });
}

//===-- Places -----------------------------------------------------------------===//

/// Locations hold locations: visits at most some of them, the outer ones first.
static void visitLocations(Location location, llvm::function_ref<bool(Location)> visit) {
  constexpr size_t most = 64;
  SmallVector<Location> open{location};
  for (size_t i = 0; i < open.size() && i < most; ++i) {
    Location each = open[i];
    if (!visit(each))
      return;
    if (auto name = dyn_cast<NameLoc>(each))
      open.push_back(name.getChildLoc());
    else if (auto call = dyn_cast<CallSiteLoc>(each))
      open.append({call.getCallee(), call.getCaller()});
    else if (auto fused = dyn_cast<FusedLoc>(each))
      open.append(fused.getLocations().begin(), fused.getLocations().end());
  }
}

std::string nameOf(Location location) {
  std::string found;
  visitLocations(location, [&](Location each) {
    auto name = dyn_cast<NameLoc>(each);
    StringRef text = name ? name.getName().getValue() : "";
    if (text.starts_with("jit(")) // the function that was compiled
      text = text.split(")/").second;
    found = text.str();
    return found.empty();
  });
  return found;
}

std::string placeOf(Location location) {
  std::string found;
  visitLocations(location, [&](Location each) {
    auto file = dyn_cast<FileLineColLoc>(each);
    StringRef path = file ? file.getFilename().getValue() : "";
    bool isLibrary = path.contains("site-packages") || path.contains("dist-packages");
    if (file && (found.empty() || !isLibrary))
      found = ("; " + llvm::sys::path::filename(path) + ":" + Twine(file.getLine())).str();
    return !file || isLibrary;
  });
  return found;
}

//===-- Paths ------------------------------------------------------------------===//

std::string Path::join(StringRef separator, size_t skipped) const {
  return llvm::join(ArrayRef(parts).drop_front(std::min(skipped, parts.size())), separator);
}

static bool isOfName(char c) { return llvm::isAlnum(c) || c == '_'; }

/// ['key'], [0], [<flat index 0>] or .name at the beginning of `text`.
static bool parsePart(StringRef &text, Path &path) {
  if (text.consume_front(".")) {
    StringRef name = text.take_while(isOfName);
    text = text.drop_front(name.size());
    path.parts.push_back(name.str());
    path.hasKey |= !llvm::all_of(name, llvm::isDigit);
    return !name.empty();
  }
  if (!text.consume_front("["))
    return false;
  bool isText = text.starts_with("'") || text.starts_with("\"");
  size_t end = isText ? text.find(text.front(), 1) : text.find(']');
  if (end == StringRef::npos)
    return false;
  StringRef key = isText ? text.slice(1, end) : text.take_front(end);
  key.consume_front("<flat index ");
  key.consume_back(">");
  text = text.drop_front(isText ? end + 1 : end);
  path.parts.push_back(key.str());
  path.hasKey |= isText;
  return !key.empty() && text.consume_front("]");
}

Path parsePath(StringRef text) {
  Path path;
  StringRef root = text.take_while(isOfName);
  text = text.drop_front(root.size());
  path.parts.push_back(root.str());
  while (!root.empty() && !text.empty())
    if (!parsePart(text, path))
      return {};
  return root.empty() ? Path() : path;
}

} // namespace dlc::stablehlo
