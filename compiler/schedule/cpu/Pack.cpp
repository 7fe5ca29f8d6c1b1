//===- Pack.cpp - transposes for what contractions read across vectors -----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Stages.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace dlc::schedule {
namespace {

/// The permutation that puts the axis of `loop` last; nullopt where no axis is exactly that loop.
std::optional<Form> axisLast(AffineMap map, int64_t loop) {
  Form form;
  int64_t found = -1;
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    if (dim && int64_t(dim.getPosition()) == loop)
      found = axis;
    else
      form.permutation.push_back(axis);
  }
  if (found < 0)
    return std::nullopt;
  form.permutation.push_back(found);
  return form;
}

/// A kernel that copies its argument into the permuted form.
train::KernelOp createTranspose(Kernels &kernels, Location loc, RankedTensorType type, Attribute dims,
                                const Form &form) {
  OpBuilder b(type.getContext());
  auto kernel = train::KernelOp::create(b, loc, "transpose", nullptr, nullptr, nullptr);
  kernel.setShared(type.getRank());
  Block &body = kernel.getBody().emplaceBlock();
  Value argument = body.addArgument(type, loc);
  b.setInsertionPointToStart(&body);
  SmallVector<Value> sizes;
  RankedTensorType result = form.of(type);
  Attribute resultDims = dims;
  if (auto names = dyn_cast_or_null<nn::DimsAttr>(dims)) {
    resultDims = nn::DimsAttr::get(b.getContext(), applyPermutation(names.getNames(), form.permutation));
    for (int64_t axis = 0; axis < result.getRank(); ++axis)
      if (result.isDynamicDim(axis))
        sizes.push_back(train::DimSizeOp::create(b, loc, b.getIndexType(),
                                                 cast<nn::DimsAttr>(resultDims).getNames()[axis]));
    kernel.setArgDimsAttr(b.getArrayAttr({dims, resultDims}));
  }
  Value empty = tensor::EmptyOp::create(b, loc, result, sizes);
  SmallVector<AffineExpr> reads(type.getRank());
  for (auto [position, axis] : llvm::enumerate(form.permutation))
    reads[axis] = b.getAffineDimExpr(position);
  AffineMap readMap = AffineMap::get(type.getRank(), 0, reads, b.getContext());
  SmallVector<utils::IteratorType> loops(type.getRank(), utils::IteratorType::parallel);
  auto generic =
      linalg::GenericOp::create(b, loc, TypeRange{result}, ValueRange{argument}, ValueRange{empty},
                                ArrayRef<AffineMap>{readMap, b.getMultiDimIdentityMap(type.getRank())}, loops,
                                [](OpBuilder &inner, Location at, ValueRange values) {
                                  linalg::YieldOp::create(inner, at, values[0]);
                                });
  train::YieldOp::create(b, loc, generic.getResults());
  kernels.insert(kernel);
  return kernel;
}

void packLaunch(train::LaunchOp launch, Kernels &kernels, const CpuTarget &target) {
  Location programLoc = launch->getParentOfType<train::ProgramOp>().getLoc();
  train::KernelOp kernel = kernels.of(launch);
  if (!train::contractionOf(kernel))
    return;
  int64_t lane = laneLoopOf(kernel);
  linalg::GenericOp root = rootOf(kernel);
  // With one parallel loop no element of the operand is read twice: a transpose would cost as much as
  // it saves.
  if (root.getNumParallelLoops() < 2 || copiesColumns(kernel, target))
    return;
  for (unsigned which = 0; which < root.getNumDpsInputs(); ++which) {
    OpOperand &operand = *root.getDpsInputOperand(which);
    auto argument = cast<BlockArgument>(operand.get());
    auto type = cast<RankedTensorType>(argument.getType());
    AffineMap map = root.getMatchingIndexingMap(&operand);
    auto stride = strideAlong(map, type, lane);
    if (stride == 0 || stride == 1 || type.getRank() < 2 || !llvm::hasSingleElement(argument.getUses()))
      continue;
    auto form = axisLast(map, lane);
    if (!form)
      continue;
    kernel = kernels.ownedBy(launch);
    root = rootOf(kernel);
    unsigned index = argument.getArgNumber();
    Attribute dims = kernel.getArgDims() ? (*kernel.getArgDims())[index] : Attribute();
    train::KernelOp transpose = createTranspose(kernels, programLoc, type, dims, *form);
    OpBuilder b(launch);
    auto packed =
        train::LaunchOp::create(b, launch.getLoc(), TypeRange{form->of(type)}, transpose.getSymName(),
                                ValueRange{launch.getInputs()[index]}, ValueRange{});
    changeArgument(kernel, index, *form);
    launch.getInputsMutable()[index].set(packed.getResult(0));
  }
}

} // namespace

void packOperands(train::ProgramOp program, Kernels &kernels, const CpuTarget &target) {
  SmallVector<train::LaunchOp> launches;
  program.walk([&](train::LaunchOp launch) { launches.push_back(launch); });
  for (train::LaunchOp launch : launches)
    packLaunch(launch, kernels, target);
}

} // namespace dlc::schedule
