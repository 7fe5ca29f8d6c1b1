//===- Products.cpp - what is made of a planned program --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Products.h"
#include "compiler/emit/Digest.h"
#include "compiler/emit/Header.h"
#include "compiler/emit/Manifest.h"
#include "compiler/emit/Weights.h"
#include "compiler/emit/bindings/Bindings.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Diagnostics.h"
#include "compiler/pipeline/Pipeline.h"
#include "compiler/pipeline/Runtime.h"
#include "dialects/train/Recipe.h"
#include <thread>

using namespace mlir;

namespace dlc::pipeline {

Products::Products(ArrayRef<Variant> variants, const Options &options, Training training,
                   TimingScope &timing)
    : training(std::move(training)), variants(variants), options(options), timing(timing) {
  const Variant *cpu = llvm::find_if(variants, [](const Variant &variant) { return !variant.target.gpu; });
  program = (cpu == variants.end() ? variants.front() : *cpu).program;
}

bool Products::weightsAreInFile() {
  return !options.embedWeights &&
         llvm::any_of(program.getBody().getOps<train::StateOp>(), emit::isInWeightsFile);
}

LogicalResult Products::write(llvm::function_ref<llvm::Error(emit::OutputFiles &)> addFiles) {
  TimingScope scope = timing.nest("write");
  auto files = options.filesInMemory
                   ? emit::OutputFiles::inMemory(*options.filesInMemory)
                   : emit::OutputFiles::in(options.outputFolder.empty() ? "." : options.outputFolder);
  if (!files)
    return report(program.getContext(), files.takeError());
  if (llvm::Error error = addFiles(*files))
    return report(program.getContext(), std::move(error));
  if (llvm::Error error = files->commit())
    return report(program.getContext(), std::move(error));
  if (options.verbose)
    for (const std::string &path : files->written())
      llvm::errs() << "wrote " << path << '\n';
  return success();
}

/// Programs up to the stage backward are input, of dlc, dlc-opt and dlc-interpret; later ones are for
/// reading, and the weights of a large model would be a gigabyte of them.
static OpPrintingFlags printingFlags(const Options &options) {
  constexpr int64_t readable = 16, charactersEach = 16, charactersBefore = 10; // of a resource, hexadecimal
  const int64_t most = options.elide.value_or(options.emit > Stage::Backward ? readable : 0);
  if (most == 0)
    return OpPrintingFlags();
  return OpPrintingFlags().elideLargeElementsAttrs(most).elideLargeResourceString(charactersBefore +
                                                                                  charactersEach * most);
}

LogicalResult Products::writeIr(llvm::raw_ostream &out) {
  const std::string stage = stageName(options.emit);
  const bool isShared = options.emit <= lastShared(options);
  ArrayRef<Variant> texts = isShared ? variants.take_front() : variants;
  if (texts.size() > 1 && goesToStream())
    return program.emitError("the program after the stage ")
           << stage << " is that of one target: name one with --target, or a folder with -o, where each has "
           << "a file";
  auto print = [this](ModuleOp module, llvm::raw_ostream &stream) {
    module.print(stream, printingFlags(options));
    stream << '\n';
  };
  if (goesToStream()) {
    print(texts.front().module, out);
    return success();
  }
  return write([&](emit::OutputFiles &files) -> llvm::Error {
    for (const Variant &variant : texts) {
      const std::string target = texts.size() > 1 ? "." + variant.target.name : "";
      auto printThis = [&](llvm::raw_ostream &stream) { print(variant.module, stream); };
      if (llvm::Error error = files.add(name() + "." + stage + target + ".mlir", printThis))
        return error;
    }
    return llvm::Error::success();
  });
}

LogicalResult Products::addCustom(std::vector<codegen::CodeModule> &code,
                                  codegen::ObjectOptions::Output output) {
  for (const Variant &variant : variants) {
    FailureOr<CustomCode> asWell = variant.custom;
    if (output != codegen::ObjectOptions::Output::Object)
      asWell = compileCustom(variant.program, options, variant.target, output);
    if (failed(asWell))
      return failure();
    for (auto &[name, contents] : asWell->objects)
      code.push_back({name, contents});
  }
  return success();
}

std::vector<codegen::TargetProgram> Products::programs() {
  std::vector<codegen::TargetProgram> result;
  for (const Variant &variant : variants)
    result.push_back({variant.program, variant.target.gpu, variant.target.ptxas, variant.custom.cuda});
  return result;
}

codegen::CodegenOptions Products::codegenOptions(codegen::ObjectOptions::Output output) {
  codegen::CodegenOptions result;
  result.simt = options.simt;
  result.object = {output, options.optLevel};
  result.jobs = options.jobs ? options.jobs : std::max(1u, std::thread::hardware_concurrency());
  result.model.embedWeights = options.embedWeights;
  result.model.fingerprint = emit::Interface::of(program).fingerprint();
  if (weightsAreInFile())
    result.model.weightsFile = name() + ".safetensors";
  return result;
}

FailureOr<std::vector<codegen::CodeModule>> Products::generate(codegen::ObjectOptions::Output output,
                                                               bool functions) {
  TimingScope scope = timing.nest("codegen");
  codegen::CodegenOptions all = codegenOptions(output);
  all.model.functions = functions;
  FailureOr<std::vector<codegen::CodeModule>> code =
      codegen::generateCode(programs(), variants.front().target.cpu, all);
  if (failed(code) || failed(addCustom(*code, output)))
    return failure();
  return code;
}

FailureOr<std::vector<codegen::CodeModule>> Products::emitted() {
  using Output = codegen::ObjectOptions::Output;
  if (options.emit != Stage::Ptx && options.emit != Stage::Cubin)
    return generate(options.emit == Stage::Llvm  ? Output::LLVMIR
                    : options.emit == Stage::Asm ? Output::Assembly
                                                 : Output::Object);
  TimingScope scope = timing.nest("codegen");
  const auto generateKernels = options.emit == Stage::Ptx ? codegen::generatePtx : codegen::generateCubins;
  const std::vector<codegen::TargetProgram> all = programs();
  return generateKernels(*llvm::find_if(all, [](const auto &target) { return target.gpu.has_value(); }),
                         codegenOptions(Output::Object));
}

std::vector<emit::Member> Products::members(std::vector<codegen::CodeModule> code) {
  std::vector<emit::Member> members;
  for (codegen::CodeModule &part : code)
    members.emplace_back(name() + "." + part.name + ".o", std::move(part.contents));
  return members;
}

LogicalResult Products::writeCode(llvm::raw_ostream &out) {
  bool isText = options.emit != Stage::Obj && options.emit != Stage::Cubin;
  auto code = emitted();
  if (failed(code))
    return failure();
  if (isText && goesToStream()) {
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

Products::Training Products::Training::of(train::ProgramOp program) {
  train::RecipeOp recipe = train::recipeOf(program);
  train::LossAttr added = recipe ? recipe.getLossAttr() : train::LossAttr();
  std::string loss = !added || added.getKind() == train::LossKind::Output
                         ? "the model's own loss"
                         : added.getName() + " (" + stringifyReduction(added.getReduction()).str() + ")";
  train::OptimizerAttr optimizer =
      recipe ? recipe.getOptimizerOrDefault() : train::OptimizerAttr::getDefault(program.getContext());
  std::string text = "loss " + loss + ", optimizer " + optimizer.getName().str();
  ArrayAttr groups = recipe ? recipe.getGroupsAttr() : ArrayAttr();
  for (size_t i = 0; groups && i < groups.size(); ++i)
    text += ", group" + std::to_string(i + 1) + " '" + cast<train::GroupAttr>(groups[i]).getText().str() + "'";
  return {text, recipe ? recipe.getSeed().value_or(0) : 0};
}

std::string Products::manifest(ArrayRef<std::string> files, ArrayRef<Digest> digests) {
  emit::ManifestOptions manifestOptions;
  manifestOptions.dlcVersion = version().str();
  manifestOptions.training = training.text;
  const CpuTarget &cpu = variants.front().target.cpu;
  const std::optional<train::Precision> precision = program.getPrecision();
  manifestOptions.settings = {{"cpu", cpu.cpu},
                              {"triple", cpu.triple},
                              {"optimization", "O" + std::to_string(options.optLevel)},
                              {"seed", std::to_string(training.seed)},
                              {"precision", precision ? stringifyPrecision(*precision).str() : "fp32"}};
  std::vector<emit::NamedProgram> targets;
  for (const Variant &variant : variants) {
    targets.push_back({variant.target.name, variant.program});
    if (variant.target.gpu)
      manifestOptions.settings.push_back({"gpu", variant.target.gpu->text()});
  }
  manifestOptions.files = files;
  manifestOptions.digests = digests;
  return emit::writeManifest(targets, emit::Interface::of(program), manifestOptions);
}

LogicalResult Products::writeLibrary() {
  auto code = generate(codegen::ObjectOptions::Output::Object);
  if (failed(code))
    return failure();
  std::vector<emit::Member> objects = members(std::move(*code));
  bool shared = options.emit == Stage::Shared;
  const CpuTarget &cpu = variants.front().target.cpu;
  auto link = [&]() -> llvm::Expected<std::string> {
    auto runtime = findRuntime(options.libraryFolder, cpu);
    return runtime ? emit::linkShared(objects, *runtime, name(), llvm::Triple(cpu.triple))
                   : runtime.takeError();
  };
  auto library = shared ? link() : emit::makeArchive(objects);
  if (!library)
    return report(program.getContext(), library.takeError());

  std::string libraryFile = "lib" + name() + (shared ? ".so" : ".a");
  emit::HeaderOptions header;
  header.training = training.text;
  std::vector<std::string> names{libraryFile, name() + ".h"};
  if (weightsAreInFile()) {
    header.weightsFile = name() + ".safetensors";
    names.push_back(header.weightsFile);
  }
  std::vector<std::pair<std::string, std::string>> bindings;
  for (const std::string &language : options.bindings) {
    bindings.push_back(emit::writeBinding(language, emit::Interface::of(program), header));
    names.push_back(bindings.back().first);
  }
  return write([&](emit::OutputFiles &files) -> llvm::Error {
    std::vector<Digest> digests{{libraryFile, emit::digestOf(*library)}};
    if (llvm::Error error = files.add(libraryFile, *library))
      return error;
    if (llvm::Error error = files.add(name() + ".h", emit::writeHeader(emit::Interface::of(program), header)))
      return error;
    for (const auto &[file, binding] : bindings)
      if (llvm::Error error = files.add(file, binding))
        return error;
    if (!header.weightsFile.empty())
      if (llvm::Error error = files.add(header.weightsFile, [&](llvm::raw_ostream &stream) {
            emit::DigestStream both(stream);
            emit::writeWeights(program, both);
            digests.emplace_back(header.weightsFile, both.digest());
          }))
        return error;
    return files.add(name() + ".json", manifest(names, digests));
  });
}

} // namespace dlc::pipeline
