//===- WarpGroupCalls.cpp - instructions of warp groups in PTX ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX ISA, "Asynchronous warpgroup level matrix instructions". All threads of a group come to each of them
// together, and none may be moved over an access of memory.
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/WarpGroupCalls.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"

using namespace llvm;

namespace dlc::codegen::gpu {
namespace {

/// Names of registers, "$0, $1", from `first` on.
std::string registers(unsigned first, unsigned count) {
  return join(map_range(seq(first, first + count), [](unsigned i) { return "$" + std::to_string(i); }), ", ");
}

std::string results(unsigned sums) {
  std::string constraints;
  for (unsigned i = 0; i < sums; ++i)
    constraints += "=f,";
  return constraints;
}

/// Results, and operands that come in the registers of the results.
std::string tied(unsigned sums) {
  std::string constraints = results(sums);
  for (unsigned i = 0; i < sums; ++i)
    constraints += std::to_string(i) + ",";
  return constraints;
}

Value *write(IRBuilder<> &b, Type *result, const std::string &text, const std::string &constraints,
             ArrayRef<Value *> operands) {
  SmallVector<Type *> types;
  for (Value *operand : operands)
    types.push_back(operand->getType());
  auto *type = FunctionType::get(result, types, /*isVarArg=*/false);
  CallInst *call = b.CreateCall(
      type, InlineAsm::get(type, text, constraints + "~{memory}", /*hasSideEffects=*/true), operands);
  call->setConvergent();
  return call;
}

/// 64 rows by two columns for each sum of a thread, in 16 steps. Sums that begin with zero are not operands:
/// zeros would come to registers behind the fence, where only products may write to them, and the assembler
/// would let these wait for each other.
Value *writeMultiply(IRBuilder<> &b, CallInst &call, const std::string &type) {
  const unsigned sums = call.arg_size() - 4;
  const bool adds = !all_of(make_range(call.arg_begin(), call.arg_begin() + sums), [](const Use &sum) {
    auto *number = dyn_cast<Constant>(sum);
    return number && number->isNullValue();
  });
  const unsigned first = adds ? 2 * sums : sums; // operand that is no sum
  auto isBySteps = [&](unsigned side) {
    return cast<ConstantInt>(call.getArgOperand(sums + 2 + side))->isOne() ? "0" : "1"; // "transposed"
  };
  SmallVector<Value *> operands(call.arg_begin() + (adds ? 0 : sums), call.arg_begin() + sums + 2);
  // A predicate says whether the sums are added to; ones, that no operand is negated.
  std::string text = std::string("{\n.reg .pred adds;\nsetp.eq.u32 adds, 0, ") + (adds ? "0" : "1") +
                     ";\nwgmma.mma_async.sync.aligned.m64n" + std::to_string(2 * sums) + "k16.f32." + type +
                     "." + type + " {" + registers(0, sums) + "}, " + registers(first, 2) + ", adds, 1, 1, " +
                     isBySteps(0) + ", " + isBySteps(1) + ";\n}";
  return write(b, call.getType(), text, (adds ? tied(sums) : results(sums)) + "l,l,", operands);
}

Value *writeCall(IRBuilder<> &b, CallInst &call) {
  const StringRef name = call.getCalledFunction()->getName();
  if (name.starts_with(WarpGroupCalls::multiply))
    return writeMultiply(b, call, "bf16");
  if (name.starts_with(WarpGroupCalls::multiplyHalves))
    return writeMultiply(b, call, "f16");
  if (name.starts_with(WarpGroupCalls::results))
    return write(b, call.getType(), "wgmma.wait_group.sync.aligned 0;", tied(call.arg_size()),
                 SmallVector<Value *>(call.args()));
  const char *text = name == WarpGroupCalls::show    ? "fence.proxy.async.shared::cta;"
                     : name == WarpGroupCalls::begin ? "wgmma.fence.sync.aligned;"
                     : name == WarpGroupCalls::end   ? "wgmma.commit_group.sync.aligned;"
                                                     : "wgmma.wait_group.sync.aligned 0;";
  return write(b, call.getType(), text, "", {});
}

} // namespace

void writeWarpGroupCalls(Function &kernel) {
  IRBuilder<> b(kernel.getContext());
  for (Instruction &instruction : make_early_inc_range(instructions(kernel))) {
    auto *call = dyn_cast<CallInst>(&instruction);
    if (!call || !WarpGroupCalls::isOne(call->getCalledFunction()))
      continue;
    b.SetInsertPoint(call);
    call->replaceAllUsesWith(writeCall(b, *call));
    call->eraseFromParent();
  }
}

} // namespace dlc::codegen::gpu
