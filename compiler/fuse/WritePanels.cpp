//===- WritePanels.cpp - what only products read lies as they want it ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The gradient of a weight sums over rows of a matrix of activations, which its tiles read a few columns at a
// time: it would copy all of them into panels first. Where a kernel of the backward pass makes the matrix for
// such products alone, as the result of a GELU that is done again (ComputeBeside.cpp), it writes panels at
// once.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/Members.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/support/Elements.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_WRITEPANELS
#include "compiler/fuse/Passes.h.inc"

namespace {

// The operands of shorter reductions are in a near cache; operands whose steps of k are closer together in
// memory than this are not packed (schedule/cpu/Packing.cpp).
constexpr int64_t manySteps = 256, farBytes = 1 << 10;

// (i, ..., j) becomes (j floordiv width, i, ..., j mod width).
AffineMap inPanels(AffineMap map, int64_t width) {
  SmallVector<mlir::AffineExpr> results{map.getResults().back().floorDiv(width)};
  llvm::append_range(results, map.getResults().drop_back());
  results.push_back(map.getResults().back() % width);
  return AffineMap::get(map.getNumDims(), 0, results, map.getContext());
}

std::optional<unsigned> loopOf(mlir::AffineExpr expr) {
  auto dim = mlir::dyn_cast<mlir::AffineDimExpr>(expr);
  return dim ? std::optional(dim.getPosition()) : std::nullopt;
}

// Whether a product of two matrices sums over all dims of the operand but the last, and reads along this one,
// which is longer than the other matrix's, the rows of its tiles.
bool isReadInPanels(OpOperand &use) {
  auto product = mlir::dyn_cast<GenericOp>(use.getOwner());
  if (!product || !product.isDpsInput(&use) || !isContraction(product) || product.getNumParallelLoops() != 2)
    return false;
  AffineMap map = product.getMatchingIndexingMap(&use);
  AffineMap result = withoutCuts(product.getIndexingMapMatchingResult(product->getResult(0)));
  SmallVector<int64_t> sizes = product.getStaticLoopRanges();
  std::optional<unsigned> rows = loopOf(map.getResults().back());
  if (!rows || *rows >= 2 || result.getNumResults() != 2 || loopOf(result.getResult(0)) != rows ||
      map.getNumResults() != product.getNumReductionLoops() + 1)
    return false;
  int64_t steps = 1;
  for (auto [axis, expr] : llvm::enumerate(map.getResults().drop_back())) {
    if (loopOf(expr) != axis + 2)
      return false;
    steps *= sizes[axis + 2];
  }
  return steps > manySteps && sizes[*rows] > sizes[1 - *rows];
}

// Finds a view of the matrix that has the same last dim.
mlir::tensor::CollapseShapeOp viewIn(OpOperand &use) {
  auto view = mlir::dyn_cast<mlir::tensor::CollapseShapeOp>(use.getOwner());
  return view && view.getReassociationIndices().back().size() == 1 ? view : nullptr;
}

// Whether the result is initialized with nothing, or with one number everywhere.
bool startsFresh(OpResult result) {
  auto op = mlir::cast<GenericOp>(result.getOwner());
  Value init = op.getDpsInitOperand(result.getResultNumber())->get();
  return mlir::isa_and_nonnull<mlir::tensor::EmptyOp, mlir::linalg::FillOp>(init.getDefiningOp());
}

bool isMatrixInPanels(OpResult result, int64_t width, int64_t nearBytes) {
  auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
  auto op = mlir::cast<GenericOp>(result.getOwner());
  if (!isElementwise(op) || type.getRank() < 2 || !type.hasStaticShape() || bytesOf(result) < nearBytes ||
      !startsFresh(result) || !op.getIndexingMapMatchingResult(result).isIdentity())
    return false;
  int64_t columns = type.getShape().back();
  return columns % width == 0 && columns * elementBytes(type) >= farBytes && !result.use_empty() &&
         llvm::all_of(result.getUses(), [](OpOperand &use) {
           auto view = viewIn(use);
           return view ? llvm::all_of(view->getUses(), isReadInPanels) : isReadInPanels(use);
         });
}

mlir::RankedTensorType inPanels(Value matrix, int64_t width) {
  auto type = mlir::cast<mlir::RankedTensorType>(matrix.getType());
  SmallVector<int64_t> shape{type.getShape().back() / width};
  llvm::append_range(shape, type.getShape().drop_back());
  shape.push_back(width);
  return mlir::RankedTensorType::get(shape, type.getElementType());
}

void changeMap(OpOperand &operand, int64_t width) {
  auto op = mlir::cast<GenericOp>(operand.getOwner());
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  AffineMap &map = maps[operand.getOperandNumber()];
  map = inPanels(map, width);
  op.setIndexingMapsAttr(mlir::Builder(op).getAffineMapArrayAttr(maps));
}

void changeReaders(Value matrix, int64_t width) {
  for (OpOperand &use : llvm::make_early_inc_range(matrix.getUses())) {
    mlir::tensor::CollapseShapeOp view = viewIn(use);
    if (!view) {
      changeMap(use, width);
      continue;
    }
    SmallVector<mlir::ReassociationIndices> groups{{0}};
    for (mlir::ReassociationIndices group : view.getReassociationIndices()) {
      for (int64_t &dim : group)
        ++dim;
      groups.push_back(group);
    }
    mlir::OpBuilder b(view);
    Value inPlace =
        mlir::tensor::CollapseShapeOp::create(b, view.getLoc(), inPanels(view, width), matrix, groups);
    view.getResult().replaceAllUsesWith(inPlace);
    view.erase();
    for (OpOperand &reader : inPlace.getUses())
      changeMap(reader, width);
  }
}

void put(OpResult result, int64_t width) {
  auto op = mlir::cast<GenericOp>(result.getOwner());
  mlir::RankedTensorType panels = inPanels(result, width);
  mlir::OpBuilder b(op);
  OpOperand &init = *op.getDpsInitOperand(result.getResultNumber());
  auto fill = init.get().getDefiningOp<mlir::linalg::FillOp>();
  Value made = mlir::tensor::EmptyOp::create(b, op.getLoc(), panels, ValueRange());
  if (fill)
    made = mlir::linalg::FillOp::create(b, op.getLoc(), fill.getInputs()[0], made).getResult(0);
  init.set(made);
  result.setType(panels);
  changeMap(init, width);
  changeReaders(result, width);
}

// Whether a product that is no step of a kernel made the operand for this group alone, which reads it where
// it writes `result`: then the result can take its place, if it lies in the same order.
bool isTakenOver(OpOperand &operand, const Members &group, OpResult result, ArrayRef<Members> groups) {
  auto maker = operand.get().getDefiningOp<GenericOp>();
  auto isMaker = [&](const Members &other) {
    return &other != &group && !other.isOfSteps() && llvm::is_contained(other.ops, maker);
  };
  return maker && isContraction(maker) && llvm::any_of(groups, isMaker) &&
         operand.get().getType() == result.getType() && startsFresh(mlir::cast<OpResult>(operand.get())) &&
         maker.getIndexingMapMatchingResult(mlir::cast<OpResult>(operand.get())).isProjectedPermutation() &&
         llvm::all_of(operand.get().getUses(), [&](OpOperand &use) {
           auto reader = mlir::dyn_cast<GenericOp>(use.getOwner());
           return reader && llvm::is_contained(group.ops, reader) &&
                  reader.getMatchingIndexingMap(&use).isIdentity();
         });
}

/// Lets matrices larger than `nearBytes` that the groups hand to products, each of which reads some columns
/// at a time, be written in panels of `width` columns.
void putInPanels(ArrayRef<Members> groups, int64_t width, int64_t nearBytes) {
  for (const Members &group : groups) {
    if (group.isOfSteps())
      continue;
    for (GenericOp op : group.ops)
      for (OpResult result : op->getResults()) {
        if (!isMatrixInPanels(result, width, nearBytes))
          continue;
        OpOperand *before = nullptr;
        for (GenericOp reader : group.ops)
          for (OpOperand *input : reader.getDpsInputOperands())
            if (!before && isTakenOver(*input, group, result, groups))
              before = input;
        if (before)
          put(mlir::cast<OpResult>(before->get()), width);
        put(result, width);
      }
  }
}

struct WritePanelsPass : public impl::WritePanelsBase<WritePanelsPass> {
  using WritePanelsBase::WritePanelsBase;

  void runOnOperation() override {
    forEachFunction(getOperation(), [&](train::FunctionOp, mlir::Block &block) {
      mlir::FailureOr<SmallVector<Members>> groups = membersIn(block);
      if (mlir::failed(groups))
        return signalPassFailure();
      putInPanels(*groups, width, nearBytes);
    });
  }
};

} // namespace

} // namespace dlc::fuse
