//===- Pairs.cpp - products of bf16 that are added pair by pair ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/contraction/Pairs.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

Value pairsAt(Builder &b, const Access &bits, const Point &point, int64_t loop) {
  const bool isVector = point.isVector() && bits.dependsOn(point.laneDim);
  if (!isVector && bits.stride(loop) == 1) {
    Point one = point;
    one.laneDim = -1;
    return bits.loadWords(b, one);
  }
  Point next = point;
  next.loops[loop] = next.loops[loop] + 1;
  Value earlier = bits.load(b, point), later = bits.load(b, next);
  Type word = b.getI32Type();
  if (!isVector) {
    Value upper = arith::ShLIOp::create(b, arith::ExtUIOp::create(b, word, later),
                                        arith::ConstantOp::create(b, b.getI32IntegerAttr(16)));
    return arith::OrIOp::create(b, upper, arith::ExtUIOp::create(b, word, earlier));
  }
  SmallVector<int64_t> inTurn;
  for (int64_t lane = 0; lane < point.lanes; ++lane)
    inTurn.append({lane, point.lanes + lane});
  Value both = vector::ShuffleOp::create(b, earlier, later, inTurn);
  return LLVM::BitcastOp::create(b, VectorType::get({point.lanes}, word), both);
}

Value addProducts(Builder &b, Value x, Value y, Value sum) {
  int64_t lanes = cast<VectorType>(sum.getType()).getNumElements();
  auto pairs = VectorType::get({2 * lanes}, b.getBF16Type());
  Value left = LLVM::BitcastOp::create(b, pairs, x), right = LLVM::BitcastOp::create(b, pairs, y);
  StringRef instruction =
      lanes == 16 ? "llvm.x86.avx512bf16.dpbf16ps.512" : "llvm.x86.avx512bf16.dpbf16ps.256";
  return LLVM::CallIntrinsicOp::create(b, sum.getType(), b.getStringAttr(instruction),
                                       ValueRange{sum, left, right})
      .getResult(0);
}

} // namespace dlc::codegen
