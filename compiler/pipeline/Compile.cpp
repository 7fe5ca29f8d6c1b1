//===- Compile.cpp - from an imported program to files ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/CustomCode.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/Dump.h"
#include "compiler/pipeline/Limits.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/Products.h"
#include "compiler/support/CNames.h"

using namespace mlir;

namespace dlc::pipeline {

StringRef version() { return DLC_VERSION; }

namespace {

class Compilation {
public:
  Compilation(ModuleOp module, const Options &options, llvm::raw_ostream &out)
      : module(module), options(options), out(out) {
    timing.setEnabled(options.timePasses);
    root = timing.getRootScope();
  }

  LogicalResult run();
  FailureOr<std::string> manifestOnly();
  FailureOr<std::vector<emit::Member>> objectsOnly();

private:
  LogicalResult prepare();
  /// Before anything else is compiled, so that errors in the user's code come at once.
  LogicalResult compileCustomCode();
  LogicalResult runPasses(Stage last);
  Products products() { return Products(program, options, target, custom, root); }

  ModuleOp module;
  const Options &options;
  llvm::raw_ostream &out;
  train::ProgramOp program;
  ChosenTarget target;
  CustomCode custom; ///< users' own operations
  DefaultTimingManager timing;
  TimingScope root;
  Dump *dump = nullptr; ///< owned by the pass manager
  std::unique_ptr<PassManager> passes;
};

LogicalResult Compilation::prepare() {
  auto chosen = ChosenTarget::of(options);
  if (!chosen)
    return report(module.getContext(), chosen.takeError());
  target = std::move(*chosen);
  auto programs = module.getOps<train::ProgramOp>();
  if (!llvm::hasSingleElement(programs))
    return module.emitError("expected one train.program in the module, got ")
           << std::distance(programs.begin(), programs.end());
  program = *programs.begin();
  if (!options.name.empty())
    program.setSymName(options.name);
  StringRef prefix = program.getSymName();
  if (cIdentifier(prefix) != prefix)
    return program.emitError("'") << prefix
                                  << "' cannot be the prefix of C functions: give an identifier with --name";
  if (prefix == "dlc" || prefix.starts_with("dlc_"))
    return program.emitError("'") << prefix << "' is a prefix of the runtime's own: give another with --name";
  return checkRepeatedValues(program);
}

LogicalResult Compilation::compileCustomCode() {
  FailureOr<CustomCode> code =
      compileCustom(program, options, target, codegen::ObjectOptions::Output::Object);
  if (failed(code))
    return failure();
  custom = std::move(*code);
  return success();
}

LogicalResult Compilation::runPasses(Stage last) {
  passes = std::make_unique<PassManager>(module.getContext(), ModuleOp::getOperationName());
  TimingScope scope = root.nest("passes");
  passes->enableTiming(scope);
  if (!options.dumpFolder.empty()) {
    auto instrumentation = std::make_unique<Dump>(options.dumpFolder, module);
    dump = instrumentation.get();
    passes->addInstrumentation(std::move(instrumentation));
  }
  buildPipeline(*passes, options, target.gpu ? Machine(*target.gpu) : Machine(target.cpu), last);
  if (failed(passes->run(module)))
    return failure();
  return last < Stage::Plan ? success() : checkMemory(program, options.maxMemory);
}

LogicalResult Compilation::run() {
  if (failed(prepare()) || (options.emit > Stage::Plan && failed(compileCustomCode())) ||
      failed(runPasses(options.emit)))
    return failure();
  if (options.emit <= Stage::Plan)
    return products().writeIr(module, out);
  if (dump && !target.gpu) {
    auto code = products().generate(codegen::ObjectOptions::Output::LLVMIR);
    if (failed(code))
      return failure();
    std::string text;
    for (const codegen::CodeModule &part : *code)
      text += part.contents;
    dump->write(stageName(Stage::Llvm), ".ll", text);
  }
  return options.emit <= Stage::Obj ? products().writeCode(out) : products().writeLibrary();
}

FailureOr<std::string> Compilation::manifestOnly() {
  if (failed(prepare()) || failed(compileCustomCode()) || failed(runPasses(Stage::Plan)))
    return failure();
  return products().manifest({});
}

FailureOr<std::vector<emit::Member>> Compilation::objectsOnly() {
  if (failed(prepare()))
    return failure();
  if (!target.cpu.isThisMachine())
    return report(module.getContext(), llvm::createStringError("'" + target.cpu.triple +
                                                               "' is not this machine, which shall run it"));
  if (failed(compileCustomCode()) || failed(runPasses(Stage::Plan)))
    return failure();
  auto code = products().generate(codegen::ObjectOptions::Output::Object, /*functions=*/false);
  if (failed(code))
    return failure();
  return products().members(std::move(*code));
}

} // namespace

LogicalResult compile(ModuleOp module, const Options &options, llvm::raw_ostream &out) {
  return Compilation(module, options, out).run();
}

FailureOr<std::string> compileToManifest(ModuleOp module, const Options &options) {
  return Compilation(module, options, llvm::nulls()).manifestOnly();
}

FailureOr<std::vector<emit::Member>> compileToObjects(ModuleOp module, const Options &options) {
  return Compilation(module, options, llvm::nulls()).objectsOnly();
}

FailureOr<forward::Recognized> recognize(ModuleOp module, const Options &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  buildPipeline(passes, options, CpuTarget(), Stage::Forward);
  // What the passes say, the compilation says.
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  if (failed(passes.run(*copy)))
    return failure();
  return forward::recognized(*copy);
}

} // namespace dlc::pipeline
