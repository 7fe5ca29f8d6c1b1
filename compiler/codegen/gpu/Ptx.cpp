//===- Ptx.cpp - LLVM modules of kernels to PTX ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Ptx.h"
#include "compiler/codegen/kernel/Optimise.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlc::codegen::gpu {

/// The back end ends the program where it meets a function that the machine does not have.
static Error checkCalls(const Module &module) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty())
      return createStringError(
          "a call of '" + function.getName() +
          "', which GPUs do not have: an error of dlc, not of the model; please report it");
  return Error::success();
}

Expected<std::string> writePtx(Module &module, const GpuTarget &target, unsigned architecture,
                               int64_t threads, unsigned optLevel) {
  auto machine = target.createTargetMachine(architecture, optLevel);
  if (!machine)
    return machine.takeError();
  module.setTargetTriple((*machine)->getTargetTriple());
  module.setDataLayout((*machine)->createDataLayout());
  std::string kernel;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (!function.hasLocalLinkage()) { // others are what it calls
      kernel = function.getName().str();
      function.setCallingConv(CallingConv::PTX_Kernel);
      function.addFnAttr("nvvm.maxntid", std::to_string(threads));
    }
    // Numbers next to zero become zero, as on CPUs.
    function.addFnAttr("denormal-fp-math-f32", "preserve-sign,preserve-sign");
    function.addFnAttr(Attribute::NoUnwind);
  }
  if (Error error = optimise(module, **machine, optLevel))
    return error;
  if (Error error = checkCalls(module))
    return error;
  // Modules become one text: names of what LLVM made (tables of constants), and of what users wrote, must
  // differ.
  for (GlobalValue &global : module.global_values())
    if (!global.isDeclaration() && !global.getName().starts_with(kernel))
      global.setName(kernel + "_" + global.getName());

  SmallVector<char, 0> text;
  raw_svector_ostream stream(text);
  legacy::PassManager emission;
  if ((*machine)->addPassesToEmitFile(emission, stream, nullptr, CodeGenFileType::AssemblyFile))
    return createStringError("this LLVM cannot write PTX");
  emission.run(module);
  return std::string(text.begin(), text.end());
}

std::string joinPtx(ArrayRef<std::string> texts) {
  constexpr StringLiteral lastLine = ".address_size 64\n";
  std::string all;
  for (StringRef text : texts) {
    size_t body = text.find(lastLine) + lastLine.size();
    all += all.empty() ? text : text.substr(body);
  }
  return all;
}

} // namespace dlc::codegen::gpu
