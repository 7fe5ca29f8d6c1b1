//===- Loss.cpp - ONNX operators of the family Loss
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses that are nodes of the model itself.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// The label that does not count: one that labels can have. Nullopt after an error.
static std::optional<int64_t> ignoredLabel(Node &node) {
  int64_t label = node.integer("ignore_index", -100);
  unsigned bits = node.elementType(1).getIntOrFloatBitWidth();
  // The smallest number of all stands for none in what the runtime is told.
  if (llvm::isIntN(bits, label) && label != std::numeric_limits<int64_t>::min())
    return label;
  node.error("attribute 'ignore_index' is " + Twine(label) + ", which is no label of type " +
             typeName(node.elementType(1)) + (bits == 64 ? " (the smallest number cannot be ignored)" : ""));
  return std::nullopt;
}

/// Refuses labels that are neither a class nor ignored, where they are known.
static bool checkLabels(Node &node, const nn::Dim &classes, int64_t ignored) {
  const HostTensor *known = node.constant(1);
  if (!known || !classes.isStatic())
    return true;
  for (int64_t i = 0, count = known->splat ? 1 : known->count(); i < count; ++i)
    if (int64_t label = known->integer(i); label != ignored && (label < 0 || label >= classes.factor)) {
      node.error("label " + Twine(label) + " (element " + Twine(i) + " of '" + node.inputName(1) +
                 "') is not in [0, " + classes.str() +
                 "), the classes, and is not ignored (ignore_index is " + Twine(ignored) + ")");
      return false;
    }
  return true;
}

/// PyTorch's cross entropy with probabilities in place of labels, which its exporters write with the operator
/// that ONNX has for labels only: minus the sum of probability times logarithm, weighted by class; the mean
/// divides by the number of rows, whatever the weights are.
static void probabilityLoss(Node &node, StringRef reduction) {
  nn::Shape shape = node.shape(0), perClass(shape.size(), nn::Dim(1));
  if (node.shape(1) != shape || node.elementType(1) != node.elementType(0))
    return node.error("expects labels of integers, or probabilities of the type and shape of the scores, " +
                      nn::str(shape) + ", got " + typeName(node.elementType(1)) + " " +
                      nn::str(node.shape(1)));
  if (shape.size() < 2 || !shape[1].isStatic())
    return node.error("expects classes of a static number along dim 1, got scores of shape " +
                      nn::str(shape));
  perClass[1] = shape[1];
  Value logProbabilities = node.make<nn::LogSoftmaxOp>({node.value(0)}, node.attr("axis", int64_t(1))),
        weights;
  if (node.has(2)) {
    if (node.shape(2) != nn::Shape{shape[1]})
      return node.error("expects weights of shape " + nn::str(shape[1]) + ", got " + nn::str(node.shape(2)));
    weights = node.reshape(node.value(2), perClass);
  }
  Value product = node.make<nn::MulOp>({logProbabilities, node.value(1)});
  if (weights)
    product = node.make<nn::MulOp>({product, weights});
  if (!product)
    return;
  node.give(1, logProbabilities);
  node.forgetDeclaredShape(0); // shape inference takes it for that of the labels
  nn::Expr perRow = -nn::sum({node.b, product}, {1}, /*keepdims=*/false);
  if (reduction == "none")
    return node.give(0, perRow);
  SmallVector<int64_t> all = llvm::to_vector(llvm::seq<int64_t>(perRow.rank()));
  node.give(0, reduction == "sum" ? nn::sum(perRow, all, /*keepdims=*/false)
                                  : nn::mean(perRow, all, /*keepdims=*/false));
}

/// Each label's loss times its class's weight, zero for ignored labels: reduction "none".
static Value lossPerLabel(Node &node, nn::Expr logProbabilities, int64_t ignored) {
  nn::Shape shape = nn::shapeOf(logProbabilities.type()), labelShape = node.shape(1);
  if (shape.size() < 2 || !shape[1].isStatic()) {
    node.error("expects classes of a static number along dim 1, got scores of shape " + nn::str(shape));
    return {};
  }
  nn::Shape expected = shape, perClass(shape.size(), nn::Dim(1)), unsqueezed = labelShape;
  expected.erase(expected.begin() + 1);
  perClass[1] = shape[1];
  if (expected != labelShape) {
    node.error("expects labels of shape " + nn::str(expected) + ", got " + nn::str(labelShape));
    return {};
  }
  unsqueezed.insert(unsqueezed.begin() + 1, nn::Dim(1));
  nn::Expr labels = node.expr(1), loss = -logProbabilities;
  if (node.has(2)) {
    if (node.shape(2) != nn::Shape{shape[1]}) {
      node.error("expects weights of shape " + nn::str(shape[1]) + ", got " + nn::str(node.shape(2)));
      return {};
    }
    Value weighted = node.make<nn::MulOp>({loss, node.reshape(node.value(2), perClass)});
    if (!weighted)
      return {};
    loss = {node.b, weighted};
  }
  nn::Expr classes(node.b, nn::IotaOp::create(node.b, nn::tensorType(perClass, labels.elementType()), 1));
  nn::Expr isLabel = nn::equal({node.b, node.reshape(labels, unsqueezed)}, classes);
  nn::Expr perLabel = nn::sum(nn::select(isLabel, loss, 0.0), {1}, /*keepdims=*/false);
  if (!node.hasAttribute("ignore_index"))
    return perLabel;
  auto label = DenseElementsAttr::get(RankedTensorType::get({}, labels.elementType()),
                                      Attribute(node.b.getIntegerAttr(labels.elementType(), ignored)));
  nn::Expr isIgnored = nn::equal(labels, {node.b, nn::ConstantOp::create(node.b, label)});
  return nn::select(isIgnored, 0.0, perLabel);
}

template <typename Op> static void classLoss(Node &node, bool wantsLogits) {
  std::string reduction = node.text("reduction", "mean");
  if (reduction != "mean" && reduction != "sum" && reduction != "none")
    return node.error("reduction must be 'mean', 'sum' or 'none', got '" + reduction + "'");
  if (isa<FloatType>(node.elementType(0)) && isa<FloatType>(node.elementType(1)) && wantsLogits)
    return probabilityLoss(node, reduction);
  nn::Expr scores = node.expr(0);
  if (!isa<FloatType>(scores.elementType()) || !isa<IntegerType>(node.elementType(1)) ||
      node.elementType(1).isInteger(1))
    return node.error("expects scores of floats and labels of integers, got " +
                      typeName(scores.elementType()) + " and " + typeName(node.elementType(1)));
  std::optional<int64_t> ignored = ignoredLabel(node);
  if (!ignored)
    return;
  if (scores.rank() >= 2 && !checkLabels(node, node.shape(0)[1], *ignored))
    return;
  if (scores.rank() >= 2)
    node.limitIndices(node.value(1), 0, node.shape(0)[1], *ignored);
  Value logProbabilities = scores;
  if (wantsLogits && (reduction == "none" || node.wants(1)))
    logProbabilities = node.make<nn::LogSoftmaxOp>({scores}, node.attr("axis", int64_t(1)));
  if (!logProbabilities)
    return;
  if (wantsLogits)
    node.give(1, logProbabilities);
  if (reduction == "none")
    return node.give(0, lossPerLabel(node, {node.b, logProbabilities}, *ignored));
  SmallVector<Value> operands{scores, node.value(1)};
  if (node.has(2))
    operands.push_back(node.value(2));
  auto kind = reduction == "mean" ? nn::LossReduction::mean : nn::LossReduction::sum;
  node.give(0, node.make<Op>(operands, {node.b.getNamedAttr("reduction", nn::LossReductionAttr::get(
                                                                             node.b.getContext(), kind)),
                                        node.attr("ignore_index", *ignored)}));
}

static void softmaxCrossEntropy(Node &node) {
  classLoss<nn::SoftmaxCrossEntropyOp>(node, /*wantsLogits=*/true);
}
static void negativeLogLikelihood(Node &node) { classLoss<nn::NllLossOp>(node, /*wantsLogits=*/false); }

static const Operator lossOperators[] = {
    {"SoftmaxCrossEntropyLoss", 12, softmaxCrossEntropy, 2, 3, "ignore_index reduction"},
    {"NegativeLogLikelihoodLoss", 12, negativeLogLikelihood, 2, 3, "ignore_index reduction"},
};

ArrayRef<Operator> operatorsOfLoss() { return lossOperators; }

} // namespace dlc::onnx
