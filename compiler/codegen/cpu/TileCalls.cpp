//===- TileCalls.cpp - calls in the place of a matrix unit's instructions --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/TileCalls.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/IntrinsicsX86.h"

using namespace llvm;

namespace dlc::codegen {

void callTileFunctions(Module &module) {
  for (Function &instruction : make_early_inc_range(module)) {
    constexpr Intrinsic::ID known[] = {Intrinsic::x86_ldtilecfg,    Intrinsic::x86_tilerelease,
                                       Intrinsic::x86_tilezero,     Intrinsic::x86_tileloadd64,
                                       Intrinsic::x86_tilestored64, Intrinsic::x86_tdpbf16ps};
    if (!is_contained(known, instruction.getIntrinsicID()))
      continue;
    StringRef name = instruction.getName();
    name.consume_front("llvm.x86.");
    FunctionCallee function =
        module.getOrInsertFunction(("dlc_" + name).str(), instruction.getFunctionType());
    for (User *user : make_early_inc_range(instruction.users()))
      cast<CallInst>(user)->setCalledFunction(function);
    instruction.eraseFromParent();
  }
}

} // namespace dlc::codegen
