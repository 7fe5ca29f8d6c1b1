//===- ReadText.cpp - programs written as MLIR text ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/mlir/ReadText.h"
#include "mlir/Bytecode/BytecodeReader.h"
#include "mlir/Parser/Parser.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/SourceMgr.h"

using namespace mlir;

namespace dlc::text {

namespace {

/// Goes through a text once, outside strings and comments.
class Guard {
public:
  Guard(const llvm::MemoryBuffer &buffer, MLIRContext &context)
      : text(buffer.getBuffer()), name(buffer.getBufferIdentifier()), context(context) {}

  LogicalResult check() {
    for (; at < text.size(); ++at) {
      if (text[at] == '"')
        skipString();
      else if (text.substr(at).starts_with("//"))
        at = std::min(text.find('\n', at), text.size());
      else if (failed(text[at] == '#' ? checkResultNumber() : checkNesting()))
        return failure();
    }
    return success();
  }

private:
  // MLIR ends a string at the line's end too, with an error.
  void skipString() {
    for (++at; at < text.size() && text[at] != '"' && text[at] != '\n'; ++at)
      if (text[at] == '\\')
        ++at;
  }

  LogicalResult checkResultNumber() {
    StringRef digits = text.substr(at + 1).take_while(llvm::isDigit);
    unsigned number = 0;
    if (digits.empty() || (!digits.getAsInteger(10, number) && number < maxResults))
      return success();
    return error() << "result number '#" << digits << "' is too large: an operation has at most "
                   << maxResults << " results; give the number of one that it has";
  }

  LogicalResult checkNesting() {
    static constexpr StringLiteral openings = "([{<-", closings = ")]}>";
    StringRef before = text.take_front(at), rest = text.substr(at);
    if (llvm::isSpace(rest.front()))
      return success();
    while (rest.front() != '-' && !open.empty() && open.back() == '-')
      open.pop_back();
    if (rest.starts_with("<=") || rest.starts_with(">=") || (rest.front() == '>' && before.ends_with("-")))
      return success(); // comparisons, arrows
    if (openings.contains(rest.front())) {
      open.push_back(rest.front());
      if (open.size() > maxNesting)
        return error() << "brackets or signs are nested more than " << maxNesting
                       << " deep; split what they hold";
    } else if (size_t kind = closings.find(rest.front()); kind != StringRef::npos) {
      while (!open.empty() && open.back() == '<' && rest.front() != '>')
        open.pop_back(); // was no bracket
      if (!open.empty() && open.back() == openings[kind])
        open.pop_back();
    }
    return success();
  }

  InFlightDiagnostic error() {
    StringRef before = text.take_front(at);
    unsigned line = before.count('\n') + 1, column = at - (before.rfind('\n') + 1) + 1;
    return emitError(FileLineColLoc::get(&context, name, line, column));
  }

  // Far above what programs have, and small enough for the parser's tables and stack.
  static constexpr unsigned maxResults = 4096, maxNesting = 256;

  StringRef text, name;
  MLIRContext &context;
  size_t at = 0;
  std::string open; ///< the brackets around the place, and the signs just before it
};

} // namespace

OwningOpRef<ModuleOp> parse(std::unique_ptr<llvm::MemoryBuffer> text, MLIRContext &context) {
  if (isBytecode(*text)) {
    emitError(FileLineColLoc::get(&context, text->getBufferIdentifier(), 0, 0))
        << "is MLIR bytecode, expected MLIR text";
    return {};
  }
  if (failed(Guard(*text, context).check()))
    return {};
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  return parseSourceFile<ModuleOp>(sources, ParserConfig(&context));
}

OwningOpRef<ModuleOp> readFile(StringRef path, MLIRContext &context) {
  llvm::sys::fs::file_status status; // a pipe would keep the process waiting
  if (path != "-" && !llvm::sys::fs::status(path, status) && !llvm::sys::fs::is_regular_file(status)) {
    emitError(FileLineColLoc::get(&context, path, 0, 0)) << "cannot read the file: not a regular file";
    return {};
  }
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(path, /*IsText=*/true);
  if (!buffer) {
    emitError(FileLineColLoc::get(&context, path, 0, 0))
        << "cannot read the file: " << buffer.getError().message();
    return {};
  }
  return parse(std::move(*buffer), context);
}

} // namespace dlc::text
