//===- GpuCode.cpp - from a planned program to a library for GPUs ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/GpuCode.h"
#include "compiler/codegen/KernelModules.h"
#include "compiler/codegen/gpu/Kernels.h"
#include "compiler/codegen/gpu/Lowering.h"
#include "compiler/codegen/gpu/Ptx.h"
#include "compiler/codegen/gpu/Ptxas.h"
#include "compiler/codegen/gpu/Simt.h"
#include "compiler/target/gpu/Schedule.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace mlir;

namespace dlc::codegen {

static DeviceCode describeKernels(train::ProgramOp program) {
  DeviceCode code;
  for (auto kernel : program.getBody().getOps<train::KernelOp>())
    code.kernels.push_back(
        {gpu::entryOf(kernel), cast<dlc::gpu::ScheduleAttr>(kernel.getScheduleAttr()).getThreads()});
  return code;
}

/// PTX of one kernel for each architecture, which replaces what the module holds.
static llvm::Error writeKernel(llvm::Module &module, const GpuTarget &target, int64_t threads,
                               unsigned optLevel, MutableArrayRef<std::vector<std::string>> texts,
                               size_t kernel) {
  for (auto [number, architecture] : llvm::enumerate(target.architectures)) {
    std::unique_ptr<llvm::Module> copy = llvm::CloneModule(module);
    auto text = gpu::writePtx(*copy, target, architecture, threads, optLevel);
    if (!text)
      return text.takeError();
    texts[number][kernel] = std::move(*text);
  }
  return llvm::Error::success();
}

FailureOr<std::vector<CodeModule>> generatePtx(train::ProgramOp program, const CodegenOptions &options) {
  auto kernels = KernelModules::make(program, gpu::emitKernel, gpu::buildLoweringPipeline);
  if (failed(kernels))
    return failure();
  DeviceCode code = describeKernels(program);
  const GpuTarget &target = *options.gpu;
  std::vector<std::vector<std::string>> texts(target.architectures.size());
  for (std::vector<std::string> &parts : texts)
    parts.resize(kernels->size());
  auto compile = [&](size_t i, llvm::Module *module) -> llvm::Error {
    return module ? writeKernel(*module, target, code.kernels[i].threads, options.object.optLevel, texts, i)
                  : llvm::Error::success();
  };
  if (failed(kernels->compile(options.jobs, compile)))
    return failure();
  std::vector<CodeModule> result;
  for (auto [architecture, parts] : llvm::zip_equal(target.architectures, texts))
    result.push_back({"sm_" + std::to_string(architecture), gpu::joinPtx(parts)});
  return result;
}

/// Each text in place of which its machine code stands then.
static LogicalResult assemble(train::ProgramOp program, const CodegenOptions &options,
                              MutableArrayRef<CodeModule> texts) {
  for (auto [architecture, text] : llvm::zip_equal(options.gpu->architectures, texts)) {
    auto cubin = gpu::assemble(options.ptxas, text.contents, architecture);
    if (!cubin)
      return program.emitError() << llvm::toString(cubin.takeError());
    text.contents = std::move(*cubin);
  }
  return success();
}

FailureOr<std::vector<CodeModule>> generateCubins(train::ProgramOp program, const CodegenOptions &options) {
  auto code = generatePtx(program, options);
  if (failed(code) || failed(assemble(program, options, *code)))
    return failure();
  return code;
}

/// Object files of this machine with the code of threads, and how much shared memory each kernel uses.
static FailureOr<std::vector<CodeModule>> generateSimt(train::ProgramOp program, const CpuTarget &host,
                                                       const CodegenOptions &options, DeviceCode &code) {
  auto kernels = KernelModules::make(program, gpu::emitKernel, gpu::buildLoweringPipeline);
  if (failed(kernels))
    return failure();
  auto operations = llvm::to_vector(program.getBody().getOps<train::KernelOp>());
  std::vector<CodeModule> result(kernels->size());
  auto compile = [&](size_t i, llvm::Module *module) -> llvm::Error {
    if (!module)
      return llvm::Error::success();
    auto shared = gpu::makeSimt(*module, kernelSymbol(operations[i]));
    if (!shared)
      return shared.takeError();
    code.kernels[i].sharedBytes = *shared;
    result[i].name = kernels->name(i);
    return compileModule(*module, host, options.object).moveInto(result[i].contents);
  };
  if (failed(kernels->compile(options.jobs, compile)))
    return failure();
  return result;
}

FailureOr<std::vector<CodeModule>> generateGpuCode(train::ProgramOp program, const CpuTarget &host,
                                                   const CodegenOptions &options) {
  DeviceCode code = describeKernels(program);
  code.simt = options.simt;
  std::vector<CodeModule> result;
  if (options.simt) {
    auto simt = generateSimt(program, host, options, code);
    if (failed(simt))
      return failure();
    result = std::move(*simt);
  } else {
    auto ptx = generatePtx(program, options);
    if (failed(ptx))
      return failure();
    auto add = [&](bool isText) {
      for (auto [architecture, module] : llvm::zip_equal(options.gpu->architectures, *ptx))
        code.images.push_back({architecture, isText, module.contents});
    };
    add(/*isText=*/true);
    if (!options.ptxas.empty()) {
      if (failed(assemble(program, options, *ptx)))
        return failure();
      add(/*isText=*/false);
    }
  }
  llvm::LLVMContext context;
  llvm::Module main("main", context);
  emitModel(program, main, host.featureBits, options.model, &code);
  CodeModule &last = result.emplace_back();
  last.name = "main";
  if (llvm::Error error = compileModule(main, host, options.object).moveInto(last.contents)) {
    program.emitError("code generation of 'main': ") << llvm::toString(std::move(error));
    return failure();
  }
  return result;
}

} // namespace dlc::codegen
