//===- Work.cpp - how much a kernel computes and moves ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Work.h"
#include "compiler/support/Elements.h"
#include "compiler/support/Nonzero.h"
#include "dialects/train/Reductions.h"
#include "dialects/train/KernelSizes.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/EquivalenceClasses.h"

using namespace mlir;

namespace dlc::emit {
namespace {

/// The bytes of an argument or a result of a kernel, where every named dim has its bound.
int64_t bytesOf(train::KernelOp kernel, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  int64_t bytes = elementBytes(type);
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    bytes *= train::boundOf(kernel, tensor, axis);
  return bytes;
}

/// In how many iterations of these loops all expressions are at least 0.
int64_t countAtLeastZero(ArrayRef<AffineExpr> expressions, ArrayRef<int64_t> loops, ArrayRef<int64_t> bounds,
                         SmallVector<AffineExpr> &at) {
  if (loops.empty())
    return llvm::all_of(expressions, [&](AffineExpr expression) {
      return cast<AffineConstantExpr>(simplifyAffineExpr(expression.replaceDims(at), 0, 0)).getValue() >= 0;
    });
  int64_t count = 0;
  for (int64_t i = 0; i < bounds[loops.front()]; ++i) {
    at[loops.front()] = getAffineConstantExpr(i, at.front().getContext());
    count += countAtLeastZero(expressions, loops.drop_front(), bounds, at);
  }
  return count;
}

/// Terms of a sum that are known to be zero do not count, and a scatter is at one position along its loop.
int64_t iterationsOf(train::KernelOp kernel, linalg::GenericOp op) {
  SmallVector<int64_t> bounds = train::loopBounds(kernel, op);
  if (std::optional<train::Scatter> scatter = train::scatterOf(op))
    bounds[scatter->loop] = 1;
  IntegerSet terms = nonzeroTerms(op);
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
    SmallVector<AffineExpr> at(bounds.size(), getAffineConstantExpr(0, op.getContext()));
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
