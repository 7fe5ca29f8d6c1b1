//===- Importer.cpp - from a program of StableHLO to a train program --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Importer.h"
#include "frontends/stablehlo/Formulas.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace mlir;

namespace dlc::stablehlo {

std::string dtypeName(Type type) {
  std::string text;
  llvm::raw_string_ostream(text) << type;
  return text;
}

Importer::Importer(const Source &source, const Weights *weights, StringRef path, const ImportOptions &options,
                   bool checking, MLIRContext &context)
    : ProgramImporter(path, options, checking, context, "batch"), source(source), weights(weights),
      weightsFile(options.parameters) {}

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
  // The type is made anew in this context: the text was parsed in another one.
  return type.isUnsignedInteger(8) ? IntegerType::get(&context, 8, IntegerType::Unsigned) : Type();
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

void Importer::importGraph() {
  Scope top;
  scope = &top;
  if (refuseRandomNumbers())
    return;
  declareArguments();
  std::vector<Known> arguments;
  for (const Input &input : inputs)
    arguments.push_back(top[input.source]);
  std::vector<Known> results = importBody(source.main().getBody().front(), arguments, /*depth=*/0);
  scope = &top;
  diagnostics.currentNode.clear();
  writeOutputs(results);
  if (hasLowPrecision)
    diagnostics.remark("tensors of type bfloat16 and float16 are read as float32 and computed in float32");
  if (weights && !options.predictOnly)
    diagnostics.remark(
        "the text does not say where stop_gradient, custom_jvp and custom_vjp stood: gradients flow "
        "through what they were around, by the formulas (docs/stablehlo.md says what to do)");
  if (diagnostics.errors() == 0)
    raiseFormulas(program.forward);
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

/// `tells`: says what there is to know of a model that is imported.
static frontend::Imported import(StringRef path, const ImportOptions &options, bool checking,
                                 MLIRContext &context, bool tells) {
  auto refused = [](llvm::Error error) -> frontend::Imported {
    return {{}, {llvm::toString(std::move(error))}};
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
  frontend::Imported result = importer.run();
  if (result.module && tells)
    importer.tell();
  return result;
}

OwningOpRef<ModuleOp> importStablehlo(StringRef path, const ImportOptions &options, MLIRContext &context) {
  return frontend::moduleOrErrors(import(path, options, /*checking=*/false, context, /*tells=*/true), path,
                                  context);
}

std::vector<std::string> checkStablehlo(StringRef path, const ImportOptions &options, MLIRContext &context,
                                        OwningOpRef<ModuleOp> *module) {
  return frontend::reasonsAgainst(import(path, options, /*checking=*/true, context, module != nullptr),
                                  module);
}

} // namespace dlc::stablehlo
