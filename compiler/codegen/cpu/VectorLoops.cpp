//===- VectorLoops.cpp - loops cut into chunks and vectors -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/VectorLoops.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

cpu::ScheduleAttr scheduleOf(KernelFunction &kernel) { return cast<cpu::ScheduleAttr>(kernel.schedule()); }

void forChunks(KernelFunction &kernel, Index extent, llvm::function_ref<void(Index, Index)> body) {
  cpu::SplitAttr split = scheduleOf(kernel).getSplit();
  Builder &b = kernel.builder();
  if (!split)
    return body(Index(0), extent);
  forLoop(b, Index(kernel.begin()), Index(kernel.end()), 1, [&](Index chunk) {
    Index low = mul(b, chunk, split.getSize());
    Index high = min(b, low + split.getSize(), extent);
    // low must not carry an offset into loops that start at it.
    body(Index(low.materialize(b)), high);
  });
}

Value firstLanes(Builder &b, int64_t lanes, Index count) {
  auto type = VectorType::get({lanes}, b.getI1Type());
  if (count.isConstant()) {
    SmallVector<bool> mask(lanes, false);
    std::fill_n(mask.begin(), std::min(lanes, count.offset), true);
    return arith::ConstantOp::create(b, DenseElementsAttr::get(type, mask));
  }
  Value number = arith::IndexCastOp::create(b, b.getIndexType(), count.materialize(b));
  return vector::CreateMaskOp::create(b, type, ValueRange{number});
}

/// x rounded down to a multiple of `unit`.
static Index roundDown(Builder &b, Index x, int64_t unit) {
  if (x.isConstant())
    return Index(x.offset / unit * unit);
  Value factor = constantI64(b, unit);
  Value quotient = arith::DivUIOp::create(b, x.materialize(b), factor);
  return Index(arith::MulIOp::create(b, quotient, factor).getResult());
}

void forVectors(Builder &b, Index low, Index high, Index extent, int64_t lanes, int64_t group,
                llvm::function_ref<void(Index, int64_t, Value)> body) {
  int64_t width = lanes * group;
  Index whole = roundDown(b, extent, width);
  forLoop(b, low, min(b, high, whole), width, [&](Index position) { body(position, group, Value()); });
  if (extent.isConstant()) {
    // The rest lies in the last chunk only.
    if (int64_t rest = extent.offset - whole.offset) {
      int64_t vectors = (rest + lanes - 1) / lanes;
      int64_t last = rest - (vectors - 1) * lanes;
      ifLess(b, whole, high,
             [&] { body(whole, vectors, last == lanes ? Value() : firstLanes(b, lanes, Index(last))); });
    }
    return;
  }
  // Vector by vector, the last one masked by what is left.
  Index rest = whole;
  ifLess(b, rest, high, [&] {
    forLoop(b, rest, high, lanes,
            [&](Index position) { body(position, 1, firstLanes(b, lanes, sub(b, high, position))); });
  });
}

} // namespace dlc::codegen
