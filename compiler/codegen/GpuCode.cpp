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
#include "compiler/codegen/gpu/custom/MathsLibrary.h"
#include "compiler/codegen/gpu/custom/UserCode.h"
#include "compiler/codegen/gpu/simt/Simt.h"
#include "compiler/machine/gpu/Schedule.h"
#include "dialects/train/Custom.h"
#include "llvm/Transforms/Utils/Cloning.h"
#include <set>

using namespace mlir;

namespace dlc::codegen {

static DeviceCode describeKernels(train::ProgramOp program) {
  DeviceCode code;
  for (auto kernel : program.getBody().getOps<train::KernelOp>())
    code.kernels.push_back(
        {gpu::entryOf(kernel), cast<dlc::gpu::ScheduleAttr>(kernel.getScheduleAttr()).getThreads()});
  return code;
}

namespace {

/// The kernels of a program, each of which becomes a module for each GPU.
class GpuKernels {
public:
  /// `warpGroups`: for GPUs that multiply in groups of warps, or for the others.
  static FailureOr<GpuKernels> make(const TargetProgram &target, bool warpGroups, bool simt);

  KernelModules modules;
  std::vector<train::KernelOp> operations;
  /// Brings into a kernel's module what it calls, if that is a user's function.
  llvm::Error complete(llvm::Module &module, size_t kernel, const GpuArchitecture &architecture) const;
  /// PTX of users' functions that kernels call.
  std::vector<std::string> textsBeside(const GpuArchitecture &architecture) const;

private:
  GpuKernels(KernelModules modules, const gpu::CudaModules &cuda) : modules(std::move(modules)), cuda(cuda) {}

  const gpu::CudaModules &cuda;
  std::vector<std::string> sources; ///< by kernel: where the user's function is; "" for kernels of dlc's own
  std::string maths;
};

} // namespace

FailureOr<GpuKernels> GpuKernels::make(const TargetProgram &target, bool warpGroups, bool simt) {
  train::ProgramOp program = target.program;
  auto emit = [&](train::KernelOp kernel, ModuleOp module, ArrayRef<std::string> dimNames) {
    gpu::emitKernel(kernel, module, dimNames, warpGroups);
  };
  auto modules =
      KernelModules::make(program, emit, simt ? gpu::buildSimtLoweringPipeline : gpu::buildLoweringPipeline);
  if (failed(modules))
    return failure();
  GpuKernels kernels(std::move(*modules), target.cuda);
  for (auto kernel : program.getBody().getOps<train::KernelOp>()) {
    auto call = dyn_cast<train::CustomCallOp>(kernel.getBody().front().front());
    kernels.operations.push_back(kernel);
    kernels.sources.push_back(call ? call.definition().getCudaAttr().getSource().str() : "");
  }
  if (llvm::all_of(kernels.sources, [](const std::string &source) { return source.empty(); }))
    return kernels;
  FailureOr<std::string> maths = gpu::mathsLibrary(*program.getContext());
  if (failed(maths))
    return failure();
  kernels.maths = std::move(*maths);
  return kernels;
}

llvm::Error GpuKernels::complete(llvm::Module &module, size_t kernel,
                                 const GpuArchitecture &architecture) const {
  if (sources[kernel].empty())
    return llvm::Error::success();
  const gpu::CudaCode &code = cuda.at({sources[kernel], architecture});
  return code.isPtx ? llvm::Error::success() : gpu::addUserCode(module, code.text, maths);
}

std::vector<std::string> GpuKernels::textsBeside(const GpuArchitecture &architecture) const {
  std::vector<std::string> texts;
  for (const std::string &source : std::set<std::string>(sources.begin(), sources.end()))
    if (auto code = cuda.find({source, architecture}); code != cuda.end() && code->second.isPtx)
      texts.push_back(code->second.text);
  return texts;
}

/// The text for each of these GPUs, which are all of one kind.
static LogicalResult addPtx(const TargetProgram &target, ArrayRef<GpuArchitecture> architectures,
                            const CodegenOptions &options, DeviceCode &code,
                            std::vector<CodeModule> &result) {
  auto kernels = GpuKernels::make(target, architectures.front().hasWarpGroups(), /*simt=*/false);
  if (failed(kernels))
    return failure();
  std::vector<std::vector<std::string>> texts(architectures.size());
  for (std::vector<std::string> &parts : texts)
    parts.resize(kernels->modules.size());
  auto compile = [&](size_t i, llvm::Module *module) -> llvm::Error {
    if (!module)
      return llvm::Error::success();
    for (auto [number, architecture] : llvm::enumerate(architectures)) {
      std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
      if (llvm::Error error = kernels->complete(*copy, i, architecture))
        return error;
      auto text = gpu::writePtx(*copy, *target.gpu, architecture, code.kernels[i].threads,
                                options.object.optLevel, code.kernels[i].askedBytes);
      if (!text)
        return text.takeError();
      texts[number][i] = std::move(*text);
    }
    return llvm::Error::success();
  };
  if (failed(kernels->modules.compile(options.jobs, compile)))
    return failure();
  for (auto [architecture, parts] : llvm::zip_equal(architectures, texts)) {
    llvm::append_range(parts, kernels->textsBeside(architecture));
    result.push_back({architecture.name(), gpu::joinPtx(parts)});
  }
  return success();
}

/// What is said of the kernels in `code` is completed.
static FailureOr<std::vector<CodeModule>> generatePtx(const TargetProgram &target,
                                                      const CodegenOptions &options, DeviceCode &code) {
  std::vector<CodeModule> result;
  // Neighbours of one kind share the code of threads.
  for (ArrayRef<GpuArchitecture> rest = target.gpu->architectures; !rest.empty();) {
    auto isSameKind = [&](const GpuArchitecture &other) {
      return other.hasWarpGroups() == rest.front().hasWarpGroups();
    };
    ArrayRef<GpuArchitecture> ofKind = rest.take_while(isSameKind);
    if (failed(addPtx(target, ofKind, options, code, result)))
      return failure();
    rest = rest.drop_front(ofKind.size());
  }
  return result;
}

FailureOr<std::vector<CodeModule>> generatePtx(const TargetProgram &target, const CodegenOptions &options) {
  DeviceCode code = describeKernels(target.program);
  return generatePtx(target, options, code);
}

/// Each text in place of which its machine code stands then.
static LogicalResult assemble(const TargetProgram &target, MutableArrayRef<CodeModule> texts) {
  for (auto [architecture, text] : llvm::zip_equal(target.gpu->architectures, texts)) {
    auto cubin = gpu::assemble(target.ptxas, text.contents, architecture);
    if (!cubin)
      return train::ProgramOp(target.program).emitError() << llvm::toString(cubin.takeError());
    text.contents = std::move(*cubin);
  }
  return success();
}

FailureOr<std::vector<CodeModule>> generateCubins(const TargetProgram &target,
                                                  const CodegenOptions &options) {
  auto code = generatePtx(target, options);
  if (failed(code) || failed(assemble(target, *code)))
    return failure();
  return code;
}

/// Object files of this machine with the code of threads, and how much shared memory each kernel uses.
static LogicalResult addSimtCode(const TargetProgram &target, const CpuTarget &host,
                                 const CodegenOptions &options, DeviceCode &device,
                                 std::vector<CodeModule> &code) {
  const GpuArchitecture &checked = target.gpu->architectures.front();
  auto kernels = GpuKernels::make(target, checked.hasWarpGroups(), /*simt=*/true);
  if (failed(kernels))
    return failure();
  const size_t first = code.size();
  code.resize(first + kernels->modules.size());
  // Such code is run a few times, to be watched: of large kernels, LLVM's optimizations would take longer
  // than they save.
  constexpr unsigned largeKernel = 10000; // instructions
  return kernels->modules.compile(options.jobs, [&](size_t i, llvm::Module *module) -> llvm::Error {
    if (!module)
      return llvm::Error::success();
    if (llvm::Error error = kernels->complete(*module, i, checked))
      return error;
    auto shared = gpu::makeSimt(*module, deviceSymbol(kernels->operations[i]));
    if (!shared)
      return shared.takeError();
    device.kernels[i].sharedBytes = *shared;
    // The file is named like the symbol, since the CPU's kernels may have the same names.
    code[first + i].name = "gpu." + kernels->modules.name(i);
    ObjectOptions object = options.object;
    if (module->getInstructionCount() > largeKernel)
      object.optLevel = 0;
    return compileKernel(*module, deviceSymbol(kernels->operations[i]), host, object)
        .moveInto(code[first + i].contents);
  });
}

LogicalResult generateGpuKernels(const TargetProgram &target, const CpuTarget &host,
                                 const CodegenOptions &options, DeviceCode &device,
                                 std::vector<CodeModule> &code) {
  device = describeKernels(target.program);
  device.simt = options.simt;
  if (options.simt)
    return addSimtCode(target, host, options, device, code);
  auto texts = generatePtx(target, options, device);
  if (failed(texts))
    return failure();
  auto add = [&](bool isText) {
    for (auto [architecture, module] : llvm::zip_equal(target.gpu->architectures, *texts))
      device.images.push_back({architecture.capability(), isText, module.contents});
  };
  add(/*isText=*/true);
  if (target.ptxas.empty())
    return success();
  if (failed(assemble(target, *texts)))
    return failure();
  add(/*isText=*/false);
  return success();
}

} // namespace dlc::codegen
