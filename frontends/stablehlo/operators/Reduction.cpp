//===- Reduction.cpp - reductions of StableHLO -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Node.h"
#include <cmath>

using namespace mlir;

namespace dlc::stablehlo {

namespace {
struct Reduction {
  const char *operation;
  Value (*reduce)(Node &, Value, ArrayRef<NamedAttribute>);
  double neutral; ///< the initial value that changes nothing
};
} // namespace

template <typename Op> static Value reduced(Node &node, Value x, ArrayRef<NamedAttribute> attributes) {
  return node.make<Op>({x}, attributes);
}

static const Reduction reductions[] = {
    {"stablehlo.add", reduced<nn::SumOp>, 0},
    {"stablehlo.multiply", reduced<nn::ProdOp>, 1},
    {"stablehlo.maximum", reduced<nn::ReduceMaxOp>, -INFINITY},
    {"stablehlo.minimum", reduced<nn::ReduceMinOp>, INFINITY},
};

/// All or any of truth values: the smallest or the largest of 0 and 1.
static void reduceTruths(Node &node, Value x, StringRef combined, ArrayRef<NamedAttribute> attributes,
                         double initial) {
  bool isAll = combined == "stablehlo.and" || combined == "stablehlo.minimum";
  if (!isAll && combined != "stablehlo.or" && combined != "stablehlo.maximum")
    return node.unsupported("'" + combined + "' of truth values");
  if (initial != (isAll ? 1 : 0))
    return node.unsupported("an initial value other than " + Twine(isAll ? "true" : "false"));
  Value numbers = node.cast(x, node.b.getI32Type());
  Value y = isAll ? reduced<nn::ReduceMinOp>(node, numbers, attributes)
                  : reduced<nn::ReduceMaxOp>(node, numbers, attributes);
  if (y)
    node.give(nn::greater({node.b, y}, nn::Expr(node.b, y).scalar(0)));
}

/// The initial value of whole numbers is the smallest or the largest of their type.
static double neutralOf(const Reduction &reduction, Type type) {
  if (!std::isinf(reduction.neutral) || isa<FloatType>(type))
    return reduction.neutral;
  unsigned bits = type.getIntOrFloatBitWidth();
  return reduction.neutral < 0 ? -std::ldexp(1, bits - 1)
                               : double(APInt::getSignedMaxValue(bits).getSExtValue());
}

static void reduce(Node &node) {
  Value x = node.value(0);
  std::optional<double> initial = node.splat(1);
  std::optional<Numbers> dims = x ? node.dims("dimensions", nn::shapeOf(x).size()) : std::nullopt;
  if (!dims)
    return;
  llvm::sort(*dims);
  std::string combined = combiningOperation(node.op);
  if (combined.empty())
    return node.unsupported("a function of its own");
  if (!initial)
    return node.unsupported("an initial value that is computed");
  SmallVector<NamedAttribute> attributes{node.attr("axes", ArrayRef<int64_t>(*dims))};
  Type type = nn::elementTypeOf(x);
  if (type.isInteger(1))
    return reduceTruths(node, x, combined, attributes, *initial);
  const Reduction *found =
      llvm::find_if(reductions, [&](const Reduction &reduction) { return combined == reduction.operation; });
  if (found == std::end(reductions))
    return node.unsupported("'" + combined + "'");
  if (*initial != neutralOf(*found, type))
    return node.unsupported("the initial value " + str(*initial) + "; expected " +
                            str(neutralOf(*found, type)) + ", which changes nothing");
  node.give(dims->empty() ? x : found->reduce(node, x, attributes));
}

/// One tensor: several at once are given to functions that choose between their elements.
static void reduceOne(Node &node) {
  if (node.count() != 2)
    return node.unsupported("several tensors at once, as argmax has them; where it is no part of what is "
                            "trained, leave it to the program that uses the predictions");
  reduce(node);
}

static const Operator reductionOperators[] = {
    {"stablehlo.reduce", reduceOne, -1},
};

ArrayRef<Operator> operatorsOfReduction() { return reductionOperators; }

} // namespace dlc::stablehlo
