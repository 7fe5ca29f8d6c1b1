//===- RecomputeForward.cpp - the pass dlc-recompute-forward ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Copies of what is recomputed stand in front of the first operation of the backward pass that reads them.
// They read what is kept through a view that shows all of it: kernels are not formed across views, so a copy
// cannot become part of the forward pass again, nor be found equal to what it copies.
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Views.h"
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/recompute/KeptValues.h"
#include "compiler/support/NodeNames.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_RECOMPUTEFORWARD
#include "compiler/fuse/Passes.h.inc"

namespace {

class Copies {
public:
  Copies(const ForwardBackward &passes, ArrayRef<GenericOp> recomputed) : passes(passes) {
    for (GenericOp op : recomputed)
      add(op);
    llvm::sort(copied, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : llvm::reverse(copied))
      findReader(op);
  }

  /// Makes the copies; the backward pass and other copies read them.
  void make() {
    for (Operation *op : copied) {
      Operation *reader = readers.lookup(op);
      if (!reader)
        continue;
      mlir::OpBuilder b(reader);
      Operation *copy =
          mlir::isa<GenericOp>(op) ? copyGeneric(b, mlir::cast<GenericOp>(op)) : copyView(b, op);
      for (auto [before, now] : llvm::zip_equal(op->getResults(), copy->getResults())) {
        before.replaceUsesWithIf(now, [&](OpOperand &use) { return isBackward(use.getOwner()); });
        copies[before] = now;
      }
    }
  }

private:
  void add(Operation *op) {
    copied.push_back(op);
    for (Operation *user : op->getUsers())
      if (analysis::isView(user) && passes.isForward(user))
        add(user);
  }

  /// Copies read other copies where there are such.
  bool isBackward(Operation *user) const { return passes.isBackward(enclosing(user)); }
  static Operation *enclosing(Operation *op) { // of what a body captures
    while (!mlir::isa<train::FunctionOp>(op->getParentOp()))
      op = op->getParentOp();
    return op;
  }

  /// The first operation after the loss that reads a result of `op`, itself or by copies.
  void findReader(Operation *op) {
    Operation *first = nullptr;
    for (Operation *direct : op->getUsers()) {
      Operation *user = enclosing(direct);
      Operation *reader = passes.isBackward(user) ? user : readers.lookup(user);
      if (reader && (!first || passes.indexOf(reader) < passes.indexOf(first)))
        first = reader;
    }
    readers[op] = first;
  }

  Value operandOfCopy(Value operand) {
    if (Value copy = copies.lookup(operand))
      return copy;
    Value &view = views[operand];
    if (view)
      return view;
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(operand.getType());
    Operation *maker = operand.getDefiningOp();
    if (!type || type.getRank() == 0 || mlir::isa<mlir::tensor::EmptyOp, mlir::linalg::FillOp>(maker))
      return view = operand;
    mlir::OpBuilder b(passes.lastForward()->getContext());
    b.setInsertionPointAfter(passes.lastForward());
    SmallVector<mlir::ReassociationIndices> each;
    for (int64_t dim = 0; dim < type.getRank(); ++dim)
      each.push_back({dim});
    return view = mlir::tensor::CollapseShapeOp::create(b, operand.getLoc(), type, operand, each);
  }

  Operation *copyGeneric(mlir::OpBuilder &b, GenericOp op) {
    mlir::IRMapping mapping;
    for (Value init : op.getDpsInits()) {
      auto fill = init.getDefiningOp<mlir::linalg::FillOp>();
      if (Value empty = fill ? fill.getOutputs().front() : init; empty.getDefiningOp<mlir::tensor::EmptyOp>())
        b.clone(*empty.getDefiningOp(), mapping);
      if (fill)
        b.clone(*fill, mapping);
    }
    for (Value input : op.getInputs())
      mapping.map(input, operandOfCopy(input));
    for (Value captured : capturedTensors(op))
      if (Value copy = copies.lookup(captured))
        mapping.map(captured, copy);
    return b.clone(*op, mapping);
  }

  Operation *copyView(mlir::OpBuilder &b, Operation *op) {
    mlir::IRMapping mapping;
    mapping.map(op->getOperand(0), operandOfCopy(op->getOperand(0)));
    return b.clone(*op, mapping);
  }

  const ForwardBackward &passes;
  SmallVector<Operation *> copied;                  ///< in program order
  llvm::DenseMap<Operation *, Operation *> readers; ///< in front of which copies stand
  llvm::DenseMap<Value, Value> copies;
  llvm::DenseMap<Value, Value> views; ///< of what is kept
};

struct RecomputeForwardPass : public impl::RecomputeForwardBase<RecomputeForwardPass> {
  using RecomputeForwardBase::RecomputeForwardBase;

  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      for (auto function : program.getOps<train::FunctionOp>())
        recompute(function);
  }

  void recompute(train::FunctionOp function) {
    ForwardBackward passes(function);
    if (!passes.hasLoss())
      return;
    mlir::Block &block = function.getBody().front();
    RecomputePrices prices{price, layers, {nearBytes, operationsPerByte}};
    SmallVector<GenericOp> recomputed = chooseRecomputed(passes, block, prices);
    if (price == 0)
      for (GenericOp op : chooseProductsAgain(passes, block, prices))
        if (!llvm::is_contained(recomputed, op))
          recomputed.push_back(op);
    llvm::sort(recomputed, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
    note(function, recomputed);
    Copies(passes, recomputed).make();
  }

  /// A description of what is recomputed: nodes of the model, and the fraction of the function's operations.
  void note(train::FunctionOp function, ArrayRef<GenericOp> recomputed) {
    if (recomputed.empty())
      return;
    llvm::SetVector<mlir::StringAttr> nodes;
    int64_t again = 0, all = 0;
    for (GenericOp op : function.getBody().getOps<GenericOp>())
      all += workOf(op);
    mlir::Builder b(function.getContext());
    for (GenericOp op : recomputed) {
      again += workOf(op);
      if (StringRef node = nodeName(op.getLoc()); !node.empty())
        nodes.insert(b.getStringAttr(node));
    }
    function.setRecomputedAttr(train::RecomputedAttr::get(
        function.getContext(), all > 0 ? again * 1000 / all : 0, nodes.getArrayRef()));
  }
};

} // namespace
} // namespace dlc::fuse
