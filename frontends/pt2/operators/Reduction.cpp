//===- Reduction.cpp - ATen operators over dims ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Places.h"
#include "frontends/common/Roots.h"
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"
#include <cmath>

using namespace mlir;

namespace dlc::pt2 {

namespace {
struct Reduction {
  nn::Expr x;
  Numbers axes;
  bool keepdims;

  template <typename Op> nn::Expr apply(nn::Expr operand) const {
    if (axes.empty())
      return operand;
    return {operand.getBuilder(), Op::create(operand.getBuilder(), operand.get(), axes, keepdims)};
  }
};
} // namespace

/// The operand, in the dtype `type`, and the dims of it; no dims are all.
static std::optional<Reduction> readReduction(Node &node, Type type) {
  Value x = node.operand("self", type);
  std::optional<Numbers> axes = x ? node.dims("dim", nn::shapeOf(x).size()) : std::nullopt;
  if (!axes)
    return std::nullopt;
  for (int64_t axis : *axes)
    if (axis >= int64_t(nn::shapeOf(x).size()))
      axes->clear(); // dim 0 of a number
  return Reduction{{node.b, x}, *axes, node.boolean("keepdim", false)};
}

template <typename Op> static void reduce(Node &node) {
  if (auto reduction = readReduction(node, node.resultType()))
    node.give(reduction->apply<Op>(reduction->x));
}

/// The largest or smallest elements share the gradient, as in PyTorch's amax, amin and max of all.
template <typename Op> static void extreme(Node &node) {
  Type type = node.resultType();
  auto reduction = readReduction(node, type.isInteger(1) ? node.b.getI32Type() : type);
  if (!reduction)
    return;
  for (int64_t axis : reduction->axes)
    if (nn::shapeOf(reduction->x.type())[axis] == nn::Dim(0))
      return node.error("there is no largest or smallest of no elements");
  node.give(node.cast(reduction->apply<Op>(reduction->x), type));
}

/// Values and their places along one dim. The element at the place has all of the gradient.
template <typename Op> static void extremeAlong(Node &node) {
  Value x = node.value("self");
  std::optional<int64_t> dim = x ? node.dim("dim", 0, nn::shapeOf(x).size()) : std::nullopt;
  if (!dim || nn::shapeOf(x).empty())
    return;
  Value places = node.make<Op>({x}, {node.attr("axis", *dim), node.flag("keepdims")});
  Value values = frontend::gatherElements(node, x, places, *dim);
  if (!values)
    return;
  nn::Shape shape = nn::shapeOf(places);
  if (!node.boolean("keepdim", false))
    shape.erase(shape.begin() + *dim);
  node.give(0, node.reshape(values, shape));
  node.give(1, node.reshape(places, shape));
}

template <typename Op> static void placeOfExtreme(Node &node) {
  Value x = node.value("self");
  if (!x)
    return;
  nn::Shape shape = nn::shapeOf(x);
  if (!node.has("dim")) {
    nn::Dim count = nn::elementCount(shape);
    return node.give(node.make<Op>({node.reshape(x, {count})}, node.attr("axis", int64_t(0))));
  }
  std::optional<int64_t> dim = node.dim("dim", 0, shape.size());
  if (!dim)
    return;
  SmallVector<NamedAttribute> attributes{node.attr("axis", *dim)};
  if (node.boolean("keepdim", false))
    attributes.push_back(node.flag("keepdims"));
  node.give(node.make<Op>({x}, attributes));
}

/// Whether any, or all, elements are true.
template <bool isAny> static void truth(Node &node) {
  auto reduction = readReduction(node, node.b.getI1Type());
  if (!reduction)
    return;
  nn::Expr numbers = nn::cast(reduction->x, node.b.getI32Type());
  using Op = std::conditional_t<isAny, nn::ReduceMaxOp, nn::ReduceMinOp>;
  node.give(node.cast(reduction->apply<Op>(numbers), node.b.getI1Type()));
}

//===-- Statistics ---------------------------------------------------------------------===//

/// The mean of squared distances, times n / (n - correction).
static std::optional<std::pair<nn::Expr, nn::Expr>> varianceAndMean(Node &node) {
  auto reduction = readReduction(node, node.resultType());
  if (!reduction)
    return std::nullopt;
  double correction = node.boolean("unbiased", true) ? 1 : 0;
  if (node.has("correction"))
    correction = node.number("correction", 1);
  nn::Expr x = reduction->x, mean = nn::mean(x, reduction->axes, /*keepdims=*/true);
  nn::Expr centered = x - mean;
  nn::Expr variance = reduction->apply<nn::MeanOp>(centered * centered);
  if (correction != 0) {
    nn::Expr count = nn::countAlong(x, reduction->axes, x.elementType()), less = count - correction;
    variance = variance * (count / less);
  }
  nn::Expr shaped = nn::reshape(mean, variance.type());
  return std::pair(variance, shaped);
}

static void variance(Node &node) {
  if (auto found = varianceAndMean(node))
    node.give(found->first);
}
static void deviation(Node &node) {
  if (auto found = varianceAndMean(node))
    node.give(frontend::root(found->first, 0.5));
}
static void varianceMean(Node &node) {
  if (auto found = varianceAndMean(node)) {
    node.give(0, found->first);
    node.give(1, found->second);
  }
}

/// The largest element is subtracted first; where it is infinite, nothing is.
static void logSumExp(Node &node) {
  auto reduction = readReduction(node, node.resultType());
  if (!reduction)
    return;
  nn::Expr x = reduction->x, largest = nn::reduceMax(x, reduction->axes, /*keepdims=*/true);
  largest = {node.b, train::StopGradientOp::create(node.b, largest.get()).getY()};
  constexpr double infinity = std::numeric_limits<double>::infinity();
  nn::Expr size = nn::abs(largest), isFinite = nn::less(size, size.scalar(infinity));
  nn::Expr shift = nn::select(isFinite, largest, 0.0);
  nn::Expr sum = nn::log(reduction->apply<nn::SumOp>(nn::exp(x - shift)));
  node.give(sum + nn::reshape(shift, sum.type()));
}

/// The norm of a number, such as 2, whose derivative is 0 where it is 0.
static void vectorNorm(Node &node) {
  double p = node.number(node.has("ord") ? "ord" : "p", 2);
  auto reduction = readReduction(node, node.resultType());
  if (!reduction)
    return;
  nn::Expr x = reduction->x;
  if (p == 2)
    return node.give(frontend::norm(x, reduction->axes, reduction->keepdims));
  if (p == 1)
    return node.give(reduction->apply<nn::SumOp>(nn::abs(x)));
  if (std::isinf(p))
    return node.give(p > 0 ? reduction->apply<nn::ReduceMaxOp>(nn::abs(x))
                           : reduction->apply<nn::ReduceMinOp>(nn::abs(x)));
  if (!(p > 1) || p != std::floor(p))
    return node.unsupported("the order " + str(p));
  nn::Expr powers = nn::pow(nn::abs(x), x.scalar(p));
  node.give(frontend::rootOfPowers(reduction->apply<nn::SumOp>(powers), int64_t(p)));
}

/// v * g / |v|, a norm for each place of a dim.
static void weightNorm(Node &node) {
  Value v = node.value("v"), g = node.value("g");
  std::optional<int64_t> dim = v ? node.dim("dim", 0, nn::shapeOf(v).size()) : std::nullopt;
  if (!dim || !g)
    return;
  Numbers axes;
  for (int64_t i = 0, rank = nn::shapeOf(v).size(); i < rank; ++i)
    if (i != *dim)
      axes.push_back(i);
  nn::Expr length = frontend::norm({node.b, v}, axes, /*keepdims=*/true);
  Value factor = node.make<nn::DivOp>({g, length});
  node.give(node.make<nn::MulOp>({v, factor}));
}

/// The product of two tensors divided by their lengths, of which none counts as shorter than eps.
static void cosineSimilarity(Node &node) {
  Value a = node.value("x1"), b = node.value("x2");
  Value product = node.make<nn::MulOp>({a, b});
  std::optional<int64_t> dim = product ? node.dim("dim", 1, nn::shapeOf(product).size()) : std::nullopt;
  double epsilon = node.number("eps", 1e-8);
  if (!dim || nn::shapeOf(product).empty())
    return;
  auto length = [&](Value x) {
    nn::Expr stretched(node.b, node.expand(x, nn::shapeOf(product)));
    nn::Expr size = frontend::norm(stretched, {*dim}, /*keepdims=*/false);
    return nn::select(nn::less(size, size.scalar(epsilon)), epsilon, size);
  };
  nn::Expr lengths = length(a) * length(b);
  node.give(nn::sum({node.b, product}, {*dim}, /*keepdims=*/false) / lengths);
}

static const Operator reductionOperators[] = {
    {"aten.sum", reduce<nn::SumOp>, "self dim keepdim dtype"},
    {"aten.mean", reduce<nn::MeanOp>, "self dim keepdim dtype"},
    {"aten.prod", reduce<nn::ProdOp>, "self dim keepdim dtype"},
    {"aten.amax", extreme<nn::ReduceMaxOp>, "self dim keepdim"},
    {"aten.amin", extreme<nn::ReduceMinOp>, "self dim keepdim"},
    {"aten.max.default", extreme<nn::ReduceMaxOp>, "self"},
    {"aten.min.default", extreme<nn::ReduceMinOp>, "self"},
    {"aten.max.dim", extremeAlong<nn::ArgMaxOp>, "self dim keepdim"},
    {"aten.min.dim", extremeAlong<nn::ArgMinOp>, "self dim keepdim"},
    {"aten.argmax", placeOfExtreme<nn::ArgMaxOp>, "self dim keepdim"},
    {"aten.argmin", placeOfExtreme<nn::ArgMinOp>, "self dim keepdim"},
    {"aten.any", truth<true>, "self dim keepdim"},
    {"aten.all", truth<false>, "self dim keepdim"},
    {"aten.var", variance, "self dim unbiased correction keepdim"},
    {"aten.std", deviation, "self dim unbiased correction keepdim"},
    {"aten.var_mean", varianceMean, "self dim unbiased correction keepdim"},
    {"aten.logsumexp", logSumExp, "self dim keepdim"},
    {"aten.linalg_vector_norm", vectorNorm, "self ord dim keepdim dtype"},
    {"aten._weight_norm", weightNorm, "v g dim"},
    {"aten.cosine_similarity", cosineSimilarity, "x1 x2 dim eps"},
    {"aten.norm", vectorNorm, "self p dim keepdim"},
};

ArrayRef<Operator> operatorsOfReduction() { return reductionOperators; }

} // namespace dlc::pt2
