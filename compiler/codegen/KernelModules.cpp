//===- KernelModules.cpp - an LLVM module for each kernel ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/KernelModules.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/Support/ThreadPool.h"

using namespace mlir;

namespace dlc::codegen {

FailureOr<KernelModules>
KernelModules::make(train::ProgramOp program,
                    llvm::function_ref<void(train::KernelOp, ModuleOp, ArrayRef<std::string>)> emit,
                    llvm::function_ref<void(OpPassManager &)> lower) {
  SmallVector<std::string> dimNames;
  for (auto dim : program.getBody().getOps<train::DimOp>())
    dimNames.push_back(dim.getSymName().str());
  KernelModules result;
  result.program = program;
  result.all = ModuleOp::create(program.getLoc(), "code");
  for (auto kernel : program.getBody().getOps<train::KernelOp>()) {
    OpBuilder builder = OpBuilder::atBlockEnd(result.all->getBody());
    ModuleOp module = ModuleOp::create(builder, program.getLoc(), kernel.getSymName());
    result.modules.push_back(module);
    emit(kernel, module, dimNames);
  }
  PassManager lowering(program.getContext());
  lower(lowering.nest<ModuleOp>());
  if (failed(lowering.run(*result.all)))
    return failure();
  return result;
}

LogicalResult KernelModules::compile(unsigned jobs, const Compile &compile) {
  std::vector<std::string> errors(size() + 1);
  // The translation makes attributes: a context that was made for one thread does not lock its tables.
  unsigned threads = program.getContext()->isMultithreadingEnabled() ? jobs : 1;
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency(threads));
  for (size_t i = 0; i <= size(); ++i)
    pool.async([&, i] {
      llvm::LLVMContext context;
      std::unique_ptr<llvm::Module> module;
      if (i < size() && !(module = translateModuleToLLVMIR(modules[i], context, name(i))))
        errors[i] = "cannot translate to LLVM IR";
      else if (llvm::Error error = compile(i, module.get()))
        errors[i] = llvm::toString(std::move(error));
    });
  pool.wait();
  for (auto [i, error] : llvm::enumerate(errors))
    if (!error.empty())
      return program.emitError("code generation of '") << (i < size() ? name(i) : "main") << "': " << error;
  return success();
}

} // namespace dlc::codegen
