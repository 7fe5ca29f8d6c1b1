//===- Products.cpp - what is made of a planned program --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Products.h"
#include "compiler/emit/Header.h"
#include "compiler/emit/Manifest.h"
#include "compiler/emit/Weights.h"
#include "compiler/pipeline/Compile.h"
#include "compiler/pipeline/Diagnostics.h"
#include <thread>

using namespace mlir;

namespace dlc::pipeline {

bool Products::weightsAreInFile() {
  return !options.embedWeights &&
         llvm::any_of(program.getBody().getOps<train::StateOp>(), emit::isInWeightsFile);
}

LogicalResult Products::write(llvm::function_ref<llvm::Error(emit::OutputFiles &)> addFiles) {
  TimingScope scope = timing.nest("write");
  auto files = emit::OutputFiles::in(options.outputFolder.empty() ? "." : options.outputFolder);
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

LogicalResult Products::writeIr(ModuleOp module, llvm::raw_ostream &out) {
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

LogicalResult Products::addCustom(std::vector<codegen::CodeModule> &code,
                                  codegen::ObjectOptions::Output output) {
  FailureOr<CustomCode> asWell = custom;
  if (output != codegen::ObjectOptions::Output::Object)
    asWell = compileCustom(program, options, target, output);
  if (failed(asWell))
    return failure();
  for (auto &[name, contents] : asWell->objects)
    code.push_back({name, contents});
  return success();
}

FailureOr<std::vector<codegen::CodeModule>> Products::generate(codegen::ObjectOptions::Output output,
                                                               bool functions) {
  TimingScope scope = timing.nest("codegen");
  codegen::CodegenOptions codegenOptions;
  codegenOptions.gpu = target.gpu;
  codegenOptions.simt = options.simt;
  codegenOptions.ptxas = target.ptxas;
  codegenOptions.cuda = custom.cuda;
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
  FailureOr<std::vector<codegen::CodeModule>> code =
      codegen::generateCode(program, target.cpu, codegenOptions);
  if (failed(code) || failed(addCustom(*code, output)))
    return failure();
  return code;
}

std::vector<emit::Member> Products::members(std::vector<codegen::CodeModule> code) {
  std::vector<emit::Member> members;
  for (codegen::CodeModule &part : code)
    members.emplace_back(name() + "." + part.name + ".o", std::move(part.contents));
  return members;
}

LogicalResult Products::writeCode(llvm::raw_ostream &out) {
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

std::string Products::training() const {
  std::string loss = options.loss.empty() || options.loss == "output"
                         ? "the model's own loss"
                         : options.loss + " (" + options.reduction + ")";
  std::string text = "loss " + loss + ", optimizer " + options.optimizer;
  for (auto [position, group] : llvm::enumerate(options.groups))
    text += ", group" + std::to_string(position + 1) + " '" + group + "'";
  return text;
}

std::string Products::manifest(ArrayRef<std::string> files) {
  emit::ManifestOptions manifestOptions;
  manifestOptions.dlcVersion = version().str();
  manifestOptions.training = training();
  manifestOptions.settings = {{"cpu", target.cpu.cpu},
                              {"triple", target.cpu.triple},
                              {"optimization", "O" + std::to_string(options.optLevel)},
                              {"seed", std::to_string(options.seed)},
                              {"precision", options.precision}};
  if (target.gpu)
    manifestOptions.settings.push_back({"gpu", target.gpu->text()});
  manifestOptions.files = files;
  return emit::writeManifest(program, emit::Interface::of(program), manifestOptions);
}

LogicalResult Products::writeLibrary() {
  auto code = generate(codegen::ObjectOptions::Output::Object);
  if (failed(code))
    return failure();
  std::vector<emit::Member> objects = members(std::move(*code));
  bool shared = options.emit == Stage::Shared;
  auto library =
      shared ? emit::linkShared(objects, options.runtimeLibrary, name()) : emit::makeArchive(objects);
  if (!library)
    return report(program.getContext(), library.takeError());

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

} // namespace dlc::pipeline
