//===- Random.cpp - ONNX operators of the family Random
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dropout drops in the training step and is the identity in evaluation, in whichever mode it was exported.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// Which elements are kept: what is left of ones, dropped with the same numbers.
static void giveMask(Node &node, llvm::function_ref<Value(Value)> drop) {
  if (!node.wants(1))
    return;
  Type type = node.elementType(0);
  Value ones = node.expand(node.scalar(1, type), node.shape(0));
  if (!ones)
    return;
  nn::Expr left(node.b, drop(ones));
  nn::Expr kept = nn::logicalNot(nn::equal(left, left.scalar(0)));
  node.give(1, node.since >= 10 ? kept : nn::cast(kept, type));
}

/// From opset 12 on the ratio is an input; nullopt after an error.
static std::optional<double> readRatio(Node &node) {
  if (node.since < 12)
    return node.number("ratio", 0.5);
  if (!node.has(1))
    return 0.5;
  const HostTensor *known = node.constant(1);
  if (known && known->count() == 1)
    return known->number(0);
  node.error("the ratio must be known at compile time, but '" + node.inputName(1) +
             "' is computed or an input");
  return std::nullopt;
}

static void dropout(Node &node) {
  // Opset 6 has an attribute for it; up to opset 11 who wants the mask trains.
  bool training = node.since == 6 ? node.integer("is_test", 0) == 0 : node.since < 12 && node.wants(1);
  if (node.has(2)) {
    auto mode = node.integers(2, "training_mode");
    if (!mode)
      return;
    training = !mode->empty() && mode->front() != 0;
  }
  auto giveAll = [&] {
    giveMask(node, [](Value ones) { return ones; });
    node.give(0, node.value(0));
  };
  if (node.predictOnly())
    return giveAll();
  std::optional<double> ratio = readRatio(node);
  if (!ratio)
    return;
  if (!(*ratio >= 0 && *ratio < 1))
    return node.error("the ratio must be in [0, 1), got " + str(*ratio));
  if (*ratio == 0)
    return giveAll();
  std::string effect = "the training step drops with ratio " + str(*ratio) + ", evaluation keeps everything";
  if (training || node.isOfTraining())
    node.note(effect);
  else
    node.remark("exported for inference; " + effect);
  Value rng = node.rng();
  int64_t stream = node.nextStream();
  auto drop = [&](Value x) {
    return node.make<nn::DropoutOp>({x, rng}, {node.attr("ratio", *ratio), node.attr("stream", stream)});
  };
  giveMask(node, drop);
  node.give(0, drop(node.value(0)));
}

static const Operator randomOperators[] = {
    {"Dropout", 6, dropout, 1, 1, "is_test ratio"},
    {"Dropout", 7, dropout, 1, 1, "ratio"},
    {"Dropout", 10, dropout, 1, 1, "ratio"},
    {"Dropout", 12, dropout, 1, 3, "seed"},
};

ArrayRef<Operator> operatorsOfRandom() { return randomOperators; }

} // namespace dlc::onnx
