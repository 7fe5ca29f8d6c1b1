//===- CudaSources.cpp - users' CUDA sources, compiled ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// clang is the front end alone: what it makes gets into dlc's kernels, and goes with them to PTX or to the
// check without a GPU.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/custom/CudaSources.h"
#include "compiler/codegen/gpu/custom/CudaHeader.h"
#include "compiler/codegen/gpu/custom/MathsLibrary.h"
#include "compiler/codegen/gpu/custom/Nvrtc.h"
#include "compiler/codegen/kernel/UserSources.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Demangle/Demangle.h"
#include "llvm/IR/Module.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

using namespace mlir;

namespace dlc::codegen::gpu {

static std::string declarationsOf(const UserSource &source) {
  std::string text;
  for (const UserFunction &function : source.functions)
    text += "extern \"C\" __global__ " + function.prototype + ";\n";
  return text;
}

static std::vector<std::string> argumentsFor(StringRef clang, const GpuArchitecture &architecture,
                                             unsigned optLevel) {
  return {clang.str(),
          "-c",
          "-emit-llvm",
          "-x",
          "cuda",
          "--cuda-device-only",
          "--cuda-gpu-arch=" + architecture.name(),
          "-nocudainc",
          "-nocudalib", // whatever toolkit there may be
          "-Wno-unknown-cuda-version",
          "-std=gnu++17",
          "-O" + std::to_string(optLevel),
          "-ffp-contract=on", // within an expression, as in C
          "-fno-builtin",
          "-fno-exceptions",
          "-fno-rtti",
          "-fno-color-diagnostics"};
}

/// All functions are there, and nothing that a GPU does not have, or that would be kept between calls.
static llvm::Error checkModule(StringRef bitcode, const UserSource &source) {
  llvm::LLVMContext context;
  auto module = parseBitcodeFile(llvm::MemoryBufferRef(bitcode, source.path), context);
  if (!module)
    return llvm::createStringError(source.path + ": this clang writes code that dlc cannot read (" +
                                   llvm::toString(module.takeError()) + "); one of version " +
                                   std::to_string(LLVM_VERSION_MAJOR) + " does, --clang names it");
  for (const UserFunction &function : source.functions)
    if (const llvm::Function *found = (*module)->getFunction(function.name); !found || found->isDeclaration())
      return notDefined(source, function);
  for (const llvm::Function &function : **module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !isMathsSymbol(function.getName()))
      return llvm::createStringError(source.path + ": the function '" + llvm::demangle(function.getName()) +
                                     "' is called, and defined nowhere");
  for (const llvm::GlobalVariable &variable : (*module)->globals()) {
    constexpr unsigned shared = 3;
    if (variable.getName().starts_with("llvm.") || (variable.isDeclaration() && variable.use_empty()))
      continue;
    if (variable.isDeclaration())
      return llvm::createStringError(
          source.path + ": the variable '" + variable.getName() +
          "' has no size here; arrays of shared memory have one that is a constant");
    if (!variable.isConstant() && variable.getAddressSpace() != shared)
      return llvm::createStringError(source.path + ": the variable '" + variable.getName() +
                                     "' would keep its value from one call to the next; a function changes "
                                     "nothing but its outputs");
  }
  return llvm::Error::success();
}

static std::pair<StringRef, StringRef> codeForGpus(train::CustomFunctionOp function) {
  train::CustomCudaAttr code = function.getCudaAttr();
  return code ? std::pair(code.getSource(), code.getFunction()) : std::pair(StringRef(), StringRef());
}

static llvm::Expected<std::string> compileWithClang(const UserSource &source,
                                                    const GpuArchitecture &architecture, unsigned optLevel,
                                                    StringRef clang) {
  llvm::Expected<std::string> compiler = findClang(clang, source);
  if (!compiler)
    return compiler.takeError();
  llvm::Expected<std::string> module =
      runClang(source, cudaHeader() + userDeclarations(declarationsOf(source)),
               argumentsFor(*compiler, architecture, optLevel));
  if (module)
    if (llvm::Error error = checkModule(*module, source))
      return std::move(error);
  return module;
}

static llvm::Expected<std::string> compileWithNvrtc(const UserSource &source,
                                                    const GpuArchitecture &architecture, const Nvrtc &nvrtc) {
  auto content = llvm::MemoryBuffer::getFile(source.path);
  if (!content)
    return llvm::createStringError(source.path + ": " + content.getError().message());
  if ((*content)->getBuffer().contains('\0'))
    return llvm::createStringError(source.path + " is no text");
  StringRef folder = llvm::sys::path::parent_path(source.path);
  llvm::Expected<std::string> ptx = nvrtc.compile(
      (nvrtcHeader() + declarationsOf(source) + "#line 1\n" + (*content)->getBuffer()).str(), source.path,
      {"--gpu-architecture=compute_" + architecture.name().substr(StringRef("sm_").size()), "--std=c++17",
       "--ftz=true",
       "--relocatable-device-code=true", // so that functions are kept
       ("--include-path=" + (folder.empty() ? "." : folder)).str()});
  if (!ptx)
    return llvm::createStringError("the source of the custom operation '" +
                                   source.functions.front().operation + "' does not compile; NVRTC says\n" +
                                   llvm::toString(ptx.takeError()));
  for (const UserFunction &function : source.functions)
    if (!StringRef(*ptx).contains(".visible .func " + function.name + "("))
      return notDefined(source, function);
  return ptx;
}

/// PTX of all sources stands in one text.
static llvm::Error checkNames(ArrayRef<UserSource> sources) {
  llvm::StringMap<StringRef> known;
  for (const UserSource &source : sources)
    for (const UserFunction &function : source.functions)
      if (auto [entry, isNew] = known.try_emplace(function.name, source.path); !isNew)
        return llvm::createStringError("the function '" + function.name + "' is in '" + entry->second +
                                       "' and in '" + source.path + "': with --nvrtc, names must differ");
  return llvm::Error::success();
}

llvm::Expected<CudaModules> compileCudaSources(train::ProgramOp program, const GpuTarget &target,
                                               unsigned optLevel, StringRef clang, StringRef nvrtc) {
  CudaModules modules;
  std::vector<UserSource> sources = userSources(program, codeForGpus);
  std::optional<Nvrtc> library;
  if (!nvrtc.empty() && !sources.empty()) {
    if (llvm::Error error = checkNames(sources))
      return std::move(error);
    if (llvm::Error error = Nvrtc::load(nvrtc).moveInto(library))
      return std::move(error);
  }
  for (const UserSource &source : sources)
    for (const GpuArchitecture &architecture : target.architectures) {
      llvm::Expected<std::string> code = library ? compileWithNvrtc(source, architecture, *library)
                                                 : compileWithClang(source, architecture, optLevel, clang);
      if (!code)
        return code.takeError();
      modules[{source.path, architecture}] = {std::move(*code), library.has_value()};
    }
  return modules;
}

} // namespace dlc::codegen::gpu
