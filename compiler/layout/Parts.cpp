//===- Parts.cpp - which tensors are parts of others in memory -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/Parts.h"
#include "compiler/layout/Moves.h"
#include "compiler/layout/ViewOrders.h"
#include "dialects/train/Custom.h"
#include "dialects/train/DimNames.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

using namespace mlir;

namespace dlc::layout {

/// How many neighbouring elements are contiguous; a named dim counts as many.
static int64_t rowOf(ArrayRef<nn::Dim> shape, ArrayRef<nn::Dim> strides) {
  int64_t row = 1;
  nn::Dim next(1);
  for (size_t dim = shape.size(); dim-- > 0 && strides[dim] == next; next = next * shape[dim])
    row = shape[dim].isStatic() ? nn::saturatingMultiply(row, shape[dim].factor) : leastRow;
  return row;
}

static bool isWritten(Value value) {
  return llvm::any_of(value.getUsers(), [](Operation *user) {
    if (isa<train::WriteOp>(user))
      return true;
    return isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(user) && isWritten(user->getResult(0));
  });
}

/// Whether vectors can run along a slice's last dim; one number is no vector.
static bool keepsNeighbours(ArrayRef<nn::Dim> strides) { return strides.empty() || strides.back().isOne(); }

namespace {
class Settler {
public:
  explicit Settler(train::FunctionOp function) : function(function), b(function.getContext()) {}
  void run();

private:
  template <typename Op> SmallVector<Op> all() {
    return llvm::to_vector(function.getBody().front().getOps<Op>());
  }
  void settle(train::JoinOp join);
  void settle(tensor::ExtractSliceOp slice);
  bool isMadeInPlace(OpOperand &part);
  void replaceByNest(train::JoinOp join);
  void replaceByNest(tensor::ExtractSliceOp slice);
  Value nest(Operation *op, StringRef doc, ArrayRef<nn::Dim> shape,
             llvm::function_ref<Value(ImplicitLocOpBuilder &, SmallVector<Value>)> body);
  Value copyBefore(Operation *op, Value value) {
    b.setInsertionPoint(op);
    return copyOf(b, value);
  }

  train::FunctionOp function;
  OpBuilder b;
  llvm::DenseSet<Value> parts; ///< have their place in a join
};
} // namespace

//===-- Joins ------------------------------------------------------------------===//

/// Whether one nest, or another join, can write the part where it lies in the whole.
bool Settler::isMadeInPlace(OpOperand &part) {
  Value made = analysis::withoutReshapes(part.get());
  if (!isa_and_nonnull<linalg::GenericOp, train::JoinOp>(made.getDefiningOp()) || parts.contains(made) ||
      isWritten(made))
    return false;
  std::optional<analysis::View> view = analysis::viewAsPart(made, part);
  return view && rowOf(train::shapeOf(made), view->strides) >= leastRow;
}

// The other parts are copied there, unless these are more than half of all, but few: then it is cheaper to
// compute the whole from its parts, where it is read.
void Settler::settle(train::JoinOp join) {
  constexpr size_t fewParts = 8; // each element is looked for in all of them
  std::optional<analysis::View> whole = analysis::viewOf(join.getWhole());
  bool isPlaced = whole && whole->strides[join.getAxis()].isStatic();
  int64_t inPlace = 0;
  SmallVector<Value> made;
  SmallVector<unsigned> copied;
  for (auto [index, part] : llvm::enumerate(join->getOpOperands())) {
    if (isPlaced && isMadeInPlace(part)) {
      inPlace += join.sizeOf(index);
      made.push_back(analysis::withoutReshapes(part.get()));
      parts.insert(made.back());
    } else {
      copied.push_back(index);
    }
  }
  size_t number = join.getParts().size();
  if (2 * inPlace < join.startOf(number) && (number <= fewParts || !isPlaced)) {
    for (Value part : made)
      parts.erase(part);
    return replaceByNest(join);
  }
  for (unsigned index : copied)
    join->setOperand(index, copyBefore(join, join.getParts()[index]));
}

Value Settler::nest(Operation *op, StringRef doc, ArrayRef<nn::Dim> shape,
                    llvm::function_ref<Value(ImplicitLocOpBuilder &, SmallVector<Value>)> body) {
  b.setInsertionPoint(op);
  ImplicitLocOpBuilder builder(op->getLoc(), b);
  SmallVector<Value> sizes;
  for (const nn::Dim &dim : shape)
    if (!dim.isStatic())
      sizes.push_back(train::DimSizeOp::create(builder, b.getIndexType(), b.getStringAttr(dim.str())));
  Value init = tensor::EmptyOp::create(builder, cast<RankedTensorType>(op->getResult(0).getType()), sizes);
  SmallVector<utils::IteratorType> loops(shape.size(), utils::IteratorType::parallel);
  auto build = [&](OpBuilder &nested, Location loc, ValueRange) {
    ImplicitLocOpBuilder inner(loc, nested);
    SmallVector<Value> positions;
    for (unsigned loop = 0; loop < shape.size(); ++loop)
      positions.push_back(linalg::IndexOp::create(inner, loop));
    linalg::YieldOp::create(inner, body(inner, positions));
  };
  return linalg::GenericOp::create(builder, init.getType(), ValueRange(), init,
                                   b.getMultiDimIdentityMap(shape.size()), loops, doc, "", build)
      .getResult(0);
}

static Value number(ImplicitLocOpBuilder &b, int64_t value) {
  return arith::ConstantIndexOp::create(b, value);
}

/// Each element is read from the last part that begins at or before it. Positions outside a part are clamped,
/// and what is read there is discarded.
void Settler::replaceByNest(train::JoinOp join) {
  int64_t axis = join.getAxis();
  auto body = [&](ImplicitLocOpBuilder &inner, SmallVector<Value> positions) {
    Value at = positions[axis], result;
    for (auto [index, part] : llvm::enumerate(join.getParts())) {
      Value start = number(inner, join.startOf(index)), last = number(inner, join.sizeOf(index) - 1);
      SmallVector<Value> inPart = positions;
      Value from = arith::SubIOp::create(inner, at, start);
      inPart[axis] =
          arith::MinSIOp::create(inner, arith::MaxSIOp::create(inner, from, number(inner, 0)), last);
      if (join.lacksAxis(index))
        inPart.erase(inPart.begin() + axis);
      Value element = tensor::ExtractOp::create(inner, part, inPart);
      Value isHere = arith::CmpIOp::create(inner, arith::CmpIPredicate::sge, at, start);
      result = result ? Value(arith::SelectOp::create(inner, isHere, element, result)) : element;
    }
    return result;
  };
  join.getWhole().replaceAllUsesWith(nest(join, "concat", train::shapeOf(join.getWhole()), body));
  join.erase();
}

//===-- Slices -----------------------------------------------------------------===//

void Settler::settle(tensor::ExtractSliceOp slice) {
  std::optional<analysis::View> view = analysis::viewOf(slice);
  if (!view)
    return replaceByNest(slice);
  if (keepsNeighbours(view->strides))
    return;
  b.setInsertionPointAfter(slice);
  Value copy = copyOf(b, slice);
  slice.getResult().replaceAllUsesExcept(copy, copy.getDefiningOp());
}

// The slice begins at a position that depends on named dims.
void Settler::replaceByNest(tensor::ExtractSliceOp slice) {
  llvm::SmallBitVector dropped = droppedDims(slice);
  auto body = [&](ImplicitLocOpBuilder &inner, SmallVector<Value> positions) -> Value {
    SmallVector<Value> inSource;
    for (unsigned dim = 0, next = 0; dim < dropped.size(); ++dim) {
      Value start = number(inner, slice.getStaticOffset(dim));
      if (dropped[dim]) {
        inSource.push_back(start);
        continue;
      }
      Value step = number(inner, slice.getStaticStride(dim));
      Value from = arith::MulIOp::create(inner, positions[next++], step);
      inSource.push_back(arith::AddIOp::create(inner, from, start));
    }
    return tensor::ExtractOp::create(inner, slice.getSource(), inSource);
  };
  slice.getResult().replaceAllUsesWith(nest(slice, "slice", train::shapeOf(slice), body));
  slice.erase();
}

// Settles joins first, the outer ones before those that are their parts, since a join fixes the layouts of
// its parts. Then settles views in order, as a view of a view needs the first.
void Settler::run() {
  SmallVector<train::JoinOp> joins = all<train::JoinOp>();
  for (train::JoinOp join : llvm::reverse(joins))
    settle(join);
  SmallVector<Operation *> views;
  for (Operation &op : function.getBody().front())
    if (analysis::isView(&op))
      views.push_back(&op);
  for (Operation *op : views) {
    if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op))
      settle(slice);
    else if (!analysis::viewOf(op->getResult(0)))
      op->setOperand(0, copyBefore(op, op->getOperand(0)));
  }
  // An output and the new value of a state are tensors of their own, so that views are copied.
  for (auto write : all<train::WriteOp>())
    if (analysis::withoutReshapes(write.getValue()).getDefiningOp<tensor::ExtractSliceOp>()) {
      OpOperand *use = &write.getValueMutable(); // of the slice itself: a nest has no dims of size 1
      while (!use->get().getDefiningOp<tensor::ExtractSliceOp>())
        use = &use->get().getDefiningOp()->getOpOperand(0);
      use->set(copyBefore(use->getOwner(), use->get()));
    }
  // A user's function is given tensors without gaps.
  for (auto call : all<train::CustomCallOp>())
    for (OpOperand &operand : call->getOpOperands())
      if (analysis::partStrides(operand.get()))
        operand.set(copyBefore(call, operand.get()));
}

void settleParts(train::FunctionOp function) { Settler(function).run(); }

//===-- What is promised -------------------------------------------------------===//

StringRef unsettled(Operation *op) {
  if (auto join = dyn_cast<train::JoinOp>(op))
    for (OpOperand &part : op->getOpOperands()) {
      Value made = analysis::withoutReshapes(part.get());
      if (!isa<linalg::GenericOp, train::JoinOp>(made.getDefiningOp()))
        return "has a part that nothing makes where it lies";
      if (analysis::joinedBy(made) != &part)
        return "has a part that lies elsewhere, too";
      if (isWritten(made))
        return "has a part that is written, too";
    }
  if (auto write = dyn_cast<train::WriteOp>(op))
    if (analysis::withoutReshapes(write.getValue()).getDefiningOp<tensor::ExtractSliceOp>())
      return "writes a part of a tensor";
  if (auto call = dyn_cast<train::CustomCallOp>(op))
    for (Value input : call.getInputs())
      if (analysis::viewOf(input) && analysis::partStrides(input))
        return "gives a user's function a tensor with gaps";
  bool isShown = analysis::isView(op) || isa<train::JoinOp>(op);
  if (isShown && !analysis::viewOf(op->getResult(0)))
    return "shows elements that do not lie at strides of one tensor";
  return "";
}

} // namespace dlc::layout
