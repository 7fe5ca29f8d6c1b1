//===- Ptx.cpp - LLVM modules of kernels to PTX ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/Ptx.h"
#include "compiler/codegen/gpu/WarpGroupCalls.h"
#include "compiler/codegen/kernel/Optimise.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace dlc::codegen::gpu {

/// The back end ends the program where it meets a function that the machine does not have. A function of no
/// result is a user's, whose PTX stands beside the kernels: mathematics have results.
static Error checkCalls(const Module &module) {
  for (const Function &function : module)
    if (function.isDeclaration() && !function.isIntrinsic() && !function.use_empty() &&
        !function.getReturnType()->isVoidTy())
      return createStringError(
          "a call of '" + function.getName() +
          "', which GPUs do not have: an error of dlc, not of the model; please report it");
  return Error::success();
}

/// All lanes of a warp compute a product of matrices together. LLVM does not know that of these intrinsics,
/// as it does of barriers, shuffles and ldmatrix (clang says so of each call in CUDA C++): it would copy a
/// product into both sides of a branch that lanes take differently.
static void keepWarpsTogether(Function &function) {
  for (Instruction &instruction : instructions(function))
    if (auto *call = dyn_cast<IntrinsicInst>(&instruction);
        call && call->getCalledFunction()->getName().starts_with("llvm.nvvm.mma."))
      call->setConvergent();
}

/// Variables of shared memory have at most 48 KB. Where a block needs more, its launch asks for all, which is
/// one variable of no size: the others are parts of it. Returns how many bytes a launch asks for.
static int64_t askForShared(Module &module, const Twine &name) {
  constexpr unsigned space = 3;
  const DataLayout &layout = module.getDataLayout();
  SmallVector<std::pair<GlobalVariable *, int64_t>> places;
  int64_t bytes = 0;
  Align most(1);
  for (GlobalVariable &global : module.globals())
    if (global.getAddressSpace() == space) {
      const Align alignment = global.getAlign().valueOrOne();
      bytes = alignTo(bytes, alignment);
      places.push_back({&global, bytes});
      bytes += layout.getTypeAllocSize(global.getValueType());
      most = std::max(most, alignment);
    }
  if (bytes <= GpuTarget::sharedBytes)
    return 0;
  auto *type = ArrayType::get(Type::getInt8Ty(module.getContext()), 0);
  auto *all = new GlobalVariable(module, type, /*isConstant=*/false, GlobalValue::ExternalLinkage, nullptr,
                                 name, nullptr, GlobalValue::NotThreadLocal, space);
  all->setAlignment(most);
  for (auto [global, begin] : places) {
    auto *place = ConstantInt::get(Type::getInt64Ty(module.getContext()), begin);
    global->replaceAllUsesWith(ConstantExpr::getGetElementPtr(type->getElementType(), all, place));
    global->eraseFromParent();
  }
  return bytes;
}

Expected<std::string> writePtx(Module &module, const GpuTarget &target, const GpuArchitecture &architecture,
                               int64_t threads, unsigned optLevel, int64_t &askedBytes) {
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
    keepWarpsTogether(function);
    writeWarpGroupCalls(function);
  }
  askedBytes = askForShared(module, kernel + "_shared");
  if (Error error = optimise(module, **machine, "default<O" + std::to_string(optLevel) + ">"))
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
  std::string result(text.begin(), text.end());
  // What a kernel calls stands in the same text: assemblers take no definition after ".extern".
  constexpr StringLiteral elsewhere = "\n.extern .func ", here = "\n.visible .func ";
  for (size_t at = 0; (at = result.find(elsewhere, at)) != std::string::npos;)
    result.replace(at, elsewhere.size(), here);
  return result;
}

/// ".version 7.0": the first number, then the second one.
static std::pair<unsigned, unsigned> versionOf(StringRef text) {
  auto [line, rest] = text.substr(text.find(".version ")).split('\n');
  std::pair<unsigned, unsigned> version;
  line.consume_front(".version ");
  line.consumeInteger(10, version.first);
  line.consume_front(".");
  line.consumeInteger(10, version.second);
  return version;
}

std::string joinPtx(ArrayRef<std::string> texts) {
  constexpr StringLiteral lastLine = ".address_size 64\n";
  auto bodyOf = [&](StringRef text) { return text.find(lastLine) + lastLine.size(); };
  StringRef newest =
      *max_element(texts, [](StringRef a, StringRef b) { return versionOf(a) < versionOf(b); });
  std::string all = newest.substr(0, bodyOf(newest)).str();
  for (StringRef text : texts)
    all += text.substr(bodyOf(text));
  return all;
}

} // namespace dlc::codegen::gpu
