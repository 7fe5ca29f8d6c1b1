//===- Constants.cpp - the structs of dlc/abi.h as constants ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/model/Constants.h"

using namespace mlir;

namespace dlc::codegen {

Constants::Constants(train::ProgramOp program, llvm::Module &module) : program(program), module(module) {
  for (auto [position, dim] : llvm::enumerate(program.getBody().getOps<train::DimOp>()))
    sizes[dim.getSymName()] = {static_cast<uint32_t>(position), static_cast<int64_t>(dim.getBound())};
}

llvm::Constant *Constants::null() {
  return llvm::ConstantPointerNull::get(llvm::PointerType::getUnqual(module.getContext()));
}

llvm::Constant *Constants::i32(uint64_t number) {
  return llvm::ConstantInt::get(llvm::Type::getInt32Ty(module.getContext()), number);
}

llvm::Constant *Constants::i64(int64_t number) {
  return llvm::ConstantInt::get(llvm::Type::getInt64Ty(module.getContext()), number, /*IsSigned=*/true);
}

llvm::Constant *Constants::f64(std::optional<APFloat> number) {
  return llvm::ConstantFP::get(module.getContext(), number.value_or(APFloat(0.0)));
}

llvm::Constant *Constants::string(StringRef text) {
  return global(llvm::ConstantDataArray::getString(module.getContext(), text), 1);
}

llvm::Constant *Constants::record(ArrayRef<llvm::Constant *> fields) {
  return llvm::ConstantStruct::getAnon(fields);
}

llvm::Constant *Constants::table(ArrayRef<llvm::Constant *> records) {
  if (records.empty())
    return null();
  auto *type = llvm::ArrayType::get(records.front()->getType(), records.size());
  return global(llvm::ConstantArray::get(type, records));
}

llvm::GlobalVariable *Constants::global(llvm::Constant *value, uint64_t alignment) {
  auto *variable = new llvm::GlobalVariable(module, value->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, value, "description");
  variable->setAlignment(llvm::Align(alignment));
  return variable;
}

llvm::Constant *Constants::axis(const nn::Dim &dim) {
  SmallVector<uint32_t> positions;
  for (const std::string &name : dim.names)
    positions.push_back(sizes.lookup(name).position);
  return record({i64(dim.factor), numbers<uint32_t>(positions), i32(positions.size()), i32(0)});
}

int64_t Constants::bound(const nn::Dim &dim) {
  int64_t size = dim.factor;
  for (const std::string &name : dim.names)
    size *= sizes.lookup(name).bound;
  return size;
}

} // namespace dlc::codegen
