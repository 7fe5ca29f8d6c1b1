//===- Plan.cpp - the order of every tensor of a program -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/Plan.h"
#include "compiler/layout/LanePreferences.h"
#include "compiler/layout/Nests.h"
#include "compiler/layout/ViewOrders.h"
#include "dialects/train/Custom.h"

using namespace mlir;

namespace dlc::layout {

/// How well `size` neighbours fill whole vectors: 1 is full.
static double laneUse(int64_t size, int64_t lanes) {
  return size == 0 ? 1.0 : double(size) / double((size + lanes - 1) / lanes * lanes);
}

Plan::Plan(train::ProgramOp program, const CpuTarget &target)
    : program(program), symbols(program), target(target) {
  tieTensors(program, components);
  addTensors();
  program.walk([&](Operation *op) { voteOfEdges(op); });
  fixInputs();
  for (bool states : {false, true}) {
    for (linalg::GenericOp op : contractions)
      voteOfContraction(op, states);
    if (states)
      program.walk([&](linalg::GenericOp op) { voteOfDepthwise(op); });
    chooseAll(states);
  }
}

void Plan::addTensor(unsigned tensor, ArrayRef<int64_t> sizes, bool isState) {
  auto [entry, isNew] = choices.try_emplace(components.find(tensor));
  if (isNew)
    for (int64_t dim : components.fromComponent(tensor, identity(sizes.size())))
      entry->second.sizes.push_back(sizes[dim]);
  entry->second.isState |= isState;
}

void Plan::addTensors() {
  for (auto state : program.getBody().getOps<train::StateOp>())
    addTensor(components.of(state), cast<RankedTensorType>(state.getType()).getShape(), true);
  program.walk([&](Operation *op) {
    for (Value result : op->getResults())
      if (auto type = dyn_cast<RankedTensorType>(result.getType()))
        addTensor(components.of(result), type.getShape(), false);
    if (auto nest = dyn_cast<linalg::GenericOp>(op); nest && isContraction(nest))
      contractions.push_back(nest);
    if (movesNothing(op)) {
      unsigned from = componentOf(op->getOperand(0)), to = componentOf(op->getResult(0));
      views[from].push_back(op);
      views[to].push_back(op);
    }
  });
  for (auto &[component, ops] : views)
    for (Operation *op : ops)
      if (onlyLeavesOutOnes(op)) {
        Choice &from = choiceOf(components.of(op->getOperand(0))),
               &to = choiceOf(components.of(op->getResult(0)));
        from.isState = to.isState = from.isState || to.isState;
      }
}

// The layout of what the caller passes, or a user's function computes, is fixed, and so is that of views of
// it, unless they get votes of their own.
void Plan::fixInputs() {
  program.walk([&](Operation *op) {
    if (!isa<train::ReadOp, train::CustomCallOp>(op))
      return;
    for (Value value : op->getResults()) {
      unsigned tensor = components.of(value);
      if (!hasFixedOrder(value, symbols))
        continue;
      choiceOf(tensor).order = identity(components.rank(tensor));
      passOn(components.find(tensor));
    }
  });
}

//===-- Votes ------------------------------------------------------------------===//

void Plan::vote(unsigned tensor, ArrayRef<int64_t> order, int64_t weight) {
  if (order.size() < 2)
    return;
  Order own = components.toComponent(tensor, order);
  Choice &choice = choiceOf(tensor);
  for (Vote &vote : choice.votes)
    if (vote.order == own) {
      vote.weight += weight;
      return;
    }
  choice.votes.push_back({own, weight});
}

// Votes for the logical form of what the caller passes and gets, and, with the least weight, for results to
// stay as they are.
void Plan::voteOfEdges(Operation *op) {
  if (auto write = dyn_cast<train::WriteOp>(op)) {
    if (symbols.lookup<train::OutputOp>(write.getSymbol()))
      vote(components.of(write.getValue()), identity(components.rank(components.of(write.getValue()))),
           bytesOf(write.getValue().getType()));
    return;
  }
  if (auto call = dyn_cast<train::CustomCallOp>(op))
    for (Value input : call.getInputs())
      vote(components.of(input), identity(components.rank(components.of(input))), bytesOf(input.getType()));
  // A reshape moves nothing if the dims that it collapses are contiguous, the last one innermost.
  if (isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp>(op) && !onlyLeavesOutOnes(op)) {
    Value apart = isa<tensor::CollapseShapeOp>(op) ? op->getOperand(0) : op->getResult(0);
    unsigned tensor = components.of(apart);
    if (!choiceOf(tensor).isState)
      vote(tensor, identity(components.rank(tensor)), 1);
    return;
  }
  auto nest = dyn_cast<linalg::GenericOp>(op);
  if (!nest)
    return;
  unsigned result = components.of(nest.getResult(0)), rank = components.rank(result);
  vote(result, identity(rank), 1);
  for (OpOperand *input : nest.getDpsInputOperands()) {
    if (!hasFixedOrder(input->get(), symbols) || isContraction(nest))
      continue;
    if (std::optional<Dims> dims = dimsAlong(nest, *input); dims && dims->size() == rank)
      vote(result, *dims, bytesOf(input->get().getType()));
  }
}

// Votes for the orders that a contraction prefers. The vote for its result weighs more than a copy: the
// contraction itself is slower without it.
void Plan::voteOfContraction(linalg::GenericOp op, bool ofStates) {
  constexpr int64_t copiesOfResult = 4;
  OpOperand &init = *op.getDpsInitOperand(0);
  Value result = op.getResult(0);
  std::optional<int64_t> preferred = preferredLane(op);
  unsigned resultTensor = components.of(result);
  for (Value tensor : {op.getInputs()[0], op.getInputs()[1], result})
    choiceOf(components.of(tensor)).isContracted = true;
  bool isState = choiceOf(resultTensor).isState;
  auto orderIfChosen = [&](Value value) -> std::optional<Order> {
    if (choiceOf(components.of(value)).order)
      return orderOf(value);
    return std::nullopt;
  };
  auto prefer = [&](OpOperand &tensor, int64_t lane) {
    return laneLast(op, tensor, lane, ofStates ? orderIfChosen(rowOperand(op, lane)->get()) : std::nullopt);
  };
  if (preferred && isState == ofStates)
    vote(resultTensor, prefer(init, *preferred), copiesOfResult * bytesOf(result.getType()));
  // The lane loop of a weight's gradient depends on the weight's layout, and asks for little here.
  if (!preferred && isState) {
    if (std::optional<int64_t> lane = laneOfLongReduction(op); lane && ofStates)
      vote(resultTensor, laneLast(op, init, *lane), bytesOf(result.getType()));
    return;
  }
  int64_t lane = preferred ? *preferred : laneOf(op, identity(op.getNumParallelLoops()));
  if (auto order = orderIfChosen(result))
    lane = laneOf(op, *order);
  OpOperand *operand = laneOperand(op, lane);
  AffineMap map = op.getMatchingIndexingMap(operand);
  unsigned tensor = components.of(operand->get());
  // A value that a training step computes may keep its order where the product transposes it while packing; a
  // weight is laid out once for all steps.
  bool isCopied = !ofStates && !preferred &&
                  copiesItself(op, *operand, map, op.getStaticLoopRanges(), lane, op.getNumLoops() - 1);
  if (choiceOf(tensor).isState == ofStates && axisOf(map, lane) >= 0 && !isCopied)
    vote(tensor, prefer(*operand, lane), bytesOf(operand->get().getType()));
}

// If the channels of a depthwise convolution are last in the result, and so are its lanes, they should be
// last in the weight, too.
void Plan::voteOfDepthwise(linalg::GenericOp op) {
  if (!analysis::isDepthwise(op) || !choiceOf(components.of(op.getResult(0))).order)
    return;
  int64_t lane = laneOf(op, orderOf(op.getResult(0)));
  OpOperand *operand = laneOperand(op, lane), *image = rowOperand(op, lane);
  unsigned tensor = components.of(operand->get());
  if (choiceOf(tensor).isState && axisOf(op.getMatchingIndexingMap(operand), lane) >= 0 &&
      choiceOf(components.of(image->get())).order)
    vote(tensor, laneLast(op, *operand, lane, orderOf(image->get())), bytesOf(operand->get().getType()));
}

//===-- Choices ----------------------------------------------------------------===//

void Plan::choose(Choice &choice) {
  const Vote *best = nullptr;
  for (const Vote &vote : choice.votes)
    if (!best || vote.weight > best->weight)
      best = &vote;
  choice.order = best ? best->order : identity(choice.sizes.size());
  if (!best || !choice.isState)
    return;
  // Elementwise kernels on a weight, such as its update, run along its last dim: an order whose last dim
  // fills vectors better is worth a copy elsewhere.
  auto use = [&](ArrayRef<int64_t> order) { return laneUse(choice.sizes[order.back()], target.lanes); };
  SmallVector<Order> others{identity(choice.sizes.size())};
  for (const Vote &vote : choice.votes)
    others.push_back(vote.order);
  for (const Order &other : others)
    if (use(other) > 1.2 * use(*choice.order))
      choice.order = other;
}

void Plan::chooseAll(bool states) {
  auto isLighter = [&](unsigned a, unsigned b) { return heaviestVote(a) < heaviestVote(b); };
  SmallVector<unsigned> waiting;
  for (auto &[component, choice] : choices)
    if (choice.isState == states && !choice.order)
      waiting.push_back(component);
  llvm::sort(waiting);
  llvm::stable_sort(waiting, [&](unsigned a, unsigned b) { return isLighter(b, a); });
  while (!waiting.empty()) {
    // Among states, a choice may have added votes for others (a gradient's, from its parameter), so the
    // heaviest is looked for anew.
    auto next = states ? llvm::max_element(waiting, isLighter) : waiting.begin();
    unsigned component = *next;
    waiting.erase(next);
    choose(choices[component]);
    passOn(component);
  }
}

int64_t Plan::heaviestVote(unsigned component) {
  int64_t most = 0;
  for (const Vote &vote : choices[component].votes)
    most = std::max(most, vote.weight);
  return most;
}

void Plan::passOn(unsigned component) {
  auto entry = views.find(component);
  if (entry == views.end())
    return;
  for (Operation *op : entry->second) {
    Value from = op->getOperand(0), to = op->getResult(0);
    if (componentOf(from) != component)
      std::swap(from, to);
    if (choiceOf(components.of(to)).order)
      continue;
    if (std::optional<Order> order = orderThrough(op, from, orderOf(from)))
      vote(components.of(to), *order, bytesOf(to.getType()));
  }
}

} // namespace dlc::layout
