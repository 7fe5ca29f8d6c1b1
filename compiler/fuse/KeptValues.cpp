//===- KeptValues.cpp - what the backward pass gets from the forward pass --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/KeptValues.h"
#include "compiler/fuse/Costs.h"
#include "compiler/support/Elements.h"
#include "compiler/support/MinCut.h"
#include "dialects/train/Views.h"

namespace dlc::fuse {

Step::Step(train::FunctionOp function) {
  auto program = function->getParentOfType<train::ProgramOp>();
  SmallVector<Operation *> queue;
  unsigned next = 0;
  for (Operation &op : function.getBody().front()) {
    index[&op] = next++;
    auto write = mlir::dyn_cast<train::WriteOp>(op);
    if (!write)
      continue;
    auto output =
        mlir::dyn_cast<train::OutputOp>(mlir::SymbolTable::lookupSymbolIn(program, write.getSymbolAttr()));
    if (output && output.getRole() == train::OutputRole::Loss)
      queue.push_back(write.getValue().getDefiningOp());
  }
  llvm::SmallPtrSet<Operation *, 32> seen;
  while (!queue.empty()) {
    Operation *op = queue.pop_back_val();
    if (!seen.insert(op).second)
      continue;
    if (!last || indexOf(last) < indexOf(op))
      last = op;
    for (Value operand : op->getOperands())
      queue.push_back(operand.getDefiningOp());
  }
}

Value withoutViews(Value value) {
  while (train::isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

void forEachUse(Value tensor, llvm::function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : tensor.getUses())
    if (train::isView(use.getOwner()))
      forEachUse(use.getOwner()->getResult(0), visit);
    else
      visit(use);
}

namespace {

/// Two questions for each value of the forward pass: is it *needed*, by the backward pass or to compute
/// another one again; and is it *recomputed*? Yes is the source's side of the cut. A value that is needed
/// costs what its bytes cost, unless it is recomputed: then it costs its operations. An edge that cannot be
/// cut says that who is recomputed is needed, and needs what it is made of.
class KeptValues {
public:
  KeptValues(const Step &step, RecomputePrices prices)
      : step(step), prices(prices), source(network.addNode()), sink(network.addNode()) {}

  void require(Value value) {
    if (auto node = needed(value))
      network.addEdge(source, *node, Network::unlimited);
  }
  /// Adds what the values could be recomputed from.
  void addMakers() {
    while (!waiting.empty())
      if (auto op = waiting.pop_back_val().getDefiningOp<GenericOp>(); op && mayBeRecomputed(op))
        addMaker(op);
  }
  SmallVector<GenericOp> cheapest() {
    std::vector<bool> isYes = network.sourceSide(source, sink);
    SmallVector<GenericOp> chosen;
    for (auto [op, node] : recomputed)
      if (isYes[node])
        chosen.push_back(mlir::cast<GenericOp>(op));
    llvm::sort(chosen, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
    return chosen;
  }

private:
  /// A byte is worth more the longer it waits: memory is fullest where the backward pass begins, and what was
  /// made last is wanted again first. So the layers at the end are recomputed last.
  int64_t worth(Value value) const {
    auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
    double bytes = double(type.getNumElements() * elementBytes(type));
    return int64_t(bytes * double(prices.perByte) * step.waits(value.getDefiningOp()));
  }

  int64_t operations(GenericOp op) const {
    int64_t count = iterationsOf(op) * operationsOf(op);
    // What a product reads lies in memory: it is written, which moves a line twice.
    bool isStored = false;
    forEachUse(op.getResult(0), [&](OpOperand &use) {
      auto user = mlir::dyn_cast<GenericOp>(use.getOwner());
      isStored |= !user || isContraction(user);
    });
    return count + (isStored ? 2 * prices.operationsPerByte * bytesOf(op.getResult(0)) : 0);
  }

  bool mayBeRecomputed(GenericOp op) const {
    constexpr int64_t few = 1024; // bytes that are not worth a decision
    auto type = mlir::cast<mlir::RankedTensorType>(op->getResult(0).getType());
    if (op.getNumResults() != 1 || !type.hasStaticShape() || bytesOf(op.getResult(0)) < few ||
        train::scatterOf(op) || operations(op) >= worth(op.getResult(0)))
      return false;
    // A part of a whole, or what has a place of its own, is there anyway.
    bool isPlaced = false;
    forEachUse(op.getResult(0),
               [&](OpOperand &use) { isPlaced |= mlir::isa<train::JoinOp, train::WriteOp>(use.getOwner()); });
    return !isPlaced;
  }

  /// The node that says whether a value is needed; nullopt where it costs nothing.
  std::optional<unsigned> needed(Value value) {
    value = withoutViews(value);
    Operation *maker = value.getDefiningOp();
    if (!mlir::isa<GenericOp, train::JoinOp>(maker) || !step.isForward(maker) ||
        !mlir::cast<mlir::RankedTensorType>(value.getType()).hasStaticShape())
      return std::nullopt;
    auto [it, isNew] = nodes.try_emplace(value);
    if (isNew) {
      it->second = network.addNode();
      network.addEdge(it->second, sink, worth(value));
      waiting.push_back(value);
    }
    return it->second;
  }

  void addMaker(GenericOp op) {
    unsigned node = network.addNode();
    recomputed[op] = node;
    network.addEdge(source, node, worth(op.getResult(0)) - operations(op));
    network.addEdge(node, *needed(op.getResult(0)), Network::unlimited);
    auto addInput = [&](Value input) {
      if (auto other = needed(input))
        network.addEdge(node, *other, Network::unlimited);
    };
    llvm::for_each(op.getInputs(), addInput);
    llvm::for_each(capturedTensors(op), addInput);
  }

  const Step &step;
  RecomputePrices prices;
  Network network;
  unsigned source, sink;
  llvm::DenseMap<Value, unsigned> nodes;
  llvm::MapVector<Operation *, unsigned> recomputed;
  SmallVector<Value> waiting;
};

} // namespace

SmallVector<GenericOp> chooseRecomputed(const Step &step, mlir::Block &block, RecomputePrices prices) {
  KeptValues values(step, prices);
  for (Operation &op : block) {
    if (step.isForward(&op) || train::isView(&op))
      continue;
    if (!mlir::isa<train::WriteOp>(op))
      for (Value operand : op.getOperands())
        values.require(operand);
    if (auto generic = mlir::dyn_cast<GenericOp>(op))
      for (Value captured : capturedTensors(generic))
        values.require(captured);
  }
  values.addMakers();
  return values.cheapest();
}

} // namespace dlc::fuse
