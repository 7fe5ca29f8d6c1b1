//===- Codegen.cpp - from a planned program to object code -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/GpuCode.h"
#include "compiler/codegen/KernelModules.h"
#include "compiler/codegen/cpu/KernelCache.h"
#include "compiler/codegen/cpu/KernelObject.h"
#include "compiler/codegen/cpu/Kernels.h"
#include "compiler/codegen/cpu/Lowering.h"
#include "compiler/machine/CpuFeatures.h"
#include "compiler/machine/cpu/Schedule.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/NVVM/NVVMToLLVMIRTranslation.h"

using namespace mlir;

namespace dlc::codegen {

void registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, NVVM::NVVMDialect, scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
  registerNVVMDialectTranslation(registry);
}

/// Compiles the CPU's kernels, and `main` with them.
static LogicalResult addCpuCode(train::ProgramOp program, const CpuTarget &target,
                                const CodegenOptions &options,
                                llvm::function_ref<void(llvm::Module &)> emitMain,
                                std::vector<CodeModule> &code) {
  std::vector<std::string> symbols;
  auto emit = [&](train::KernelOp kernel, ModuleOp module, ArrayRef<std::string> dimNames) {
    emitKernel(kernel, module, dimNames);
    cast<func::FuncOp>(module.getBody()->front()).setName(symbols.emplace_back(kernelSymbol(kernel)));
  };
  auto lower = [&](OpPassManager &passes) { buildLoweringPipeline(passes, target.convertsHalves()); };
  FailureOr<KernelModules> kernels = KernelModules::make(program, emit, lower);
  if (failed(kernels))
    return failure();
  const size_t first = code.size();
  code.resize(first + kernels->size() + 1);
  return kernels->compile(options.jobs, [&](size_t i, llvm::Module *module) -> llvm::Error {
    CodeModule &part = code[first + i];
    llvm::LLVMContext context;
    std::optional<llvm::Module> main;
    part.name = module ? kernels->name(i) : "main";
    if (module) {
      for (llvm::Function &function : *module)
        if (!function.isDeclaration())
          function.setVisibility(llvm::GlobalValue::HiddenVisibility);
      return compileKernel(*module, symbols[i], target, options.object).moveInto(part.contents);
    }
    emitMain(main.emplace("main", context));
    return compileModule(*main, target, options.object).moveInto(part.contents);
  });
}

/// Compiles `main` where no kernels are with it.
static LogicalResult addMain(train::ProgramOp program, const CpuTarget &host, const CodegenOptions &options,
                             llvm::function_ref<void(llvm::Module &)> emitMain,
                             std::vector<CodeModule> &code) {
  llvm::LLVMContext context;
  llvm::Module main("main", context);
  emitMain(main);
  CodeModule &last = code.emplace_back();
  last.name = "main";
  if (llvm::Error error = compileModule(main, host, options.object).moveInto(last.contents))
    return program.emitError("code generation of 'main': ") << llvm::toString(std::move(error));
  return success();
}

/// The instruction sets that a program's kernels may use: the matrix unit's only where they do, as that needs
/// the system's permission, too.
static uint32_t featuresOf(train::ProgramOp program, const CpuTarget &target) {
  auto usesAmx = [](train::KernelOp kernel) {
    auto schedule = dyn_cast_or_null<cpu::ScheduleAttr>(kernel.getScheduleAttr());
    return schedule && schedule.usesAmx();
  };
  const bool isAny = program && llvm::any_of(program.getBody().getOps<train::KernelOp>(), usesAmx);
  return target.featureBits | (isAny && !target.amxCalls ? amxBits : 0);
}

FailureOr<std::vector<CodeModule>> generateCode(ArrayRef<TargetProgram> targets, const CpuTarget &host,
                                                const CodegenOptions &options) {
  if (StringRef trouble = KernelCache::ofUser().trouble(); !trouble.empty())
    targets.front().program->emitWarning(trouble);
  // GPUs first, as their kernels are a part of the description.
  std::vector<CodeModule> code;
  std::vector<DeviceCode> devices(targets.size());
  std::vector<ModelTarget> described;
  train::ProgramOp cpu;
  for (auto [target, device] : llvm::zip_equal(targets, devices)) {
    described.push_back({target.program, target.gpu ? &device : nullptr});
    if (!target.gpu)
      cpu = target.program;
    else if (failed(generateGpuKernels(target, host, options, device, code)))
      return failure();
  }
  auto emitMain = [&](llvm::Module &module) {
    emitModel(described, module, featuresOf(cpu, host), options.model);
  };
  if (failed(cpu ? addCpuCode(cpu, host, options, emitMain, code)
                 : addMain(targets.front().program, host, options, emitMain, code)))
    return failure();
  return code;
}

} // namespace dlc::codegen
