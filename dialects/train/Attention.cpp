//===- Attention.cpp - softmaxes between two products -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/AttentionSearch.h"
#include "dialects/train/Reductions.h"

using namespace mlir;
using linalg::GenericOp;

namespace train {

static int64_t productOfSizes(ArrayRef<int64_t> sizes) {
  int64_t product = 1;
  for (int64_t size : sizes)
    product = ShapedType::isDynamic(size) || product < 0 ? -1 : std::min<int64_t>(product * size, 1 << 20);
  return product;
}

int64_t Attention::steps() const {
  GenericOp op = scores;
  SmallVector<int64_t> sizes = op.getStaticLoopRanges();
  return productOfSizes(ArrayRef(sizes).drop_front(op.getNumParallelLoops()));
}

int64_t Attention::columns() const {
  GenericOp op = values;
  SmallVector<int64_t> sizes;
  for (auto [loop, size] : llvm::enumerate(op.getStaticLoopRanges()))
    if (loops.lookup(op)[loop] < 0)
      sizes.push_back(size);
  return productOfSizes(sizes);
}

static std::optional<AttentionSearch> searchFrom(GenericOp values) {
  if (!isContraction(values))
    return std::nullopt;
  // What the left operand is made of, up to products.
  constexpr size_t mostOperations = 32;
  llvm::SetVector<Operation *> before;
  SmallVector<GenericOp> products;
  SmallVector<Value> queue{values.getInputs()[0]};
  while (!queue.empty()) {
    auto op = queue.pop_back_val().getDefiningOp<GenericOp>();
    if (!op || before.contains(op))
      continue;
    if (isContraction(op)) {
      if (!llvm::is_contained(products, op))
        products.push_back(op);
      continue;
    }
    before.insert(op);
    if (before.size() > mostOperations)
      return std::nullopt;
    llvm::append_range(queue, op.getInputs());
  }
  SmallVector<GenericOp> inOrder;
  for (Operation *op : before)
    inOrder.push_back(cast<GenericOp>(op));
  llvm::sort(inOrder, [](GenericOp a, GenericOp b) { return a->isBeforeInBlock(b); });
  for (GenericOp scores : products)
    if (AttentionSearch search(scores, values); search.run(inOrder))
      return search;
  return std::nullopt;
}

std::optional<Attention> attentionOf(GenericOp values) {
  std::optional<AttentionSearch> search = searchFrom(values);
  return search ? std::optional(std::move(search->found)) : std::nullopt;
}

std::optional<Attention> attentionOf(KernelOp kernel) {
  auto ops = llvm::to_vector(kernel.getBody().front().getOps<GenericOp>());
  auto values = llvm::find_if(llvm::reverse(ops), isContraction);
  if (values == ops.rend())
    return std::nullopt;
  std::optional<AttentionSearch> search = searchFrom(*values);
  if (!search)
    return std::nullopt;
  auto isAfter = [&](GenericOp op) {
    return op.getNumReductionLoops() == 0 && op.getNumLoops() == values->getNumParallelLoops() &&
           llvm::all_of(op.getInputs(), [&](Value input) {
             Operation *maker = input.getDefiningOp();
             return maker == *values || !search->contains(maker);
           });
  };
  for (GenericOp op : ops)
    if (!search->contains(op) && !search->takeBeside(op) && !isAfter(op))
      return std::nullopt;
  bool keepsElements =
      llvm::any_of(kernel.getBody().front().getTerminator()->getOperands(),
                   [&](Value yielded) { return search->found.isOfElements(yielded.getDefiningOp()); });
  return keepsElements ? std::nullopt : std::optional(std::move(search->found));
}

} // namespace train
