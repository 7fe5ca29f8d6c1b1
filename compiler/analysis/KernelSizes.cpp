//===- KernelSizes.cpp - sizes of a kernel's loops and temporaries ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/support/Elements.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/Custom.h"
#include "dialects/train/DimNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using train::KernelOp, train::ProgramOp, train::YieldOp, train::DimSizeOp, train::CustomCallOp,
    train::shapeOf;

namespace dlc::analysis {

bool isMadeInKernel(Operation *op) {
  return isa_and_nonnull<tensor::EmptyOp, linalg::FillOp, arith::ConstantOp, DimSizeOp>(op);
}

void cloneMadeInKernel(Value value, IRMapping &mapping, OpBuilder &b) {
  if (mapping.contains(value))
    return;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneMadeInKernel(operand, mapping, b);
  b.clone(*op, mapping);
}

/// The name of an axis whose size is not static.
static StringAttr dimName(KernelOp kernel, Value tensor, int64_t axis) {
  if (auto argument = dyn_cast<BlockArgument>(tensor))
    return cast<nn::DimsAttr>((*kernel.getArgDims())[argument.getArgNumber()]).getNames()[axis];
  if (auto empty = tensor.getDefiningOp<tensor::EmptyOp>())
    return empty.getDynamicSize(axis).getDefiningOp<DimSizeOp>().getDimAttr();
  if (tensor.getDefiningOp<CustomCallOp>())
    return StringAttr::get(kernel.getContext(), shapeOf(tensor)[axis].str());
  auto op = tensor.getDefiningOp<DestinationStyleOpInterface>();
  return dimName(kernel, op.getTiedOpOperand(cast<OpResult>(tensor))->get(), axis);
}

Attribute dimNamesOf(KernelOp kernel, Value tensor) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (type.hasStaticShape())
    return UnitAttr::get(kernel.getContext());
  SmallVector<StringAttr> names;
  for (int64_t axis = 0; axis < type.getRank(); ++axis)
    names.push_back(type.isDynamicDim(axis) ? dimName(kernel, tensor, axis)
                                            : StringAttr::get(kernel.getContext(), "_"));
  return nn::DimsAttr::get(kernel.getContext(), names);
}

int64_t boundOf(KernelOp kernel, Value tensor, int64_t axis) {
  auto type = cast<RankedTensorType>(tensor.getType());
  if (!type.isDynamicDim(axis))
    return type.getDimSize(axis);
  return sizeAtBound(*nn::Dim::parse(dimName(kernel, tensor, axis).getValue()),
                     kernel->getParentOfType<ProgramOp>());
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

/// The part of a result that one point of the shared loops has.
static Temporary temporaryOf(KernelOp kernel, OpResult result, int64_t shared) {
  auto op = cast<linalg::GenericOp>(result.getOwner());
  AffineMap map = op.getMatchingIndexingMap(op.getDpsInitOperand(result.getResultNumber()));
  Temporary temporary{result, {}};
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    bool isShared = dim && int64_t(dim.getPosition()) < shared;
    temporary.sizes.push_back(isShared ? 0 : boundOf(kernel, result, axis));
  }
  return temporary;
}

static bool isYielded(OpResult result) { return llvm::any_of(result.getUsers(), llvm::IsaPred<YieldOp>); }

SmallVector<Temporary> temporariesOf(KernelOp kernel, ArrayRef<linalg::GenericOp> operations,
                                     int64_t shared) {
  SmallVector<Temporary> temporaries;
  for (linalg::GenericOp op : operations)
    for (OpResult result : op->getResults()) {
      bool isOnlyHere = llvm::all_of(result.getUsers(), [&](Operation *user) {
        auto reader = dyn_cast<linalg::GenericOp>(user);
        return !isa<YieldOp>(user) && (!reader || llvm::is_contained(operations, reader));
      });
      if (!isOnlyHere || llvm::none_of(result.getUsers(), llvm::IsaPred<linalg::GenericOp>))
        continue;
      Temporary temporary = temporaryOf(kernel, result, shared);
      if (llvm::any_of(temporary.sizes, [](int64_t size) { return size != 0; }))
        temporaries.push_back(std::move(temporary));
    }
  return temporaries;
}

SmallVector<Step> stepsOf(KernelOp kernel) {
  Step all = llvm::to_vector(kernel.getBody().front().getOps<linalg::GenericOp>());
  std::optional<ArrayRef<int64_t>> counts = kernel.getSteps();
  if (!counts)
    return {all};
  SmallVector<Step> steps;
  ArrayRef<linalg::GenericOp> rest = all;
  for (int64_t count : *counts) {
    steps.emplace_back(rest.take_front(count));
    rest = rest.drop_front(count);
  }
  return steps;
}

bool isOfSameIteration(OpOperand &operand, int64_t shared) {
  auto result = cast<OpResult>(operand.get());
  AffineMap written = cast<linalg::GenericOp>(result.getOwner()).getIndexingMapMatchingResult(result);
  AffineMap read = cast<linalg::GenericOp>(operand.getOwner()).getMatchingIndexingMap(&operand);
  return llvm::all_of(llvm::seq(shared), [&](int64_t loop) {
    auto dim = getAffineDimExpr(loop, read.getContext());
    return llvm::any_of(llvm::zip_equal(written.getResults(), read.getResults()),
                        [&](auto axes) { return std::get<0>(axes) == dim && std::get<1>(axes) == dim; });
  });
}

int64_t sharedIn(ArrayRef<linalg::GenericOp> step) {
  int64_t shared = std::numeric_limits<int64_t>::max();
  for (linalg::GenericOp op : step) {
    shared = std::min<int64_t>(shared, op.getNumParallelLoops());
    for (OpOperand *input : op.getDpsInputOperands())
      if (auto producer = input->get().getDefiningOp<linalg::GenericOp>();
          producer && llvm::is_contained(step, producer))
        while (!isOfSameIteration(*input, shared))
          --shared;
  }
  return shared;
}

SmallVector<Temporary> handedBetweenSteps(KernelOp kernel, int64_t block) {
  SmallVector<Temporary> handed;
  int64_t shared = kernel.getShared().value_or(0);
  for (const Step &step : stepsOf(kernel))
    for (linalg::GenericOp op : step)
      for (OpResult result : op->getResults()) {
        bool leaves = llvm::any_of(result.getUsers(), [&](Operation *user) {
          auto reader = dyn_cast<linalg::GenericOp>(user);
          return reader && !llvm::is_contained(step, reader);
        });
        if (!leaves || isYielded(result))
          continue;
        handed.push_back(temporaryOf(kernel, result, shared));
        if (block > 0)
          handed.back().sizes[*op.getIndexingMapMatchingResult(result).getResultPosition(
              getAffineDimExpr(shared - 1, kernel.getContext()))] = block;
      }
  return handed;
}

} // namespace dlc::analysis
