//===- KernelSizes.cpp - sizes of a kernel's loops and temporaries ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/KernelSizes.h"
#include "compiler/support/Elements.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/DimNames.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;

namespace train {

int64_t boundOf(KernelOp kernel, Value tensor, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(axis))
    return type.getDimSize(axis);
  StringRef product;
  if (auto argument = dyn_cast<BlockArgument>(tensor)) {
    product = cast<nn::DimsAttr>((*kernel.getArgDims())[argument.getArgNumber()]).getNames()[axis].getValue();
  } else if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>()) {
    product = empty.getDynamicSize(axis).getDefiningOp<DimSizeOp>().getDim();
  } else {
    auto op = tensor.getDefiningOp<DestinationStyleOpInterface>();
    return boundOf(kernel, op.getTiedOpOperand(cast<OpResult>(tensor))->get(), axis);
  }
  return sizeAtBound(*nn::Dim::parse(product), kernel->getParentOfType<ProgramOp>());
}

SmallVector<int64_t> loopBounds(KernelOp kernel, linalg::GenericOp op) {
  SmallVector<int64_t> bounds(op.getNumLoops(), 0);
  for (OpOperand &operand : op->getOpOperands())
    for (auto [axis, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto dim = dyn_cast<AffineDimExpr>(expr))
        bounds[dim.getPosition()] = boundOf(kernel, operand.get(), axis);
  return bounds;
}

int64_t Temporary::bytes(int64_t width, int64_t lanes) const {
  int64_t elements = width;
  for (int64_t size : sizes)
    if (size != 0)
      elements *= size;
  return llvm::alignTo((elements + lanes) * dlc::elementBytes(result), 64);
}

SmallVector<Temporary> temporariesOf(KernelOp kernel) {
  int64_t shared = kernel.getShared().value_or(0);
  SmallVector<Temporary> temporaries;
  auto handsOn = [&](OpResult result) {
    auto isReader = [](Operation *user) { return isa<linalg::GenericOp>(user); };
    auto isYield = [](Operation *user) { return isa<YieldOp>(user); };
    return llvm::any_of(result.getUsers(), isReader) && llvm::none_of(result.getUsers(), isYield);
  };
  for (auto op : kernel.getBody().front().getOps<linalg::GenericOp>())
    for (OpResult result : op->getResults()) {
      if (!handsOn(result))
        continue;
      Temporary temporary{result, {}};
      AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result.getResultNumber()));
      bool isElement = true;
      for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
        auto dim = dyn_cast<AffineDimExpr>(expr);
        bool isShared = dim && int64_t(dim.getPosition()) < shared;
        temporary.sizes.push_back(isShared ? 0 : boundOf(kernel, result, axis));
        isElement &= isShared;
      }
      if (!isElement)
        temporaries.push_back(std::move(temporary));
    }
  return temporaries;
}

} // namespace train
