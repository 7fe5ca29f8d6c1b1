//===- Scatter.cpp - ONNX operators of the family Shape: updates at given indices
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Indices.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// Comparisons of rows with updates up to which a reduction other than `add` is worth it.
constexpr int64_t maxCompared = int64_t(1) << 26;

/// x and updates have the dims [outer, rows or updates, inner]; places have them, too, or outer and inner
/// of 1.
struct Updates {
  Value x, places, updates;
};

/// For each row what `Reduce` makes of it and of the updates at its place: compares all rows with all places,
/// [outer, rows, updates, inner].
template <typename Reduce>
static Value reduceRows(Node &node, const Updates &u, std::optional<double> neutral) {
  nn::Shape rows = nn::shapeOf(u.x), all = nn::shapeOf(u.updates), at = nn::shapeOf(u.places);
  nn::Shape compared = {rows[0], rows[1], all[1], rows[2]};
  int64_t most = node.trainingSize(compared).value_or(nn::elementCount(compared).factor);
  if (most > maxCompared) {
    node.error("a reduction of " + all[1].str() + " updates into " + rows[1].str() + " rows of " +
               rows[2].str() + " elements" + (rows[0].isOne() ? "" : ", " + rows[0].str() + " times,") +
               " compares too much: at most " + Twine(maxCompared) + " in all");
    return {};
  }
  Type i64 = node.b.getI64Type();
  Value row =
      nn::IotaOp::create(node.b, nn::tensorType({nn::Dim(1), rows[1], nn::Dim(1), nn::Dim(1)}, i64), 1);
  Value isHere =
      nn::equal({node.b, row}, {node.b, node.reshape(u.places, {at[0], nn::Dim(1), at[1], at[2]})});
  Value own = node.reshape(u.x, {rows[0], rows[1], nn::Dim(1), rows[2]});
  Value rest = neutral ? node.scalar(*neutral, nn::elementTypeOf(u.x)) : own;
  Value others =
      node.make<nn::SelectOp>({isHere, node.reshape(u.updates, {all[0], nn::Dim(1), all[1], all[2]}), rest});
  Value joined = node.make<nn::ConcatOp>({own, others}, node.attr("axis", int64_t(2)));
  return node.make<Reduce>({joined}, node.attr("axes", ArrayRef<int64_t>{2}));
}

static std::string reductionOf(Node &node) {
  return node.since >= 16 ? node.text("reduction", "none") : "none";
}
static bool isCompared(Node &node, StringRef reduction) {
  return reduction == "mul" || (node.since >= 18 && (reduction == "max" || reduction == "min"));
}

/// Computes one of the reductions that isCompared names.
static Value reduceCompared(Node &node, const Updates &u, StringRef reduction) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  bool isFloat = isa<FloatType>(nn::elementTypeOf(u.x));
  auto limit = [&](double number) { return isFloat ? std::optional(number) : std::nullopt; };
  if (reduction == "max")
    return reduceRows<nn::ReduceMaxOp>(node, u, limit(-infinity));
  if (reduction == "min")
    return reduceRows<nn::ReduceMinOp>(node, u, limit(infinity));
  return reduceRows<nn::ProdOp>(node, u, 1);
}

/// The number that all elements are, where that is known.
static Value onlyNumber(Node &node, Value x) {
  while (Operation *op = x.getDefiningOp()) {
    if (auto constant = dyn_cast<nn::ConstantOp>(op)) {
      auto splat = dyn_cast<SplatElementsAttr>(constant.getValue());
      if (!splat)
        return {};
      auto type = RankedTensorType::get({}, nn::elementTypeOf(constant.getY()));
      return nn::ConstantOp::create(node.b, splat.resizeSplat(type));
    }
    if (!isa<nn::ExpandOp, nn::ReshapeOp, nn::TransposeOp>(op))
      return {};
    x = op->getOperand(0);
  }
  return {};
}

/// x, [rows, columns], with updates, [updates, columns], at these places of rows. Without a reduction each
/// place must be given once, as ONNX says, unless the updates are all the same number.
static Value scatter(Node &node, Value x, Value places, Value updates) {
  std::string reduction = reductionOf(node);
  nn::Shape rows = nn::shapeOf(x), shape = nn::shapeOf(places);
  if (isCompared(node, reduction)) {
    nn::Dim one(1);
    Updates u{node.reshape(x, {one, rows[0], rows[1]}), node.reshape(places, {one, shape[0], one}),
              node.reshape(updates, {one, shape[0], rows[1]})};
    return reduceCompared(node, u, reduction);
  }
  if (reduction != "none" && reduction != "add") {
    node.error("reduction must be none, add" + Twine(node.since >= 18 ? ", mul, max or min" : " or mul") +
               ", got '" + reduction + "'");
    return {};
  }
  auto add = [&](Value what, nn::Shape type) -> Value {
    return nn::ScatterAddOp::create(node.b, nn::tensorType(type, nn::elementTypeOf(what)), places, what, 0);
  };
  Value number = reduction == "none" ? onlyNumber(node, updates) : Value();
  nn::Expr added(node.b, number ? number : add(updates, rows));
  if (reduction == "add")
    return nn::Expr(node.b, x) + added;
  Value one = node.expand(node.scalar(1, node.b.getI32Type()), shape);
  nn::Expr hits(node.b, node.reshape(add(one, {rows[0]}), {rows[0], nn::Dim(1)}));
  return nn::select(nn::greater(hits, hits.scalar(0)), added, nn::Expr(node.b, x));
}

/// Truth values are scattered as integers.
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

/// Whether indices and x have equal dims but along the axis: then only the places along it are compared, and
/// all other dims may be open.
static bool differsAlong(Node &node, int64_t axis) {
  nn::Shape x = node.shape(0), indices = node.shape(1);
  x[axis] = indices[axis];
  return x == indices && !node.elementType(0).isInteger(1);
}

static void reduceElements(Node &node, int64_t axis) {
  nn::Shape shape = node.shape(0);
  Type type = node.elementType(0);
  if (!shape[axis].isStatic())
    return node.error("expects a static size along axis " + Twine(axis) + ", got " + nn::str(shape));
  if (node.elementType(2) != type)
    return node.error("expects updates of the type of the data");
  Value indices = indicesOf(node), x = node.value(0), updates = node.value(2);
  if (!indices || !x || !updates)
    return;
  ArrayRef<nn::Dim> dims(shape);
  nn::Dim outer = nn::elementCount(dims.take_front(axis)),
          inner = nn::elementCount(dims.drop_front(axis + 1)), count = node.shape(1)[axis];
  nn::Expr places(node.b, node.reshape(indices, {outer, count, inner}));
  places = counted(places, places.scalar(double(shape[axis].factor)));
  Updates u{node.reshape(x, {outer, shape[axis], inner}), places,
            node.reshape(updates, {outer, count, inner})};
  if (Value y = reduceCompared(node, u, reductionOf(node)))
    node.give(0, node.reshape(y, shape));
}

static void scatterElements(Node &node) {
  std::optional<int64_t> axis = axisOfElements(node);
  if (!axis)
    return;
  if (node.shape(2) != node.shape(1))
    return node.error("expects an update for each index, got updates of shape " + nn::str(node.shape(2)) +
                      " and indices of shape " + nn::str(node.shape(1)));
  if (node.isMeanOfUpdates())
    return node.error(
        "was made of scatter_reduce with 'mean', which PyTorch's exporter writes without the mean: "
        "use 'sum', and divide by the numbers of updates");
  nn::Shape shape = node.shape(0);
  if (isCompared(node, reductionOf(node)) && differsAlong(node, *axis))
    return reduceElements(node, *axis);
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

static const Operator scatterOperators[] = {
    {"Scatter", 9, scatterElements, 3, 3, "axis"},
    {"ScatterElements", 11, scatterElements, 3, 3, "axis"},
    {"ScatterElements", 16, scatterElements, 3, 3, "axis reduction"},
    {"ScatterElements", 18, scatterElements, 3, 3, "axis reduction"},
    {"ScatterND", 11, scatterNd, 3, 3, ""},
    {"ScatterND", 16, scatterNd, 3, 3, "reduction"},
    {"ScatterND", 18, scatterNd, 3, 3, "reduction"},
};

ArrayRef<Operator> operatorsOfScatter() { return scatterOperators; }

} // namespace dlc::onnx
