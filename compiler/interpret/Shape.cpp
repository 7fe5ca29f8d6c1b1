//===- Shape.cpp - operations that move elements --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operations that move elements: where each element of the result comes from.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"

namespace dlc::interpret {
namespace {

using Index = llvm::ArrayRef<int64_t>;

/// Fills the result with the elements of `x` at `source(index of the result)`.
void moveFrom(Evaluation &e, const Tensor &x, llvm::function_ref<int64_t(Index)> source) {
  int64_t at = 0;
  forEachIndex(e.result().shape, [&](Index index) { copyElement(x, source(index), e.result(), at++); });
}

void evaluateTranspose(Evaluation &e, nn::TransposeOp op) {
  const Tensor &x = e.operand(0);
  llvm::SmallVector<int64_t, 4> own = stridesOf(x.shape), strides;
  for (int64_t dim : op.getPermutation())
    strides.push_back(own[dim]);
  moveFrom(e, x, [&](Index index) { return offsetOf(index, strides); });
}

void evaluateConcat(Evaluation &e, int64_t axis) {
  Tensor &y = e.result();
  int64_t inner = product(Index(y.shape).drop_front(axis + 1)),
          outer = product(Index(y.shape).take_front(axis));
  int64_t start = 0;
  for (unsigned i = 0; i < e.numOperands(); ++i) {
    const Tensor &x = e.operand(i);
    int64_t part = x.shape[axis] * inner;
    for (int64_t o = 0; o < outer; ++o)
      for (int64_t k = 0; k < part; ++k)
        copyElement(x, o * part + k, y, o * y.shape[axis] * inner + start + k);
    start += part;
  }
}

void evaluateSlice(Evaluation &e, nn::SliceOp op) {
  const Tensor &x = e.operand(0);
  llvm::SmallVector<int64_t, 4> strides = stridesOf(x.shape);
  moveFrom(e, x, [&](Index index) {
    int64_t offset = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      offset += (op.getStarts()[dim] + index[dim] * op.getSteps()[dim]) * strides[dim];
    return offset;
  });
}

void evaluateReverse(Evaluation &e, llvm::ArrayRef<int64_t> axes) {
  const Tensor &x = e.operand(0);
  llvm::SmallVector<int64_t, 4> strides = stridesOf(x.shape);
  moveFrom(e, x, [&](Index index) {
    llvm::SmallVector<int64_t, 4> from(index);
    for (int64_t axis : axes)
      from[axis] = x.shape[axis] - 1 - from[axis];
    return offsetOf(from, strides);
  });
}

/// Where along a dim of `size` the padded position `at` (counted from the first real element) reads;
/// -1 where the padding holds the value.
int64_t paddedSource(nn::PadMode mode, int64_t at, int64_t size, int64_t interior) {
  switch (mode) {
  case nn::PadMode::constant: {
    bool real = at >= 0 && at % (interior + 1) == 0 && at / (interior + 1) < size;
    return real ? at / (interior + 1) : -1;
  }
  case nn::PadMode::edge:
    return std::min(std::max<int64_t>(at, 0), size - 1);
  case nn::PadMode::reflect: {
    if (size == 1)
      return 0;
    int64_t period = 2 * (size - 1), place = ((at % period) + period) % period;
    return place < size ? place : period - place;
  }
  case nn::PadMode::wrap:
    return ((at % size) + size) % size;
  }
  llvm_unreachable("unknown mode");
}

void evaluatePad(Evaluation &e, nn::PadOp op) {
  const Tensor &x = e.operand(0);
  Tensor &y = e.result();
  if (op.getMode() != nn::PadMode::constant && x.size() == 0 && y.size() != 0)
    return e.fail("has nothing to repeat: the operand is empty");
  double value = op.getValue().convertToDouble();
  llvm::SmallVector<int64_t, 4> strides = stridesOf(x.shape);
  int64_t at = 0;
  forEachIndex(y.shape, [&](Index index) {
    int64_t offset = 0;
    bool real = true;
    for (size_t dim = 0; dim < index.size(); ++dim) {
      int64_t source =
          paddedSource(op.getMode(), index[dim] - op.getLow()[dim], x.shape[dim], op.getInterior()[dim]);
      real &= source >= 0;
      offset += source * strides[dim];
    }
    if (real)
      copyElement(x, offset, y, at);
    else if (y.isFloat())
      y.floats[at] = value;
    else
      y.ints[at] = static_cast<int64_t>(value);
    ++at;
  });
}

/// The rows that `indices` name, counted from the start; failure where one is out of range.
mlir::FailureOr<std::vector<int64_t>> rowsOf(Evaluation &e, const Tensor &indices, int64_t size) {
  std::vector<int64_t> rows = indices.ints;
  for (int64_t &row : rows) {
    if (row < -size || row >= size) {
      e.fail("expected an index in [" + llvm::Twine(-size) + ", " + llvm::Twine(size) + "), found " +
             llvm::Twine(row));
      return mlir::failure();
    }
    row += row < 0 ? size : 0;
  }
  return rows;
}

/// Visits the elements of the rows that `indices` name along `axis` of a tensor: where each lies in the
/// tensor, and where among the rows side by side.
void forEachInRows(Evaluation &e, Index shape, int64_t axis, const Tensor &indices,
                   llvm::function_ref<void(int64_t inTensor, int64_t inRows)> visit) {
  int64_t size = shape[axis];
  auto rows = rowsOf(e, indices, size);
  if (mlir::failed(rows))
    return;
  int64_t inner = product(shape.drop_front(axis + 1)), outer = product(shape.take_front(axis));
  int64_t count = rows->size();
  for (int64_t o = 0; o < outer; ++o)
    for (int64_t r = 0; r < count; ++r)
      for (int64_t i = 0; i < inner; ++i)
        visit((o * size + (*rows)[r]) * inner + i, (o * count + r) * inner + i);
}

void evaluateGather(Evaluation &e, nn::GatherOp op) {
  const Tensor &x = e.of(op.getX());
  forEachInRows(e, x.shape, op.getAxis(), e.of(op.getIndices()),
                [&](int64_t from, int64_t to) { copyElement(x, from, e.result(), to); });
}

void evaluateScatterAdd(Evaluation &e, nn::ScatterAddOp op) {
  const Tensor &updates = e.of(op.getUpdates());
  Tensor &y = e.result();
  forEachInRows(e, y.shape, op.getAxis(), e.of(op.getIndices()), [&](int64_t to, int64_t from) {
    if (y.isFloat())
      y.floats[to] += updates.floats[from];
    else
      y.ints[to] += updates.ints[from];
  });
}

void evaluateIota(Evaluation &e, int64_t axis) {
  Tensor &y = e.result();
  int64_t at = 0;
  forEachIndex(y.shape, [&](Index index) {
    if (y.isFloat())
      y.floats[at] = static_cast<double>(index[axis]);
    else
      y.ints[at] = index[axis];
    ++at;
  });
}

} // namespace

bool evaluateShape(Evaluation &e) {
  mlir::Operation *op = e.getOperation();
  if (mlir::isa<nn::ReshapeOp>(op)) {
    e.result().floats = e.operand(0).floats;
    e.result().ints = e.operand(0).ints;
  } else if (mlir::isa<nn::ExpandOp>(op)) {
    auto strides = broadcastStrides(e.operand(0).shape, e.result().shape);
    moveFrom(e, e.operand(0), [&](Index index) { return offsetOf(index, strides); });
  } else if (auto transpose = mlir::dyn_cast<nn::TransposeOp>(op)) {
    evaluateTranspose(e, transpose);
  } else if (auto concat = mlir::dyn_cast<nn::ConcatOp>(op)) {
    evaluateConcat(e, concat.getAxis());
  } else if (auto slice = mlir::dyn_cast<nn::SliceOp>(op)) {
    evaluateSlice(e, slice);
  } else if (auto reverse = mlir::dyn_cast<nn::ReverseOp>(op)) {
    evaluateReverse(e, reverse.getAxes());
  } else if (auto pad = mlir::dyn_cast<nn::PadOp>(op)) {
    evaluatePad(e, pad);
  } else if (auto gather = mlir::dyn_cast<nn::GatherOp>(op)) {
    evaluateGather(e, gather);
  } else if (auto scatter = mlir::dyn_cast<nn::ScatterAddOp>(op)) {
    evaluateScatterAdd(e, scatter);
  } else if (auto iota = mlir::dyn_cast<nn::IotaOp>(op)) {
    evaluateIota(e, iota.getAxis());
  } else {
    return false;
  }
  return true;
}

} // namespace dlc::interpret
