//===- Simt.cpp - code of a GPU's thread, for this machine -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/simt/Simt.h"
#include "compiler/codegen/gpu/simt/Intrinsics.h"
#include "compiler/codegen/gpu/simt/SimtCheck.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/ReplaceConstant.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;

namespace dlc::codegen::gpu {
namespace {

class SimtCode {
public:
  SimtCode(Module &module, StringRef symbol) : module(module), symbol(symbol), b(module.getContext()) {}
  Expected<int64_t> make();

private:
  void adoptBody(Function &kernel);
  void placeGlobals();
  void collectAccesses();
  void tellAccesses();

  Module &module;
  StringRef symbol;
  IRBuilder<> b;
  Function *function = nullptr;
  std::optional<Emulator> emulator;
  SmallVector<Instruction *> accesses;
  int64_t sharedBytes = 0;
};

/// A function with the kernel's body, whose arguments are read from the array of parameters.
void SimtCode::adoptBody(Function &kernel) {
  auto *type = FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy()}, false);
  function = Function::Create(type, GlobalValue::ExternalLinkage, symbol, module);
  function->setVisibility(GlobalValue::HiddenVisibility);
  emulator.emplace(b, function->getArg(0));
  function->splice(function->begin(), &kernel);
  collectAccesses(); // the code that is made is none of the kernel's
  b.SetInsertPoint(&function->getEntryBlock(), function->getEntryBlock().begin());
  for (Argument &argument : kernel.args()) {
    Value *place = b.CreateConstInBoundsGEP1_32(b.getPtrTy(), function->getArg(1), argument.getArgNo());
    argument.replaceAllUsesWith(b.CreateLoad(argument.getType(), b.CreateLoad(b.getPtrTy(), place)));
  }
  kernel.eraseFromParent();
}

/// Variables of shared memory are parts of the block's.
void SimtCode::placeGlobals() {
  Value *base = nullptr;
  for (GlobalVariable &global : make_early_inc_range(module.globals())) {
    if (global.getAddressSpace() == 0)
      continue;
    if (global.isConstant()) { // a table: it lies as others do
      auto *table =
          new GlobalVariable(module, global.getValueType(), /*isConstant=*/true, GlobalValue::InternalLinkage,
                             global.getInitializer(), global.getName());
      convertUsersOfConstantsToInstructions({&global});
      table->setAlignment(global.getAlign());
      global.replaceAllUsesWith(ConstantExpr::getAddrSpaceCast(table, global.getType()));
      global.eraseFromParent();
      continue;
    }
    if (!base)
      base = emulator->call(SimtCall::Shared, b.getPtrTy(), {});
    sharedBytes = alignTo(sharedBytes, global.getAlign().valueOrOne());
    Value *place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, sharedBytes);
    convertUsersOfConstantsToInstructions({&global});
    global.replaceAllUsesWith(b.CreateAddrSpaceCast(place, global.getType()));
    sharedBytes += module.getDataLayout().getTypeAllocSize(global.getValueType());
    global.eraseFromParent();
  }
}

void SimtCode::collectAccesses() {
  for (Instruction &instruction : instructions(function))
    if (Value *pointer = getLoadStorePointerOperand(&instruction); pointer && !isOwnOrConstant(pointer))
      accesses.push_back(&instruction);
}

void SimtCode::tellAccesses() {
  for (auto [site, access] : enumerate(accesses)) {
    b.SetInsertPoint(access);
    Value *pointer = b.CreateAddrSpaceCast(getLoadStorePointerOperand(access), b.getPtrTy());
    uint64_t bytes = module.getDataLayout().getTypeStoreSize(getLoadStoreType(access));
    emulator->call(isa<LoadInst>(access) ? SimtCall::Load : SimtCall::Store, b.getVoidTy(),
                   {pointer, b.getInt32(bytes), b.getInt32(site)});
  }
}

Expected<int64_t> SimtCode::make() {
  auto kernel = find_if(module, [](const Function &f) { return !f.isDeclaration(); });
  adoptBody(*kernel);
  if (Error error = checkForSimt(*function))
    return error;
  placeGlobals();
  // The mathematics of dlc, which users' functions call, is all arithmetic of the thread itself.
  for (Function &each : module)
    if (Error error = replaceIntrinsics(each, b, *emulator))
      return error;
  tellAccesses();
  // No optimization removes what nothing calls any more, which this machine does not have.
  for (Function &each : make_early_inc_range(module))
    if (each.isDeclaration() && each.use_empty())
      each.eraseFromParent();
  return sharedBytes;
}

} // namespace

Expected<int64_t> makeSimt(Module &module, StringRef symbol) { return SimtCode(module, symbol).make(); }

} // namespace dlc::codegen::gpu
