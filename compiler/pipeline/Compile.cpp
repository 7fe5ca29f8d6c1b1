//===- Compile.cpp - from an imported program to files ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "compiler/codegen/GpuCode.h"
#include "compiler/codegen/cpu/CustomSources.h"
#include "compiler/codegen/gpu/Ptxas.h"
#include "compiler/emit/Header.h"
#include "compiler/emit/Library.h"
#include "compiler/emit/Manifest.h"
#include "compiler/emit/OutputFiles.h"
#include "compiler/emit/Weights.h"
#include "compiler/pipeline/Dump.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/support/CNames.h"
#include "compiler/support/Elements.h"
#include "compiler/target/Tuning.h"
#include "dialects/train/Custom.h"
#include "mlir/Support/Timing.h"
#include "llvm/Support/Format.h"
#include <thread>

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
  LogicalResult chooseTarget();
  LogicalResult runPasses(Stage last);
  LogicalResult checkMemory();
  LogicalResult compileCustom();
  LogicalResult addCustom(std::vector<codegen::CodeModule> &code, codegen::ObjectOptions::Output output);
  LogicalResult writeIr();
  LogicalResult writeCode();
  LogicalResult writeLibrary();
  FailureOr<std::vector<codegen::CodeModule>> generate(codegen::ObjectOptions::Output output,
                                                       bool functions = true);
  std::vector<emit::Member> members(std::vector<codegen::CodeModule> code);
  LogicalResult write(llvm::function_ref<llvm::Error(emit::OutputFiles &)> addFiles);
  /// Of a file or a target: no place in the model is to blame.
  LogicalResult report(llvm::Error error) {
    if (!error)
      return success();
    return emitError(UnknownLoc::get(module.getContext()), llvm::toString(std::move(error)));
  }
  bool weightsAreInFile() {
    return !options.embedWeights &&
           llvm::any_of(program.getBody().getOps<train::StateOp>(), emit::isInWeightsFile);
  }
  std::string name() { return program.getSymName().str(); }
  std::string training() const;
  std::string manifest(ArrayRef<std::string> files);

  ModuleOp module;
  const Options &options;
  llvm::raw_ostream &out;
  train::ProgramOp program;
  std::optional<CpuTarget> target; ///< of the kernels, or of what is around those of a GPU
  std::optional<GpuTarget> gpu;
  std::string ptxas;                       ///< empty where nothing is assembled
  std::vector<emit::Member> customObjects; ///< of the user's own operations
  DefaultTimingManager timing;
  TimingScope root;
  Dump *dump = nullptr; ///< owned by the pass manager
  std::unique_ptr<PassManager> passes;
};

/// A small file may say that a weight is one number, repeated so often that the file of weights fills
/// the disk.
static LogicalResult checkRepeatedValues(train::ProgramOp program) {
  constexpr int64_t largest = int64_t(1) << 30;
  int64_t bytes = 0;
  for (auto state : program.getBody().getOps<train::StateOp>()) {
    auto type = cast<RankedTensorType>(state.getType());
    if (isa_and_nonnull<SplatElementsAttr>(state.getInitialAttr()))
      bytes += type.getNumElements() * elementBytes(type);
    if (bytes > largest)
      return state.emitError("the values of '")
             << state.getSymName()
             << "', one number repeated, are too large for a file of weights: with others of "
             << "its kind " << bytes << " bytes, expected at most " << largest
             << "; values that are in the model's file one by one have no such limit";
  }
  return success();
}

LogicalResult Compilation::chooseTarget() {
  auto chosen = CpuTarget::get(options.triple, options.cpu);
  if (!chosen)
    return report(chosen.takeError());
  target = std::move(*chosen);
  if (!options.tune.empty())
    if (llvm::Error error = useTuning(options.tune, *target))
      return report(std::move(error));
  if (options.target == "nvptx") {
    auto found = GpuTarget::get(options.gpu);
    if (!found)
      return report(found.takeError());
    gpu = std::move(*found);
    if (options.emit == Stage::Cubin || options.cubin) {
      auto assembler =
          codegen::gpu::findPtxas(options.ptxas, options.cubin ? "--gpu-code=cubin" : "--emit=cubin");
      if (!assembler)
        return report(assembler.takeError());
      ptxas = std::move(*assembler);
    }
  } else if (options.emit == Stage::Ptx || options.emit == Stage::Cubin) {
    return report(llvm::createStringError("--emit=" + llvm::StringRef(stageName(options.emit)) +
                                          " writes kernels of GPUs: it needs --target=nvptx"));
  }
  if (options.emit == Stage::Shared && !target->isThisMachine())
    return report(
        llvm::createStringError("--emit=shared links with the C compiler and the runtime of this machine, "
                                "which '" +
                                target->triple +
                                "' is not: compile a static library and "
                                "link it with a cross compiler (docs/cross-compiling.md)"));
  return success();
}

LogicalResult Compilation::prepare() {
  if (failed(chooseTarget()))
    return failure();
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

LogicalResult Compilation::runPasses(Stage last) {
  passes = std::make_unique<PassManager>(module.getContext(), ModuleOp::getOperationName());
  TimingScope scope = root.nest("passes");
  passes->enableTiming(scope);
  if (!options.dumpFolder.empty()) {
    auto instrumentation = std::make_unique<Dump>(options.dumpFolder, module);
    dump = instrumentation.get();
    passes->addInstrumentation(std::move(instrumentation));
  }
  buildPipeline(*passes, options, gpu ? Machine(*gpu) : Machine(*target), last);
  if (failed(passes->run(module)))
    return failure();
  return last < Stage::Plan ? success() : checkMemory();
}

/// A slip in a size, such as a zero too many, must not show when the program is run and its machine stands
/// still.
LogicalResult Compilation::checkMemory() {
  auto gib = [&](StringRef attribute) {
    auto bytes = program->getAttrOfType<IntegerAttr>(attribute);
    return bytes ? double(bytes.getInt()) / double(1 << 30) : 0.0;
  };
  double arena = gib("arena_bytes"), state = gib("state_bytes");
  if (arena <= options.maxMemory)
    return success();
  std::string text;
  llvm::raw_string_ostream(text) << llvm::format("the compiled model needs %.1f GiB of memory, more than the "
                                                 "limit of %g GiB: %.1f GiB for parameters and what "
                                                 "training keeps of them, %.1f GiB for intermediate values",
                                                 arena, options.maxMemory, state, arena - state);
  auto dims = program.getBody().getOps<train::DimOp>();
  if (!dims.empty())
    text += " of a batch of " + std::to_string((*dims.begin()).getBound());
  text +=
      "; make the sizes smaller, or raise the limit with --max-memory=" + std::to_string(int64_t(arena) + 1);
  return emitError(UnknownLoc::get(module.getContext()), text);
}

/// Before anything else is compiled, so that errors of the user's come at once.
LogicalResult Compilation::compileCustom() {
  auto functions = program.getBody().getOps<train::CustomFunctionOp>();
  if (functions.empty())
    return success();
  if (gpu)
    return report(llvm::createStringError("the custom operation '" + (*functions.begin()).getSymName() +
                                          "' has code for CPUs only, which --target=nvptx cannot use"));
  auto objects = codegen::compileCustomSources(
      program, *target, {codegen::ObjectOptions::Output::Object, options.optLevel}, options.clang);
  if (!objects)
    return report(objects.takeError());
  customObjects = std::move(*objects);
  return success();
}

/// The user's code, as what the other code is.
LogicalResult Compilation::addCustom(std::vector<codegen::CodeModule> &code,
                                     codegen::ObjectOptions::Output output) {
  std::vector<emit::Member> members = customObjects;
  if (output != codegen::ObjectOptions::Output::Object) {
    auto texts = codegen::compileCustomSources(program, *target, {output, options.optLevel}, options.clang);
    if (!texts)
      return report(texts.takeError());
    members = std::move(*texts);
  }
  for (auto &[name, contents] : members)
    code.push_back({name, contents});
  return success();
}

LogicalResult Compilation::write(llvm::function_ref<llvm::Error(emit::OutputFiles &)> addFiles) {
  TimingScope scope = root.nest("write");
  auto files = emit::OutputFiles::in(options.outputFolder.empty() ? "." : options.outputFolder);
  if (!files)
    return report(files.takeError());
  if (llvm::Error error = addFiles(*files))
    return report(std::move(error));
  if (llvm::Error error = files->commit())
    return report(std::move(error));
  if (options.verbose)
    for (const std::string &path : files->written())
      llvm::errs() << "wrote " << path << '\n';
  return success();
}

LogicalResult Compilation::writeIr() {
  auto print = [&](llvm::raw_ostream &stream) {
    module.print(stream);
    stream << '\n';
  };
  if (options.outputFolder.empty()) {
    print(out);
    return success();
  }
  return write([&](emit::OutputFiles &files) {
    return files.add(name() + "." + stageName(options.emit) + ".mlir", print);
  });
}

FailureOr<std::vector<codegen::CodeModule>> Compilation::generate(codegen::ObjectOptions::Output output,
                                                                  bool functions) {
  TimingScope scope = root.nest("codegen");
  codegen::CodegenOptions codegenOptions;
  codegenOptions.gpu = gpu;
  codegenOptions.simt = options.simt;
  codegenOptions.ptxas = ptxas;
  codegenOptions.object = {output, options.optLevel};
  codegenOptions.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  codegenOptions.model.embedWeights = options.embedWeights;
  codegenOptions.model.fingerprint = emit::Interface::of(program).fingerprint();
  codegenOptions.model.functions = functions;
  if (weightsAreInFile())
    codegenOptions.model.weightsFile = name() + ".safetensors";
  if (options.emit == Stage::Ptx)
    return codegen::generatePtx(program, codegenOptions);
  if (options.emit == Stage::Cubin)
    return codegen::generateCubins(program, codegenOptions);
  FailureOr<std::vector<codegen::CodeModule>> code = codegen::generateCode(program, *target, codegenOptions);
  if (failed(code) || failed(addCustom(*code, output)))
    return failure();
  return code;
}

std::vector<emit::Member> Compilation::members(std::vector<codegen::CodeModule> code) {
  std::vector<emit::Member> members;
  for (codegen::CodeModule &part : code)
    members.emplace_back(name() + "." + part.name + ".o", std::move(part.contents));
  return members;
}

LogicalResult Compilation::writeCode() {
  bool isText = options.emit != Stage::Obj && options.emit != Stage::Cubin;
  auto code = generate(options.emit == Stage::Llvm  ? codegen::ObjectOptions::Output::LLVMIR
                       : options.emit == Stage::Asm ? codegen::ObjectOptions::Output::Assembly
                                                    : codegen::ObjectOptions::Output::Object);
  if (failed(code))
    return failure();
  if (isText && options.outputFolder.empty()) {
    for (const codegen::CodeModule &part : *code)
      out << part.contents;
    return success();
  }
  StringRef suffix = options.emit == Stage::Llvm    ? ".ll"
                     : options.emit == Stage::Ptx   ? ".ptx"
                     : options.emit == Stage::Cubin ? ".cubin"
                     : options.emit == Stage::Asm   ? ".s"
                                                    : ".o";
  return write([&](emit::OutputFiles &files) -> llvm::Error {
    for (const codegen::CodeModule &part : *code)
      if (llvm::Error error = files.add(name() + "." + part.name + suffix.str(), part.contents))
        return error;
    return llvm::Error::success();
  });
}

std::string Compilation::training() const {
  std::string loss = options.loss.empty() || options.loss == "output"
                         ? "the model's own loss"
                         : options.loss + " (" + options.reduction + ")";
  std::string text = "loss " + loss + ", optimizer " + options.optimizer;
  for (auto [position, group] : llvm::enumerate(options.groups))
    text += ", group" + std::to_string(position + 1) + " '" + group + "'";
  return text;
}

std::string Compilation::manifest(ArrayRef<std::string> files) {
  emit::ManifestOptions manifestOptions;
  manifestOptions.dlcVersion = version().str();
  manifestOptions.training = training();
  manifestOptions.settings = {{"cpu", target->cpu},
                              {"triple", target->triple},
                              {"optimization", "O" + std::to_string(options.optLevel)},
                              {"seed", std::to_string(options.seed)},
                              {"precision", options.precision}};
  if (gpu)
    manifestOptions.settings.push_back({"gpu", gpu->text()});
  manifestOptions.files = files;
  return emit::writeManifest(program, emit::Interface::of(program), manifestOptions);
}

LogicalResult Compilation::writeLibrary() {
  auto code = generate(codegen::ObjectOptions::Output::Object);
  if (failed(code))
    return failure();
  std::vector<emit::Member> objects = members(std::move(*code));
  bool shared = options.emit == Stage::Shared;
  auto library =
      shared ? emit::linkShared(objects, options.runtimeLibrary, name()) : emit::makeArchive(objects);
  if (!library)
    return report(library.takeError());

  std::string libraryFile = "lib" + name() + (shared ? ".so" : ".a");
  emit::HeaderOptions header;
  header.training = training();
  std::vector<std::string> names{libraryFile, name() + ".h"};
  if (weightsAreInFile()) {
    header.weightsFile = name() + ".safetensors";
    names.push_back(header.weightsFile);
  }
  return write([&](emit::OutputFiles &files) -> llvm::Error {
    if (llvm::Error error = files.add(libraryFile, *library))
      return error;
    if (llvm::Error error = files.add(name() + ".h", emit::writeHeader(emit::Interface::of(program), header)))
      return error;
    if (!header.weightsFile.empty())
      if (llvm::Error error = files.add(
              header.weightsFile, [&](llvm::raw_ostream &stream) { emit::writeWeights(program, stream); }))
        return error;
    return files.add(name() + ".json", manifest(names));
  });
}

LogicalResult Compilation::run() {
  if (failed(prepare()) || (options.emit > Stage::Plan && failed(compileCustom())) ||
      failed(runPasses(options.emit)))
    return failure();
  if (options.emit <= Stage::Plan)
    return writeIr();
  if (dump && !gpu) {
    auto code = generate(codegen::ObjectOptions::Output::LLVMIR);
    if (failed(code))
      return failure();
    std::string text;
    for (const codegen::CodeModule &part : *code)
      text += part.contents;
    dump->write(stageName(Stage::Llvm), ".ll", text);
  }
  return options.emit <= Stage::Obj ? writeCode() : writeLibrary();
}

FailureOr<std::string> Compilation::manifestOnly() {
  if (failed(prepare()) || failed(compileCustom()) || failed(runPasses(Stage::Plan)))
    return failure();
  return manifest({});
}

FailureOr<std::vector<emit::Member>> Compilation::objectsOnly() {
  if (failed(prepare()))
    return failure();
  if (!target->isThisMachine())
    return report(
        llvm::createStringError("'" + target->triple + "' is not this machine, which shall run it"));
  if (failed(compileCustom()) || failed(runPasses(Stage::Plan)))
    return failure();
  auto code = generate(codegen::ObjectOptions::Output::Object, /*functions=*/false);
  if (failed(code))
    return failure();
  return members(std::move(*code));
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
