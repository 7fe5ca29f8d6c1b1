//===- UserCode.cpp - users' functions in the modules of kernels -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/custom/UserCode.h"
#include "compiler/machine/GpuTarget.h"
#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Linker/Linker.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Transforms/IPO/AlwaysInliner.h"
#include "llvm/Transforms/IPO/GlobalDCE.h"

using namespace llvm;

namespace dlc::codegen::gpu {

/// What clang says of a function is for its own machine and optimization; the kernel that it gets into has
/// those of dlc.
static void adopt(Module &source, const Module &kernel) {
  source.setDataLayout(kernel.getDataLayout());
  source.setTargetTriple(kernel.getTargetTriple());
  for (StringRef list : {"llvm.used", "llvm.compiler.used"})
    if (GlobalVariable *used = source.getNamedGlobal(list))
      used->eraseFromParent();
  for (GlobalVariable &variable : source.globals()) {
    variable.setComdat(nullptr);
    variable.setExternallyInitialized(false);
  }
  for (Function &function : source) {
    function.setComdat(nullptr);
    for (StringRef attribute : {"target-cpu", "target-features"})
      function.removeFnAttr(attribute);
    if (function.isDeclaration())
      continue;
    function.removeFnAttr(Attribute::OptimizeNone);
    function.removeFnAttr(Attribute::NoInline);
    function.addFnAttr(Attribute::AlwaysInline);
  }
}

static Error link(Module &kernel, StringRef bitcode, bool isUsers) {
  auto source = parseBitcodeFile(MemoryBufferRef(bitcode, "source"), kernel.getContext());
  if (!source)
    return source.takeError();
  if (isUsers)
    adopt(**source, kernel);
  else
    (*source)->setDataLayout(kernel.getDataLayout());
  if (Linker::linkModules(kernel, std::move(*source), Linker::LinkOnlyNeeded))
    return createStringError("LLVM cannot link the kernel with the user's function");
  return Error::success();
}

static void bringIn(Module &module) {
  ModuleAnalysisManager modules;
  FunctionAnalysisManager functions;
  LoopAnalysisManager loops;
  CGSCCAnalysisManager sccs;
  PassBuilder passes;
  passes.registerModuleAnalyses(modules);
  passes.registerCGSCCAnalyses(sccs);
  passes.registerFunctionAnalyses(functions);
  passes.registerLoopAnalyses(loops);
  passes.crossRegisterProxies(loops, functions, sccs, modules);
  ModulePassManager manager;
  manager.addPass(AlwaysInlinerPass());
  manager.addPass(GlobalDCEPass());
  manager.run(module, modules);
}

Error addUserCode(Module &kernel, StringRef source, StringRef maths) {
  Function &entry = *find_if(kernel, [](const Function &function) { return !function.isDeclaration(); });
  for (auto [bitcode, isUsers] : {std::pair(source, true), std::pair(maths, false)})
    if (Error error = link(kernel, bitcode, isUsers))
      return error;
  for (GlobalObject &object : kernel.global_objects())
    if (!object.isDeclaration() && &object != &entry)
      object.setLinkage(GlobalValue::InternalLinkage);
  bringIn(kernel);
  uint64_t bytes = 0;
  for (const GlobalVariable &variable : kernel.globals())
    if (variable.getAddressSpace() == 3)
      bytes = alignTo(bytes, variable.getAlign().valueOrOne()) +
              kernel.getDataLayout().getTypeAllocSize(variable.getValueType());
  if (bytes > uint64_t(GpuTarget::sharedBytes))
    return createStringError("the user's function has " + Twine(bytes) +
                             " bytes of shared memory, a block of threads has " +
                             Twine(GpuTarget::sharedBytes));
  return Error::success();
}

} // namespace dlc::codegen::gpu
