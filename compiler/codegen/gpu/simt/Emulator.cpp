//===- Emulator.cpp - calls of what stands in for a GPU ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/simt/Emulator.h"

using namespace llvm;

namespace dlc::codegen::gpu {

Value *Emulator::call(SimtCall which, Type *result, ArrayRef<Value *> arguments) {
  SmallVector<Value *> all{calls};
  append_range(all, arguments);
  SmallVector<Type *> types;
  for (Value *argument : all)
    types.push_back(argument->getType());
  Value *entry = b.CreateConstInBoundsGEP1_32(b.getPtrTy(), calls, unsigned(which));
  Value *code = b.CreateLoad(b.getPtrTy(), entry);
  return b.CreateCall(FunctionType::get(result, types, false), code, all);
}

} // namespace dlc::codegen::gpu
