//===- Importer.cpp - from an exported program to a train program -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Importer.h"
#include "compiler/support/Messages.h"
#include "frontends/common/Freeze.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

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
    : archive(archive), model(archive.model), stem(llvm::sys::path::stem(path)), options(options),
      context(context), dimNames(options, checking, "batch"), declarations(&context),
      body(UnknownLoc::get(&context), &context) {}

Importer::~Importer() = default;

void Importer::addReason(const Twine &message) {
  ++errors;
  reasons.push_back(message.str());
}

GraphValue *Importer::find(StringRef name) {
  auto found = values.find(name);
  return found == values.end() ? nullptr : &found->second;
}

Location Importer::locationOf(StringRef name) {
  return NameLoc::get(StringAttr::get(&context, name.empty() ? StringRef("model") : name));
}

Location Importer::locationOf(const NodeInfo &info) { return locationOf(info.name); }

/// Every operation is checked when it is made, so that an error belongs to a node.
void Importer::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  frontend::checkNewOperation(op, [&](const nn::Dim &dim) { return dimNames.boundOf(dim); });
}

/// Operators are counted, with the author's line of the first node.
void Importer::addUnsupported(const NodeInfo &info) {
  unsupported[shortTarget(info.target).str()].push_back(
      ("'" + Twine(info.name) + "'" + sourceOf(info)).str());
}

/// "'a', 'b', 'c' and 5 more".
static std::string listOf(ArrayRef<std::string> names) {
  constexpr size_t most = 4; // a large model has the same to say of many
  std::string text = llvm::join(names.take_front(most), ", ");
  return names.size() > most ? text + " and " + std::to_string(names.size() - most) + " more" : text;
}

OwningOpRef<ModuleOp> Importer::run() {
  // Errors that operations report while they are made belong to the current node.
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    if (diagnostic.getSeverity() != DiagnosticSeverity::Error)
      return success(); // notes of an error that is told already
    addReason((currentNode.empty() ? "" : currentNode + ": ") +
              withKindOfValues(forUsersOfModels(diagnostic.str())));
    return success();
  });
  context.loadDialect<nn::NNDialect, train::TrainDialect>();
  // One thread makes everything here; without others a location's name is looked up without locks.
  bool isThreaded = context.isMultithreadingEnabled();
  context.disableMultithreading();
  auto restore = llvm::scope_exit([&] { context.disableMultithreading(!isThreaded); });
  Location location = UnknownLoc::get(&context); // what is wrong with the whole is at no node
  module = ModuleOp::create(location);
  declarations.setInsertionPointToStart(module->getBody());
  program = train::ProgramOp::create(declarations, location,
                                     options.name.empty() ? frontend::programName(stem) : options.name);
  declarations.setInsertionPointToStart(&program.getBody().emplaceBlock());
  forward = train::FunctionOp::create(declarations, location, train::FunctionKind::Forward, "forward");
  declarations.setInsertionPoint(forward);
  body.setInsertionPointToStart(&forward.getBody().emplaceBlock());
  body.setListener(this);
  findLastReads(model.graph);
  findChanged(model.graph);
  declareInputs();
  importNodes(model.graph);
  currentNode.clear();
  writeOutputs();
  writeBuffers();
  tellOfModes();
  forward.setSymName(uniqueSymbol("forward"));
  for (const auto &[op, nodes] : unsupported)
    addReason("operator " + op + " is not supported: " +
              (nodes.size() == 1 ? "node " : std::to_string(nodes.size()) + " nodes: ") + listOf(nodes));
  if (errors == 0)
    frontend::freezeUnreached(program, forward);
  if (errors > 0 || failed(verify(*module)))
    return {};
  return std::move(module);
}

//===-- Files ------------------------------------------------------------------===//

/// "nodes 'bn1', 'bn2', 'bn3' and 50 more (aten.batch_norm.default): ..."
static std::string sentenceAbout(StringRef op, StringRef sentence, ArrayRef<std::string> nodes) {
  if (nodes.empty())
    return sentence.str();
  return ((nodes.size() == 1 ? "node " : "nodes ") + listOf(nodes) + " (" + op + "): " + sentence).str();
}

static void tell(const Importer &importer, const ImportOptions &options, Location file) {
  for (const std::string &warning : importer.warnings)
    emitWarning(file) << warning;
  for (const auto &[about, nodes] : importer.remarks)
    emitRemark(file) << sentenceAbout(about.first, about.second, nodes);
  if (options.verbose)
    for (const auto &[about, nodes] : importer.notes)
      emitRemark(file) << sentenceAbout(about.first, about.second, nodes);
}

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
static OwningOpRef<ModuleOp> import(StringRef path, const ImportOptions &options, bool checking,
                                    MLIRContext &context, bool tells, std::vector<std::string> &reasons) {
  auto buffer = read(path, options);
  if (!buffer) {
    reasons.push_back(llvm::toString(buffer.takeError()));
    return {};
  }
  llvm::Expected<Archive> archive = Archive::open((*buffer)->getBuffer());
  if (!archive) {
    reasons.push_back(llvm::toString(archive.takeError()));
    return {};
  }
  Importer importer(*archive, path, options, checking, context);
  OwningOpRef<ModuleOp> module = importer.run();
  reasons = importer.reasons;
  if (module && tells)
    tell(importer, options, FileLineColLoc::get(&context, path, 0, 0));
  return module;
}

OwningOpRef<ModuleOp> importPt2(StringRef path, const ImportOptions &options, MLIRContext &context) {
  std::vector<std::string> reasons;
  OwningOpRef<ModuleOp> module = import(path, options, /*checking=*/false, context, /*tells=*/true, reasons);
  for (const std::string &reason : reasons)
    emitError(FileLineColLoc::get(&context, path, 0, 0)) << reason;
  return module;
}

std::vector<std::string> checkPt2(StringRef path, const ImportOptions &options, MLIRContext &context,
                                  OwningOpRef<ModuleOp> *module) {
  std::vector<std::string> reasons;
  OwningOpRef<ModuleOp> found =
      import(path, options, /*checking=*/true, context, /*tells=*/module != nullptr, reasons);
  if (found && module)
    *module = std::move(found);
  return reasons;
}

} // namespace dlc::pt2
