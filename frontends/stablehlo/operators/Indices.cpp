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
  Numbers sizes;
};
} // namespace

static std::optional<Gathering> readGathering(Node &node, size_t rank, size_t indexRank, size_t resultRank) {
  constexpr StringLiteral within = "dimension_numbers";
  auto offsets = node.dims("offset_dims", resultRank, within),
       collapsed = node.dims("collapsed_slice_dims", rank, within),
       indexed = node.dims("start_index_map", rank, within),
       batching = node.dims("operand_batching_dims", rank, within);
  auto sizes = node.perDim("slice_sizes", rank, -1);
  if (!offsets || !collapsed || !indexed || !batching || !sizes)
    return std::nullopt;
  Gathering result{*offsets, *collapsed, *indexed, *batching, node.number("index_vector_dim", 0, within), *sizes};
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

/// Slices that are whole but for the indexed dims, of which they have one place: rows of a table.
static void gather(Node &node) {
  Value x = node.value(0), indices = x ? node.value(1) : Value();
  if (!indices)
    return;
  nn::Shape shape = nn::shapeOf(x), indexShape = nn::shapeOf(indices);
  size_t resultRank = cast<RankedTensorType>(node.op->getResult(0).getType()).getRank();
  std::optional<Gathering> how = readGathering(node, shape.size(), indexShape.size(), resultRank);
  if (!how)
    return;
  if (!how->batching.empty())
    return node.unsupported("operand_batching_dims (an index for each element, as take_along_axis)");
  Numbers order = how->indexed, sorted = how->indexed, collapsed = how->collapsed;
  llvm::sort(sorted), llvm::sort(collapsed);
  nn::Shape limits;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    bool isIndexed = llvm::is_contained(sorted, int64_t(i));
    bool isWhole = dim.isStatic() ? how->sizes[i] == dim.factor : false;
    if (isIndexed ? how->sizes[i] != 1 || !dim.isStatic() || dim.factor < 1 : !isWhole)
      return node.unsupported("slices of " + Twine(how->sizes[i]) + " of the " + dim.str() + " places of dim " +
                              Twine(i) + "; expected one place of indexed dims, and all of others");
  }
  for (int64_t dim : order)
    limits.push_back(shape[dim]);
  bool hasVector = how->indexDim < int64_t(indexShape.size());
  nn::Dim vector = hasVector ? indexShape[how->indexDim] : nn::Dim(1);
  if (sorted != collapsed || sorted.empty() || vector != nn::Dim(int64_t(sorted.size())) ||
      !nn::elementTypeOf(indices).isSignlessInteger() || nn::elementTypeOf(indices).isInteger(1))
    return node.unsupported("indexed dims that stay in the result, or indices that are not one for each");
  Value places = joinedIndices(node, indices, how->indexDim, limits);
  if (!places)
    return;
  // The indexed dims first, as one.
  nn::Shape table{nn::elementCount(limits)};
  for (int64_t i = 0, e = shape.size(); i < e; ++i)
    if (!llvm::is_contained(sorted, i)) {
      order.push_back(i);
      table.push_back(shape[i]);
    }
  x = node.reshape(node.transpose(x, order), table);
  Value y = node.make<nn::GatherOp>({x, places}, node.attr("axis", int64_t(0)));
  // Now the dims of the indices come first; the offsets say where the others belong.
  Numbers permutation;
  int64_t batch = nn::shapeOf(places).size(), nextBatch = 0, nextOffset = batch;
  if (batch + int64_t(how->offsets.size()) != int64_t(resultRank) ||
      how->offsets.size() + 1 != table.size())
    return node.error("expects an offset for each dim that is not indexed");
  for (int64_t i = 0; i < int64_t(resultRank); ++i)
    permutation.push_back(llvm::is_contained(how->offsets, i) ? nextOffset++ : nextBatch++);
  if (y)
    node.give(node.transpose(y, permutation));
}

static const Operator indicesOperators[] = {
    {"stablehlo.gather", gather, 2},
};

ArrayRef<Operator> operatorsOfIndices() { return indicesOperators; }

} // namespace dlc::stablehlo
