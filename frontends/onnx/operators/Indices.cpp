//===- Indices.cpp - ONNX operators of the family Shape: elements at given indices
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Gathering and scattering along several dims: the tensor's dims that are indexed count as one, along which
// an element's place is the sum of index * stride. So nn.gather and nn.scatter_add and their gradients do for
// all.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Indices.h"

using namespace mlir;

namespace dlc::onnx {

//===-- Places ---------------------------------------------------------------------===//

/// Refuses indices outside [-size, size) where they are known.
static bool checkIndices(Node &node, int input, function_ref<int64_t(int64_t)> sizeOf) {
  const HostTensor *known = node.constant(input);
  if (!known || known->isFloat())
    return true;
  for (int64_t i = 0, count = known->count(); i < count; ++i) {
    int64_t index = known->integer(known->splat ? 0 : i), size = sizeOf(i);
    if (index >= -size && index < size)
      continue;
    node.error("index " + Twine(index) + " is not in [" + Twine(-size) + ", " + Twine(size) + ")");
    return false;
  }
  return true;
}

/// Indices of input `input` as i64; null, after an error, where they are none.
static Value indicesOf(Node &node, int input) {
  if (isa<IntegerType>(node.elementType(input)) && !node.elementType(input).isInteger(1))
    return nn::cast(node.expr(input), node.b.getI64Type());
  node.error("indices must be integers, got '" + node.inputName(input) + "'");
  return {};
}

/// A negative index counts from the end.
static nn::Expr counted(nn::Expr index, nn::Expr size) {
  nn::Expr isNegative = nn::less(index, index.scalar(0));
  return nn::select(isNegative, index + size, index);
}

/// The product of dims that must be static; nullopt after an error.
static std::optional<int64_t> staticCount(Node &node, ArrayRef<nn::Dim> dims) {
  nn::Dim count = nn::elementCount(dims);
  if (count.isStatic())
    return count.factor;
  node.error("expects static sizes along the dims that indices count, got " + nn::str(dims));
  return std::nullopt;
}

Value placesOfElements(Node &node, Value indices, ArrayRef<nn::Dim> x, int64_t axis) {
  if (!indices)
    return {};
  nn::Shape shape = nn::shapeOf(indices);
  std::optional<nn::Expr> place;
  nn::Expr index(node.b, indices);
  for (int64_t d = 0, rank = shape.size(); d < rank; ++d) {
    std::optional<int64_t> stride = staticCount(node, x.drop_front(d + 1));
    if (!stride || (d == axis && !x[d].isStatic()))
      return stride ? (node.error("expects a static size along axis " + Twine(axis) + ", got " + nn::str(x)),
                       Value())
                    : Value();
    nn::Shape along(rank, nn::Dim(1));
    along[d] = shape[d];
    Value at = d == axis ? Value(counted(index, index.scalar(double(x[d].factor))))
                         : nn::IotaOp::create(node.b, nn::tensorType(along, node.b.getI64Type()), d).getY();
    nn::Expr part = nn::Expr(node.b, at) * double(*stride);
    place = place ? *place + part : part;
  }
  return place ? Value(*place) : Value();
}

Value gatherElements(Node &node, Value x, Value indices, int64_t axis) {
  if (!x || !indices)
    return {};
  nn::Shape shape = nn::shapeOf(x);
  Value flat = node.reshape(x, {nn::elementCount(shape)});
  Value places = placesOfElements(node, indices, shape, axis);
  return node.make<nn::GatherOp>({flat, places}, node.attr("axis", int64_t(0)));
}

//===-- GatherElements, GatherND ---------------------------------------------------===//

/// Whether indices of one element each fit x: as many dims, none larger but along the axis.
static bool fits(Node &node, int input, int64_t axis) {
  nn::Shape x = node.shape(0), indices = node.shape(input);
  bool good = x.size() == indices.size();
  for (size_t d = 0; good && d < x.size(); ++d)
    good = int64_t(d) == axis || indices[d] == x[d] ||
           (indices[d].isStatic() && x[d].isStatic() && indices[d].factor <= x[d].factor);
  if (!good)
    node.error("expects indices of as many dims as x, and not larger but along axis " + Twine(axis) +
               ", got " + nn::str(indices) + " and x of shape " + nn::str(x));
  return good;
}

static std::optional<int64_t> axisOfElements(Node &node) {
  nn::Shape shape = node.shape(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), shape.size());
  if (!axis || !fits(node, 1, *axis))
    return std::nullopt;
  const nn::Dim &size = shape[*axis];
  if (size.isStatic() && !checkIndices(node, 1, [&](int64_t) { return size.factor; }))
    return std::nullopt;
  node.limitIndices(node.value(1), size.isStatic() ? -size.factor : 0, size);
  return axis;
}

static void gatherElements(Node &node) {
  if (std::optional<int64_t> axis = axisOfElements(node))
    node.give(0, gatherElements(node, node.value(0), indicesOf(node, 1), *axis));
}

/// How a tensor is seen for indices along the dims [batch, batch + depth): as [batch * these, rest].
struct Rows {
  nn::Shape joined; ///< x
  Value places;     ///< of rows, with the shape of the indices without their last dim
  nn::Shape rest;   ///< of a row
};

/// Null places after an error.
static Rows rowsAt(Node &node, int64_t batch) {
  nn::Shape x = node.shape(0), shape = node.shape(1);
  ArrayRef<nn::Dim> dims(x);
  int64_t depth = shape.empty() || !shape.back().isStatic() ? 0 : shape.back().factor;
  int64_t rank = x.size(), limit = rank - batch;
  Rows rows;
  if (batch < 0 || batch >= int64_t(shape.size()) || batch >= rank || depth < 1 || depth > limit) {
    node.error("expects positions along 1 to " + Twine(std::max<int64_t>(limit, 0)) +
               " dims in the last dim of the indices, got indices of shape " + nn::str(shape) +
               " and x of shape " + nn::str(x) +
               (batch ? ", batch_dims " + std::to_string(batch) : std::string()));
    return rows;
  }
  for (int64_t d = 0; d < batch; ++d)
    if (x[d] != shape[d]) {
      node.error("expects equal batch dims, got indices of shape " + nn::str(shape) + " and x of shape " +
                 nn::str(x));
      return rows;
    }
  ArrayRef<nn::Dim> indexed = dims.slice(batch, depth);
  // The first may be a named dim: no place needs its size, and no known index can be too large for it.
  auto limitOf = [](const nn::Dim &dim) { return dim.isStatic() ? dim.factor : nn::maxElements; };
  if (!staticCount(node, indexed.drop_front()) ||
      !checkIndices(node, 1, [&](int64_t i) { return limitOf(indexed[i % depth]); }))
    return rows;
  if (depth == 1 && indexed[0].isStatic())
    node.limitIndices(node.value(1), -indexed[0].factor, indexed[0]);
  Value indices = indicesOf(node, 1);
  if (!indices)
    return rows;
  nn::Shape outer(shape.begin(), shape.end() - 1);
  std::optional<nn::Expr> place;
  int64_t stride = 1, last = shape.size() - 1;
  for (int64_t d = depth - 1; d >= 0; stride *= indexed[d].factor, --d) {
    Value index = node.reshape(node.part(indices, last, d, d + 1), outer);
    if (!index)
      return rows;
    nn::Expr size = nn::countAlong(node.expr(0), {batch + d}, node.b.getI64Type());
    nn::Expr part = counted({node.b, index}, size) * double(stride);
    place = place ? *place + part : part;
  }
  for (int64_t d = batch - 1; d >= 0; --d) {
    nn::Shape along(outer.size(), nn::Dim(1));
    along[d] = outer[d];
    std::optional<int64_t> inner = staticCount(node, dims.slice(d + 1, batch + depth - d - 1));
    if (!inner)
      return rows;
    nn::Expr row(node.b, nn::IotaOp::create(node.b, nn::tensorType(along, node.b.getI64Type()), d).getY());
    place = *place + row * double(*inner);
  }
  rows.rest.assign(dims.begin() + batch + depth, dims.end());
  rows.joined = {nn::elementCount(dims.take_front(batch + depth))};
  rows.joined.append(rows.rest);
  rows.places = *place;
  return rows;
}

/// Elements or slices at positions along the dims after the batch's.
static void gatherNd(Node &node) {
  Rows rows = rowsAt(node, node.integer("batch_dims", 0));
  if (rows.places)
    node.give(0, node.make<nn::GatherOp>({node.reshape(node.value(0), rows.joined), rows.places},
                                         node.attr("axis", int64_t(0))));
}

//===-- Scatter --------------------------------------------------------------------===//

/// Comparisons of rows with updates up to which a reduction other than `add` is worth it.
constexpr int64_t maxCompared = int64_t(1) << 26;

/// For each row what `Reduce` makes of it and of the updates at its place: compares all rows with all places,
/// [rows, updates, columns].
template <typename Reduce>
static Value reduceRows(Node &node, Value x, Value places, Value updates, std::optional<double> neutral) {
  nn::Shape rows = nn::shapeOf(x), all = nn::shapeOf(updates);
  nn::Dim count = nn::elementCount({rows[0], all[0], rows[1]});
  if (!count.isStatic() || count.factor > maxCompared) {
    node.error("a reduction of " + all[0].str() + " updates into " + rows[0].str() + " rows of " +
               rows[1].str() + " elements compares too much: at most " + Twine(maxCompared) + " in all");
    return {};
  }
  Type i64 = node.b.getI64Type();
  Value row = nn::IotaOp::create(node.b, nn::tensorType({rows[0], nn::Dim(1), nn::Dim(1)}, i64), 0);
  Value isHere = nn::equal({node.b, row}, {node.b, node.reshape(places, {nn::Dim(1), all[0], nn::Dim(1)})});
  Value own = node.reshape(x, {rows[0], nn::Dim(1), rows[1]});
  Value rest = neutral ? node.scalar(*neutral, nn::elementTypeOf(x)) : own;
  Value others = node.make<nn::SelectOp>({isHere, node.reshape(updates, {nn::Dim(1), all[0], all[1]}), rest});
  Value joined = node.make<nn::ConcatOp>({own, others}, node.attr("axis", int64_t(1)));
  return node.make<Reduce>({joined}, node.attr("axes", ArrayRef<int64_t>{1}));
}

/// x, [rows, columns], with updates, [updates, columns], at these places of rows. Without a reduction each
/// place must be given once, as ONNX says.
static Value scatter(Node &node, Value x, Value places, Value updates) {
  std::string reduction = node.since >= 16 ? node.text("reduction", "none") : "none";
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isFloat = isa<FloatType>(nn::elementTypeOf(x));
  auto limit = [&](double number) { return isFloat ? std::optional(number) : std::nullopt; };
  if (node.since >= 18 && reduction == "max")
    return reduceRows<nn::ReduceMaxOp>(node, x, places, updates, limit(-infinity));
  if (node.since >= 18 && reduction == "min")
    return reduceRows<nn::ReduceMinOp>(node, x, places, updates, limit(infinity));
  if (reduction == "mul")
    return reduceRows<nn::ProdOp>(node, x, places, updates, 1);
  if (reduction != "none" && reduction != "add") {
    node.error("reduction must be none, add" + Twine(node.since >= 18 ? ", mul, max or min" : " or mul") +
               ", got '" + reduction + "'");
    return {};
  }
  auto add = [&](Value what, nn::Shape type) -> Value {
    return nn::ScatterAddOp::create(node.b, nn::tensorType(type, nn::elementTypeOf(what)), places, what, 0);
  };
  nn::Shape rows = nn::shapeOf(x);
  nn::Expr added(node.b, add(updates, rows));
  if (reduction == "add")
    return nn::Expr(node.b, x) + added;
  nn::Shape shape = nn::shapeOf(places);
  Value one = node.expand(node.scalar(1, node.b.getI32Type()), shape);
  nn::Expr hits(node.b, node.reshape(add(one, {rows[0]}), {rows[0], nn::Dim(1)}));
  return nn::select(nn::greater(hits, hits.scalar(0)), added, nn::Expr(node.b, x));
}

/// Of truth values, too: as integers.
static void giveScattered(Node &node, Value places, const nn::Dim &rows, const nn::Dim &columns) {
  nn::Shape shape = node.shape(0);
  Type type = node.elementType(0);
  if (node.elementType(2) != type)
    return node.error("expects updates of the type of the data");
  auto number = [&](Value x) {
    return x && type.isInteger(1) ? Value(nn::cast({node.b, x}, node.b.getI32Type())) : x;
  };
  nn::Dim count = places ? nn::elementCount(nn::shapeOf(places)) : nn::Dim(0);
  Value flat = node.reshape(places, {count});
  Value x = node.reshape(number(node.value(0)), {rows, columns});
  Value updates = node.reshape(number(node.value(2)), {count, columns});
  Value y = x && flat && updates ? scatter(node, x, flat, updates) : Value();
  if (y)
    node.give(0, node.reshape(nn::cast({node.b, y}, type), shape));
}

static void scatterElements(Node &node) {
  std::optional<int64_t> axis = axisOfElements(node);
  if (!axis)
    return;
  if (node.shape(2) != node.shape(1))
    return node.error("expects an update for each index, got updates of shape " + nn::str(node.shape(2)) +
                      " and indices of shape " + nn::str(node.shape(1)));
  nn::Shape shape = node.shape(0);
  Value places = placesOfElements(node, indicesOf(node, 1), shape, *axis);
  giveScattered(node, places, nn::elementCount(shape), nn::Dim(1));
}

static void scatterNd(Node &node) {
  Rows rows = rowsAt(node, 0);
  if (!rows.places)
    return;
  nn::Shape expected = nn::shapeOf(rows.places);
  expected.append(rows.rest);
  if (node.shape(2) != expected)
    return node.error("expects updates of shape " + nn::str(expected) + ", got " + nn::str(node.shape(2)));
  giveScattered(node, rows.places, rows.joined[0], nn::elementCount(rows.rest));
}

static const Operator operators[] = {
    {"GatherElements", 11, gatherElements, 2, 2, "axis"},
    {"GatherND", 11, gatherNd, 2, 2, ""},
    {"GatherND", 12, gatherNd, 2, 2, "batch_dims"},
    {"Scatter", 9, scatterElements, 3, 3, "axis"},
    {"ScatterElements", 11, scatterElements, 3, 3, "axis"},
    {"ScatterElements", 16, scatterElements, 3, 3, "axis reduction"},
    {"ScatterElements", 18, scatterElements, 3, 3, "axis reduction"},
    {"ScatterND", 11, scatterNd, 3, 3, ""},
    {"ScatterND", 16, scatterNd, 3, 3, "reduction"},
    {"ScatterND", 18, scatterNd, 3, 3, "reduction"},
};

ArrayRef<Operator> operatorsOfIndices() { return operators; }

} // namespace dlc::onnx
