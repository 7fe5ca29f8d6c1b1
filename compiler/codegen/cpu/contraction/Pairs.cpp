//===- Pairs.cpp - neighbouring elements of bf16 in a word -----------------===//
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

} // namespace dlc::codegen
