//===- Codegen.cpp - from a planned program to object code -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Codegen.h"
#include "compiler/codegen/cpu/Contraction.h"
#include "compiler/codegen/cpu/LoopKernel.h"
#include "compiler/codegen/cpu/Lowering.h"
#include "compiler/codegen/cpu/MainModule.h"
#include "compiler/codegen/cpu/Object.h"
#include "compiler/codegen/cpu/Transpose.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;

namespace dlc::codegen {

void registerCodegenDialects(DialectRegistry &registry) {
  registry.insert<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, LLVM::LLVMDialect,
                  math::MathDialect, scf::SCFDialect, vector::VectorDialect>();
  registerBuiltinDialectTranslation(registry);
  registerLLVMDialectTranslation(registry);
}

static void emitKernel(train::KernelOp kernel, ModuleOp module, ArrayRef<std::string> dimNames) {
  KernelFunction function(kernel, module, dimNames);
  if (function.schedule().getEmitter() == train::Emitter::Contraction)
    emitContraction(function);
  else if (isTranspose(function))
    emitTranspose(function);
  else
    emitLoopKernel(function);
  function.finish();
}

FailureOr<std::vector<CodeModule>> generateCode(train::ProgramOp program, const CpuTarget &target,
                                                const CodegenOptions &options) {
  SmallVector<std::string> dimNames;
  for (auto dim : program.getBody().getOps<train::DimOp>())
    dimNames.push_back(dim.getSymName().str());

  // One module per kernel, so that MLIR and then LLVM work on them side by side.
  OwningOpRef<ModuleOp> all = ModuleOp::create(program.getLoc(), "code");
  SmallVector<ModuleOp> modules;
  auto addModule = [&](StringRef name) {
    OpBuilder builder = OpBuilder::atBlockEnd(all->getBody());
    modules.push_back(ModuleOp::create(builder, program.getLoc(), name));
    return modules.back();
  };
  for (auto kernel : program.getBody().getOps<train::KernelOp>()) {
    ModuleOp module = addModule(kernel.getSymName());
    emitKernel(kernel, module, dimNames);
    cast<func::FuncOp>(module.getBody()->front()).setName(hiddenName(program, kernel.getSymName()));
  }
  PassManager lowering(program.getContext());
  buildLoweringPipeline(lowering.nest<ModuleOp>());
  if (failed(lowering.run(*all)))
    return failure();
  emitProgramFunctions(program, addModule("main"));

  std::vector<CodeModule> code(modules.size());
  std::vector<std::string> errors(modules.size());
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(options.jobs));
  for (size_t i = 0; i < modules.size(); ++i)
    pool.async([&, i] {
      llvm::LLVMContext context;
      bool isMain = i + 1 == modules.size();
      code[i].name = modules[i].getSymName()->str();
      auto module = translateModuleToLLVMIR(modules[i], context, code[i].name);
      if (!module) {
        errors[i] = "cannot translate to LLVM IR";
        return;
      }
      for (llvm::Function &function : *module)
        if (!function.isDeclaration())
          function.setVisibility(llvm::GlobalValue::HiddenVisibility);
      if (isMain)
        emitModelApi(program, *module, emitModelDescription(program, *module, target, options),
                     options.fingerprint);
      auto compiled = compileModule(*module, target, options);
      if (compiled)
        code[i].contents = std::move(*compiled);
      else
        errors[i] = llvm::toString(compiled.takeError());
    });
  pool.wait();
  for (auto [module, error] : llvm::zip(modules, errors))
    if (!error.empty())
      return program.emitError("code generation of '") << *module.getSymName() << "': " << error;
  return code;
}

} // namespace dlc::codegen
