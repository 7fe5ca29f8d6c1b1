//===- ShortRows.cpp - matrices of short rows, a row for each lane ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// If vectors run along a shared loop, each lane has one row of such a matrix. It would have to gather the
// elements; but the rows of a group of lanes are one piece of memory, which can be read whole.
//===----------------------------------------------------------------------===//
#include "compiler/schedule/cpu/Stages.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace dlc::schedule {

/// Whether each dim is a loop: the last one of the operation's own, the last but one the vectorised loop
/// (`shared - 1`), those before it other shared loops.
static bool isMatrixOfRows(AffineMap map, int64_t shared) {
  int64_t rank = map.getNumResults();
  for (auto [axis, expr] : llvm::enumerate(map.getResults())) {
    auto dim = dyn_cast<AffineDimExpr>(expr);
    int64_t loop = dim ? int64_t(dim.getPosition()) : -1, last = shared - 1;
    bool fits = int64_t(axis) == rank - 1   ? loop >= shared
                : int64_t(axis) == rank - 2 ? loop == last
                                            : loop >= 0 && loop < last;
    if (!fits)
      return false;
  }
  return rank >= 2;
}

/// Whether neighbouring rows are contiguous in argument or result number `position`.
static bool isOnePiece(train::KernelOp kernel, int64_t position, int64_t size) {
  std::optional<nn::Shape> strides = kernel.stridesOf(position);
  return !strides || (strides->back() == nn::Dim(1) && (*strides)[strides->size() - 2] == nn::Dim(size));
}

SmallVector<int64_t> shortMatrices(train::KernelOp kernel, int64_t shared, int64_t longest) {
  Block &body = kernel.getBody().front();
  // The loops of all dims but the last must be the same wherever the matrix is used; an empty map: they are
  // not.
  llvm::MapVector<Value, AffineMap> found;
  auto consider = [&](Value tensor, AffineMap map) {
    auto type = cast<RankedTensorType>(tensor.getType());
    int64_t size = type.getRank() < 2 ? ShapedType::kDynamic : type.getShape().back();
    if (size < 2 || size > longest || type.getElementType().isInteger(1))
      return;
    AffineMap form = isMatrixOfRows(map, shared)
                         ? AffineMap::get(shared, 0, map.getResults().drop_back(), map.getContext())
                         : AffineMap();
    auto [it, isNew] = found.insert({tensor, form});
    if (!isNew && it->second != form)
      it->second = AffineMap();
  };
  ValueRange yielded = body.getTerminator()->getOperands();
  for (auto op : body.getOps<linalg::GenericOp>()) {
    for (OpOperand *input : op.getDpsInputOperands())
      if (isa<BlockArgument>(input->get()) || llvm::is_contained(yielded, input->get()))
        consider(input->get(), op.getMatchingIndexingMap(input));
    for (OpResult result : op->getResults())
      if (llvm::is_contained(yielded, result))
        consider(result, op.getMatchingIndexingMap(op.getDpsInitOperand(result.getResultNumber())));
  }
  SmallVector<int64_t> positions;
  for (auto &[tensor, form] : found) {
    if (!form)
      continue;
    auto argument = dyn_cast<BlockArgument>(tensor);
    int64_t position = argument ? argument.getArgNumber()
                                : body.getNumArguments() + (llvm::find(yielded, tensor) - yielded.begin());
    if (isOnePiece(kernel, position, cast<RankedTensorType>(tensor.getType()).getShape().back()))
      positions.push_back(position);
  }
  return positions;
}

} // namespace dlc::schedule
