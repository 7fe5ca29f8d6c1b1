//===- Optimise.cpp - LLVM's passes on a module of kernels -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Optimise.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/Target/TargetMachine.h"

using namespace llvm;

namespace dlc::codegen {

Error optimise(Module &module, TargetMachine &machine, StringRef passes) {
  // LLVM's passes trust what they are given: they would crash, or make wrong code.
  std::string invalid;
  raw_string_ostream found(invalid);
  if (verifyModule(module, &found))
    return createStringError("LLVM refuses the code that was made: an error of dlc, not of the model; please "
                             "report it with the model, the command line and this message: " +
                             StringRef(invalid).trim());

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager sccs;
  ModuleAnalysisManager modules;
  PassBuilder builder(&machine);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(sccs);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, sccs, modules);
  ModulePassManager pipeline;
  if (Error error = builder.parsePassPipeline(pipeline, passes))
    return error;
  pipeline.run(module, modules);
  return Error::success();
}

} // namespace dlc::codegen
