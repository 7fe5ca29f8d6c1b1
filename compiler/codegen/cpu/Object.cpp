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
  if (Error error = optimise(module, **machine, options.optLevel))
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
