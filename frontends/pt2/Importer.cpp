//===- Importer.cpp - from an exported program to a train program -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Importer.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace dlc::pt2 {

StringRef shortTarget(StringRef target) {
  target.consume_front("torch.ops.");
  return target;
}

std::string describe(const NodeInfo &node) {
  return ("node '" + Twine(node.name) + "' (" + shortTarget(node.target) + ")").str();
}

/// A line of a trace, such as `File "net.py", line 12, in forward`.
static bool readFrame(StringRef line, StringRef &file, StringRef &number, StringRef &function) {
  line = line.ltrim();
  if (!line.consume_front("File \""))
    return false;
  std::tie(file, line) = line.split("\", line ");
  std::tie(number, function) = line.split(", in ");
  return !file.empty() && !number.empty() && llvm::all_of(number, llvm::isDigit);
}

std::string sourceOf(const NodeInfo &node) {
  SmallVector<StringRef> lines;
  StringRef(node.stackTrace).split(lines, '\n');
  std::string found;
  for (size_t i = 0; i < lines.size(); ++i) {
    StringRef file, number, function;
    if (!readFrame(lines[i], file, number, function))
      continue;
    // Frames within PyTorch say how a module does it; the last one outside says which line is the author's.
    if (!found.empty() && (file.contains("torch/nn/modules") || file.contains("torch/fx")))
      continue;
    StringRef code = i + 1 < lines.size() ? lines[i + 1].trim() : "";
    found = ("; " + Twine(file) + ":" + number + ", in " + function).str();
    if (!code.empty() && !code.starts_with("File \""))
      found += (": " + code.take_front(200)).str();
  }
  return found;
}

Importer::Importer(const Archive &archive, StringRef path, const ImportOptions &options, bool checking,
                   MLIRContext &context)
    : ProgramImporter(path, options, checking, context, "batch"), archive(archive), model(archive.model) {}

GraphValue *Importer::find(StringRef name) {
  auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

/// Operators are counted, with the author's line of the first node.
void Importer::addUnsupported(const NodeInfo &info) {
  diagnostics.addUnsupported("operator " + shortTarget(info.target).str() + " is not supported",
                             ("'" + Twine(info.name) + "'" + sourceOf(info)).str());
}

void Importer::importGraph() {
  findLastReads(model.graph);
  findChanged(model.graph);
  declareInputs();
  importNodes(model.graph);
  diagnostics.currentNode.clear();
  writeOutputs();
  writeBuffers();
  tellOfModes();
}

//===-- Files ------------------------------------------------------------------===//

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> read(StringRef path,
                                                                const ImportOptions &options) {
  if (options.contents)
    return llvm::MemoryBuffer::getMemBuffer(*options.contents, path, /*RequiresNullTerminator=*/false);
  llvm::sys::fs::file_status status;
  if (std::error_code error = llvm::sys::fs::status(path, status))
    return llvm::createStringError("cannot read the file: " + error.message());
  if (status.type() != llvm::sys::fs::file_type::regular_file)
    return llvm::createStringError("not a regular file");
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read the file: " + buffer.getError().message());
  return std::move(*buffer);
}

/// `tells`: says what there is to know of a model that is imported.
static frontend::Imported import(StringRef path, const ImportOptions &options, bool checking,
                                 MLIRContext &context, bool tells) {
  auto buffer = read(path, options);
  if (!buffer)
    return {{}, {llvm::toString(buffer.takeError())}};
  llvm::Expected<Archive> archive = Archive::open((*buffer)->getBuffer());
  if (!archive)
    return {{}, {llvm::toString(archive.takeError())}};
  Importer importer(*archive, path, options, checking, context);
  frontend::Imported result = importer.run();
  if (result.module && tells)
    importer.tell();
  return result;
}

OwningOpRef<ModuleOp> importPt2(StringRef path, const ImportOptions &options, MLIRContext &context) {
  return frontend::moduleOrErrors(import(path, options, /*checking=*/false, context, /*tells=*/true), path,
                                  context);
}

std::vector<std::string> checkPt2(StringRef path, const ImportOptions &options, MLIRContext &context,
                                  OwningOpRef<ModuleOp> *module) {
  return frontend::reasonsAgainst(import(path, options, /*checking=*/true, context, module != nullptr),
                                  module);
}

} // namespace dlc::pt2
