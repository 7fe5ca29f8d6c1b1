//===- Rewrite.cpp - functions with tensors as they were planned -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/Rewrite.h"
#include "compiler/layout/LayoutRewriter.h"
#include "compiler/layout/Nests.h"
#include "compiler/layout/Panels.h"
#include "compiler/layout/ViewOrders.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlc::layout {

//===-- Symbols ----------------------------------------------------------------===//

void LayoutRewriter::rewriteRead(train::ReadOp read) {
  auto logical = cast<RankedTensorType>(read.getValue().getType());
  Form &form = forms[read.getValue()];
  form = {identity(logical.getRank()), {}, logical};
  auto state = symbols.lookup<train::StateOp>(read.getSymbol());
  if (!state || !state.getLayout())
    return;
  read.getValue().setType(state.getPhysicalType().clone(logical.getElementType()));
  if (state.getLayout()->isCut())
    form.panels = *state.getLayout();
  else
    form.order = Order(state.getLayout()->getPermutation());
}

void LayoutRewriter::rewriteWrite(train::WriteOp write) {
  auto state = symbols.lookup<train::StateOp>(write.getSymbol());
  train::LayoutAttr layout = state ? state.getLayout().value_or(train::LayoutAttr()) : train::LayoutAttr();
  const Form form = forms.at(write.getValue());
  b.setInsertionPoint(write);
  if (!layout || !layout.isCut()) {
    Order order = layout ? Order(layout.getPermutation()) : identity(form.logical.getRank());
    return write.getValueMutable().assign(inOrder(write.getValue(), order));
  }
  if (form.panels)
    return;
  auto maker = write.getValue().getDefiningOp<linalg::GenericOp>();
  if (maker && isContraction(maker) && write.getValue().hasOneUse())
    return writePanels(maker, layout);
  write.getValueMutable().assign(cutPanels(b, write.getValue(), form.order, layout, form.logical));
}

void LayoutRewriter::writePanels(linalg::GenericOp op, train::LayoutAttr panels) {
  const Form form = forms.at(op.getResult(0));
  OpOperand &init = *op.getDpsInitOperand(0);
  SmallVector<AffineMap> maps = op.getIndexingMapsArray();
  SmallVector<AffineExpr> positions(form.order.size());
  for (auto [place, dim] : llvm::enumerate(form.order))
    positions[dim] = maps.back().getResult(place);
  maps.back() = panels.of(AffineMap::get(op.getNumLoops(), 0, positions, op.getContext()), form.logical);
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  b.setInsertionPoint(op);
  init.set(emptyOf(init.get(), panels.of(form.logical), {}));
  op.getResult(0).setType(panels.of(form.logical));
  forms[op.getResult(0)].panels = panels;
}

//===-- Values -----------------------------------------------------------------===//

Value LayoutRewriter::inOrder(Value value, ArrayRef<int64_t> order) {
  const Form form = forms.at(value);
  if (!form.panels && ArrayRef<int64_t>(form.order) == order)
    return value;
  Value &copy = copies[{value.getAsOpaquePointer(), SmallVector<int64_t>(order.begin(), order.end())}];
  if (!copy) {
    copy = form.panels ? readPanels(b, value, form.panels, form.logical, order)
                       : reorder(b, value, form.order, order);
    forms[copy] = {Order(order), {}, form.logical};
  }
  return copy;
}

/// Makes the initial tensor of a result in `order`, filled like the old one.
Value LayoutRewriter::emptyOf(Value init, RankedTensorType type, ArrayRef<int64_t> order) {
  if (auto fill = init.getDefiningOp<linalg::FillOp>()) {
    Value inner = emptyOf(fill.getOutputs()[0], type, order);
    return linalg::FillOp::create(b, init.getLoc(), fill.getInputs(), ValueRange{inner}).getResult(0);
  }
  auto empty = init.getDefiningOp<tensor::EmptyOp>();
  SmallVector<Value> sizes;
  for (auto [place, dim] : llvm::enumerate(order))
    if (type.isDynamicDim(place))
      sizes.push_back(empty.getDynamicSize(dim));
  return tensor::EmptyOp::create(b, init.getLoc(), type, sizes);
}

// A reshape moves nothing if the dims that become one are contiguous; else its operand is moved first.
void LayoutRewriter::rewriteReshape(Operation *view) {
  Value from = view->getOperand(0), to = view->getResult(0);
  auto type = cast<RankedTensorType>(to.getType());
  b.setInsertionPoint(view);
  Order order = forms.at(from).panels ? plan.orderOf(from) : forms.at(from).order;
  std::optional<Order> through = orderThrough(view, from, order);
  if (!through) {
    through = plan.orderOf(to);
    std::optional<Order> back = orderThrough(view, to, *through);
    order = back ? *back : identity(order.size());
    if (!back)
      through = identity(type.getRank());
  }
  setOrders(view, order, *through);
  view->setOperand(0, inOrder(from, order));
  forms[to] = {*through, {}, type};
}

// A slice lies as its source does.
void LayoutRewriter::rewriteSlice(tensor::ExtractSliceOp slice) {
  const Form form = forms.at(slice.getSource());
  auto type = cast<RankedTensorType>(slice.getType());
  Order order = withoutDims(form.order, droppedDims(slice));
  setOrders(slice, form.order, order);
  forms[slice] = {order, {}, type};
}

void LayoutRewriter::rewriteJoin(train::JoinOp join) {
  auto type = cast<RankedTensorType>(join.getWhole().getType());
  Order order = plan.orderOf(join.getWhole());
  llvm::SmallBitVector axis(type.getRank());
  axis.set(join.getAxis());
  b.setInsertionPoint(join);
  for (auto [part, operand] : llvm::enumerate(join->getOpOperands()))
    operand.set(inOrder(operand.get(), join.lacksAxis(part) ? withoutDims(order, axis) : order));
  join.getWhole().setType(
      RankedTensorType::get(applyPermutation(type.getShape(), order), type.getElementType()));
  join.setAxis(llvm::find(order, join.getAxis()) - order.begin());
  forms[join.getWhole()] = {order, {}, type};
}

// A user's function knows row-major order only.
void LayoutRewriter::rewriteCall(train::CustomCallOp call) {
  b.setInsertionPoint(call);
  for (OpOperand &operand : call->getOpOperands())
    operand.set(inOrder(operand.get(), identity(forms.at(operand.get()).logical.getRank())));
  for (Value result : call.getOutputs()) {
    auto type = cast<RankedTensorType>(result.getType());
    forms[result] = {identity(type.getRank()), {}, type};
  }
}

//===-- Nests ------------------------------------------------------------------===//

void LayoutRewriter::run() {
  llvm::DenseSet<unsigned> overMatrices = componentsOverMatrices(function, plan);
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (state.getLayout() && state.getLayout()->isCut() && !overMatrices.contains(plan.componentOf(state)))
      panelsByComponent[plan.componentOf(state)] = *state.getLayout();
  mlir::Block &block = function.getBody().front();
  SmallVector<Operation *> ops;
  for (Operation &op : block)
    ops.push_back(&op);
  for (Operation *op : ops) {
    if (auto read = dyn_cast<train::ReadOp>(op))
      rewriteRead(read);
    else if (auto write = dyn_cast<train::WriteOp>(op))
      rewriteWrite(write);
    else if (auto nest = dyn_cast<linalg::GenericOp>(op))
      rewriteNest(nest);
    else if (auto call = dyn_cast<train::CustomCallOp>(op))
      rewriteCall(call);
    else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      rewriteSlice(slice);
    else if (auto join = dyn_cast<train::JoinOp>(op))
      rewriteJoin(join);
    else if (movesNothing(op))
      rewriteReshape(op);
    else if (auto extents = dyn_cast<tensor::EmptyOp>(op)) // as an input it tells those of loops
      forms[extents.getResult()] = {identity(extents.getType().getRank()), {}, extents.getType()};
  }
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

void layOut(train::FunctionOp function, Plan &plan) { LayoutRewriter(function, plan).run(); }

} // namespace dlc::layout
