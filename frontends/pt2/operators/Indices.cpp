//===- Indices.cpp - ATen operators that take elements by index -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Places.h"
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

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

/// x[:, i, j]: the dims from `first` on count as one, along which a place is i * size + j. The first of them
/// may be open: no place needs its size.
static Value takenAtPlaces(Node &node, Value x, int64_t first, ArrayRef<Value> indices) {
  nn::Shape shape = nn::shapeOf(x), joined(shape.begin(), shape.begin() + first);
  ArrayRef<nn::Dim> indexed = ArrayRef<nn::Dim>(shape).slice(first, indices.size());
  std::optional<nn::Expr> place;
  for (auto [i, given] : llvm::enumerate(indices)) {
    Value checked = checkedIndices(node, given);
    if (!checked)
      return {};
    if (i > 0 && !indexed[i].isStatic()) {
      node.error("expects known sizes of dims that are indexed, but for the first, got shape " +
                 nn::str(shape));
      return {};
    }
    node.limitIndices(checked, indexed[i].isStatic() ? -indexed[i].factor : 0, indexed[i]);
    Type i64 = node.b.getI64Type();
    nn::Expr size = nn::countAlong({node.b, x}, {first + int64_t(i)}, i64);
    nn::Expr index = frontend::counted(nn::cast({node.b, checked}, i64), size);
    if (place && !nn::broadcast(nn::shapeOf(place->type()), nn::shapeOf(index.type()))) {
      node.error("expects indices of shapes that fit each other");
      return {};
    }
    place = place ? *place * double(indexed[i].factor) + index : index;
  }
  joined.push_back(nn::elementCount(indexed));
  joined.append(shape.begin() + first + indices.size(), shape.end());
  return node.make<nn::GatherOp>({node.reshape(x, joined), *place}, node.attr("axis", first));
}

/// x[:, indices] and the like: indices along dims that follow each other.
static void index(Node &node) {
  Value x = node.value("self");
  SmallVector<Value> indices;
  int64_t first = -1;
  for (auto [i, each] : llvm::enumerate(node.values("indices"))) {
    if (!each)
      continue;
    if (first >= 0 && first + int64_t(indices.size()) != int64_t(i))
      return node.unsupported("indices along dims with another one between them");
    first = first < 0 ? i : first;
    indices.push_back(each);
  }
  if (!x || indices.empty())
    return;
  if (first + indices.size() > nn::shapeOf(x).size())
    return node.error("expects indices along dims of the shape " + nn::str(nn::shapeOf(x)));
  node.give(indices.size() == 1 ? taken(node, x, indices[0], first) : takenAtPlaces(node, x, first, indices));
}

/// 1 at the index along a new last dim, 0 elsewhere.
static void oneHot(Node &node) {
  Value indices = checkedIndices(node, node.value("self"));
  int64_t count = node.integer("num_classes", -1);
  if (!indices)
    return;
  if (count < 1 || count > maxDim)
    return node.error("expects a number of classes that is known, got " + Twine(count));
  nn::Shape shape = nn::shapeOf(indices), along(shape.size() + 1, nn::Dim(1));
  along.back() = count;
  node.limitIndices(indices, 0, nn::Dim(count));
  shape.push_back(nn::Dim(1));
  nn::Expr index(node.b, node.reshape(node.cast(indices, node.b.getI64Type()), shape));
  nn::Expr classes(
      node.b,
      nn::IotaOp::create(node.b, nn::tensorType(along, node.b.getI64Type()), shape.size() - 1).getY());
  node.give(node.cast(nn::equal(index, classes), node.resultType()));
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
    {"aten.one_hot", oneHot, "self num_classes"},
    {"aten.tril", triangle<nn::Comparison::le>, "self diagonal"},
    {"aten.triu", triangle<nn::Comparison::ge>, "self diagonal"},
};

ArrayRef<Operator> operatorsOfIndices() { return indicesOperators; }

} // namespace dlc::pt2
