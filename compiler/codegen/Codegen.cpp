//===- Codegen.cpp - from a planned program to object code -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/GpuCode.h"
#include "compiler/codegen/KernelModules.h"
#include "compiler/codegen/cpu/Kernels.h"
#include "compiler/codegen/cpu/Lowering.h"
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

FailureOr<std::vector<CodeModule>> generateCode(train::ProgramOp program, const CpuTarget &target,
                                                const CodegenOptions &options) {
  if (options.gpu)
    return generateGpuCode(program, target, options);
  auto emit = [](train::KernelOp kernel, ModuleOp module, ArrayRef<std::string> dimNames) {
    emitKernel(kernel, module, dimNames);
    cast<func::FuncOp>(module.getBody()->front()).setName(kernelSymbol(kernel));
  };
  FailureOr<KernelModules> kernels = KernelModules::make(program, emit, buildLoweringPipeline);
  if (failed(kernels))
    return failure();
  std::vector<CodeModule> code(kernels->size() + 1);
  LogicalResult compiled = kernels->compile(options.jobs, [&](size_t i, llvm::Module *module) -> llvm::Error {
    llvm::LLVMContext context;
    std::optional<llvm::Module> main;
    code[i].name = module ? kernels->name(i) : "main";
    if (module) {
      for (llvm::Function &function : *module)
        if (!function.isDeclaration())
          function.setVisibility(llvm::GlobalValue::HiddenVisibility);
    } else {
      module = &main.emplace("main", context);
      emitModel(program, *module, target.featureBits, options.model);
    }
    return compileModule(*module, target, options.object).moveInto(code[i].contents);
  });
  if (failed(compiled))
    return failure();
  return code;
}

} // namespace dlc::codegen
