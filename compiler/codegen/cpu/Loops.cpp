//===- Loops.cpp - loop nests over points ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/cpu/Loops.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

static Values emitLoop(Builder &b, Index low, Index high, int64_t step, Values carried, bool rolled,
                       llvm::function_ref<Values(Index, Values)> body) {
  if (low.isConstant() && high.isConstant()) {
    if (low.offset >= high.offset)
      return carried;
    if (low.offset + step >= high.offset)
      return body(low, carried);
  }
  Value first = low.materialize(b), end = high.materialize(b);
  auto loop = scf::ForOp::create(b, first, end, constantI64(b, step), carried);
  if (rolled) {
    auto unroll = LLVM::LoopUnrollAttr::get(b.getContext(), b.getBoolAttr(true), {}, {}, {}, {}, {}, {});
    loop->setAttr("llvm.loop_annotation",
                  LLVM::LoopAnnotationAttr::get(b.getContext(), {}, {}, {}, unroll, {}, {}, {}, {}, {}, {},
                                                {}, {}, {}, {}, {}));
  }
  {
    OpBuilder::InsertionGuard guard(b);
    b.setInsertionPointToStart(loop.getBody());
    Values inside = body(Index(loop.getInductionVar()),
                         Values(loop.getRegionIterArgs().begin(), loop.getRegionIterArgs().end()));
    // scf.for without results has its terminator already.
    if (!carried.empty())
      scf::YieldOp::create(b, inside);
  }
  return Values(loop.getResults().begin(), loop.getResults().end());
}

Values forLoop(Builder &b, Index low, Index high, int64_t step, Values carried,
               llvm::function_ref<Values(Index, Values)> body) {
  return emitLoop(b, low, high, step, std::move(carried), /*rolled=*/false, body);
}

Values forRolled(Builder &b, Index low, Index high, int64_t step, Values carried,
                 llvm::function_ref<Values(Index, Values)> body) {
  return emitLoop(b, low, high, step, std::move(carried), /*rolled=*/true, body);
}

void forLoop(Builder &b, Index low, Index high, int64_t step, llvm::function_ref<void(Index)> body) {
  forLoop(b, low, high, step, {}, [&](Index i, const Values &) -> Values {
    body(i);
    return {};
  });
}

void ifLess(Builder &b, Index x, Index y, llvm::function_ref<void()> body) {
  if (x.isConstant() && y.isConstant()) {
    if (x.offset < y.offset)
      body();
    return;
  }
  Value left = x.materialize(b), right = y.materialize(b);
  Value condition = arith::CmpIOp::create(b, arith::CmpIPredicate::slt, left, right);
  auto branch = scf::IfOp::create(b, condition, /*withElseRegion=*/false);
  OpBuilder::InsertionGuard guard(b);
  b.setInsertionPointToStart(branch.thenBlock());
  body();
}

Values ifElse(Builder &b, Value condition, llvm::function_ref<Values()> then,
              llvm::function_ref<Values()> otherwise) {
  auto branch = scf::IfOp::create(
      b, condition, [&](OpBuilder &, Location) { scf::YieldOp::create(b, then()); },
      [&](OpBuilder &, Location) { scf::YieldOp::create(b, otherwise()); });
  return Values(branch.getResults().begin(), branch.getResults().end());
}

void forChunks(KernelFunction &kernel, Index extent, llvm::function_ref<void(Index, Index)> body) {
  cpu::SplitAttr split = kernel.schedule().getSplit();
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
