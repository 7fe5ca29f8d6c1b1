//===- Importer.cpp - from a program of StableHLO to a train program --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Importer.h"
#include "compiler/support/Messages.h"
#include "frontends/common/Freeze.h"
#include "frontends/stablehlo/Formulas.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/Verifier.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::stablehlo {

std::string dtypeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Importer::Importer(const Source &source, const Weights *weights, StringRef path, const ImportOptions &options,
                   bool checking, MLIRContext &context)
    : source(source), weights(weights), stem(llvm::sys::path::stem(path)), options(options), context(context),
      dimNames(options, checking, "batch"), declarations(&context),
      body(UnknownLoc::get(&context), &context) {}

Importer::~Importer() = default;

void Importer::addReason(const Twine &message) {
  ++errors;
  reasons.push_back(message.str());
}

Location Importer::locationOf(StringRef name) {
  return NameLoc::get(StringAttr::get(&context, name.empty() ? StringRef("model") : name));
}

/// Every operation is checked when it is made, so that an error belongs to a node.
void Importer::notifyOperationInserted(Operation *op, OpBuilder::InsertPoint) {
  frontend::checkNewOperation(op, [&](const nn::Dim &dim) { return dimNames.boundOf(dim); });
}

/// Null of types that dlc does not have. float16 and bfloat16 are computed in float32.
Type Importer::elementTypeOf(Type type) {
  if (isa<Float16Type, BFloat16Type>(type)) {
    hasLowPrecision = true;
    return Float32Type::get(&context);
  }
  if (isa<Float32Type>(type))
    return Float32Type::get(&context);
  if (isa<Float64Type>(type))
    return Float64Type::get(&context);
  for (unsigned bits : {1, 32, 64})
    if (type.isSignlessInteger(bits))
      return IntegerType::get(&context, bits);
  return {};
}

/// "'Mlp/Dense_0/dot_general' (stablehlo.dot_general; net.py:12)".
std::string Importer::describe(Operation *op) {
  std::string name = nameOf(op->getLoc()), kind = op->getName().getStringRef().str(),
              place = placeOf(op->getLoc());
  if (name.empty() && !callers.empty())
    name = callers.back();
  if (name.empty())
    return kind + (place.empty() ? "" : " (" + place.substr(2) + ")");
  return "'" + name + "' (" + kind + place + ")";
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
  bool isThreaded = context.isMultithreadingEnabled();
  context.disableMultithreading(); // one thread makes everything here
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
  Scope top;
  scope = &top;
  if (refuseRandomNumbers())
    return {};
  declareArguments();
  std::vector<Known> arguments;
  for (const Input &input : inputs)
    arguments.push_back(top[input.source]);
  std::vector<Known> results = importBody(source.main().getBody().front(), arguments, /*depth=*/0);
  scope = &top;
  currentNode.clear();
  writeOutputs(results);
  forward.setSymName(uniqueSymbol("forward"));
  constexpr size_t most = 4; // a large model has the same to say of many
  for (const auto &[op, nodes] : unsupported)
    addReason("operation " + op + " is not supported: " + llvm::join(ArrayRef(nodes).take_front(most), ", ") +
              (nodes.size() > most ? " and " + std::to_string(nodes.size() - most) + " more" : ""));
  if (hasLowPrecision)
    remarks.push_back("tensors of type bfloat16 and float16 are read as float32 and computed in float32");
  if (errors == 0) {
    raiseFormulas(forward);
    frontend::freezeUnreached(program, forward);
  }
  if (errors > 0 || failed(verify(*module)))
    return {};
  return std::move(module);
}

//===-- Files ------------------------------------------------------------------===//

static constexpr StringLiteral bytecodeStart = "ML\xefR";

static constexpr uint64_t lookedAt = 1 << 22; // names of arguments stand before the first function

bool isStablehlo(StringRef beginning) {
  beginning = beginning.take_front(lookedAt);
  if (beginning.starts_with(bytecodeStart))
    return beginning.take_front(64).contains("StableHLO");
  size_t functions = std::min(beginning.find("func.func"), beginning.find("stablehlo."));
  return functions != StringRef::npos && functions < beginning.find("train.program");
}

bool isStablehloFile(StringRef path) {
  llvm::sys::fs::file_status status; // a pipe would keep the process waiting
  if (llvm::sys::fs::status(path, status) || !llvm::sys::fs::is_regular_file(status))
    return false;
  auto file = llvm::MemoryBuffer::getFileSlice(path, std::min(lookedAt, status.getSize()), 0);
  return file && isStablehlo((*file)->getBuffer());
}

static llvm::Expected<std::unique_ptr<llvm::MemoryBuffer>> readText(StringRef path,
                                                                    const ImportOptions &options) {
  if (options.contents)
    return llvm::MemoryBuffer::getMemBuffer(*options.contents, path, /*RequiresNullTerminator=*/false);
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
  if (!buffer)
    return llvm::createStringError("cannot read the file: " + buffer.getError().message());
  return std::move(*buffer);
}

static OwningOpRef<ModuleOp> import(StringRef path, const ImportOptions &options, bool checking,
                                    MLIRContext &context, bool tells, std::vector<std::string> &reasons) {
  auto refused = [&](llvm::Error error) -> OwningOpRef<ModuleOp> {
    reasons.push_back(llvm::toString(std::move(error)));
    return {};
  };
  auto buffer = readText(path, options);
  if (!buffer)
    return refused(buffer.takeError());
  if ((*buffer)->getBuffer().starts_with(bytecodeStart))
    return refused(llvm::createStringError(
        "is a portable artifact of StableHLO (bytecode), which dlc does not read: write the program's text "
        "instead, exported.mlir_module() of jax.export or jax.jit(f).lower(...).as_text(debug_info=True)"));
  auto source = Source::parse((*buffer)->getBuffer(), path);
  if (!source)
    return refused(source.takeError());
  std::optional<Weights> weights;
  if (!options.parameters.empty()) {
    llvm::Expected<Weights> read = Weights::read(options.parameters);
    if (!read)
      return refused(read.takeError());
    weights = std::move(*read);
  }
  Importer importer(**source, weights ? &*weights : nullptr, path, options, checking, context);
  OwningOpRef<ModuleOp> module = importer.run();
  reasons = importer.reasons;
  if (module && tells)
    for (const std::string &remark : importer.remarks)
      emitRemark(FileLineColLoc::get(&context, path, 0, 0)) << remark;
  return module;
}

OwningOpRef<ModuleOp> importStablehlo(StringRef path, const ImportOptions &options, MLIRContext &context) {
  std::vector<std::string> reasons;
  OwningOpRef<ModuleOp> module = import(path, options, /*checking=*/false, context, /*tells=*/true, reasons);
  for (const std::string &reason : reasons)
    emitError(FileLineColLoc::get(&context, path, 0, 0)) << reason;
  return module;
}

std::vector<std::string> checkStablehlo(StringRef path, const ImportOptions &options, MLIRContext &context,
                                        OwningOpRef<ModuleOp> *module) {
  std::vector<std::string> reasons;
  OwningOpRef<ModuleOp> found =
      import(path, options, /*checking=*/true, context, /*tells=*/module != nullptr, reasons);
  if (found && module)
    *module = std::move(found);
  return reasons;
}

} // namespace dlc::stablehlo
