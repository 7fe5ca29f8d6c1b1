//===- Products.cpp - products of warp groups, as calls of the emulator -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Sums go to the emulator and back in memory of the thread's own.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/simt/Products.h"
#include "compiler/codegen/gpu/WarpGroupCalls.h"
#include "dlc/abi.h"

using namespace llvm;

namespace dlc::codegen::gpu {
namespace {

/// The first operands of the call are sums, and the emulator's call `make` changes them in memory.
void exchangeSums(CallInst &call, IRBuilder<> &b, function_ref<void(Value *memory, unsigned count)> make) {
  const unsigned count = cast<StructType>(call.getType())->getNumElements();
  auto *array = ArrayType::get(b.getFloatTy(), count);
  AllocaInst *memory;
  {
    IRBuilder<>::InsertPointGuard guard(b);
    BasicBlock &entry = call.getFunction()->getEntryBlock();
    b.SetInsertPoint(&entry, entry.begin());
    memory = b.CreateAlloca(array);
  }
  auto placeOf = [&](unsigned i) { return b.CreateConstInBoundsGEP2_32(array, memory, 0, i); };
  for (unsigned i = 0; i < count; ++i)
    b.CreateStore(call.getArgOperand(i), placeOf(i));
  make(memory, count);
  Value *result = PoisonValue::get(call.getType());
  for (unsigned i = 0; i < count; ++i)
    result = b.CreateInsertValue(result, b.CreateLoad(b.getFloatTy(), placeOf(i)), i);
  call.replaceAllUsesWith(result);
}

} // namespace

void replaceProductCall(CallInst &call, uint32_t site, IRBuilder<> &b, Emulator &emulator) {
  const StringRef name = call.getCalledFunction()->getName();
  b.SetInsertPoint(&call);
  Value *number = b.getInt32(site);
  const bool areHalves = name.starts_with(WarpGroupCalls::multiplyHalves);
  if (areHalves || name.starts_with(WarpGroupCalls::multiply)) {
    exchangeSums(call, b, [&](Value *memory, unsigned count) {
      Value *left = call.getArgOperand(count), *right = call.getArgOperand(count + 1);
      auto bySteps = [&](unsigned side) {
        return b.CreateZExt(call.getArgOperand(count + 2 + side), b.getInt32Ty());
      };
      Value *ofLeft = bySteps(0), *ofRight = bySteps(1);
      emulator.call(SimtCall::Multiply, b.getVoidTy(),
                    {b.getInt32(areHalves ? DLC_F16 : DLC_BF16), left, right, ofLeft, ofRight, memory,
                     b.getInt32(count), number});
    });
  } else if (name.starts_with(WarpGroupCalls::results)) {
    exchangeSums(call, b, [&](Value *memory, unsigned count) {
      emulator.call(SimtCall::Results, b.getVoidTy(), {memory, b.getInt32(count), number});
    });
  } else {
    const SimtCall which = name == WarpGroupCalls::show    ? SimtCall::ShowToProducts
                           : name == WarpGroupCalls::begin ? SimtCall::BeginProducts
                           : name == WarpGroupCalls::end   ? SimtCall::EndProducts
                                                           : SimtCall::WaitForProducts;
    emulator.call(which, b.getVoidTy(), {number});
  }
  call.eraseFromParent();
}

} // namespace dlc::codegen::gpu
