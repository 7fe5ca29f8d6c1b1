//===- Reduction.cpp - ONNX operators of the family Reduction
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Roots.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

using frontend::norm;

/// What is reduced, and how.
struct Reduction {
  nn::Expr x;
  SmallVector<int64_t> axes;
  bool keepdims;

  template <typename Op> nn::Expr apply(nn::Expr operand) const {
    if (axes.empty())
      return operand;
    return {operand.getBuilder(), Op::create(operand.getBuilder(), operand.get(), axes, keepdims)};
  }
  /// The result's shape where there is no element to reduce; else nullopt.
  std::optional<nn::Shape> emptyShape() const {
    nn::Shape shape;
    bool isEmpty = false;
    for (auto [i, dim] : llvm::enumerate(nn::shapeOf(x.type()))) {
      bool isReduced = llvm::is_contained(axes, int64_t(i));
      isEmpty |= isReduced && dim == nn::Dim(0);
      if (keepdims || !isReduced)
        shape.push_back(isReduced ? nn::Dim(1) : dim);
    }
    return isEmpty ? std::optional(shape) : std::nullopt;
  }
};

/// Axes are an attribute, or (from 13 for ReduceSum, from 18 for the others) an input; none means all, or
/// with `noop_with_empty_axes` none: what else the operator does (square, log) it does all the same.
static std::optional<Reduction> readReduction(Node &node) {
  Reduction reduction{node.expr(0), {}, node.integer("keepdims", 1) != 0};
  int64_t rank = reduction.x.rank();
  std::optional<SmallVector<int64_t>> given = node.integerList("axes");
  if (node.has(1) && !(given = node.integers(1, "axes")))
    return std::nullopt;
  if (given && !given->empty()) {
    std::optional<SmallVector<int64_t>> axes = node.axes(*given, rank);
    if (!axes)
      return std::nullopt;
    reduction.axes = *axes;
  } else if (node.integer("noop_with_empty_axes", 0) == 0) {
    reduction.axes = llvm::to_vector(llvm::seq<int64_t>(rank));
  }
  return reduction;
}

template <typename Op> static void reduce(Node &node) {
  if (auto reduction = readReduction(node))
    node.give(0, reduction->apply<Op>(reduction->x));
}

/// What no number is beyond: the smallest one for a maximum, the largest for a minimum.
static double neutralElement(Type type, bool isMax) {
  double limit = isa<FloatType>(type) ? std::numeric_limits<double>::infinity()
                                      : std::ldexp(1.0, int(type.getIntOrFloatBitWidth()) - 1);
  if (isa<FloatType>(type) || isMax)
    return isMax ? -limit : limit;
  return type.isInteger(64) ? std::nextafter(limit, 0.0) : limit - 1;
}

/// Truth values are ordered like 0 and 1 (opset 20).
template <typename Op> static void extreme(Node &node) {
  constexpr bool isMax = std::is_same_v<Op, nn::ReduceMaxOp>;
  auto reduction = readReduction(node);
  if (!reduction)
    return;
  Type type = reduction->x.elementType();
  if (std::optional<nn::Shape> shape = reduction->emptyShape()) {
    double value = type.isInteger(1) ? double(!isMax) : neutralElement(type, isMax);
    return node.give(0, node.expand(node.scalar(value, type), *shape));
  }
  nn::Expr x = type.isInteger(1) ? nn::cast(reduction->x, node.b.getI32Type()) : reduction->x;
  node.give(0, nn::cast(reduction->apply<Op>(x), type));
}

static void reduceL1(Node &node) {
  if (auto reduction = readReduction(node))
    node.give(0, reduction->apply<nn::SumOp>(nn::abs(reduction->x)));
}
static void reduceSumSquare(Node &node) {
  if (auto reduction = readReduction(node))
    node.give(0, reduction->apply<nn::SumOp>(reduction->x * reduction->x));
}
static void reduceL2(Node &node) {
  if (auto reduction = readReduction(node))
    node.give(0, norm(reduction->x, reduction->axes, reduction->keepdims));
}
static void reduceLogSum(Node &node) {
  if (auto reduction = readReduction(node))
    node.give(0, nn::log(reduction->apply<nn::SumOp>(reduction->x)));
}

/// The largest element is subtracted first; where it is infinite, nothing is.
static void reduceLogSumExp(Node &node) {
  auto reduction = readReduction(node);
  if (!reduction)
    return;
  nn::Expr x = reduction->x;
  if (reduction->emptyShape())
    return node.give(0, nn::log(reduction->apply<nn::SumOp>(x)));
  nn::Expr largest = nn::reduceMax(x, reduction->axes, /*keepdims=*/true);
  constexpr double infinity = std::numeric_limits<double>::infinity();
  nn::Expr size = nn::abs(largest), isFinite = nn::less(size, size.scalar(infinity));
  nn::Expr shift = nn::select(isFinite, largest, 0.0);
  nn::Expr sum = nn::log(reduction->apply<nn::SumOp>(nn::exp(x - shift)));
  node.give(0, sum + nn::reshape(shift, sum.type()));
}

template <typename Op> static void argReduce(Node &node) {
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), node.rank(0));
  if (!axis)
    return;
  SmallVector<NamedAttribute> attributes{node.attr("axis", *axis)};
  if (node.integer("keepdims", 1) != 0)
    attributes.push_back(node.flag("keepdims"));
  if (node.integer("select_last_index", 0) != 0)
    attributes.push_back(node.flag("last"));
  node.give(0, node.make<Op>({node.value(0)}, attributes));
}

static constexpr const char *asAttribute = "axes keepdims", *asInput = "keepdims noop_with_empty_axes";

static const Operator reductionOperators[] = {
    {"ReduceSum", 1, reduce<nn::SumOp>, 1, 1, asAttribute},
    {"ReduceSum", 13, reduce<nn::SumOp>, 1, 2, asInput},
    {"ReduceMean", 1, reduce<nn::MeanOp>, 1, 1, asAttribute},
    {"ReduceMean", 18, reduce<nn::MeanOp>, 1, 2, asInput},
    {"ReduceProd", 1, reduce<nn::ProdOp>, 1, 1, asAttribute},
    {"ReduceProd", 18, reduce<nn::ProdOp>, 1, 2, asInput},
    {"ReduceMax", 1, extreme<nn::ReduceMaxOp>, 1, 1, asAttribute},
    {"ReduceMax", 18, extreme<nn::ReduceMaxOp>, 1, 2, asInput},
    {"ReduceMin", 1, extreme<nn::ReduceMinOp>, 1, 1, asAttribute},
    {"ReduceMin", 18, extreme<nn::ReduceMinOp>, 1, 2, asInput},
    {"ReduceL1", 1, reduceL1, 1, 1, asAttribute},
    {"ReduceL1", 18, reduceL1, 1, 2, asInput},
    {"ReduceL2", 1, reduceL2, 1, 1, asAttribute},
    {"ReduceL2", 18, reduceL2, 1, 2, asInput},
    {"ReduceSumSquare", 1, reduceSumSquare, 1, 1, asAttribute},
    {"ReduceSumSquare", 18, reduceSumSquare, 1, 2, asInput},
    {"ReduceLogSum", 1, reduceLogSum, 1, 1, asAttribute},
    {"ReduceLogSum", 18, reduceLogSum, 1, 2, asInput},
    {"ReduceLogSumExp", 1, reduceLogSumExp, 1, 1, asAttribute},
    {"ReduceLogSumExp", 18, reduceLogSumExp, 1, 2, asInput},
    {"ArgMax", 1, argReduce<nn::ArgMaxOp>, 1, 1, "axis keepdims"},
    {"ArgMax", 12, argReduce<nn::ArgMaxOp>, 1, 1, "axis keepdims select_last_index"},
    {"ArgMin", 1, argReduce<nn::ArgMinOp>, 1, 1, "axis keepdims"},
    {"ArgMin", 12, argReduce<nn::ArgMinOp>, 1, 1, "axis keepdims select_last_index"},
};

ArrayRef<Operator> operatorsOfReduction() { return reductionOperators; }

} // namespace dlc::onnx
