//===- Work.cpp - how much a kernel computes and moves ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Work.h"
#include "compiler/support/Elements.h"
#include "dialects/train/Reductions.h"
#include "dialects/train/Rows.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

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

int64_t iterationsOf(train::KernelOp kernel, linalg::GenericOp op) {
  std::optional<train::Scatter> scatter = train::scatterOf(op); // at one position along this loop
  int64_t iterations = 1;
  for (auto [loop, bound] : llvm::enumerate(train::loopBounds(kernel, op)))
    if (!scatter || loop != scatter->loop)
      iterations *= bound;
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
