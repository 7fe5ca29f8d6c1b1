//===- Compile.cpp - from an imported program to files ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/Dump.h"
#include "compiler/pipeline/Limits.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/Products.h"
#include "compiler/pipeline/Runtime.h"
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
  FailureOr<Objects> objectsOnly(bool functions);

private:
  LogicalResult prepare();
  LogicalResult checkName();
  LogicalResult checkRuntime();
  /// Before anything else is compiled, so that errors in the user's code come at once.
  LogicalResult compileCustomCode();
  LogicalResult runPasses(Stage last);
  /// Runs the passes that `add` adds, on a module whose next stage is `first`.
  LogicalResult runSome(ModuleOp module, Stage first, StringRef target,
                        llvm::function_ref<void(OpPassManager &)> add);
  Products products() { return Products(variants, options, training, root); }

  ModuleOp module;
  const Options &options;
  llvm::raw_ostream &out;
  Products::Training training;
  std::vector<Variant> variants;
  std::vector<OwningOpRef<ModuleOp>> copies; ///< of all variants but the last, which is `module`
  DefaultTimingManager timing;
  TimingScope root;
  std::optional<DumpFolder> dump;
};

LogicalResult Compilation::prepare() {
  auto chosen = ChosenTarget::of(options);
  if (!chosen)
    return report(module.getContext(), chosen.takeError());
  auto programs = module.getOps<train::ProgramOp>();
  if (!llvm::hasSingleElement(programs))
    return module.emitError("expected one train.program in the module, got ")
           << std::distance(programs.begin(), programs.end());
  for (ChosenTarget &target : *chosen)
    variants.push_back({std::move(target), {}, module, *programs.begin()});
  training = Products::Training::of(*programs.begin());
  return checkName();
}

LogicalResult Compilation::checkName() {
  train::ProgramOp program = variants.front().program;
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
  for (Variant &variant : variants) {
    FailureOr<CustomCode> code =
        compileCustom(variant.program, options, variant.target, codegen::ObjectOptions::Output::Object);
    if (failed(code))
      return failure();
    variant.custom = std::move(*code);
  }
  return success();
}

LogicalResult Compilation::runSome(ModuleOp module, Stage first, StringRef target,
                                   llvm::function_ref<void(OpPassManager &)> add) {
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  TimingScope scope = root.nest("passes");
  passes.enableTiming(scope);
  if (dump)
    passes.addInstrumentation(std::make_unique<Dump>(*dump, module, first, target));
  add(passes);
  return failure(failed(passes.run(module)) || (dump && !dump->isWhole()));
}

LogicalResult Compilation::runPasses(Stage last) {
  if (!options.dumpFolder.empty())
    dump.emplace(options.dumpFolder, module);
  auto addShared = [&](OpPassManager &passes) { addSharedPasses(passes, options, last); };
  if (failed(runSome(module, Stage::Forward, "", addShared)))
    return failure();
  if (last <= lastShared(options))
    return success();
  for (Variant &variant : llvm::drop_end(variants)) {
    copies.push_back(module.clone());
    variant.module = *copies.back();
    variant.program = *variant.module.getOps<train::ProgramOp>().begin();
  }
  for (Variant &variant : variants) {
    const ChosenTarget &target = variant.target;
    auto addOwn = [&](OpPassManager &passes) { addMachinePasses(passes, options, target.kernels(), last); };
    const Stage first = stages[static_cast<unsigned>(lastShared(options)) + 1].stage;
    if (failed(runSome(variant.module, first, variants.size() > 1 ? target.name : "", addOwn)) ||
        (last >= Stage::Plan && failed(checkMemory(variant.program, options.maxMemory))))
      return failure();
  }
  return verifySameInterface(variants);
}

/// What the end needs is looked for at the beginning.
LogicalResult Compilation::checkRuntime() {
  if (options.emit != Stage::Shared)
    return success();
  auto runtime = findRuntime(options.libraryFolder, variants.front().target.cpu);
  return runtime ? success() : report(module.getContext(), runtime.takeError());
}

LogicalResult Compilation::run() {
  if (failed(prepare()) || failed(checkRuntime()) ||
      (options.emit > Stage::Plan && failed(compileCustomCode())) || failed(runPasses(options.emit)))
    return failure();
  if (options.emit <= Stage::Plan)
    return products().writeIr(out);
  if (dump && options.isFor("cpu")) {
    auto code = products().generate(codegen::ObjectOptions::Output::LLVMIR);
    if (failed(code))
      return failure();
    std::string text;
    for (const codegen::CodeModule &part : *code)
      text += part.contents;
    dump->write(stageName(Stage::Llvm), ".ll", text);
    if (!dump->isWhole())
      return failure();
  }
  return options.emit <= Stage::Obj ? products().writeCode(out) : products().writeLibrary();
}

FailureOr<std::string> Compilation::manifestOnly() {
  if (failed(prepare()) || failed(compileCustomCode()) || failed(runPasses(Stage::Plan)))
    return failure();
  return products().manifest({});
}

FailureOr<Objects> Compilation::objectsOnly(bool functions) {
  if (failed(prepare()))
    return failure();
  const CpuTarget &host = variants.front().target.cpu;
  if (!host.isThisMachine())
    return report(module.getContext(),
                  llvm::createStringError("'" + host.triple + "' is not this machine, which shall run it"));
  if (failed(compileCustomCode()) || failed(runPasses(Stage::Plan)))
    return failure();
  auto code = products().generate(codegen::ObjectOptions::Output::Object, functions);
  if (failed(code))
    return failure();
  return Objects{products().members(std::move(*code)), products().manifest({})};
}

} // namespace

LogicalResult compile(ModuleOp module, const Options &options, llvm::raw_ostream &out) {
  return Compilation(module, options, out).run();
}

FailureOr<std::string> compileToManifest(ModuleOp module, const Options &options) {
  return Compilation(module, options, llvm::nulls()).manifestOnly();
}

FailureOr<Objects> compileToObjects(ModuleOp module, const Options &options, bool functions) {
  return Compilation(module, options, llvm::nulls()).objectsOnly(functions);
}

FailureOr<forward::Recognized> recognize(ModuleOp module, const Options &options) {
  OwningOpRef<ModuleOp> copy = module.clone();
  PassManager passes(module.getContext(), ModuleOp::getOperationName());
  addSharedPasses(passes, options, Stage::Forward);
  // What the passes say, the compilation says.
  ScopedDiagnosticHandler silent(module.getContext(), [](Diagnostic &) { return success(); });
  if (failed(passes.run(*copy)))
    return failure();
  return forward::recognized(*copy);
}

} // namespace dlc::pipeline
