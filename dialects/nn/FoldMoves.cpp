//===- FoldMoves.cpp - nn: moving the elements of constants
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each operation says where an element of its result comes from.
//===----------------------------------------------------------------------===//
#include "dialects/nn/FoldConstants.h"
#include "dialects/nn/Infer.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nn;

int64_t nn::broadcastIndex(int64_t index, ArrayRef<int64_t> to, ArrayRef<int64_t> from) {
  int64_t result = 0, stride = 1;
  for (size_t i = 1; i <= from.size(); ++i) {
    int64_t size = to[to.size() - i], own = from[from.size() - i];
    result += own == 1 ? 0 : index % size * stride;
    index /= size;
    stride *= own;
  }
  return result;
}

using Position = SmallVector<int64_t>;

static Position positionOf(int64_t index, ArrayRef<int64_t> shape) {
  Position position(shape.size());
  for (size_t i = shape.size(); i-- > 0; index /= shape[i])
    position[i] = index % shape[i];
  return position;
}

static int64_t indexOf(ArrayRef<int64_t> position, ArrayRef<int64_t> shape) {
  int64_t index = 0;
  for (auto [at, size] : llvm::zip_equal(position, shape))
    index = index * size + at;
  return index;
}

/// An operand and an index in it.
struct Source {
  size_t operand;
  int64_t index;
};
using Constants = ArrayRef<DenseElementsAttr>;

static std::optional<Source> sourceOf(TransposeOp op, const Position &y, Constants x) {
  Position from(y.size());
  for (auto [at, dim] : llvm::zip_equal(y, op.getPermutation()))
    from[dim] = at;
  return Source{0, indexOf(from, x[0].getType().getShape())};
}

static std::optional<Source> sourceOf(ExpandOp op, const Position &y, Constants x) {
  ArrayRef<int64_t> to = cast<RankedTensorType>(op.getY().getType()).getShape();
  return Source{0, broadcastIndex(indexOf(y, to), to, x[0].getType().getShape())};
}

static std::optional<Source> sourceOf(SliceOp op, const Position &y, Constants x) {
  Position from;
  for (auto [at, start, step] : llvm::zip_equal(y, op.getStarts(), op.getSteps()))
    from.push_back(start + at * step);
  return Source{0, indexOf(from, x[0].getType().getShape())};
}

static std::optional<Source> sourceOf(ReverseOp op, const Position &y, Constants x) {
  Position from = y;
  for (int64_t axis : op.getAxes())
    from[axis] = x[0].getType().getDimSize(axis) - 1 - from[axis];
  return Source{0, indexOf(from, x[0].getType().getShape())};
}

static std::optional<Source> sourceOf(ConcatOp op, const Position &y, Constants x) {
  Position from = y;
  int64_t &at = from[op.getAxis()];
  for (auto [operand, part] : llvm::enumerate(x)) {
    int64_t size = part.getType().getDimSize(op.getAxis());
    if (at < size)
      return Source{operand, indexOf(from, part.getType().getShape())};
    at -= size;
  }
  return std::nullopt;
}

static std::optional<Source> sourceOf(GatherOp op, const Position &y, Constants x) {
  ArrayRef<int64_t> table = x[0].getType().getShape(), indices = x[1].getType().getShape();
  int64_t axis = op.getAxis(), rank = indices.size();
  Position which(y.begin() + axis, y.begin() + axis + rank);
  int64_t row = x[1].getValues<APInt>()[indexOf(which, indices)].getSExtValue();
  row = row < 0 ? row + table[axis] : row;
  if (row < 0 || row >= table[axis])
    return std::nullopt; // an error that is reported elsewhere
  Position from(y.begin(), y.begin() + axis);
  from.push_back(row);
  from.append(y.begin() + axis + rank, y.end());
  return Source{0, indexOf(from, table)};
}

DenseElementsAttr nn::foldMove(Operation *op, RankedTensorType type, Constants operands) {
  if (!isa<TransposeOp, ExpandOp, SliceOp, ReverseOp, ConcatOp, GatherOp>(op) ||
      type.getNumElements() > largestFoldedConstant)
    return {};
  SmallVector<SmallVector<Attribute>> inputs;
  for (DenseElementsAttr operand : operands) {
    if (operand.getNumElements() > largestFoldedConstant)
      return {};
    inputs.push_back(llvm::to_vector(operand.getValues<Attribute>()));
  }
  SmallVector<Attribute> elements;
  for (int64_t i = 0; i < type.getNumElements(); ++i) {
    Position y = positionOf(i, type.getShape());
    std::optional<Source> source = llvm::TypeSwitch<Operation *, std::optional<Source>>(op)
                                       .Case<TransposeOp, ExpandOp, SliceOp, ReverseOp, ConcatOp, GatherOp>(
                                           [&](auto move) { return sourceOf(move, y, operands); });
    if (!source)
      return {};
    elements.push_back(inputs[source->operand][source->index]);
  }
  return DenseElementsAttr::get(type, elements);
}
