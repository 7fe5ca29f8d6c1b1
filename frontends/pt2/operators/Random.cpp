//===- Random.cpp - ATen operators of dropout ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A dropout that was recorded in training mode drops in the training step, and keeps everything in
// evaluation; one in evaluation mode keeps everything in both.
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

static Value dropped(Node &node, Value x, double ratio) {
  return node.make<nn::DropoutOp>({x, node.rng()},
                                  {node.attr("ratio", ratio), node.attr("stream", node.nextStream())});
}

/// The ratio in training; nullopt after an error, 0 where nothing is dropped.
static std::optional<double> readRatio(Node &node, StringRef name, bool isTraining) {
  double ratio = node.number(name, 0.5);
  if (!(ratio >= 0 && ratio < 1)) {
    node.error("the ratio must be in [0, 1), got " + str(ratio));
    return std::nullopt;
  }
  if (ratio > 0)
    node.countMode(isTraining, /*isNorm=*/false);
  return isTraining && !node.predictOnly() ? ratio : 0;
}

static void dropout(Node &node) {
  std::optional<double> ratio = readRatio(node, "p", node.boolean("train", true));
  Value x = ratio ? node.value("input") : Value();
  if (!x)
    return;
  node.give(0, *ratio == 0 ? x : dropped(node, x, *ratio));
  if (node.wants(1))
    node.unsupported("its mask, which something reads");
}

/// Whole channels are dropped: the factors of an image of ones without its spatial dims.
static void featureDropout(Node &node) {
  std::optional<double> ratio = readRatio(node, "p", node.boolean("train", true));
  Value x = ratio ? node.value("input") : Value();
  if (!x)
    return;
  if (*ratio == 0)
    return node.give(x);
  nn::Shape shape = nn::shapeOf(x);
  for (nn::Dim &dim : llvm::drop_begin(shape, std::min<size_t>(2, shape.size())))
    dim = nn::Dim(1);
  Value factors = dropped(node, node.filled(1, nn::elementTypeOf(x), shape), *ratio);
  node.give(node.make<nn::MulOp>({x, factors}));
}

static const Operator randomOperators[] = {
    {"aten.dropout", dropout, "input p train", Sharing::WhereEqual},
    {"aten.native_dropout", dropout, "input p train"},
    {"aten.feature_dropout", featureDropout, "input p train", Sharing::WhereEqual},
};

ArrayRef<Operator> operatorsOfRandom() { return randomOperators; }

} // namespace dlc::pt2
