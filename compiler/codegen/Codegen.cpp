//===- Codegen.cpp - from a planned program to object code -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/Codegen.h"
#include "compiler/codegen/cpu/Kernels.h"
#include "compiler/codegen/cpu/Lowering.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
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
    cast<func::FuncOp>(module.getBody()->front()).setName(kernelSymbol(kernel));
  }
  PassManager lowering(program.getContext());
  buildLoweringPipeline(lowering.nest<ModuleOp>());
  if (failed(lowering.run(*all)))
    return failure();

  std::vector<CodeModule> code(modules.size() + 1);
  std::vector<std::string> errors(code.size());
  // The translation makes attributes: a context that was made for one thread does not lock its tables.
  unsigned jobs = program.getContext()->isMultithreadingEnabled() ? options.jobs : 1;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(jobs));
  auto compile = [&](size_t i, llvm::Module &module) {
    auto compiled = compileModule(module, target, options.object);
    if (compiled)
      code[i].contents = std::move(*compiled);
    else
      errors[i] = llvm::toString(compiled.takeError());
  };
  for (size_t i = 0; i < modules.size(); ++i)
    pool.async([&, i] {
      llvm::LLVMContext context;
      code[i].name = modules[i].getSymName()->str();
      auto module = translateModuleToLLVMIR(modules[i], context, code[i].name);
      if (!module) {
        errors[i] = "cannot translate to LLVM IR";
        return;
      }
      for (llvm::Function &function : *module)
        if (!function.isDeclaration())
          function.setVisibility(llvm::GlobalValue::HiddenVisibility);
      compile(i, *module);
    });
  pool.async([&] {
    llvm::LLVMContext context;
    code.back().name = "main";
    llvm::Module module("main", context);
    emitModel(program, module, target.featureBits, options.model);
    compile(modules.size(), module);
  });
  pool.wait();
  for (auto [part, error] : llvm::zip(code, errors))
    if (!error.empty())
      return program.emitError("code generation of '") << part.name << "': " << error;
  return code;
}

} // namespace dlc::codegen
