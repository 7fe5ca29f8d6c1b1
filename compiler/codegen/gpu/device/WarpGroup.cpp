//===- WarpGroup.cpp - products of four warps together -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/gpu/device/WarpGroup.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace dlc::codegen::gpu {

WarpGroup::WarpGroup(KernelFunction &kernel, FloatType low)
    : b(kernel.builder()), low(low), module(kernel.entry().getParentOp()->getParentOfType<ModuleOp>()) {}

/// What it gives are as many numbers as `sums` are.
Values WarpGroup::call(llvm::StringRef name, ArrayRef<Value> sums, ArrayRef<Value> rest) {
  Values operands(sums);
  llvm::append_range(operands, rest);
  Type result = LLVM::LLVMVoidType::get(b.getContext());
  std::string symbol = name.str();
  if (!sums.empty()) {
    result = LLVM::LLVMStructType::getLiteral(b.getContext(), SmallVector<Type>(TypeRange(ValueRange(sums))));
    symbol += std::to_string(sums.size());
  }
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(symbol);
  if (!function) {
    OpBuilder atFront = OpBuilder::atBlockBegin(module.getBody());
    auto type = LLVM::LLVMFunctionType::get(result, SmallVector<Type>(TypeRange(ValueRange(operands))));
    function = LLVM::LLVMFuncOp::create(atFront, b.getLoc(), symbol, type);
    function.setConvergent(true);
    function.setNoUnwind(true);
  }
  auto made = LLVM::CallOp::create(b, function, operands);
  Values results;
  for (int64_t i = 0; i < int64_t(sums.size()); ++i)
    results.push_back(LLVM::ExtractValueOp::create(b, made.getResult(), ArrayRef<int64_t>{i}));
  return results;
}

/// PTX ISA, "Matrix-descriptor format" of wgmma: the address and distances, in pieces of 16 bytes, and which
/// pieces change places. Of rows that are positions, eight begin so far from the next eight (the second
/// distance); of rows that are steps, that holds as well, and panels are the first distance apart.
Value WarpGroup::descriptorOf(const GroupOperand &operand) {
  constexpr int64_t pieceBytes = 16, rows = 8, window = 1 << 18;
  auto place = [](int64_t bytes, int64_t bit) { return bytes / pieceBytes << bit; };
  const int64_t places = operand.rowBytes == 128 ? 1 : operand.rowBytes == 64 ? 2 : 3;
  const int64_t first = operand.isAlongSteps ? pieceBytes : operand.panelBytes; // not looked at along steps
  const int64_t rest = place(first, 16) | place(rows * operand.rowBytes, 32) | places << 62;
  auto constant = [&](int64_t number) { return constantI64(b, number); };
  Value address = LLVM::PtrToIntOp::create(b, b.getI64Type(), operand.address);
  Value inWindow = arith::AndIOp::create(b, address, constant(window - 1));
  Value start = arith::ShRUIOp::create(b, inWindow, constant(4));
  return arith::OrIOp::create(b, start, constant(rest));
}

Values WarpGroup::multiplyAdd(const GroupOperand &left, const GroupOperand &right, ArrayRef<Value> sums) {
  Values rest{descriptorOf(left)};
  rest.push_back(descriptorOf(right));
  for (const GroupOperand *side : {&left, &right})
    rest.push_back(arith::ConstantIntOp::create(b, side->isAlongSteps, 1));
  return call(low.isBF16() ? WarpGroupCalls::multiply : WarpGroupCalls::multiplyHalves, sums, rest);
}

} // namespace dlc::codegen::gpu
