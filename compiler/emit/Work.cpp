//===- Work.cpp - how much a kernel computes and moves ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Work.h"
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/support/Elements.h"
#include "dialects/train/Nonzero.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace dlc::emit {
namespace {

/// The bytes of an argument or a result of a kernel, where every named dim has its bound.
int64_t bytesOf(train::KernelOp kernel, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t bytes = elementBytes(type);
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    bytes *= analysis::boundOf(kernel, tensor, axis);
  return bytes;
}

/// The value of an expression of loops alone.
int64_t valueAt(AffineExpr expression, ArrayRef<int64_t> at) {
  if (auto constant = dyn_cast<AffineConstantExpr>(expression))
    return constant.getValue();
  if (auto loop = dyn_cast<AffineDimExpr>(expression))
    return at[loop.getPosition()];
  auto binary = cast<AffineBinaryOpExpr>(expression);
  int64_t x = valueAt(binary.getLHS(), at), y = valueAt(binary.getRHS(), at);
  switch (binary.getKind()) {
  case AffineExprKind::Add:
    return x + y;
  case AffineExprKind::Mul:
    return x * y;
  case AffineExprKind::FloorDiv:
    return llvm::divideFloorSigned(x, y);
  case AffineExprKind::CeilDiv:
    return llvm::divideCeilSigned(x, y);
  case AffineExprKind::Mod:
    return llvm::mod(x, y);
  default:
    llvm_unreachable("nonzero terms are told by loops alone");
  }
}

/// Each step of the loop changes the expression by the same number.
bool isLinearIn(AffineExpr expression, int64_t loop) {
  bool isLinear = true;
  expression.walk([&](AffineExpr part) {
    bool divides = llvm::is_contained(
        {AffineExprKind::FloorDiv, AffineExprKind::CeilDiv, AffineExprKind::Mod}, part.getKind());
    isLinear &= !divides || !part.isFunctionOfDim(loop);
  });
  return isLinear;
}

/// In how many iterations of this loop all expressions are at least 0, without counting them one by one.
int64_t countAlong(ArrayRef<AffineExpr> expressions, int64_t loop, int64_t bound, SmallVector<int64_t> &at) {
  int64_t low = 0, high = bound - 1;
  for (AffineExpr expression : expressions) {
    at[loop] = 1;
    int64_t second = valueAt(expression, at);
    at[loop] = 0;
    int64_t first = valueAt(expression, at), slope = second - first;
    if (slope > 0)
      low = std::max(low, llvm::divideCeilSigned(-first, slope));
    else if (slope < 0)
      high = std::min(high, llvm::divideFloorSigned(first, -slope));
    else if (first < 0)
      return 0;
  }
  return std::max<int64_t>(0, high - low + 1);
}

/// In how many iterations of these loops all expressions are at least 0. The matrix of a long sequence has
/// many million of them.
int64_t countAtLeastZero(ArrayRef<AffineExpr> expressions, ArrayRef<int64_t> loops, ArrayRef<int64_t> bounds,
                         SmallVector<int64_t> &at) {
  if (loops.empty())
    return llvm::all_of(expressions, [&](AffineExpr expression) { return valueAt(expression, at) >= 0; });
  int64_t loop = loops.front();
  if (loops.size() == 1 && llvm::all_of(expressions, [&](AffineExpr e) { return isLinearIn(e, loop); }))
    return countAlong(expressions, loop, bounds[loop], at);
  int64_t count = 0;
  for (int64_t i = 0; i < bounds[loop]; ++i) {
    at[loop] = i;
    count += countAtLeastZero(expressions, loops.drop_front(), bounds, at);
  }
  return count;
}

/// Terms of a sum that are known to be zero do not count, and a scatter is at one position along its loop.
int64_t iterationsOf(train::KernelOp kernel, linalg::GenericOp op) {
  SmallVector<int64_t> bounds = analysis::loopBounds(kernel, op);
  if (std::optional<analysis::Scatter> scatter = analysis::scatterOf(op))
    bounds[scatter->loop] = 1;
  IntegerSet terms = train::nonzeroTerms(op);
  // Loops that the same expressions name belong together.
  llvm::EquivalenceClasses<int64_t> groups;
  for (size_t loop = 0; loop < bounds.size(); ++loop)
    groups.insert(loop);
  auto loopsOf = [&](AffineExpr expression) {
    return llvm::to_vector(
        llvm::make_filter_range(llvm::seq<int64_t>(bounds.size()),
                                [expression](int64_t loop) { return expression.isFunctionOfDim(loop); }));
  };
  ArrayRef<AffineExpr> all = terms ? terms.getConstraints() : ArrayRef<AffineExpr>();
  for (AffineExpr expression : all)
    for (int64_t loop : loopsOf(expression))
      groups.unionSets(loop, loopsOf(expression).front());
  int64_t iterations = 1;
  for (size_t leader = 0; leader < bounds.size(); ++leader) {
    if (groups.getLeaderValue(leader) != int64_t(leader))
      continue;
    SmallVector<int64_t> loops = llvm::to_vector(groups.members(leader));
    SmallVector<AffineExpr> here = llvm::to_vector(llvm::make_filter_range(all, [&](AffineExpr expression) {
      return llvm::any_of(loops, [&](int64_t loop) { return expression.isFunctionOfDim(loop); });
    }));
    SmallVector<int64_t> at(bounds.size(), 0);
    iterations *= here.empty() ? bounds[leader] : countAtLeastZero(here, loops, bounds, at);
  }
  return iterations;
}

/// Choosing and converting numbers is no arithmetic.
bool isArithmetic(Operation &op) {
  if (op.getNumResults() != 1 || !isa<FloatType>(op.getResult(0).getType()))
    return false;
  return isa<math::MathDialect>(op.getDialect()) ||
         isa<arith::AddFOp, arith::SubFOp, arith::MulFOp, arith::DivFOp, arith::RemFOp, arith::NegFOp,
             arith::MaximumFOp, arith::MinimumFOp, arith::MaxNumFOp, arith::MinNumFOp>(op);
}

} // namespace

Work workOf(train::KernelOp kernel) {
  Work work;
  for (auto op : kernel.getBody().getOps<linalg::GenericOp>())
    work.operations += iterationsOf(kernel, op) * llvm::count_if(op.getBody()->getOperations(), isArithmetic);
  Block &body = kernel.getBody().front();
  for (Value argument : body.getArguments())
    work.bytes += bytesOf(kernel, argument);
  for (Value result : body.getTerminator()->getOperands())
    work.bytes += bytesOf(kernel, result);
  return work;
}

} // namespace dlc::emit
