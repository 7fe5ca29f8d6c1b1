//===- Indices.cpp - elements at indices -------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Node.h"

using namespace mlir;

namespace dlc::stablehlo {

namespace {
/// How slices are taken.
struct Gathering {
  Numbers offsets, collapsed, indexed, batching;
  int64_t indexDim = 0;
};
} // namespace

static std::optional<Gathering> readGathering(Node &node, size_t rank, size_t indexRank, size_t resultRank) {
  constexpr StringLiteral within = "dimension_numbers";
  auto offsets = node.dims("offset_dims", resultRank, within),
       collapsed = node.dims("collapsed_slice_dims", rank, within),
       indexed = node.dims("start_index_map", rank, within),
       batching = node.dims("operand_batching_dims", rank, within);
  if (!offsets || !collapsed || !indexed || !batching)
    return std::nullopt;
  Gathering result{*offsets, *collapsed, *indexed, *batching, node.number("index_vector_dim", 0, within)};
  if (result.indexDim >= 0 && result.indexDim <= int64_t(indexRank))
    return result;
  node.error("expects a dim of the indices as index_vector_dim, got " + Twine(result.indexDim));
  return std::nullopt;
}

/// Indices into the dims of a matrix of rows: x[i, j, k...] lies at row i * size(j) + j.
static Value joinedIndices(Node &node, Value indices, int64_t indexDim, ArrayRef<nn::Dim> limits) {
  nn::Shape shape = nn::shapeOf(indices);
  Value joined;
  for (auto [i, limit] : llvm::enumerate(limits)) {
    Value one = indices;
    nn::Shape rest = shape;
    if (indexDim < int64_t(shape.size())) {
      if (!(one = node.part(indices, indexDim, i, i + 1)))
        return {};
      rest.erase(rest.begin() + indexDim);
      one = node.reshape(one, rest);
    }
    if (!one)
      return {};
    // StableHLO moves places out of range into it.
    nn::Expr place(node.b, one);
    place = nn::max(nn::min(place, place.scalar(double(limit.factor - 1))), place.scalar(0));
    joined = joined ? Value(nn::Expr(node.b, joined) * double(limit.factor) + place) : place.get();
  }
  return joined;
}

/// The dims of the result where the indices' dims stand behind `before` others, in the order that the offsets
/// say.
static Value inOrder(Node &node, Value y, int64_t before, int64_t batch, ArrayRef<int64_t> offsets) {
  if (!y)
    return y;
  Numbers permutation;
  int64_t rank = nn::shapeOf(y).size(), nextOffset = 0, nextBatch = before;
  for (int64_t i = 0; i < rank; ++i) {
    if (nextOffset == before)
      nextOffset += batch; // those of the indices
    permutation.push_back(llvm::is_contained(offsets, i) ? nextOffset++ : nextBatch++);
  }
  return node.transpose(y, permutation);
}

/// Slices that are whole but for the indexed dims, of which they have one place: rows of a table.
static void gatherSlices(Node &node, ArrayRef<nn::Dim> sizes) {
  Value x = node.value(0), indices = x ? node.value(1) : Value();
  if (!indices)
    return;
  nn::Shape shape = nn::shapeOf(x), indexShape = nn::shapeOf(indices);
  int64_t rank = shape.size(), resultRank = cast<RankedTensorType>(node.op->getResult(0).getType()).getRank();
  std::optional<Gathering> how = readGathering(node, rank, indexShape.size(), resultRank);
  if (!how)
    return;
  if (!how->batching.empty())
    return node.unsupported("operand_batching_dims (an index for each element, as take_along_axis)");
  Numbers sorted = how->indexed, collapsed = how->collapsed;
  llvm::sort(sorted), llvm::sort(collapsed);
  for (int64_t i = 0; i < rank; ++i) {
    bool isIndexed = llvm::is_contained(sorted, i);
    if (isIndexed ? !sizes[i].isOne() || !shape[i].isStatic() || shape[i].factor < 1 : sizes[i] != shape[i])
      return node.unsupported("slices of " + sizes[i].str() + " of the " + shape[i].str() +
                              " places of dim " + Twine(i) +
                              "; expected one place of indexed dims, and all of others");
  }
  nn::Shape limits;
  for (int64_t dim : how->indexed)
    limits.push_back(shape[dim]);
  bool hasVector = how->indexDim < int64_t(indexShape.size());
  nn::Dim vector = hasVector ? indexShape[how->indexDim] : nn::Dim(1);
  if (sorted != collapsed || sorted.empty() || vector != nn::Dim(int64_t(sorted.size())) ||
      nn::elementTypeOf(indices).isInteger(1) || !nn::elementTypeOf(indices).isSignlessInteger())
    return node.unsupported("indexed dims that stay in the result, or indices that are not one for each");
  int64_t batch = int64_t(indexShape.size()) - hasVector, axis = sorted.front();
  if (batch + int64_t(how->offsets.size()) != resultRank ||
      int64_t(how->offsets.size() + sorted.size()) != rank)
    return node.error("expects an offset for each dim that is not indexed");
  // One place that is known is a slice.
  if (std::optional<double> place = node.splat(1); place && batch == 0 && sorted.size() == 1) {
    int64_t start = std::clamp<double>(*place, 0, double(shape[axis].factor - 1));
    nn::Shape rest = shape;
    rest.erase(rest.begin() + axis);
    return node.give(node.reshape(node.part(x, axis, start, start + 1), rest));
  }
  Value places = joinedIndices(node, indices, how->indexDim, limits);
  if (!places)
    return;
  if (sorted.size() > 1) { // the indexed dims first, as one
    Numbers order = how->indexed;
    nn::Shape table{nn::elementCount(limits)};
    for (int64_t i = 0; i < rank; ++i)
      if (!llvm::is_contained(sorted, i)) {
        order.push_back(i);
        table.push_back(shape[i]);
      }
    x = node.reshape(node.transpose(x, order), table);
    axis = 0;
  }
  Value y = node.make<nn::GatherOp>({x, places}, node.attr("axis", axis));
  node.give(inOrder(node, y, axis, batch, how->offsets));
}

static void gather(Node &node) {
  auto sizes = node.perDim("slice_sizes", node.rank(0), -1);
  if (sizes)
    gatherSlices(node, nn::Shape(sizes->begin(), sizes->end()));
}
static void dynamicGather(Node &node) {
  std::optional<nn::Shape> sizes = node.sizes(2);
  if (sizes && int64_t(sizes->size()) != node.rank(0))
    return node.error("expects a size for each dim of the operand");
  if (sizes)
    gatherSlices(node, *sizes);
}

static const Operator indicesOperators[] = {
    {"stablehlo.gather", gather, 2},
    {"stablehlo.dynamic_gather", dynamicGather, 3},
};

ArrayRef<Operator> operatorsOfIndices() { return indicesOperators; }

} // namespace dlc::stablehlo
