//===- Index.h - i64 positions as a value plus a constant ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loop positions and addresses are computed as `value + constant`, so that the unrolled copies of a
// register tile share one value and differ in the displacement of their loads.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_CODEGEN_KERNEL_INDEX_H
#define DLC_COMPILER_CODEGEN_KERNEL_INDEX_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dlc::codegen {

using Builder = mlir::ImplicitLocOpBuilder;

inline mlir::Value constantI64(Builder &b, int64_t number) {
  return mlir::arith::ConstantIntOp::create(b, number, 64);
}

/// `base + offset`; a null base is zero.
struct Index {
  mlir::Value base;
  int64_t offset = 0;

  Index() = default;
  /*implicit*/ Index(int64_t constant) : offset(constant) {}
  /*implicit*/ Index(mlir::Value value, int64_t offset = 0) : base(value), offset(offset) {}
  bool isConstant() const { return !base; }
  mlir::Value materialize(Builder &b) const {
    if (!base)
      return constantI64(b, offset);
    return offset ? mlir::arith::AddIOp::create(b, base, constantI64(b, offset)).getResult() : base;
  }
};

inline Index operator+(Index a, int64_t constant) {
  a.offset += constant;
  return a;
}

/// `Op` of the whole values, made in this order whichever compiler built us.
template <typename Op> Index onWhole(Builder &b, Index x, Index y) {
  mlir::Value left = x.materialize(b), right = y.materialize(b);
  return Index(Op::create(b, left, right).getResult());
}

inline Index add(Builder &b, Index x, Index y) {
  mlir::Value base = x.base;
  if (y.base)
    base = base ? mlir::arith::AddIOp::create(b, base, y.base).getResult() : y.base;
  return {base, x.offset + y.offset};
}

inline Index sub(Builder &b, Index x, Index y) { return onWhole<mlir::arith::SubIOp>(b, x, y); }

inline Index mul(Builder &b, Index x, int64_t factor) {
  if (factor == 0 || x.isConstant())
    return Index(x.offset * factor);
  mlir::Value base =
      factor == 1 ? x.base : mlir::arith::MulIOp::create(b, x.base, constantI64(b, factor)).getResult();
  return {base, x.offset * factor};
}

inline Index mul(Builder &b, Index x, Index y) {
  if (x.isConstant())
    return mul(b, y, x.offset);
  if (y.isConstant())
    return mul(b, x, y.offset);
  return onWhole<mlir::arith::MulIOp>(b, x, y);
}

/// x / unit, of positions.
inline Index divide(Builder &b, Index x, int64_t unit) {
  if (unit == 1)
    return x;
  if (x.isConstant())
    return Index(x.offset / unit);
  return onWhole<mlir::arith::DivUIOp>(b, x, Index(unit));
}

inline Index remainder(Builder &b, Index x, int64_t unit) {
  if (x.isConstant())
    return Index(x.offset % unit);
  return onWhole<mlir::arith::RemUIOp>(b, x, Index(unit));
}

inline Index min(Builder &b, Index x, Index y) {
  if (x.isConstant() && y.isConstant())
    return Index(std::min(x.offset, y.offset));
  return onWhole<mlir::arith::MinSIOp>(b, x, y);
}

} // namespace dlc::codegen

#endif // DLC_COMPILER_CODEGEN_KERNEL_INDEX_H
