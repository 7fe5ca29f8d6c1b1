//===- CollapseLoops.cpp - neighbouring loops that move together become one ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Neighbouring dims that lie one in the other are one dim without moving anything. The body is built anew
// with fewer loops and dims; the launch gives views of its operands.
//===----------------------------------------------------------------------===//
#include "compiler/fuse/LoopPairs.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "dialects/train/Nonzero.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_COLLAPSELOOPS
#include "compiler/fuse/Passes.h.inc"

using mlir::AffineDimExpr, mlir::AffineExpr, mlir::linalg::IndexOp;

static nn::Shape joined(ArrayRef<nn::Dim> shape, const Groups &groups) {
  nn::Shape result;
  for (const mlir::ReassociationIndices &group : groups) {
    nn::Dim product = 1;
    for (int64_t dim : group)
      product = product * shape[dim];
    result.push_back(product);
  }
  return result;
}

static Value sizeOf(mlir::OpBuilder &b, mlir::Location loc, const nn::Dim &dim) {
  return train::DimSizeOp::create(b, loc, b.getIndexType(), b.getStringAttr(dim.str()));
}

namespace {
/// Rebuilds the body of a kernel with fewer loops and dims.
class Rebuilder {
public:
  Rebuilder(train::KernelOp kernel, const LoopPairs &pairs)
      : kernel(kernel), pairs(pairs), b(kernel.getContext()) {}
  void run();

private:
  mlir::RankedTensorType typeOf(Value tensor, ArrayRef<nn::Dim> shape) const;
  mlir::Attribute stridesOf(Value tensor, unsigned index);
  Value make(OpOperand &operand);
  void rebuild(GenericOp op);
  void cloneBody(GenericOp op, ArrayRef<unsigned> loops, mlir::OpBuilder &inner, ValueRange arguments);

  train::KernelOp kernel;
  const LoopPairs &pairs;
  mlir::OpBuilder b;
  mlir::IRMapping mapping;
  llvm::DenseMap<std::pair<Value, mlir::Type>, Value> made;
};

mlir::RankedTensorType Rebuilder::typeOf(Value tensor, ArrayRef<nn::Dim> shape) const {
  mlir::Type element = mlir::getElementTypeOrSelf(tensor.getType());
  return mlir::RankedTensorType::get(nn::tensorType(shape, element).getShape(), element);
}

// The stride of collapsed dims is that of the last of them.
mlir::Attribute Rebuilder::stridesOf(Value tensor, unsigned index) {
  auto old = kernel.getArgStrides() ? mlir::dyn_cast<mlir::ArrayAttr>((*kernel.getArgStrides())[index])
                                    : mlir::ArrayAttr();
  if (!old)
    return b.getUnitAttr();
  SmallVector<mlir::Attribute> strides;
  for (const mlir::ReassociationIndices &group : pairs.dimsOf(tensor))
    strides.push_back(old[group.back()]);
  return b.getArrayAttr(strides);
}

// Makes the tensor.empty of an operand, and its fill if it has one; equal ones are made once.
Value Rebuilder::make(OpOperand &operand) {
  Value old = operand.get();
  nn::Shape shape = joined(shapeOf(old), pairs.dimsOf(operand));
  mlir::RankedTensorType type = typeOf(old, shape);
  Value &value = made[{old, type}];
  if (value)
    return value;
  SmallVector<Value> sizes;
  for (const nn::Dim &dim : shape)
    if (!dim.isStatic())
      sizes.push_back(sizeOf(b, old.getLoc(), dim));
  Value empty = mlir::tensor::EmptyOp::create(b, old.getLoc(), type, sizes);
  auto fill = old.getDefiningOp<mlir::linalg::FillOp>();
  if (!fill)
    return value = empty;
  Value number = fill.getInputs()[0];
  if (!mapping.contains(number))
    b.clone(*number.getDefiningOp(), mapping);
  return value = mlir::linalg::FillOp::create(b, old.getLoc(), mapping.lookup(number), empty).getResult(0);
}

void Rebuilder::cloneBody(GenericOp op, ArrayRef<unsigned> loops, mlir::OpBuilder &inner,
                          ValueRange arguments) {
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  mlir::IRMapping scalars(mapping);
  scalars.map(op.getBody()->getArguments(), arguments);
  for (Operation &bodyOp : *op.getBody()) {
    if (auto index = mlir::dyn_cast<IndexOp>(bodyOp)) {
      scalars.map(index.getResult(),
                  IndexOp::create(inner, index.getLoc(), loops[index.getDim()]).getResult());
      continue;
    }
    // The sum that stands for the position along two loops becomes the position along the collapsed one.
    if (auto sum = mlir::dyn_cast<mlir::arith::AddIOp>(bodyOp))
      if (auto next = sum.getRhs().getDefiningOp<IndexOp>();
          next && next.getDim() > 0 && loops[next.getDim() - 1] == loops[next.getDim()] &&
          linearPosition(sum, next.getDim() - 1, sizes[next.getDim()])) {
        scalars.map(sum.getResult(), scalars.lookup(next.getResult()));
        continue;
      }
    inner.clone(bodyOp, scalars);
  }
}

void Rebuilder::rebuild(GenericOp op) {
  Groups groups = pairs.loopsOf(op);
  SmallVector<unsigned> loops;       // the new loop of each old one
  SmallVector<AffineExpr> positions; // along the new loops
  SmallVector<mlir::utils::IteratorType> iterators;
  for (const mlir::ReassociationIndices &group : groups) {
    iterators.push_back(op.getIteratorTypesArray()[group.front()]);
    loops.append(group.size(), iterators.size() - 1);
  }
  for (unsigned loop : loops)
    positions.push_back(mlir::getAffineDimExpr(loop, b.getContext()));
  SmallVector<Value> operands;
  SmallVector<AffineMap> maps;
  for (OpOperand &operand : op->getOpOperands()) {
    AffineMap map = op.getMatchingIndexingMap(&operand);
    SmallVector<AffineExpr> results;
    for (const mlir::ReassociationIndices &group : pairs.dimsOf(operand))
      results.push_back(map.getResult(group.front()).replaceDims(positions));
    maps.push_back(AffineMap::get(groups.size(), 0, results, b.getContext()));
    operands.push_back(LoopPairs::isMade(operand.get()) ? make(operand) : mapping.lookup(operand.get()));
  }
  ValueRange inputs = ValueRange(operands).take_front(op.getNumDpsInputs()),
             inits = ValueRange(operands).drop_front(op.getNumDpsInputs());
  auto build = [&](mlir::OpBuilder &inner, mlir::Location, ValueRange arguments) {
    cloneBody(op, loops, inner, arguments);
  };
  auto rebuilt = GenericOp::create(b, op.getLoc(), inits.getTypes(), inputs, inits, maps, iterators,
                                   op.getDoc().value_or(""), "", build);
  for (Operation &bodyOp : llvm::make_early_inc_range(llvm::reverse(*rebuilt.getBody())))
    if (mlir::isOpTriviallyDead(&bodyOp)) // positions along loops that are gone
      bodyOp.erase();
  if (mlir::IntegerSet terms = train::nonzeroTerms(op)) // names loops that are not joined
    train::setNonzeroTerms(rebuilt,
                           terms.replaceDimsAndSymbols(positions, {}, groups.size(), 0).getConstraints(),
                           groups.size());
  mapping.map(op.getResults(), rebuilt.getResults());
}

void Rebuilder::run() {
  mlir::Block *old = &kernel.getBody().front(), *body = new mlir::Block;
  kernel.getBody().push_back(body);
  b.setInsertionPointToEnd(body);
  SmallVector<mlir::Attribute> names, strides;
  auto collapsed = [&](Value tensor) {
    strides.push_back(stridesOf(tensor, names.size()));
    nn::Shape shape = joined(declaredShape(kernel, tensor, names.size()), pairs.dimsOf(tensor));
    mlir::Attribute name = nn::tensorType(shape, mlir::getElementTypeOrSelf(tensor.getType())).getEncoding();
    names.push_back(name ? name : b.getUnitAttr());
    return typeOf(tensor, shape);
  };
  for (mlir::BlockArgument argument : old->getArguments())
    mapping.map(argument, body->addArgument(collapsed(argument), argument.getLoc()));
  for (GenericOp op : old->getOps<GenericOp>())
    for (OpOperand &operand : op->getOpOperands())
      if (LoopPairs::isMade(operand.get()))
        make(operand);
  for (GenericOp op : old->getOps<GenericOp>())
    rebuild(op);
  SmallVector<Value> yielded;
  for (Value result : old->getTerminator()->getOperands()) {
    collapsed(result);
    yielded.push_back(mapping.lookup(result));
  }
  train::YieldOp::create(b, old->getTerminator()->getLoc(), yielded);
  if (kernel.getArgDims())
    kernel.setArgDimsAttr(b.getArrayAttr(names));
  if (kernel.getArgStrides())
    kernel.setArgStridesAttr(b.getArrayAttr(strides));
  int64_t shared = kernel.getShared().value_or(0), left = shared;
  for (const mlir::ReassociationIndices &group : pairs.loopsOf(*old->getOps<GenericOp>().begin()))
    if (group.back() < shared)
      left -= int64_t(group.size()) - 1;
  kernel.setShared(left);
  old->erase();
}
} // namespace

/// Makes one loop of neighbouring loops of `kernel` that move together through everything they touch, and one
/// dim of the dims that they move along. The types of arguments and results change with them.
static void collapseLoops(train::KernelOp kernel) {
  // This is repeated, because a position along two loops may be a term of one along three.
  for (LoopPairs pairs(kernel); pairs.any(); pairs = LoopPairs(kernel))
    Rebuilder(kernel, pairs).run();
}

//===-- Views ------------------------------------------------------------------===//

// The reassociation between `from` and `to`, whose dims are those of `from` with some neighbours collapsed;
// all of these have at least two elements.
static Groups groupsOf(ArrayRef<nn::Dim> from, ArrayRef<nn::Dim> to) {
  Groups groups;
  int64_t next = 0;
  for (const nn::Dim &dim : to) {
    mlir::ReassociationIndices &group = groups.emplace_back();
    nn::Dim product = 1;
    do {
      assert(next < int64_t(from.size()) && "a collapsed kernel has the elements of the first one");
      product = product * from[next];
      group.push_back(next++);
    } while (product != dim);
  }
  return groups;
}

/// The elements of an operand of `launch` as a tensor of `type` and `shape`, whose dims are neighbouring dims
/// of it put together.
static Value collapsedView(train::LaunchOp launch, Value tensor, mlir::Type type, ArrayRef<nn::Dim> shape) {
  if (tensor.getType() == type)
    return tensor;
  // Mostly another collapsed kernel has made the tensor, so that its view is undone instead of reversed.
  if (auto view = tensor.getDefiningOp<mlir::tensor::ExpandShapeOp>();
      view && shapeOf(view.getSrc()) == nn::Shape(shape))
    return view.getSrc();
  for (Operation *user : tensor.getUsers())
    if (auto view = mlir::dyn_cast<mlir::tensor::CollapseShapeOp>(user);
        view && shapeOf(view) == nn::Shape(shape)) {
      if (launch->isBeforeInBlock(view))
        view->moveAfter(tensor.getDefiningOp());
      return view;
    }
  mlir::OpBuilder b(launch);
  b.setInsertionPointAfterValue(tensor);
  return mlir::tensor::CollapseShapeOp::create(b, tensor.getLoc(), type, tensor,
                                               groupsOf(shapeOf(tensor), shape));
}

/// The other way: `type` and `shape` have the dims that were put together in `tensor`.
static Value expandedView(mlir::OpBuilder &b, Value tensor, mlir::Type type, ArrayRef<nn::Dim> shape) {
  if (tensor.getType() == type)
    return tensor;
  SmallVector<mlir::OpFoldResult> sizes;
  for (const nn::Dim &dim : shape)
    sizes.push_back(dim.isStatic() ? mlir::OpFoldResult(b.getIndexAttr(dim.factor))
                                   : sizeOf(b, tensor.getLoc(), dim));
  return mlir::tensor::ExpandShapeOp::create(b, tensor.getLoc(), type, tensor,
                                             groupsOf(shape, shapeOf(tensor)), sizes);
}

/// Gives the launch views of its operands, and its readers views of its results, which had `shapes` before.
static void useViews(train::LaunchOp launch, train::KernelOp kernel, ArrayRef<nn::Shape> shapes) {
  mlir::Block &body = kernel.getBody().front();
  for (auto [operand, argument] : llvm::zip_equal(launch.getInputsMutable(), body.getArguments()))
    operand.set(collapsedView(launch, operand.get(), argument.getType(),
                              declaredShape(kernel, argument, argument.getArgNumber())));
  mlir::OpBuilder b(launch.getContext());
  b.setInsertionPointAfter(launch);
  for (auto [result, yielded, shape] :
       llvm::zip_equal(launch.getOutputs(), body.getTerminator()->getOperands(), shapes)) {
    mlir::Type before = result.getType();
    if (before == yielded.getType())
      continue;
    result.setType(yielded.getType());
    Value view = expandedView(b, result, before, shape);
    result.replaceAllUsesExcept(view, view.getDefiningOp());
  }
}

namespace {
struct CollapseLoopsPass : public impl::CollapseLoopsBase<CollapseLoopsPass> {
  void runOnOperation() override {
    auto launches = launchesByKernel(getOperation());
    forEachKernel(getOperation(), [&](train::KernelOp kernel) {
      SmallVector<train::LaunchOp> of = launches.lookup(kernel);
      SmallVector<SmallVector<nn::Shape>> shapes;
      for (train::LaunchOp launch : of)
        shapes.push_back(
            llvm::map_to_vector(launch.getOutputs(), [](Value result) { return shapeOf(result); }));
      collapseLoops(kernel);
      for (auto [launch, before] : llvm::zip_equal(of, shapes))
        useViews(launch, kernel, before);
    });
    forEachFunction(getOperation(), [](train::FunctionOp, mlir::Block &block) { eraseUnused(block); });
  }
};
} // namespace

} // namespace dlc::fuse
