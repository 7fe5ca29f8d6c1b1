//===- Normalization.cpp - ONNX operators of the family Normalization
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and its kin, and normalizations by statistics of the same tensor. BatchNormalization has a file
// of its own.
//===----------------------------------------------------------------------===//
#include "frontends/common/Roots.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

using frontend::norm, frontend::root;

//===-- Softmax ----------------------------------------------------------------===//

/// Applies `rule(x, axis)`. Before opset 13 the dims from `axis` on count as one.
template <typename Rule> static void alongAxis(Node &node, Rule rule) {
  nn::Shape shape = node.shape(0);
  int64_t rank = shape.size();
  std::optional<int64_t> axis = node.axis(node.integer("axis", node.since < 13 ? 1 : -1), rank);
  if (!axis)
    return;
  if (node.since >= 13 || *axis == rank - 1)
    return node.give(0, rule(node.value(0), *axis));
  ArrayRef<nn::Dim> dims(shape);
  nn::Dim rows = nn::elementCount(dims.take_front(*axis)), columns = nn::elementCount(dims.drop_front(*axis));
  node.give(0, node.reshape(rule(node.reshape(node.value(0), {rows, columns}), 1), shape));
}

template <typename Op> static void softmax(Node &node) {
  alongAxis(node, [&](Value x, int64_t axis) { return node.make<Op>({x}, node.attr("axis", axis)); });
}

/// One at the first largest element, else zero.
static void hardmax(Node &node) {
  alongAxis(node, [&](Value value, int64_t axis) -> Value {
    nn::Expr x(node.b, value);
    nn::Shape shape = nn::shapeOf(value), positions(shape.size(), nn::Dim(1));
    if (!shape[axis].isStatic()) {
      node.error("the axis must have a static size, got " + shape[axis].str());
      return {};
    }
    positions[axis] = shape[axis];
    Value position = node.make<nn::ArgMaxOp>({x}, {node.attr("axis", axis), node.flag("keepdims")});
    if (!position)
      return {};
    nn::Expr largest(node.b, position);
    nn::Expr iota(node.b, nn::IotaOp::create(node.b, nn::tensorType(positions, node.b.getI64Type()), axis));
    return nn::cast(nn::equal(largest, iota), x.elementType());
  });
}

//===-- Normalizations ------------------------------------------------------------===//

/// Scale or bias with the shape of the normalized dims.
static Value normalizedOperand(Node &node, int input, ArrayRef<nn::Dim> shape) {
  return node.expand(node.value(input), shape);
}

/// Fusions of ONNX Runtime know LayerNormalization with 'epsion' too, and read epsilon's default where this
/// stands.
static void checkSpelling(Node &node, double epsilon) {
  if (double given = node.number("epsion", epsilon); std::abs(given - epsilon) > 1e-3 * epsilon)
    node.error("attribute 'epsion' is " + str(given) + ", but the operator's 'epsilon' is " + str(epsilon) +
               ": rename it, or leave it out");
}

static void layerNorm(Node &node) {
  nn::Shape shape = node.shape(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", -1), shape.size());
  double epsilon = node.number("epsilon", 1e-5f, 0);
  checkSpelling(node, epsilon);
  if (!axis)
    return;
  ArrayRef<nn::Dim> normalized = ArrayRef<nn::Dim>(shape).drop_front(*axis);
  Value bias = node.has(2) ? normalizedOperand(node, 2, normalized)
                           : node.expand(node.scalar(0, node.elementType(0)), normalized);
  auto op = node.makeOp<nn::LayerNormOp>({node.value(0), normalizedOperand(node, 1, normalized), bias},
                                         {node.attr("axis", *axis), node.attr("epsilon", epsilon)});
  if (!op)
    return;
  node.give(0, op.getY());
  node.give(1, op.getMean());
  node.give(2, op.getRstd());
}

static void rmsNorm(Node &node) {
  nn::Expr x = node.expr(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", -1), x.rank());
  if (!axis)
    return;
  auto axes = llvm::to_vector(llvm::seq<int64_t>(*axis, x.rank()));
  nn::Expr meanSquare = nn::mean(x * x, axes, /*keepdims=*/true);
  nn::Expr normal = x * nn::rsqrt(meanSquare + node.number("epsilon", 1e-5f, 0));
  node.give(0, node.make<nn::MulOp>({normal, node.value(1)}));
}

/// (x - mean) / (standard deviation + 1e-9)
static void meanVariance(Node &node) {
  nn::Expr x = node.expr(0);
  SmallVector<int64_t> given = node.integerList("axes").value_or(SmallVector<int64_t>{0, 2, 3});
  std::optional<SmallVector<int64_t>> axes = node.axes(given, x.rank());
  if (!axes)
    return;
  nn::Expr centered = x - nn::mean(x, *axes, /*keepdims=*/true);
  nn::Expr variance = nn::mean(centered * centered, *axes, /*keepdims=*/true);
  node.give(0, centered / (root(variance, 0.5) + 1e-9));
}

/// x with its dims from `axis` on normalized together, without a scale and a bias of its own.
static Value normalized(Node &node, Value x, int64_t axis) {
  nn::Shape shape = x ? nn::shapeOf(x) : nn::Shape();
  Type type = node.elementType(0);
  ArrayRef<nn::Dim> dims = ArrayRef<nn::Dim>(shape).drop_front(std::min<size_t>(axis, shape.size()));
  Value one = node.expand(node.scalar(1, type), dims), zero = node.expand(node.scalar(0, type), dims);
  auto op = node.makeOp<nn::LayerNormOp>(
      {x, one, zero}, {node.attr("axis", axis), node.attr("epsilon", node.number("epsilon", 1e-5f, 0))});
  return op ? op.getY() : Value();
}

/// `x` scaled and shifted by inputs 1 and 2, which have one number for each index of dim 1 of `x`.
static Value scaleAndShift(Node &node, Value x) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x), along(shape.size() - 1, nn::Dim(1));
  along[0] = shape[1];
  for (int input : {1, 2})
    if (node.shape(input) != nn::Shape{shape[1]}) {
      node.error("expects input " + Twine(input) + " of shape " + nn::str(shape[1]) + ", got " +
                 nn::str(node.shape(input)));
      return {};
    }
  // Exporters write a group normalization as one of instances, whose scale and bias are ones and zeros.
  if (node.fixedNumbers(1) != 1.0)
    x = node.make<nn::MulOp>({x, node.reshape(node.value(1), along)});
  return node.fixedNumbers(2) == 0.0 ? x : node.make<nn::AddOp>({x, node.reshape(node.value(2), along)});
}

/// Whether input 0 has a batch, channels and as many spatial dims as the operator needs; an error where not.
static bool hasChannels(Node &node, unsigned spatial) {
  nn::Shape shape = node.shape(0);
  if (shape.size() >= 2 + spatial)
    return true;
  node.error("expects input of rank " + Twine(2 + spatial) + " or more (batch, channels" +
             (spatial ? ", spatial dims" : "") + "), got shape " + nn::str(shape));
  return false;
}

static void instanceNorm(Node &node) {
  if (!hasChannels(node, 1))
    return;
  nn::Shape shape = node.shape(0);
  if (shape.size() == 3) // one row for each channel
    return node.give(0, scaleAndShift(node, normalized(node, node.value(0), 2)));
  nn::Shape grouped = shape; // groups of one channel
  grouped.insert(grouped.begin() + 2, nn::Dim(1));
  Value y = normalized(node, node.reshape(node.value(0), grouped), 2);
  node.give(0, scaleAndShift(node, node.reshape(y, shape)));
}

/// Before opset 21 scale and bias have one number for each group, then for each channel.
static void groupNorm(Node &node) {
  if (!hasChannels(node, 0))
    return;
  nn::Shape shape = node.shape(0);
  int64_t groups = node.integer("num_groups", 0);
  if (groups < 1 || !shape[1].isStatic() || shape[1].factor % groups != 0)
    return node.error("num_groups must divide the number of channels, got " + Twine(groups) + " groups and " +
                      shape[1].str() + " channels");
  nn::Shape grouped{shape[0], groups, shape[1].factor / groups};
  grouped.append(shape.begin() + 2, shape.end());
  Value y = normalized(node, node.reshape(node.value(0), grouped), 2);
  if (node.since < 21)
    return node.give(0, node.reshape(scaleAndShift(node, y), shape));
  node.give(0, scaleAndShift(node, node.reshape(y, shape)));
}

/// x / (bias + alpha / size * sum of x^2 over `size` neighbouring channels)^beta
static void localResponseNorm(Node &node) {
  nn::Expr x = node.expr(0);
  if (!x.get() || !hasChannels(node, 0))
    return;
  nn::Shape shape = nn::shapeOf(x.type());
  int64_t size = node.integer("size", 0);
  if (size < 1)
    return node.error("size must be at least 1, got " + Twine(size));
  double alpha = node.number("alpha", 1e-4f), beta = node.number("beta", 0.75f),
         bias = node.number("bias", 1);
  // Channels become a spatial dim, of which a window covers `size`.
  nn::Shape image{shape[0], nn::Dim(1), shape[1], nn::elementCount(ArrayRef<nn::Dim>(shape).drop_front(2))};
  int64_t low = (size - 1) / 2;
  using List = ArrayRef<int64_t>;
  Value sums = node.make<nn::SumPoolOp>(
      {node.reshape(x * x, image)},
      {node.attr("kernel", List{size, 1}), node.attr("strides", List{1, 1}), node.attr("low", List{low, 0}),
       node.attr("high", List{size - 1 - low, 0}), node.attr("dilations", List{1, 1})});
  Value squares = node.reshape(sums, shape);
  if (!squares)
    return;
  nn::Expr base = nn::Expr(node.b, squares) * (alpha / double(size)) + bias;
  node.give(0, x / nn::pow(base, base.scalar(beta)));
}

/// x / norm along an axis; zero where the norm is.
static void lpNorm(Node &node) {
  nn::Expr x = node.expr(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", -1), x.rank());
  int64_t p = node.integer("p", 2);
  if (!axis)
    return;
  if (p != 1 && p != 2)
    return node.error("p must be 1 or 2, got " + Twine(p));
  nn::Expr length =
      p == 1 ? nn::sum(nn::abs(x), {*axis}, /*keepdims=*/true) : norm(x, {*axis}, /*keepdims=*/true);
  nn::Expr isZero = nn::equal(length, length.scalar(0));
  nn::Expr quotient = x / nn::select(isZero, 1.0, length);
  node.give(0, nn::select(isZero, 0.0, quotient));
}

static const Operator normalizationOperators[] = {
    {"Softmax", 1, softmax<nn::SoftmaxOp>, 1, 1, "axis"},
    {"Softmax", 13, softmax<nn::SoftmaxOp>, 1, 1, "axis"},
    {"LogSoftmax", 1, softmax<nn::LogSoftmaxOp>, 1, 1, "axis"},
    {"LogSoftmax", 13, softmax<nn::LogSoftmaxOp>, 1, 1, "axis"},
    {"Hardmax", 1, hardmax, 1, 1, "axis"},
    {"Hardmax", 13, hardmax, 1, 1, "axis"},
    // Since opset 17; ONNX Runtime's optimizers write it into models of earlier ones.
    {"LayerNormalization", 1, layerNorm, 2, 3, "axis epsilon epsion stash_type", {1, 2}},
    {"RMSNormalization", 23, rmsNorm, 2, 2, "axis epsilon stash_type", {1, 1}},
    {"InstanceNormalization", 6, instanceNorm, 3, 3, "epsilon", {1, 2}},
    {"GroupNormalization", 18, groupNorm, 3, 3, "epsilon num_groups", {1, 2}},
    {"GroupNormalization", 21, groupNorm, 3, 3, "epsilon num_groups stash_type", {1, 2}},
    {"LRN", 1, localResponseNorm, 1, 1, "alpha beta bias size"},
    {"MeanVarianceNormalization", 9, meanVariance, 1, 1, "axes"},
    {"LpNormalization", 1, lpNorm, 1, 1, "axis p"},
};

ArrayRef<Operator> operatorsOfNormalization() { return normalizationOperators; }

} // namespace dlc::onnx
