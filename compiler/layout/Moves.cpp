//===- Moves.cpp - nests that only move elements ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/Moves.h"
#include "compiler/layout/Nests.h"
#include "dialects/train/DimNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace dlc::layout {

AffineMap mapOf(ArrayRef<int64_t> order, MLIRContext *context) {
  SmallVector<AffineExpr> positions(order.size());
  for (auto [place, dim] : llvm::enumerate(order))
    positions[dim] = getAffineDimExpr(place, context);
  return AffineMap::get(order.size(), 0, positions, context);
}

/// The docs of two nests that become one: the words of both, each once.
static std::string joinDocs(StringRef first, StringRef second) {
  SmallVector<StringRef> words;
  for (StringRef doc : {first, second})
    for (StringRef word : llvm::split(doc, ' '))
      if (!word.empty() && !llvm::is_contained(words, word))
        words.push_back(word);
  return llvm::join(words, " ");
}

void foldMoves(train::FunctionOp function) {
  for (auto nest : function.getBody().front().getOps<linalg::GenericOp>()) {
    if (!isContraction(nest))
      continue;
    for (OpOperand *operand : nest.getDpsInputOperands())
      while (auto move = operand->get().getDefiningOp<linalg::GenericOp>()) {
        AffineMap read = move.getIndexingMapsArray().front();
        if (!isMove(move) || !read.isPermutation() || !move.getIndexingMapsArray().back().isIdentity())
          break;
        SmallVector<AffineMap> maps = nest.getIndexingMapsArray();
        AffineMap &map = maps[operand->getOperandNumber()];
        map = read.compose(map);
        nest.setIndexingMapsAttr(Builder(nest.getContext()).getAffineMapArrayAttr(maps));
        nest.setDoc(joinDocs(move.getDoc().value_or(""), nest.getDoc().value_or("")));
        operand->set(move.getInputs()[0]);
      }
  }
}

/// A nest that moves elements. Where it will be part of another nest, it has no doc, which kernels have names
/// from.
static Value createMove(OpBuilder &b, StringRef doc, Value tensor, AffineMap read, AffineMap write,
                        RankedTensorType type, ValueRange sizes = {}) {
  Location loc = tensor.getLoc();
  Value empty = tensor::EmptyOp::create(b, loc, type, sizes);
  SmallVector<utils::IteratorType> loops(read.getNumDims(), utils::IteratorType::parallel);
  auto yield = [](OpBuilder &inner, Location at, ValueRange values) {
    linalg::YieldOp::create(inner, at, values[0]);
  };
  return linalg::GenericOp::create(b, loc, TypeRange{type}, ValueRange{tensor}, ValueRange{empty},
                                   ArrayRef<AffineMap>{read, write}, loops, doc, "", yield)
      .getResult(0);
}

static RankedTensorType orderedType(RankedTensorType logical, ArrayRef<int64_t> order) {
  return RankedTensorType::get(applyPermutation(logical.getShape(), order), logical.getElementType());
}

/// The elements of a tensor, in an order of its dims.
static Value permuted(OpBuilder &b, StringRef doc, Value tensor, ArrayRef<int64_t> order) {
  SmallVector<Value> sizes;
  nn::Shape shape = train::shapeOf(tensor);
  for (int64_t dim : order)
    if (!shape[dim].isStatic())
      sizes.push_back(train::DimSizeOp::create(b, tensor.getLoc(), b.getIndexType(), shape[dim].str()));
  return createMove(b, doc, tensor, mapOf(order, b.getContext()), b.getMultiDimIdentityMap(order.size()),
                    orderedType(cast<RankedTensorType>(tensor.getType()), order), sizes);
}

Value reorder(OpBuilder &b, Value tensor, ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  if (from == to)
    return tensor;
  Order fromTo; // dims of the result as dims of the tensor, both in memory
  for (int64_t dim : to)
    fromTo.push_back(llvm::find(from, dim) - from.begin());
  return permuted(b, "layout", tensor, fromTo);
}

Value copyOf(OpBuilder &b, Value tensor) {
  return permuted(b, "copy", tensor, identity(cast<RankedTensorType>(tensor.getType()).getRank()));
}

Value joinPanels(OpBuilder &b, Value tensor, train::LayoutAttr layout, RankedTensorType logical,
                 ArrayRef<int64_t> to) {
  auto cuts = layout.cuts(logical.getShape());
  SmallVector<ReassociationIndices> groups;
  SmallVector<int64_t> sizes, first(cuts.size());
  for (unsigned dim = 1; dim < cuts.size(); ++dim)
    first[dim] = first[dim - 1] + cuts[dim - 1].size();
  Order pieces; // in the order of the result
  for (int64_t dim : to) {
    ReassociationIndices &group = groups.emplace_back();
    for (auto [index, size] : llvm::enumerate(cuts[dim])) {
      group.push_back(pieces.size());
      pieces.push_back(first[dim] + index);
      sizes.push_back(size);
    }
  }
  SmallVector<AffineExpr> positions = llvm::to_vector(mapOf(pieces, b.getContext()).getResults());
  AffineMap read =
      AffineMap::get(pieces.size(), 0, applyPermutation(positions, layout.getPermutation()), b.getContext());
  Value moved = createMove(b, "layout", tensor, read, b.getMultiDimIdentityMap(pieces.size()),
                           RankedTensorType::get(sizes, logical.getElementType()));
  return tensor::CollapseShapeOp::create(b, tensor.getLoc(), orderedType(logical, to), moved, groups);
}

Value readPanels(OpBuilder &b, Value tensor, train::LayoutAttr layout, RankedTensorType logical,
                 ArrayRef<int64_t> to) {
  AffineMap read = layout.of(mapOf(to, b.getContext()), logical);
  return createMove(b, "", tensor, read, b.getMultiDimIdentityMap(to.size()), orderedType(logical, to));
}

Value cutPanels(OpBuilder &b, Value tensor, ArrayRef<int64_t> from, train::LayoutAttr layout,
                RankedTensorType logical) {
  AffineMap write = layout.of(mapOf(from, b.getContext()), logical);
  return createMove(b, "", tensor, b.getMultiDimIdentityMap(from.size()), write, layout.of(logical));
}

} // namespace dlc::layout
