//===- Shape.cpp - nn: types of operations that move elements
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/nn/Infer.h"

using namespace mlir;
using namespace nn;

/// The checks of inference, for operations whose result types are given.
class Check {
public:
  explicit Check(Operation *op) : infer{op->getLoc(), op->getName().getStringRef(), types} {}
  const Inference *operator->() const { return &infer; }

private:
  SmallVector<Type> types;
  Inference infer;
};

/// A view: named dims, one dtype.
static LogicalResult checkView(Operation *op) {
  Check check(op);
  Value x = op->getOperand(0), y = op->getResult(0);
  if (failed(check->checkOperands({x, y})))
    return failure();
  if (elementTypeOf(x) == elementTypeOf(y))
    return success();
  return check->error("keeps the dtype, got " + str(elementTypeOf(x)) + " and " + str(elementTypeOf(y)));
}

//===-- Views ----------------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  if (failed(checkView(*this)))
    return failure();
  Shape x = shapeOf(getX()), y = shapeOf(getY());
  if (elementCount(x) != elementCount(y))
    return emitOpError("keeps the number of elements, got ")
           << str(x) << " (" << elementCount(x).str() << ") and " << str(y) << " (" << elementCount(y).str()
           << ")";
  return success();
}

NN_INFER(TransposeOp) {
  Shape x = shapeOf(op.getX()), y;
  ArrayRef<int64_t> permutation = op.getPermutation();
  if (failed(infer.checkPerDim("dims in the permutation", permutation, x.size())))
    return failure();
  SmallVector<bool> seen(x.size(), false);
  for (int64_t dim : permutation) {
    if (failed(infer.checkAxis(dim, x.size())))
      return failure();
    if (std::exchange(seen[dim], true))
      return infer.error("expects each dim once in the permutation, got dim " + Twine(dim) + " twice");
    y.push_back(x[dim]);
  }
  return infer.give(y, elementTypeOf(op.getX()));
}

LogicalResult ExpandOp::verify() {
  if (failed(checkView(*this)))
    return failure();
  Shape x = shapeOf(getX()), y = shapeOf(getY());
  std::optional<Shape> both = broadcast(x, y);
  if (!both || *both != y)
    return emitOpError("expects a shape that broadcasts to the result's, got ")
           << str(x) << " and " << str(y);
  return success();
}

//===-- Parts and joins ------------------------------------------------------===//

NN_INFER(ConcatOp) {
  if (op.getInputs().empty())
    return infer.error("expects at least one operand");
  Shape y = shapeOf(op.getInputs().front());
  int64_t axis = op.getAxis();
  if (failed(infer.checkAxis(axis, y.size())))
    return failure();
  Dim total(0);
  for (Value input : op.getInputs()) {
    Shape x = shapeOf(input);
    if (failed(infer.checkSameElementType(op.getInputs().front(), input)))
      return failure();
    Shape others = x;
    if (x.size() == y.size())
      others[axis] = y[axis];
    if (others != y)
      return infer.error("expects equal dims except along axis " + Twine(axis) + ", got " + str(y) + " and " +
                         str(x));
    if (!x[axis].isStatic())
      return infer.error("expects static sizes along axis " + Twine(axis) + ", got " + x[axis].str());
    total.factor = saturatingAdd(total.factor, x[axis].factor);
  }
  y[axis] = total;
  return infer.give(y, elementTypeOf(op.getInputs().front()));
}

NN_INFER(SliceOp) {
  Shape x = shapeOf(op.getX()), y;
  if (failed(infer.checkPerDim("starts", op.getStarts(), x.size())) ||
      failed(infer.checkPerDim("limits", op.getLimits(), x.size())) ||
      failed(infer.checkPerDim("steps", op.getSteps(), x.size())))
    return failure();
  for (auto [i, dim, start, limit, step] :
       llvm::enumerate(x, op.getStarts(), op.getLimits(), op.getSteps())) {
    if (!dim.isStatic()) {
      if (start != 0 || limit != -1 || step != 1)
        return infer.error("expects dim " + dim.str() +
                           " to be taken whole (start 0, limit -1, step 1), got " + "start " + Twine(start) +
                           ", limit " + Twine(limit) + ", step " + Twine(step));
      y.push_back(dim);
      continue;
    }
    if (start < 0 || start > dim.factor || limit < 0 || limit > dim.factor)
      return infer.error("expects a start and a limit in [0, " + dim.str() + "] for dim " + Twine(i) +
                         ", got " + Twine(start) + " and " + Twine(limit));
    if (step <= 0)
      return infer.error("expects a step above 0 for dim " + Twine(i) + ", got " + Twine(step));
    y.push_back(limit > start ? llvm::divideCeil(limit - start, step) : 0);
  }
  return infer.give(y, elementTypeOf(op.getX()));
}

LogicalResult ReverseOp::verify() {
  Check check(*this);
  Shape x = shapeOf(getX());
  if (failed(check->checkOperands(getX())) || failed(check->checkAxes(getAxes(), x.size())))
    return failure();
  for (int64_t axis : getAxes())
    if (!x[axis].isStatic())
      return emitOpError("expects static dims along its axes, got ")
             << x[axis].str() << " along axis " << axis;
  return success();
}

/// How many elements a mode can take from a dim of `size` for padding.
static int64_t maxPadding(PadMode mode, int64_t size) {
  switch (mode) {
  case PadMode::constant:
    return std::numeric_limits<int64_t>::max();
  case PadMode::edge:
    return size > 0 ? std::numeric_limits<int64_t>::max() : 0;
  case PadMode::reflect:
    return std::max<int64_t>(size - 1, 0);
  case PadMode::wrap:
    return size;
  }
  llvm_unreachable("all modes are handled");
}

NN_INFER(PadOp) {
  Shape x = shapeOf(op.getX()), y;
  if (failed(infer.checkPerDim("low counts", op.getLow(), x.size())) ||
      failed(infer.checkPerDim("high counts", op.getHigh(), x.size())) ||
      failed(infer.checkPerDim("interior counts", op.getInterior(), x.size())))
    return failure();
  for (auto [i, dim, low, high, interior] : llvm::enumerate(x, op.getLow(), op.getHigh(), op.getInterior())) {
    if (low < 0 || high < 0 || interior < 0)
      return infer.error("expects counts that are not negative for dim " + Twine(i) + ", got low " +
                         Twine(low) + ", high " + Twine(high) + ", interior " + Twine(interior));
    if (low == 0 && high == 0 && interior == 0) {
      y.push_back(dim);
      continue;
    }
    if (!dim.isStatic())
      return infer.error("expects no padding along the named dim " + dim.str());
    if (interior != 0 && op.getMode() != PadMode::constant)
      return infer.error("expects interior padding with mode constant only, got mode " +
                         stringifyPadMode(op.getMode()));
    if (int64_t most = maxPadding(op.getMode(), dim.factor); low > most || high > most)
      return infer.error("expects at most " + Twine(most) + " elements of padding on each side of dim " +
                         Twine(i) + " with mode " + stringifyPadMode(op.getMode()) + ", got low " +
                         Twine(low) + ", high " + Twine(high));
    int64_t between = saturatingMultiply(std::max<int64_t>(dim.factor - 1, 0), interior);
    y.push_back(saturatingAdd(saturatingAdd(low, high), saturatingAdd(dim.factor, between)));
  }
  return infer.give(y, elementTypeOf(op.getX()));
}

//===-- By index -------------------------------------------------------------===//

/// `x` with the dims of `indices` in place of dim `axis`.
static Shape gathered(ArrayRef<Dim> x, ArrayRef<Dim> indices, int64_t axis) {
  Shape y(x.begin(), x.begin() + axis);
  y.append(indices.begin(), indices.end());
  y.append(x.begin() + axis + 1, x.end());
  return y;
}

NN_INFER(GatherOp) {
  Shape x = shapeOf(op.getX());
  if (failed(infer.checkAxis(op.getAxis(), x.size())))
    return failure();
  Shape indices = shapeOf(op.getIndices());
  if (x[op.getAxis()] == Dim(0) && !llvm::is_contained(indices, Dim(0)))
    return infer.error("expects at least one slice to take along axis " + Twine(op.getAxis()) +
                       ", got shape " + str(x));
  const Dim &size = x[op.getAxis()];
  if (std::optional<int64_t> padding = op.getPadding();
      padding && (*padding < 0 || (size.isStatic() && *padding >= size.factor)))
    return infer.error("expects a padding index in [0, " + size.str() + "), got " + Twine(*padding));
  return infer.give(gathered(x, indices, op.getAxis()), elementTypeOf(op.getX()));
}

LogicalResult ScatterAddOp::verify() {
  Check check(*this);
  Shape y = shapeOf(getY());
  if (failed(check->checkOperands({getIndices(), getUpdates(), getY()})) ||
      failed(check->checkAxis(getAxis(), y.size())) ||
      failed(check->checkShape("updates", getUpdates(), gathered(y, shapeOf(getIndices()), getAxis()))))
    return failure();
  if (elementTypeOf(getUpdates()) != elementTypeOf(getY()))
    return emitOpError("keeps the dtype, got ")
           << elementTypeOf(getUpdates()) << " and " << elementTypeOf(getY());
  return success();
}

LogicalResult IotaOp::verify() {
  Check check(*this);
  return failed(check->checkOperands(getY())) ? failure()
                                              : check->checkAxis(getAxis(), tensorOf(getY()).getRank());
}
