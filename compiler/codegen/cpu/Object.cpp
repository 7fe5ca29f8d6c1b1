//===- Object.cpp - LLVM modules to object code ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Object.h"
#include "compiler/codegen/cpu/OneLane.h"
#include "compiler/codegen/cpu/OuterLoops.h"
#include "compiler/codegen/cpu/TileCalls.h"
#include "compiler/codegen/kernel/Optimise.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlc::codegen {
namespace {

/// LLVM's passes on a kernel, for `opt -passes=`. A kernel is one function without calls to inline, whose
/// loops are blocked, unrolled and made of vectors already, by the schedule: of LLVM's usual pipeline these
/// are the passes that change its code. Together with unrolling the others were over a third of a kernel's
/// compile time (docs/rationale/cpu-kernels.md has the figures).
std::string kernelPasses(const Module &module) {
  // Addresses and conditions in their simplest form.
  std::string passes =
      "sccp,instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg<switch-range-to-icmp>,reassociate,";
  // What does not change leaves the loops, a condition that does not change as well.
  passes += "loop-mssa(loop-simplifycfg,licm<no-allowspeculation>,loop-rotate,licm,"
            "simple-loop-unswitch<nontrivial;trivial>),"
            "simplifycfg<switch-range-to-icmp>,instcombine<max-iterations=1;no-verify-fixpoint>,";
  // Loops of few known iterations become straight code, and arrays in them registers.
  passes += "loop(loop-idiom,indvars,loop-deletion,loop-unroll-full),sroa,vector-combine,";
  // What is computed or stored twice, or for nobody, goes.
  passes += "gvn,bdce,instcombine<max-iterations=1;no-verify-fixpoint>,dse,infer-alignment,loop-mssa(licm),";
  // Several iterations between two jumps make kernels larger and no faster, as they wait for memory; but for
  // those of steps, whose loops work on what is in the nearest cache.
  if (llvm::any_of(module, [](const Function &function) { return function.hasFnAttribute(functionOfSteps); }))
    passes += "loop-unroll<O3>,";
  return "function(" + passes + "tailcallelim,simplifycfg)";
}

} // namespace

Expected<std::string> compileModule(Module &module, const CpuTarget &target, const ObjectOptions &options) {
  auto machine = target.createTargetMachine(options.optLevel);
  if (!machine)
    return machine.takeError();
  if (target.amxCalls)
    callTileFunctions(module);
  module.setTargetTriple(Triple(target.triple));
  module.setDataLayout((*machine)->createDataLayout());
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    // LLVM prefers half-wide vectors on some CPUs; ours are as wide as the schedule says.
    function.addFnAttr("prefer-vector-width", std::to_string(target.lanes * 32));
    function.addFnAttr(Attribute::NoUnwind);
  }

  keepOuterLoops(module);
  if (Error error = optimise(module, **machine, options.optLevel == 0 ? "default<O0>" : kernelPasses(module)))
    return error;
  storeSingleLanes(module);

  if (options.output == ObjectOptions::Output::LLVMIR) {
    std::string text;
    raw_string_ostream stream(text);
    module.print(stream, nullptr);
    return text;
  }
  SmallVector<char, 0> bytes;
  raw_svector_ostream stream(bytes);
  legacy::PassManager emission;
  CodeGenFileType type = options.output == ObjectOptions::Output::Assembly ? CodeGenFileType::AssemblyFile
                                                                           : CodeGenFileType::ObjectFile;
  if ((*machine)->addPassesToEmitFile(emission, stream, nullptr, type))
    return createStringError("the target '" + target.triple + "' cannot emit this kind of file");
  emission.run(module);
  return std::string(bytes.begin(), bytes.end());
}

} // namespace dlc::codegen
