//===- KeptValues.cpp - what the backward pass gets from the forward pass --===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/recompute/KeptValues.h"
#include "compiler/analysis/Views.h"
#include "compiler/fuse/Costs.h"
#include "compiler/support/Elements.h"
#include "compiler/support/MinCut.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/Custom.h"

namespace dlc::fuse {

ForwardBackward::ForwardBackward(train::FunctionOp function) {
  auto program = function->getParentOfType<train::ProgramOp>();
  SmallVector<Operation *> queue;
  unsigned next = 0;
  for (Operation &op : function.getBody().front()) {
    index[&op] = next++;
    auto write = mlir::dyn_cast<train::WriteOp>(op);
    if (!write)
      continue;
    Operation *symbol = mlir::SymbolTable::lookupSymbolIn(program, write.getSymbolAttr());
    auto output = mlir::dyn_cast<train::OutputOp>(symbol);
    if (output ? output.getRole() == train::OutputRole::Loss || output.getOfStep()
               : mlir::cast<train::StateOp>(symbol).getPartLoss())
      queue.push_back(write.getValue().getDefiningOp());
  }
  while (!queue.empty()) {
    Operation *op = queue.pop_back_val();
    if (!leading.insert(op).second)
      continue;
    if (!last || indexOf(last) < indexOf(op))
      last = op;
    for (Value operand : op->getOperands())
      queue.push_back(operand.getDefiningOp());
    if (auto generic = mlir::dyn_cast<GenericOp>(op))
      for (Value captured : capturedTensors(generic))
        queue.push_back(captured.getDefiningOp());
  }
}

Value withoutViews(Value value) {
  while (analysis::isView(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

void forEachUse(Value tensor, llvm::function_ref<void(OpOperand &)> visit) {
  for (OpOperand &use : tensor.getUses())
    if (analysis::isView(use.getOwner()))
      forEachUse(use.getOwner()->getResult(0), visit);
    else
      visit(use);
}

namespace {

/// Chooses what is rematerialized by a minimum cut. The network asks two questions of each value v of the
/// forward pass: is it *needed*, by the backward pass or to rematerialize another value; and is its producer
/// *recomputed*? Nodes on the source's side of the cut answer yes. With keep(v), the price of v's bytes, and
/// ops(v), the operations of its producer, the edges are
///     source -> needed(v), unlimited               the backward pass reads v
///     needed(v) -> sink, keep(v)
///     source -> recomputed(v), keep(v) - ops(v)    what recomputing v saves
///     recomputed(v) -> needed(v), unlimited
///     recomputed(v) -> needed(u), unlimited        for each operand u of v's producer
/// Beside the constant sum of all keep(v) - ops(v), a cut then costs keep(v) for each value that is kept, and
/// ops(v) for each value that is recomputed.
///
/// An example: h is a product of 48 units' worth of bytes that cannot be recomputed, and g = gelu(h) has as
/// many bytes and takes 10 units of operations. If the backward pass reads g alone, keeping g costs 48, and
/// recomputing it costs 10 + 48, as h must be kept for it: g is kept. If the backward pass reads h as well,
/// as the gradient of gelu does, keeping both costs 96, and recomputing g costs 10 + 48: g is recomputed.
class KeptValues {
public:
  KeptValues(const ForwardBackward &passes, RecomputePrices prices)
      : passes(passes), prices(prices), source(network.addNode()), sink(network.addNode()) {}

  void require(Value value) {
    if (auto node = needed(value))
      network.addEdge(source, *node, Network::unlimited);
  }
  /// Adds the producers of all values that are needed, as far as these may be recomputed.
  void addMakers() {
    required = waiting;
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
  /// The price of a byte. Memory is fullest where the backward pass begins, and values that were computed
  /// last are read again first: rematerializing them at once would gain nothing. So the price falls to 0 over
  /// the last of `layers` equal sections of the forward pass.
  double priceAt(Operation *op) const {
    return double(prices.perByte) * std::min(1.0, double(prices.layers) * passes.isToCome(op));
  }

  /// What keeping the value costs: its bytes by their price, but at least the time in which memory moves
  /// them.
  int64_t worth(Value value) const {
    return int64_t(double(bytesOf(value)) *
                   std::max(priceAt(value.getDefiningOp()), double(prices.memory.toKeep(1))));
  }

  /// The capacity of needed(v) -> sink. A cheap elementwise function of one tensor of its size and of smaller
  /// ones, such as an image less its mean, would be stored for the backward pass alone, since forward kernels
  /// compute it in passing: it costs its store in addition.
  int64_t costOfKeeping(Value value) const {
    auto op = value.getDefiningOp<GenericOp>();
    if (!op || !costsNothing(op) || isStored(op))
      return worth(value);
    auto isWhole = [&](OpOperand *input) {
      return op.getMatchingIndexingMap(input).getNumResults() == op.getNumLoops();
    };
    SmallVector<OpOperand *> inputs = op.getDpsInputOperands();
    bool isInPassing = inputs.size() > 1 && llvm::count_if(inputs, isWhole) == 1;
    return worth(value) + (isInPassing ? prices.memory.toMove(bytesOf(value)) : 0);
  }

  /// Whether the value is stored in any case, because a product (or something that is no generic) reads it.
  static bool isStored(GenericOp op) {
    bool isRead = false;
    forEachUse(op.getResult(0), [&](OpOperand &use) {
      auto user = mlir::dyn_cast<GenericOp>(use.getOwner());
      isRead |= !user || isProduct(user);
    });
    return isRead;
  }

  int64_t operations(GenericOp op) const {
    return workOf(op) + (isStored(op) ? prices.memory.toStore(bytesOf(op.getResult(0))) : 0);
  }

  /// Whether recomputing the result costs less than its bytes. Without a price, an operation is recomputed if
  /// a core computes the result while memory moves it once. That costs a little time, because behind a
  /// product nothing waits for memory, but it lowers the peak of memory, where the backward pass begins.
  bool isPaidFor(GenericOp op) const {
    const int64_t bytes = bytesOf(op->getResult(0));
    if (prices.perByte > 0)
      return double(operations(op)) < double(bytes) * priceAt(op);
    return hasLeftTheCache(op) && operations(op) < prices.memory.toMove(bytes);
  }

  /// Whether recomputing takes no time at all: a few simple operations take no longer than loading their
  /// result, once it has left the cache.
  bool costsNothing(GenericOp op) const {
    return hasLeftTheCache(op) && isCheap(bodySlice(op, op.getBody()->getTerminator()->getOperand(0)));
  }

  /// Whether the result of an elementwise operation has left the cache by the time the backward pass reads
  /// it.
  bool hasLeftTheCache(GenericOp op) const {
    return isElementwise(op) && capturedTensors(op).empty() &&
           prices.memory.isNotable(bytesOf(op->getResult(0))) && prices.memory.isFar(keptAfter(op));
  }

  /// Bytes that the forward pass computes later than `op` and that the backward pass reads.
  int64_t keptAfter(GenericOp op) const {
    int64_t later = 0;
    for (Value other : required)
      if (Operation *maker = other.getDefiningOp(); passes.indexOf(op) < passes.indexOf(maker))
        later += bytesOf(other);
    return later;
  }

  bool mayBeRecomputed(GenericOp op) const {
    constexpr int64_t few = 1024; // bytes that are not worth a decision
    if (op.getNumResults() != 1 || bytesOf(op.getResult(0)) < few || analysis::scatterOf(op) ||
        operations(op) >= worth(op.getResult(0)) || !(isPaidFor(op) || costsNothing(op)))
      return false;
    // A part of a join, or a value that is written to a state or an output, has memory of its own anyway.
    bool isPlaced = false;
    forEachUse(op.getResult(0),
               [&](OpOperand &use) { isPlaced |= mlir::isa<train::JoinOp, train::WriteOp>(use.getOwner()); });
    return !isPlaced;
  }

  /// The node needed(value); nullopt where keeping the value costs nothing.
  std::optional<unsigned> needed(Value value) {
    value = withoutViews(value);
    Operation *maker = value.getDefiningOp();
    if (!mlir::isa<GenericOp, train::JoinOp, train::CustomCallOp>(maker) || !passes.isForward(maker))
      return std::nullopt;
    auto op = mlir::dyn_cast<GenericOp>(maker);
    if (op && op.getInputs().empty() && capturedTensors(op).empty())
      return std::nullopt; // a function of positions alone, which each reader computes itself
    auto [it, isNew] = nodes.try_emplace(value);
    if (isNew) {
      it->second = network.addNode();
      network.addEdge(it->second, sink, costOfKeeping(value));
      waiting.push_back(value);
    }
    return it->second;
  }

  void addMaker(GenericOp op) {
    unsigned node = network.addNode();
    recomputed[op] = node;
    network.addEdge(source, node, costOfKeeping(op.getResult(0)) - operations(op));
    network.addEdge(node, *needed(op.getResult(0)), Network::unlimited);
    auto addInput = [&](Value input) {
      if (auto other = needed(input))
        network.addEdge(node, *other, Network::unlimited);
    };
    llvm::for_each(op.getInputs(), addInput);
    llvm::for_each(capturedTensors(op), addInput);
  }

  const ForwardBackward &passes;
  RecomputePrices prices;
  Network network;
  unsigned source, sink;
  llvm::DenseMap<Value, unsigned> nodes;
  llvm::MapVector<Operation *, unsigned> recomputed;
  SmallVector<Value> waiting;
  SmallVector<Value> required; ///< what the backward pass reads
};

} // namespace

SmallVector<GenericOp> chooseRecomputed(const ForwardBackward &passes, mlir::Block &block,
                                        RecomputePrices prices) {
  KeptValues values(passes, prices);
  for (Operation &op : block) {
    if (passes.isForward(&op) || analysis::isView(&op))
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
