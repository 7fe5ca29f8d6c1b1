//===- Work.cpp - how much a kernel computes and moves ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/Work.h"
#include "dialects/nn/Dims.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dlc::emit {
namespace {

class Counter {
public:
  explicit Counter(train::KernelOp kernel) : kernel(kernel) {
    for (auto dim : kernel->getParentOfType<train::ProgramOp>().getBody().getOps<train::DimOp>())
      bounds[dim.getSymName()] = dim.getBound();
  }

  int64_t bytesOf(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t bytes = type.getElementType().isInteger(1) ? 1 : type.getElementTypeBitWidth() / 8;
    for (int64_t axis = 0; axis < type.getRank(); ++axis)
      bytes *= sizeOf(tensor, axis);
    return bytes;
  }

  int64_t iterationsOf(linalg::LinalgOp op) {
    SmallVector<int64_t> extents(op.getNumLoops(), 1);
    for (OpOperand &operand : op->getOpOperands())
      for (auto [axis, expression] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
        if (auto loop = dyn_cast<AffineDimExpr>(expression))
          extents[loop.getPosition()] = sizeOf(operand.get(), axis);
    int64_t iterations = 1;
    for (int64_t extent : extents)
      iterations *= extent;
    return iterations;
  }

private:
  int64_t bound(StringRef name) {
    nn::Dim dim = *nn::Dim::parse(name);
    int64_t size = dim.factor;
    for (const std::string &factor : dim.names)
      size *= bounds.lookup(factor);
    return size;
  }

  int64_t sizeOf(Value tensor, int64_t axis) {
    auto type = cast<RankedTensorType>(tensor.getType());
    if (!type.isDynamicDim(axis))
      return type.getDimSize(axis);
    if (auto argument = dyn_cast<BlockArgument>(tensor)) {
      auto dims = cast<nn::DimsAttr>((*kernel.getArgDims())[argument.getArgNumber()]);
      return bound(dims.getNames()[axis].getValue());
    }
    if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
      return bound(empty.getDynamicSize(axis).getDefiningOp<train::DimSizeOp>().getDim());
    auto destination = tensor.getDefiningOp<DestinationStyleOpInterface>();
    return sizeOf(destination.getTiedOpOperand(cast<OpResult>(tensor))->get(), axis);
  }

  train::KernelOp kernel;
  llvm::StringMap<int64_t> bounds;
};

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
  Counter counter(kernel);
  Work work;
  for (auto op : kernel.getBody().getOps<linalg::GenericOp>())
    work.operations += counter.iterationsOf(op) * llvm::count_if(op.getBody()->getOperations(), isArithmetic);
  Block &body = kernel.getBody().front();
  for (Value argument : body.getArguments())
    work.bytes += counter.bytesOf(argument);
  for (Value result : body.getTerminator()->getOperands())
    work.bytes += counter.bytesOf(result);
  return work;
}

} // namespace dlc::emit
