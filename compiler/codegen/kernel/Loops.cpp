//===- Loops.cpp - counted loops and conditions ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Loops.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

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

} // namespace dlc::codegen
