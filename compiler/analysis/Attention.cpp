//===- Attention.cpp - softmaxes between two products -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Attention.h"
#include "dialects/train/Roles.h"

using namespace mlir;
using linalg::GenericOp;
using train::KernelOp, train::KernelRole, train::RoleAttr, train::roleOf;

namespace dlc::analysis {

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

std::optional<Attention> attentionOf(KernelOp kernel) {
  Attention found;
  for (GenericOp op : kernel.getBody().front().getOps<GenericOp>()) {
    RoleAttr role = roleOf(op);
    if (!role)
      continue;
    if (role.getRole() != KernelRole::Scores)
      found.loops[op] = SmallVector<int64_t, 4>(role.getLoops());
    switch (role.getRole()) {
    case KernelRole::Scores:
      found.scores = op;
      break;
    case KernelRole::Mask:
      found.masks.push_back(op);
      break;
    case KernelRole::RowMax:
      found.rowMax = op;
      break;
    case KernelRole::Exponentials:
      found.exponentials = op;
      break;
    case KernelRole::RowSum:
      found.sum = op;
      break;
    case KernelRole::RowFactor:
      found.factor = op.getResult(0);
      found.rowValues.push_back(op);
      break;
    case KernelRole::RowValue:
      found.rowValues.push_back(op);
      break;
    case KernelRole::Probabilities:
      found.probabilities.push_back(op);
      break;
    case KernelRole::Values:
      found.values = op;
      break;
    case KernelRole::Producer:
    case KernelRole::Elementwise:
    case KernelRole::Consumer:
      return std::nullopt;
    }
  }
  if (!found.scores)
    return std::nullopt;
  if (!found.factor)
    found.factor = found.sum.getResult(0);
  found.setSides();
  return found;
}

void Attention::setSides() {
  auto maps = scores.getIndexingMapsArray();
  for (int64_t loop = 0; loop < int64_t(scores.getNumParallelLoops()); ++loop) {
    bool inLeft = maps[0].isFunctionOfDim(loop), inRight = maps[1].isFunctionOfDim(loop);
    if (inLeft && !inRight)
      row = loop; // of several, the last: heads that have their keys in common are others
    if (inRight && !inLeft)
      key = loop;
  }
}

} // namespace dlc::analysis
