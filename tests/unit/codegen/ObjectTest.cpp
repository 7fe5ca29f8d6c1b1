//===- ObjectTest.cpp - invalid LLVM modules are refused -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Object.h"
#include "llvm/IR/IRBuilder.h"
#include "gtest/gtest.h"

namespace {

// A function that should return a double, and returns the zero of another type perhaps.
llvm::Expected<std::string> compileReturning(llvm::Type *(*kind)(llvm::LLVMContext &)) {
  auto target = dlc::CpuTarget::get("x86_64-unknown-linux-gnu", "x86-64-v3");
  if (!target)
    return target.takeError();
  llvm::LLVMContext context;
  llvm::Module module("code", context);
  auto *type = llvm::FunctionType::get(llvm::Type::getDoubleTy(context), false);
  auto *function = llvm::Function::Create(type, llvm::GlobalValue::ExternalLinkage, "f", module);
  llvm::IRBuilder<> builder(llvm::BasicBlock::Create(context, "", function));
  builder.CreateRet(llvm::Constant::getNullValue(kind(context)));
  return dlc::codegen::compileModule(module, *target, {});
}

TEST(Object, CompilesAModule) {
  auto object = compileReturning(llvm::Type::getDoubleTy);
  ASSERT_TRUE(static_cast<bool>(object)) << llvm::toString(object.takeError());
  EXPECT_FALSE(object->empty());
}

TEST(Object, RefusesWhatLlvmFindsInvalid) {
  auto object = compileReturning(llvm::Type::getFloatTy);
  ASSERT_FALSE(static_cast<bool>(object));
  std::string message = llvm::toString(object.takeError());
  EXPECT_NE(message.find("an error of dlc, not of the model"), std::string::npos) << message;
  EXPECT_NE(message.find("return type does not match"), std::string::npos) << message;
}

} // namespace
