//===- PaddingInPlace.cpp - tensors that are made with zeros around them --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/PaddingInPlace.h"
#include "compiler/layout/Components.h"
#include "compiler/layout/Nests.h"
#include "compiler/layout/Parts.h"
#include "dialects/train/DimNames.h"
#include "dialects/train/ZerosBefore.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace dlc::layout {

/// The tensor that the nest puts zeros around, if its dims have the order of the loops.
static Value paddedBy(linalg::GenericOp pad) {
  auto reads = llvm::to_vector(pad.getBody()->getOps<tensor::ExtractOp>());
  if (reads.size() != 1 || dimsAlong(pad, reads.front()) != identity(pad.getNumLoops()))
    return {};
  return reads.front().getTensor();
}

/// Whether the dims behind the last one that is padded are a row long enough to be written by itself.
static bool hasWideBorder(linalg::GenericOp pad, Value tensor) {
  nn::Shape inner = train::shapeOf(tensor), outer = train::shapeOf(pad.getResult(0));
  int64_t row = 1;
  for (size_t dim = inner.size(); dim-- > 0 && inner[dim] == outer[dim];)
    row = inner[dim].isStatic() ? nn::saturatingMultiply(row, inner[dim].factor) : leastRow;
  return row >= leastRow;
}

/// Whether the nest is a matrix product, perhaps of several matrices: it walks neighbouring dims of an
/// operand as one, which zeros between them would forbid.
static bool isPlainProduct(linalg::GenericOp op) {
  return isContraction(op) &&
         llvm::all_of(op.getIndexingMapsArray(), [](AffineMap map) { return map.isProjectedPermutation(); });
}

/// Whether the producer of the tensor can leave room for zeros, and no reader loses by that.
static bool canHaveZerosAround(Value tensor) {
  if (!isa_and_nonnull<linalg::GenericOp, train::JoinOp>(tensor.getDefiningOp()))
    return false;
  return llvm::all_of(tensor.getUsers(), [](Operation *user) {
    auto nest = dyn_cast<linalg::GenericOp>(user);
    return nest ? !isPlainProduct(nest) : isa<tensor::ExtractOp>(user);
  });
}

static Value zeros(ImplicitLocOpBuilder &b, ArrayRef<nn::Dim> shape, Type element) {
  SmallVector<int64_t> sizes;
  SmallVector<Value> open;
  for (const nn::Dim &dim : shape) {
    sizes.push_back(dim.isStatic() ? dim.factor : ShapedType::kDynamic);
    if (!dim.isStatic())
      open.push_back(train::DimSizeOp::create(b, b.getIndexType(), b.getStringAttr(dim.str())));
  }
  Value init = tensor::EmptyOp::create(b, RankedTensorType::get(sizes, element), open);
  auto build = [&](OpBuilder &nested, Location loc, ValueRange) {
    Value zero = arith::ConstantOp::create(nested, loc, nested.getZeroAttr(element));
    linalg::YieldOp::create(nested, loc, zero);
  };
  SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
  return linalg::GenericOp::create(b, init.getType(), ValueRange(), init,
                                   b.getMultiDimIdentityMap(shape.size()), loops, "pad", "", build)
      .getResult(0);
}

/// Makes `count` zeros along `axis`; a single one has no dim there.
static Value border(ImplicitLocOpBuilder &b, nn::Shape shape, int64_t axis, int64_t count, Type element) {
  if (count == 1)
    shape.erase(shape.begin() + axis);
  else
    shape[axis] = nn::Dim(count);
  return zeros(b, shape, element);
}

// Pads from the innermost dim on, so that the tensor's own rows get their zeros first.
static void joinWithZeros(linalg::GenericOp pad, Value tensor) {
  ImplicitLocOpBuilder b(pad.getLoc(), pad);
  ArrayRef<int64_t> before = train::zerosBefore(pad);
  nn::Shape shape = train::shapeOf(tensor), whole = train::shapeOf(pad.getResult(0));
  auto type = cast<RankedTensorType>(tensor.getType());
  Type element = type.getElementType();
  SmallVector<int64_t> sizes(type.getShape());
  for (int64_t axis = shape.size() - 1; axis >= 0; --axis) {
    if (shape[axis] == whole[axis])
      continue;
    SmallVector<Value> parts;
    int64_t behind = whole[axis].factor - before[axis] - shape[axis].factor;
    if (before[axis] > 0)
      parts.push_back(border(b, shape, axis, before[axis], element));
    parts.push_back(tensor);
    if (behind > 0)
      parts.push_back(border(b, shape, axis, behind, element));
    shape[axis] = whole[axis];
    sizes[axis] = whole[axis].factor;
    tensor = train::JoinOp::create(b, RankedTensorType::get(sizes, element), parts, axis);
  }
  pad.getResult(0).replaceAllUsesWith(tensor);
  pad.erase();
}

void padInPlace(train::FunctionOp function) {
  for (auto pad : llvm::make_early_inc_range(function.getBody().front().getOps<linalg::GenericOp>())) {
    if (!train::zerosBefore(pad))
      continue;
    Value tensor = paddedBy(pad);
    if (tensor && hasWideBorder(pad, tensor) && canHaveZerosAround(tensor))
      joinWithZeros(pad, tensor);
    else
      train::dropZerosBefore(pad);
  }
}

} // namespace dlc::layout
