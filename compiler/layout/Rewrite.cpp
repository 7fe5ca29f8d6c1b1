//===- Rewrite.cpp - functions with tensors as they were planned -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Goes through a function once, in order. Types, indexing maps and loops change, but no element's value: a
// nest goes through its result in memory order, and its maps say where operands have what it needs.
//===----------------------------------------------------------------------===//
#include "compiler/layout/Rewrite.h"
#include "compiler/layout/Moves.h"
#include "compiler/layout/Nests.h"
#include "compiler/layout/Panels.h"
#include "compiler/layout/Views.h"
#include "compiler/layout/Wishes.h"
#include "compiler/support/Nonzero.h"
#include "compiler/support/Padding.h"
#include "mlir/Dialect/Utils/IndexingUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace dlc::layout {
namespace {

class Rewriter {
public:
  Rewriter(train::FunctionOp function, Plan &plan)
      : function(function), program(function->getParentOfType<train::ProgramOp>()), plan(plan),
        symbols(program), b(function.getContext()) {}
  void run();

private:
  /// How a value lies in memory by now.
  struct Form {
    Order order;
    train::LayoutAttr panels; ///< if set, it has the form of a state in panels, and `order` is not used
    RankedTensorType logical;
  };

  void rewriteRead(train::ReadOp read);
  void rewriteWrite(train::WriteOp write);
  void rewriteReshape(Operation *reshape);
  void rewriteSlice(tensor::ExtractSliceOp slice);
  void rewriteJoin(train::JoinOp join);
  void rewriteNest(linalg::GenericOp op);
  void rewriteOverPanels(linalg::GenericOp op, train::LayoutAttr panels);
  /// How a nest reads an operand by its old loops. Operands of contractions that vectors would run across are
  /// copied.
  AffineMap readOperand(linalg::GenericOp op, OpOperand &operand, ArrayRef<unsigned> loops);
  SmallVector<int64_t> loopSizes(linalg::GenericOp op) const;
  bool needsCopy(linalg::GenericOp op, OpOperand &operand, AffineMap inMemory, ArrayRef<unsigned> loops);
  void setLoops(linalg::GenericOp op, ArrayRef<AffineMap> maps, unsigned parallel);
  /// The value in this order, perhaps moved there.
  Value inOrder(Value value, ArrayRef<int64_t> order);
  /// A contraction's result, which only a state takes, is written to the state's panels.
  void writePanels(linalg::GenericOp op, train::LayoutAttr panels);
  /// The loops of a nest in their new order: the parallel ones as the result lies, then the reductions as
  /// they are read.
  SmallVector<unsigned> loopOrder(linalg::GenericOp op, ArrayRef<int64_t> resultOrder);
  Value emptyOf(Value init, RankedTensorType type, ArrayRef<int64_t> order);

  train::FunctionOp function;
  train::ProgramOp program;
  Plan &plan;
  SymbolTable symbols;
  OpBuilder b;
  DenseMap<Value, Form> forms;
  DenseMap<unsigned, train::LayoutAttr> panelsByComponent; ///< of components whose loops go over panels here
  std::map<std::pair<void *, SmallVector<int64_t>>, Value> copies; ///< by value and order
};

//===-- Symbols ----------------------------------------------------------------===//

void Rewriter::rewriteRead(train::ReadOp read) {
  auto logical = cast<RankedTensorType>(read.getValue().getType());
  Form &form = forms[read.getValue()];
  form = {identity(logical.getRank()), {}, logical};
  auto state = symbols.lookup<train::StateOp>(read.getSymbol());
  if (!state || !state.getLayout())
    return;
  read.getValue().setType(state.getPhysicalType());
  if (state.getLayout()->isCut())
    form.panels = *state.getLayout();
  else
    form.order = Order(state.getLayout()->getPermutation());
}

void Rewriter::rewriteWrite(train::WriteOp write) {
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

void Rewriter::writePanels(linalg::GenericOp op, train::LayoutAttr panels) {
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

Value Rewriter::inOrder(Value value, ArrayRef<int64_t> order) {
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

/// A new tensor where a result begins, filled like the old one. `order` is that of its dims.
Value Rewriter::emptyOf(Value init, RankedTensorType type, ArrayRef<int64_t> order) {
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

// A reshape moves nothing where the dims that become one lie one behind the other; else its operand is moved
// first.
void Rewriter::rewriteReshape(Operation *view) {
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
void Rewriter::rewriteSlice(tensor::ExtractSliceOp slice) {
  const Form form = forms.at(slice.getSource());
  auto type = cast<RankedTensorType>(slice.getType());
  Order order = withoutDims(form.order, droppedDims(slice));
  setOrders(slice, form.order, order);
  forms[slice] = {order, {}, type};
}

void Rewriter::rewriteJoin(train::JoinOp join) {
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

//===-- Nests ------------------------------------------------------------------===//

SmallVector<unsigned> Rewriter::loopOrder(linalg::GenericOp op, ArrayRef<int64_t> resultOrder) {
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
      return std::pair(placeOf(map, order, x), x) < std::pair(placeOf(map, order, y), y);
    });
  loops.append(reductions);
  return loops;
}

/// Of a nest that is not rewritten yet: its operands' types may be new, but its maps are those of the logical
/// forms.
SmallVector<int64_t> Rewriter::loopSizes(linalg::GenericOp op) const {
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
bool Rewriter::needsCopy(linalg::GenericOp op, OpOperand &operand, AffineMap inMemory,
                         ArrayRef<unsigned> loops) {
  if (!isContraction(op) || op.getNumParallelLoops() < 2 || inMemory.getNumResults() < 2 ||
      op.getInputs()[0] == op.getInputs()[1])
    return false;
  int64_t lane = loops[op.getNumParallelLoops() - 1];
  return !runsAlong(inMemory, lane) && axisOf(op.getMatchingIndexingMap(&operand), lane) >= 0 &&
         !copiesItself(op, operand, inMemory, loopSizes(op), lane, loops.back());
}

AffineMap Rewriter::readOperand(linalg::GenericOp op, OpOperand &operand, ArrayRef<unsigned> loops) {
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

void Rewriter::setLoops(linalg::GenericOp op, ArrayRef<AffineMap> maps, unsigned parallel) {
  SmallVector<Attribute> iterators;
  for (unsigned loop = 0; loop < maps.front().getNumDims(); ++loop)
    iterators.push_back(linalg::IteratorTypeAttr::get(
        b.getContext(), loop < parallel ? utils::IteratorType::parallel : utils::IteratorType::reduction));
  op.setIndexingMapsAttr(b.getAffineMapArrayAttr(maps));
  op.setIteratorTypesAttr(b.getArrayAttr(iterators));
}

void Rewriter::rewriteNest(linalg::GenericOp op) {
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
  if (IntegerSet terms = nonzeroTerms(op))
    setNonzeroTerms(op, terms.replaceDimsAndSymbols(places, {}, loops.size(), 0).getConstraints(),
                    loops.size());
  if (DenseI64ArrayAttr zeros = zerosBefore(op))
    setZerosBefore(op,
                   applyPermutation(zeros.asArrayRef(), SmallVector<int64_t>(loops.begin(), loops.end())));
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

void Rewriter::rewriteOverPanels(linalg::GenericOp op, train::LayoutAttr panels) {
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

void Rewriter::run() {
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

} // namespace

void layOut(train::FunctionOp function, Plan &plan) { Rewriter(function, plan).run(); }

} // namespace dlc::layout
