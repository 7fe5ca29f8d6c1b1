//===- RewriteNests.cpp - loop nests over tensors in their new order -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/LanePreferences.h"
#include "compiler/layout/LayoutRewriter.h"
#include "compiler/layout/Nests.h"
#include "compiler/layout/Panels.h"
#include "compiler/layout/ViewOrders.h"
#include "dialects/train/Nonzero.h"
#include "dialects/train/ZerosBefore.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"

using namespace mlir;

namespace dlc::layout {

SmallVector<unsigned> LayoutRewriter::loopOrder(linalg::GenericOp op, ArrayRef<int64_t> resultOrder) {
  SmallVector<unsigned> loops, reductions;
  AffineMap written = op.getIndexingMapsArray().back();
  for (int64_t dim : resultOrder)
    loops.push_back(cast<AffineDimExpr>(written.getResult(dim)).getPosition());
  op.getReductionDims(reductions);
  OpOperand *leader = nullptr; // whose elements should come in order
  if (isContraction(op))
    leader = rowOperand(op, loops.empty() ? 0 : loops.back());
  for (OpOperand *input : op.getDpsInputOperands())
    if (!isContraction(op) && (!leader || op.getMatchingIndexingMap(input).getNumResults() >
                                              op.getMatchingIndexingMap(leader).getNumResults()))
      leader = input;
  if (leader && !forms.at(leader->get()).panels)
    llvm::sort(reductions, [&, map = op.getMatchingIndexingMap(leader)](unsigned x, unsigned y) {
      ArrayRef<int64_t> order = forms.at(leader->get()).order;
      return std::pair(memoryDimOf(map, order, x), x) < std::pair(memoryDimOf(map, order, y), y);
    });
  loops.append(reductions);
  return loops;
}

/// The loop sizes of a nest that is not rewritten yet: its operands' types may be new, but its maps are those
/// of the logical forms.
SmallVector<int64_t> LayoutRewriter::loopSizes(linalg::GenericOp op) const {
  SmallVector<int64_t> sizes(op.getNumLoops(), ShapedType::kDynamic);
  for (OpOperand &operand : op->getOpOperands()) {
    auto it = forms.find(operand.get());
    auto type = it != forms.end() ? it->second.logical : cast<RankedTensorType>(operand.get().getType());
    for (auto [dim, expr] : llvm::enumerate(op.getMatchingIndexingMap(&operand).getResults()))
      if (auto loop = dyn_cast<AffineDimExpr>(expr))
        sizes[loop.getPosition()] = type.getDimSize(dim);
  }
  return sizes;
}

/// Whether vectors would run across an operand all of whose elements are read several times.
bool LayoutRewriter::needsCopy(linalg::GenericOp op, OpOperand &operand, AffineMap inMemory,
                               ArrayRef<unsigned> loops) {
  if (!isContraction(op) || op.getNumParallelLoops() < 2 || inMemory.getNumResults() < 2 ||
      op.getInputs()[0] == op.getInputs()[1])
    return false;
  int64_t lane = loops[op.getNumParallelLoops() - 1];
  return !runsAlong(inMemory, lane) && axisOf(op.getMatchingIndexingMap(&operand), lane) >= 0 &&
         !copiesItself(op, operand, inMemory, loopSizes(op), lane, loops.back());
}

AffineMap LayoutRewriter::readOperand(linalg::GenericOp op, OpOperand &operand, ArrayRef<unsigned> loops) {
  AffineMap map = op.getMatchingIndexingMap(&operand);
  auto inMemory = [&](const Form &form) {
    return form.panels ? form.panels.of(map, form.logical)
                       : AffineMap::get(map.getNumDims(), 0, applyPermutation(map.getResults(), form.order),
                                        map.getContext());
  };
  Value value = operand.get();
  Form form = forms.at(value);
  if (form.panels && !isContraction(op)) {
    operand.set(inOrder(value, plan.orderOf(value)));
    return inMemory(forms.at(operand.get()));
  }
  AffineMap read = inMemory(form);
  if (!needsCopy(op, operand, read, loops))
    return read;
  Order order = form.panels ? plan.orderOf(value) : form.order;
  int64_t axis = axisOf(map, loops[op.getNumParallelLoops() - 1]);
  llvm::erase(order, axis);
  order.push_back(axis);
  Value &copy = copies[{value.getAsOpaquePointer(), SmallVector<int64_t>(order.begin(), order.end())}];
  if (!copy) {
    copy = form.panels ? joinPanels(b, value, form.panels, form.logical, order)
                       : reorder(b, value, form.order, order);
    forms[copy] = {order, {}, form.logical};
  }
  operand.set(copy);
  return inMemory(forms.at(copy));
}

void LayoutRewriter::setLoops(linalg::GenericOp op, ArrayRef<AffineMap> maps, unsigned parallel) {
  SmallVector<Attribute> iterators;
  for (unsigned loop = 0; loop < maps.front().getNumDims(); ++loop)
    iterators.push_back(linalg::IteratorTypeAttr::get(
        b.getContext(), loop < parallel ? utils::IteratorType::parallel : utils::IteratorType::reduction));
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  op.setIteratorTypesAttr(b.getArrayAttr(iterators));
}

void LayoutRewriter::rewriteNest(linalg::GenericOp op) {
  Value result = op.getResult(0);
  auto type = cast<RankedTensorType>(result.getType());
  b.setInsertionPoint(op);
  if (train::LayoutAttr panels = panelsByComponent.lookup(plan.componentOf(result)))
    return rewriteOverPanels(op, panels);
  Order order = plan.orderOf(result);
  SmallVector<unsigned> loops = loopOrder(op, order);
  SmallVector<AffineExpr> places(loops.size()); // of old loops among the new ones
  for (auto [place, loop] : llvm::enumerate(loops))
    places[loop] = b.getAffineDimExpr(place);
  SmallVector<AffineMap> maps;
  unsigned parallel = op.getNumParallelLoops();
  for (OpOperand *input : op.getDpsInputOperands())
    maps.push_back(readOperand(op, *input, loops));
  AffineMap written = op.getIndexingMapsArray().back();
  maps.push_back(
      AffineMap::get(loops.size(), 0, applyPermutation(written.getResults(), order), b.getContext()));
  for (AffineMap &map : maps)
    map = map.replaceDimsAndSymbols(places, {}, loops.size(), 0);
  setLoops(op, maps, parallel);
  if (IntegerSet terms = train::nonzeroTerms(op))
    train::setNonzeroTerms(op, terms.replaceDimsAndSymbols(places, {}, loops.size(), 0).getConstraints(),
                           loops.size());
  if (DenseI64ArrayAttr zeros = train::zerosBefore(op))
    train::setZerosBefore(
        op, applyPermutation(zeros.asArrayRef(), SmallVector<int64_t>(loops.begin(), loops.end())));
  op.getBody()->walk([&](Operation *inner) {
    if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
      index.setDim(cast<AffineDimExpr>(places[index.getDim()]).getPosition());
    } else if (auto read = dyn_cast<tensor::ExtractOp>(inner)) {
      assert(!forms.at(read.getTensor()).panels && "bodies do not read panels");
      // A view may have another order than all that is tied to it: read element by element across vectors,
      // perhaps several times, it would cost more than a copy.
      if (isTied(op, read))
        read.getTensorMutable().assign(inOrder(read.getTensor(), plan.orderOf(read.getTensor())));
      read.getIndicesMutable().assign(
          applyPermutation(SmallVector<Value>(read.getIndices()), forms.at(read.getTensor()).order));
    }
  });
  auto ordered = RankedTensorType::get(applyPermutation(type.getShape(), order), type.getElementType());
  OpOperand &init = *op.getDpsInitOperand(0);
  init.set(emptyOf(init.get(), ordered, order));
  result.setType(ordered);
  forms[result] = {order, {}, type};
}

void LayoutRewriter::rewriteOverPanels(linalg::GenericOp op, train::LayoutAttr panels) {
  auto type = cast<RankedTensorType>(op.getResult(0).getType());
  RankedTensorType inMemory = panels.of(type);
  unsigned loops = inMemory.getRank();
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands())
    maps.push_back(op.getMatchingIndexingMap(&operand).getNumResults() == 0
                       ? AffineMap::get(loops, 0, b.getContext())
                       : b.getMultiDimIdentityMap(loops));
  setLoops(op, maps, loops);
  OpOperand &init = *op.getDpsInitOperand(0);
  init.set(emptyOf(init.get(), inMemory, {}));
  op.getResult(0).setType(inMemory);
  forms[op.getResult(0)] = {{}, panels, type};
}

} // namespace dlc::layout
