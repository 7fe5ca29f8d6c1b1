//===- Components.cpp - tensors whose dims lie in one order ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/layout/Components.h"
#include "compiler/layout/Nests.h"
#include "dialects/train/Custom.h"

using namespace mlir;

namespace dlc::layout {

Order identity(unsigned rank) { return llvm::to_vector_of<int64_t, 4>(llvm::seq<int64_t>(rank)); }

unsigned Components::numberOf(const void *key, unsigned rank) {
  auto [entry, isNew] = numbers.try_emplace(key, nodes.size());
  if (isNew)
    nodes.push_back({unsigned(nodes.size()), identity(rank)});
  return entry->second;
}

unsigned Components::find(unsigned tensor) {
  unsigned parent = nodes[tensor].parent;
  if (parent == tensor || nodes[parent].parent == parent)
    return parent;
  unsigned root = find(parent);
  for (int64_t &dim : nodes[tensor].dims)
    dim = nodes[parent].dims[dim];
  nodes[tensor].parent = root;
  return root;
}

void Components::tie(unsigned a, unsigned b, ArrayRef<int64_t> dims) {
  unsigned rootA = find(a), rootB = find(b);
  if (rootA == rootB)
    return;
  // The earlier tensor stands for both components, so that orders are those of what comes first in the
  // program.
  if (rootA < rootB) {
    Dims inverse(dims.size());
    for (auto [dim, other] : llvm::enumerate(dims))
      inverse[other] = dim;
    return tie(b, a, inverse);
  }
  Dims ofRoot(dims.size());
  for (auto [dim, other] : llvm::enumerate(dims))
    ofRoot[nodes[a].dims[dim]] = nodes[b].dims[other];
  nodes[rootA] = {rootB, ofRoot};
}

Order Components::toComponent(unsigned tensor, ArrayRef<int64_t> order) {
  find(tensor);
  Order result;
  for (int64_t dim : order)
    result.push_back(nodes[tensor].dims[dim]);
  return result;
}

Order Components::fromComponent(unsigned tensor, ArrayRef<int64_t> order) {
  find(tensor);
  Order result;
  for (int64_t dim : order)
    result.push_back(llvm::find(nodes[tensor].dims, dim) - nodes[tensor].dims.begin());
  return result;
}

//===-- Ties -------------------------------------------------------------------===//

/// The loop's number if `loops` are one parallel loop that no other dim goes along with, so far.
static bool addLoop(linalg::GenericOp op, const llvm::SmallSetVector<int64_t, 2> &loops, Dims &dims) {
  int64_t found = -1;
  for (int64_t loop : loops)
    if (op.getIteratorTypesArray()[loop] == utils::IteratorType::parallel) {
      if (found >= 0)
        return false;
      found = loop;
    }
  if (found < 0 || llvm::is_contained(dims, found))
    return false;
  dims.push_back(found);
  return true;
}

std::optional<Dims> dimsAlong(linalg::GenericOp op, OpOperand &input) {
  Dims dims;
  for (AffineExpr expr : op.getMatchingIndexingMap(&input).getResults()) {
    llvm::SmallSetVector<int64_t, 2> loops;
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (expr.isFunctionOfDim(loop))
        loops.insert(loop);
    if (!addLoop(op, loops, dims))
      return std::nullopt;
  }
  return dims;
}

std::optional<Dims> dimsAlong(linalg::GenericOp op, tensor::ExtractOp read) {
  Dims dims;
  for (Value index : read.getIndices()) {
    llvm::SmallSetVector<int64_t, 2> loops;
    SmallVector<Value> queue{index};
    llvm::SmallPtrSet<Operation *, 16> seen;
    while (!queue.empty()) {
      Operation *producer = queue.pop_back_val().getDefiningOp();
      if (!producer || !seen.insert(producer).second)
        continue;
      if (auto position = dyn_cast<linalg::IndexOp>(producer))
        loops.insert(position.getDim());
      llvm::append_range(queue, producer->getOperands());
    }
    if (!addLoop(op, loops, dims))
      return std::nullopt;
  }
  return dims;
}

bool isTied(linalg::GenericOp op, tensor::ExtractOp read) {
  std::optional<Dims> dims = dimsAlong(op, read);
  return dims && dims->size() == op.getNumParallelLoops() && dims->size() > 1;
}

bool hasFixedOrder(Value value, const SymbolTable &symbols) {
  auto read = value.getDefiningOp<train::ReadOp>();
  return value.getDefiningOp<train::CustomCallOp>() ||
         (read && symbols.lookup<train::InputOp>(read.getSymbol()));
}

static void tieNest(linalg::GenericOp op, Components &components, const SymbolTable &symbols) {
  if (isContraction(op))
    return;
  unsigned rank = op.getNumParallelLoops();
  auto tie = [&](Value tensor, std::optional<Dims> dims) {
    if (dims && dims->size() == rank && rank > 1 && !hasFixedOrder(tensor, symbols))
      components.tie(components.of(tensor), components.of(op.getResult(0)), *dims);
  };
  for (OpOperand *input : op.getDpsInputOperands())
    tie(input->get(), dimsAlong(op, *input));
  op.getBody()->walk([&](tensor::ExtractOp read) { tie(read.getTensor(), dimsAlong(op, read)); });
}

static void tiePart(Value part, Value whole, Components &components, const SymbolTable &symbols) {
  unsigned a = components.of(part), b = components.of(whole), rank = components.rank(a);
  if (rank == components.rank(b) && rank > 1 && !hasFixedOrder(part, symbols) &&
      !hasFixedOrder(whole, symbols))
    components.tie(a, b, identity(rank));
}

void tieTensors(train::ProgramOp program, Components &components) {
  SymbolTable symbols(program);
  auto same = [&](unsigned a, unsigned b) { components.tie(a, b, identity(components.rank(a))); };
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (auto owner =
            state.getOwnerAttr() ? symbols.lookup<train::StateOp>(state.getOwnerAttr().getAttr()) : nullptr;
        owner && owner.getType() == state.getType())
      same(components.of(state), components.of(owner));
  program.walk([&](Operation *op) {
    if (auto read = dyn_cast<train::ReadOp>(op)) {
      if (auto state = symbols.lookup<train::StateOp>(read.getSymbol()))
        same(components.of(read.getValue()), components.of(state));
    } else if (auto write = dyn_cast<train::WriteOp>(op)) {
      if (auto state = symbols.lookup<train::StateOp>(write.getSymbol()))
        same(components.of(write.getValue()), components.of(state));
    } else if (auto nest = dyn_cast<linalg::GenericOp>(op)) {
      tieNest(nest, components, symbols);
    } else if (auto slice = dyn_cast<tensor::ExtractSliceOp>(op)) {
      tiePart(slice.getResult(), slice.getSource(), components, symbols);
    } else if (auto join = dyn_cast<train::JoinOp>(op)) {
      for (Value part : join.getParts())
        tiePart(part, join.getWhole(), components, symbols);
    }
  });
}

} // namespace dlc::layout
