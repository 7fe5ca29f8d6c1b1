//===- Scatter.cpp - ONNX operators of the family Shape: updates at given indices
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Indices.h"

using namespace mlir;

namespace dlc::onnx {

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
  Value places = placesOfElements(node, indicesOf(node), shape, *axis);
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
    {"Scatter", 9, scatterElements, 3, 3, "axis"},
    {"ScatterElements", 11, scatterElements, 3, 3, "axis"},
    {"ScatterElements", 16, scatterElements, 3, 3, "axis reduction"},
    {"ScatterElements", 18, scatterElements, 3, 3, "axis reduction"},
    {"ScatterND", 11, scatterNd, 3, 3, ""},
    {"ScatterND", 16, scatterNd, 3, 3, "reduction"},
    {"ScatterND", 18, scatterNd, 3, 3, "reduction"},
};

ArrayRef<Operator> operatorsOfScatter() { return operators; }

} // namespace dlc::onnx
