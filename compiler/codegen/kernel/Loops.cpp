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

/// The end of the iterations in whole groups of `count`. A remainder has the sign of the number, so a range
/// without iterations has no groups either.
static Index endOfGroups(Builder &b, Index low, Index high, int64_t count) {
  if (low.isConstant() && high.isConstant())
    return high + -((high.offset - low.offset) % count);
  return sub(b, high, onWhole<arith::RemSIOp>(b, sub(b, high, low), Index(count)));
}

Values forUnrolled(Builder &b, Index low, Index high, int64_t count, Values carried,
                   llvm::function_ref<Values(Index, Values)> body) {
  if (count == 1)
    return forLoop(b, low, high, 1, std::move(carried), body);
  Index end = endOfGroups(b, low, high, count);
  Values grouped = forLoop(b, low, end, count, std::move(carried), [&](Index first, Values sums) {
    for (int64_t i = 0; i < count; ++i)
      sums = body(first + i, std::move(sums));
    return sums;
  });
  return forLoop(b, end, high, 1, std::move(grouped), body);
}

void forLoop(Builder &b, Index low, Index high, int64_t step, llvm::function_ref<void(Index)> body) {
  forLoop(b, low, high, step, {}, [&](Index i, const Values &) -> Values {
    body(i);
    return {};
  });
}

Values forTurns(Builder &b, Index low, Index high, int64_t sets, Values carried, const Values &neutral,
                llvm::function_ref<Values(Index, Values)> body,
                llvm::function_ref<Values(const Values &, const Values &)> combine) {
  assert(low.isConstant() && high.isConstant() && "the last turn has as many iterations everywhere");
  size_t size = carried.size();
  auto takeTurn = [&](Index position, int64_t iterations, const Values &all) {
    Values next = all;
    for (int64_t set = 0; set < iterations; ++set)
      llvm::copy(body(position + set, Values(ArrayRef(all).slice(set * size, size))),
                 next.begin() + set * size);
    return next;
  };
  Values all = std::move(carried);
  for (int64_t set = 1; set < sets; ++set)
    llvm::append_range(all, neutral);
  int64_t rest = (high.offset - low.offset) % sets;
  all = forLoop(b, low, high + -rest, sets, all,
                [&](Index position, const Values &inside) { return takeTurn(position, sets, inside); });
  all = takeTurn(high + -rest, rest, all);
  SmallVector<Values> left;
  for (int64_t set = 0; set < sets; ++set)
    left.push_back(Values(ArrayRef(all).slice(set * size, size)));
  for (; left.size() > 1; left.resize(left.size() / 2))
    for (size_t set = 0; set < left.size() / 2; ++set)
      left[set] = combine(left[set], left[set + left.size() / 2]);
  return left.front();
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
