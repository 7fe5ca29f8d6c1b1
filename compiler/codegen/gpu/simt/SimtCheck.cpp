//===- SimtCheck.cpp - what the check without a GPU knows ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/simt/SimtCheck.h"
#include "compiler/codegen/gpu/WarpGroupCalls.h"
#include "llvm/Analysis/ValueTracking.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicInst.h"

using namespace llvm;

namespace dlc::codegen::gpu {

bool isOwnOrConstant(const Value *pointer) {
  const Value *object = getUnderlyingObject(pointer);
  auto *global = dyn_cast<GlobalVariable>(object);
  return isa<AllocaInst>(object) || (global && global->isConstant());
}

Error checkForSimt(Function &kernel) {
  auto unknown = [](const Twine &what) {
    return createStringError("the check without a GPU does not know " + what + ", which the kernel has");
  };
  for (Instruction &instruction : instructions(kernel)) {
    if (instruction.isAtomic())
      return unknown("atomic operations");
    auto *copy = dyn_cast<MemIntrinsic>(&instruction);
    auto *transfer = dyn_cast<MemTransferInst>(&instruction);
    if ((copy && !isOwnOrConstant(copy->getRawDest())) ||
        (transfer && !isOwnOrConstant(transfer->getRawSource())))
      return unknown("copies or fills of several elements at once");
    auto *call = dyn_cast<CallBase>(&instruction);
    if (!call || isa<IntrinsicInst>(call))
      continue;
    if (call->isInlineAsm())
      return unknown("inline assembly");
    // Functions that are left are dlc's mathematics, or call themselves.
    Function *callee = call->getCalledFunction();
    if (WarpGroupCalls::isOne(callee))
      continue;
    if (!callee || callee->isDeclaration() || callee->hasFnAttribute(Attribute::AlwaysInline))
      return unknown("calls of functions that are not known before, or that call themselves");
  }
  return Error::success();
}

} // namespace dlc::codegen::gpu
