//===- Indices.cpp - ATen operators that take elements by index -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Places.h"
#include "frontends/pt2/Node.h"

using namespace mlir;

namespace dlc::pt2 {

/// Indices in a tensor; null, after an error, where they are no whole numbers.
static Value checkedIndices(Node &node, Value indices) {
  if (!indices)
    return {};
  Type type = nn::elementTypeOf(indices);
  if (isa<IntegerType>(type) && !type.isInteger(1))
    return indices;
  node.error(
      "indices must be whole numbers: how many elements a mask of truth values selects depends on the data, "
      "and a compiled program has fixed sizes; torch.where or a product with the mask keeps the size");
  return {};
}

/// Slices of `x` along a dim.
static Value taken(Node &node, Value x, Value indices, int64_t dim, int64_t padding = -1) {
  indices = checkedIndices(node, indices);
  if (!x || !indices)
    return {};
  nn::Dim size = nn::shapeOf(x)[dim];
  node.limitIndices(indices, size.isStatic() ? -size.factor : 0, size);
  SmallVector<NamedAttribute> attributes{node.attr("axis", dim)};
  if (padding >= 0)
    attributes.push_back(node.attr("padding", padding));
  return node.make<nn::GatherOp>({x, indices}, attributes);
}

/// The row of the padding index is read, and not trained.
static void embedding(Node &node) {
  Value table = node.value("weight"), indices = checkedIndices(node, node.value("indices"));
  if (!table || !indices)
    return;
  nn::Shape shape = nn::shapeOf(table);
  if (shape.size() != 2)
    return node.error("expects a table of rank 2, got shape " + nn::str(shape));
  if (node.boolean("scale_grad_by_freq", false))
    return node.unsupported("scale_grad_by_freq");
  int64_t padding = node.integer("padding_idx", -1);
  node.limitIndices(indices, 0, shape[0]);
  node.give(taken(node, table, indices, 0, padding));
}

static void indexSelect(Node &node) {
  Value x = node.value("self");
  std::optional<int64_t> dim = x ? node.dim("dim", 0, nn::shapeOf(x).size()) : std::nullopt;
  if (dim && !nn::shapeOf(x).empty())
    node.give(taken(node, x, node.value("index"), *dim));
}

/// x[:, indices] and the like: indices along one dim.
static void index(Node &node) {
  Value x = node.value("self"), indices;
  int64_t dim = 0;
  for (auto [i, each] : llvm::enumerate(node.values("indices"))) {
    if (each && indices)
      return node.unsupported("indices along several dims; gather with one index, or flatten the dims first");
    if (each) {
      indices = each;
      dim = i;
    }
  }
  if (!x || !indices)
    return;
  if (dim >= int64_t(nn::shapeOf(x).size()))
    return node.error("expects indices along dims of the shape " + nn::str(nn::shapeOf(x)));
  node.give(taken(node, x, indices, dim));
}

/// An index for each element of the result.
static void gather(Node &node) {
  Value x = node.value("self"), indices = checkedIndices(node, node.value("index"));
  if (!x || !indices)
    return;
  nn::Shape shape = nn::shapeOf(x), places = nn::shapeOf(indices);
  std::optional<int64_t> dim = node.dim("dim", 0, shape.size());
  if (!dim)
    return;
  bool fits = shape.size() == places.size() && !shape.empty();
  for (size_t i = 0; fits && i < shape.size(); ++i)
    fits = int64_t(i) == *dim || places[i] == shape[i] ||
           (places[i].isStatic() && shape[i].isStatic() && places[i].factor <= shape[i].factor);
  if (!fits)
    return node.error("expects indices of as many dims as the tensor, and not larger but along dim " +
                      Twine(*dim) + ", got " + nn::str(places) + " and " + nn::str(shape));
  node.limitIndices(indices, 0, shape[*dim]);
  node.give(frontend::gatherElements(node, x, node.cast(indices, node.b.getI64Type()), *dim));
}

/// Elements on and below (above) a diagonal of the last two dims; 0 elsewhere.
template <nn::Comparison predicate> static void triangle(Node &node) {
  Value x = node.value("self");
  int64_t diagonal = node.integer("diagonal", 0);
  if (!x)
    return;
  nn::Shape shape = nn::shapeOf(x);
  int64_t rank = shape.size();
  if (rank < 2 || diagonal < -maxDim || diagonal > maxDim)
    return node.error("expects a matrix and a diagonal of it, got shape " + nn::str(shape));
  auto positions = [&](int64_t axis) -> nn::Expr {
    nn::Shape along(rank, nn::Dim(1));
    along[axis] = shape[axis];
    return {node.b, nn::IotaOp::create(node.b, nn::tensorType(along, node.b.getI64Type()), axis).getY()};
  };
  nn::Expr row = positions(rank - 2), column = positions(rank - 1);
  auto attribute = nn::ComparisonAttr::get(node.b.getContext(), predicate);
  Value isKept = node.make<nn::CompareOp>({column, diagonal == 0 ? row : row + double(diagonal)},
                                          node.b.getNamedAttr("predicate", attribute));
  Type type = nn::elementTypeOf(x);
  if (type.isInteger(1))
    return node.give(node.make<nn::LogicalAndOp>({isKept, x}));
  node.give(node.make<nn::SelectOp>({isKept, x, node.scalar(0, type)}));
}

static const Operator indicesOperators[] = {
    {"aten.embedding", embedding, "weight indices padding_idx scale_grad_by_freq sparse"},
    {"aten.index_select", indexSelect, "self dim index"},
    {"aten.index.Tensor", index, "self indices"},
    {"aten.gather", gather, "self dim index sparse_grad"},
    {"aten.tril", triangle<nn::Comparison::le>, "self diagonal"},
    {"aten.triu", triangle<nn::Comparison::ge>, "self diagonal"},
};

ArrayRef<Operator> operatorsOfIndices() { return indicesOperators; }

} // namespace dlc::pt2
