//===- BatchNorm.cpp - ONNX BatchNormalization
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With constant statistics it becomes train.batch_norm, which trains with the batch's and evaluates with
// the running ones, in whichever mode it was exported. Statistics that are computed or passed in are
// used as ONNX says.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// momentum * running + (1 - momentum) * batch
static Value updated(Node &node, int running, Value batch, double momentum) {
  return node.make<nn::AddOp>({node.expr(running) * momentum, nn::Expr(node.b, batch) * (1 - momentum)});
}

/// And not constants, buffers or inputs.
static bool isComputed(Value mean, Value variance) {
  return llvm::any_of(ArrayRef<Value>{mean, variance}, [](Value value) {
    return !isa_and_nonnull<train::ReadOp, nn::ConstantOp>(value.getDefiningOp());
  });
}

static void withGivenStatistics(Node &node, bool training, NamedAttribute epsilon, double momentum) {
  Value x = node.value(0), scale = node.value(1), bias = node.value(2);
  if (!training) {
    Value mean = node.value(3), variance = node.value(4);
    Value y = node.make<nn::BatchNormInferenceOp>({x, scale, bias, mean, variance}, epsilon);
    if (!y || !isComputed(mean, variance))
      return node.give(0, y);
    // Statistics that the model computes have gradients: those of the formula.
    y.getDefiningOp()->erase();
    nn::Shape along(node.rank(0), nn::Dim(1));
    along[1] = node.shape(0)[1];
    auto of = [&](Value channels) { return nn::Expr(node.b, node.reshape(channels, along)); };
    nn::Expr factor = of(scale), shift = of(bias), centered = nn::Expr(node.b, x) - of(mean);
    nn::Expr spread = nn::rsqrt(of(variance) + node.number("epsilon", 1e-5f, 0));
    nn::Expr normalized = centered * spread;
    return node.give(0, normalized * factor + shift);
  }
  auto op = node.makeOp<nn::BatchNormOp>({x, scale, bias}, epsilon);
  if (!op)
    return;
  node.give(0, op.getY());
  node.give(1, updated(node, 3, op.getMean(), momentum));
  node.give(2, updated(node, 4, op.getVariance(), momentum));
}

static void batchNorm(Node &node) {
  if (node.integer("spatial", 1) == 0)
    return node.error("spatial = 0 is not supported");
  if (node.since >= 14 && node.outputCount() > 3)
    return node.error(
        "has " + Twine(node.outputCount()) +
        " outputs, expected at most 3: PyTorch's older exporter writes an InstanceNorm with "
        "running statistics in training mode so, which is no valid model; export with the newer "
        "one (dynamo=True), or without track_running_stats");
  double momentum = node.number("momentum", 0.9f, 0, 1);
  auto epsilon = node.attr("epsilon", node.number("epsilon", 1e-5f, 0));
  bool training = node.since >= 14  ? node.integer("training_mode", 0) != 0
                  : node.since >= 7 ? node.wants(1)
                                    : node.integer("is_test", 0) == 0;
  if (!node.constant(3) || !node.constant(4))
    return withGivenStatistics(node, training, epsilon, momentum);

  nn::Shape shape = node.shape(0);
  if (shape.size() < 2 || !shape[1].isStatic())
    return node.error("expects features of a static number along dim 1, got x of shape " + nn::str(shape));
  for (int i : {1, 2, 3, 4})
    if (nn::Shape{shape[1]} != node.shape(i) || node.elementType(i) != node.elementType(0))
      return node.error("expects input " + Twine(i) + " of shape " + nn::str(shape[1]) +
                        " and the type of x, got " + nn::str(node.shape(i)) + " of " +
                        typeName(node.elementType(i)));
  std::optional<std::string> mean = node.buffer(3), variance = node.buffer(4);
  Value x = node.value(0), scale = node.value(1), bias = node.value(2);
  if (!mean || !variance || !scale || !bias)
    return;
  if (!training && !node.isInTraining() && node.isOfTraining()) {
    Value given = node.bufferValue(3), spread = node.bufferValue(4);
    node.give(0, node.make<nn::BatchNormInferenceOp>({x, scale, bias, given, spread}, epsilon));
    if (!node.predictOnly())
      node.remark("is in evaluation mode in a model that is not: it keeps its statistics in training");
    return;
  }
  if (node.mayNotCount() && !node.predictOnly())
    return node.error(
        "is in a branch or a loop's body that data may leave out, and its running statistics would "
        "move all the same; export the model with this layer in evaluation mode, or in the mode for "
        "training without track_running_stats");
  bool biased = node.keepsPopulationVariance();
  shape[1] = nn::Dim(1);
  if (!node.predictOnly() && node.trainingSize(shape) == 1)
    node.warn(
        "a training step has one value of each channel, so that the normalized one is 0 whatever it was; "
        "give a batch of at least two");
  node.give(0, Value(train::BatchNormOp::create(node.b, x.getType(), x, scale, bias, *mean, *variance,
                                                APFloat(momentum),
                                                cast<FloatAttr>(epsilon.getValue()).getValue(), biased)));
  if (!training && !node.isInTraining() && !node.predictOnly())
    node.remark(
        "exported for inference; the training step uses the batch's statistics and updates the running "
        "ones, which evaluation uses");
}

static const Operator batchNormOperators[] = {
    {"BatchNormalization", 6, batchNorm, 5, 5, "epsilon is_test momentum spatial consumed_inputs", {1, 2}},
    {"BatchNormalization", 7, batchNorm, 5, 5, "epsilon momentum spatial consumed_inputs", {1, 2}},
    {"BatchNormalization", 9, batchNorm, 5, 5, "epsilon momentum", {1, 2}},
    {"BatchNormalization", 14, batchNorm, 5, 5, "epsilon momentum training_mode", {1, 2}},
};

ArrayRef<Operator> operatorsOfBatchNorm() { return batchNormOperators; }

} // namespace dlc::onnx
