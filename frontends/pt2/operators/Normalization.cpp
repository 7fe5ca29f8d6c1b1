//===- Normalization.cpp - ATen operators that normalize ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Softmax and its kin, and normalizations. A batch normalization was recorded in training mode, in which it
// moves its running statistics, or in evaluation mode, in which it only uses them; it stays in that mode.
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

template <typename Op> static void softmax(Node &node) {
  Value x = node.operand("self", node.resultType());
  if (!x)
    return;
  nn::Shape shape = nn::shapeOf(x);
  if (std::optional<int64_t> dim = node.dim("dim", -1, shape.size())) {
    if (shape.empty())
      return node.give(node.scalar(std::is_same_v<Op, nn::SoftmaxOp> ? 1 : 0, node.resultType()));
    node.give(node.make<Op>({x}, node.attr("axis", *dim)));
  }
}

//===-- By statistics of the same rows ---------------------------------------------===//

/// x with its dims from `axis` on normalized together; scale and bias have their shape, or are null.
static nn::LayerNormOp normalized(Node &node, Value x, int64_t axis, Value scale, Value bias) {
  if (!x)
    return {};
  Type type = nn::elementTypeOf(x);
  nn::Shape shape = nn::shapeOf(x), dims(shape.begin() + std::min<size_t>(axis, shape.size()), shape.end());
  if (!scale)
    scale = node.filled(1, type, dims);
  if (!bias)
    bias = node.filled(0, type, dims);
  return node.makeOp<nn::LayerNormOp>(
      {x, scale, bias}, {node.attr("axis", axis), node.attr("epsilon", node.number("eps", 1e-5))});
}

static void layerNorm(Node &node) {
  Value x = node.value("input");
  std::optional<nn::Shape> dims = x ? node.sizes("normalized_shape") : std::nullopt;
  if (!dims)
    return;
  nn::Shape shape = nn::shapeOf(x);
  if (dims->empty() || dims->size() > shape.size() ||
      nn::Shape(shape.end() - dims->size(), shape.end()) != *dims)
    return node.error("expects a normalized_shape that the input's shape ends with, got " + nn::str(*dims) +
                      " and " + nn::str(shape));
  nn::LayerNormOp op =
      normalized(node, x, shape.size() - dims->size(), node.value("weight"), node.value("bias"));
  if (!op)
    return;
  node.give(0, op.getY());
  if (node.wants(1))
    node.give(1, op.getMean());
  if (node.wants(2))
    node.give(2, op.getRstd());
}

static void rmsNorm(Node &node) {
  Value value = node.value("input");
  std::optional<nn::Shape> dims = value ? node.sizes("normalized_shape") : std::nullopt;
  if (!dims)
    return;
  nn::Expr x(node.b, value);
  int64_t rank = x.rank(), count = dims->size();
  if (count < 1 || count > rank)
    return node.error("expects a normalized_shape of 1 to " + Twine(rank) + " dims, got " + Twine(count));
  bool isDouble = x.elementType().isF64();
  double epsilon = node.number("eps", isDouble ? 2.220446049250313e-16 : 1.1920928955078125e-07);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(rank - count, rank));
  nn::Expr meanSquare = nn::mean(x * x, axes, /*keepdims=*/true);
  nn::Expr normal = x * nn::rsqrt(meanSquare + epsilon);
  node.give(node.has("weight") ? node.make<nn::MulOp>({normal, node.value("weight")}) : normal.get());
}

/// Times and plus one number for each index of dim 1.
static Value scaleAndShift(Node &node, Value x, StringRef scale, StringRef shift) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x), along(shape.size() - 1, nn::Dim(1));
  along[0] = shape[1];
  for (StringRef name : {scale, shift})
    if (node.has(name) && node.shape(name) != nn::Shape{shape[1]}) {
      node.error("expects " + name + " of shape " + nn::str(shape[1]) + ", got " + nn::str(node.shape(name)));
      return {};
    }
  if (node.has(scale))
    x = node.make<nn::MulOp>({x, node.reshape(node.value(scale), along)});
  if (node.has(shift))
    x = node.make<nn::AddOp>({x, node.reshape(node.value(shift), along)});
  return x;
}

/// Groups of channels as rows of their own.
static void normalizeGroups(Node &node, Value x, int64_t groups) {
  nn::Shape shape = x ? nn::shapeOf(x) : nn::Shape();
  if (!x)
    return;
  if (shape.size() < 2 || groups < 1 || !shape[1].isStatic() || shape[1].factor % groups != 0)
    return node.error("the number of groups must divide that of the channels, got " + Twine(groups) +
                      " groups and shape " + nn::str(shape));
  nn::Shape grouped{shape[0], groups, shape[1].factor / groups};
  grouped.append(shape.begin() + 2, shape.end());
  nn::LayerNormOp op = normalized(node, node.reshape(x, grouped), 2, {}, {});
  if (op)
    node.give(0, scaleAndShift(node, node.reshape(op.getY(), shape), "weight", "bias"));
}

static void groupNorm(Node &node) {
  normalizeGroups(node, node.value("input"), node.integer("num_groups", node.integer("group", 0)));
}

static void instanceNorm(Node &node) {
  if (node.has("running_mean") || node.has("running_var"))
    return node.unsupported("running statistics (track_running_stats)");
  nn::Shape shape = node.shape("input");
  if (shape.size() < 3 || !shape[1].isStatic())
    return node.error("expects a batch, a known number of channels and spatial dims, got shape " +
                      nn::str(shape));
  normalizeGroups(node, node.value("input"), shape[1].factor);
}

//===-- By statistics of the batch -------------------------------------------------===//

namespace {
struct BatchNorm {
  Value x, scale, bias;
  NamedAttribute epsilon;
};
} // namespace

/// PyTorch decomposes an instance norm into a batch norm of one row, with the channels of all rows as
/// features.
static bool isOfInstances(Node &node, ArrayRef<nn::Dim> shape) {
  return shape.size() > 2 && shape[0].isOne() && !node.has("running_mean");
}

static std::optional<BatchNorm> readBatchNorm(Node &node) {
  Value x = node.value("input");
  if (!x)
    return std::nullopt;
  nn::Shape shape = nn::shapeOf(x);
  if (shape.size() < 2 || (!shape[1].isStatic() && !isOfInstances(node, shape))) {
    node.error("expects features of a known number along dim 1, got shape " + nn::str(shape));
    return std::nullopt;
  }
  Type type = nn::elementTypeOf(x);
  for (StringRef name : {"weight", "bias", "running_mean", "running_var"})
    if (Value given = node.value(name);
        given && (nn::shapeOf(given) != nn::Shape{shape[1]} || nn::elementTypeOf(given) != type)) {
      node.error("expects " + name + " of shape " + shape[1].str() +
                 " and the dtype of the input, got shape " + nn::str(nn::shapeOf(given)));
      return std::nullopt;
    }
  Value scale = node.has("weight") ? node.value("weight") : node.filled(1, type, {shape[1]});
  Value bias = node.has("bias") ? node.value("bias") : node.filled(0, type, {shape[1]});
  double epsilon = node.number("eps", 1e-5);
  if (!scale || !bias)
    return std::nullopt;
  return BatchNorm{x, scale, bias, node.attr("epsilon", epsilon)};
}

static void evaluateNorm(Node &node, const BatchNorm &norm) {
  node.countMode(/*isTraining=*/false, /*isNorm=*/true);
  node.give(0, node.make<nn::BatchNormInferenceOp>(
                   {norm.x, norm.scale, norm.bias, node.value("running_mean"), node.value("running_var")},
                   norm.epsilon));
}

static void trainNorm(Node &node, const BatchNorm &norm) {
  node.countMode(/*isTraining=*/true, /*isNorm=*/true);
  nn::Shape shape = nn::shapeOf(norm.x);
  if (isOfInstances(node, shape)) {
    nn::LayerNormOp op = normalized(node, norm.x, 2, {}, {});
    return node.give(0, scaleAndShift(node, op ? op.getY() : Value(), "weight", "bias"));
  }
  shape[1] = nn::Dim(1);
  if (!node.predictOnly() && node.trainingSize(shape) == 1)
    node.warn(
        "a training step has one value of each channel, so that the normalized one is 0 whatever it was; "
        "give a batch of at least two");
  if (!node.has("running_mean")) { // these of the batch, also in evaluation
    auto op = node.makeOp<nn::BatchNormOp>({norm.x, norm.scale, norm.bias}, norm.epsilon);
    return node.give(0, op ? op.getY() : Value());
  }
  double momentum = node.number("momentum", 0.1);
  if (!(momentum >= 0 && momentum <= 1))
    return node.error("momentum must be from 0 to 1, got " + str(momentum));
  std::string mean = node.buffer("running_mean"), variance = node.buffer("running_var");
  if (mean.empty() || variance.empty())
    return;
  node.give(0, Value(train::BatchNormOp::create(node.b, norm.x.getType(), norm.x, norm.scale, norm.bias, mean,
                                                variance, APFloat(1 - momentum),
                                                cast<FloatAttr>(norm.epsilon.getValue()).getValue(),
                                                /*biased=*/false)));
}

static void batchNorm(Node &node) {
  if (std::optional<BatchNorm> norm = readBatchNorm(node))
    (node.boolean("training", false) || !node.has("running_mean") ? trainNorm : evaluateNorm)(node, *norm);
}
static void batchNormNoTraining(Node &node) {
  if (std::optional<BatchNorm> norm = readBatchNorm(node))
    evaluateNorm(node, *norm);
}

static constexpr const char *batch = "input weight bias running_mean running_var training momentum eps";

static const Operator normalizationOperators[] = {
    {"aten.softmax", softmax<nn::SoftmaxOp>, "self dim dtype"},
    {"aten._softmax", softmax<nn::SoftmaxOp>, "self dim half_to_float"},
    {"aten.log_softmax", softmax<nn::LogSoftmaxOp>, "self dim dtype"},
    {"aten._log_softmax", softmax<nn::LogSoftmaxOp>, "self dim half_to_float"},
    {"aten.layer_norm", layerNorm, "input normalized_shape weight bias eps"},
    {"aten.native_layer_norm", layerNorm, "input normalized_shape weight bias eps"},
    {"aten.rms_norm", rmsNorm, "input normalized_shape weight eps"},
    {"aten.group_norm", groupNorm, "input num_groups weight bias eps"},
    {"aten.native_group_norm", groupNorm, "input weight bias N C HxW group eps"},
    {"aten.instance_norm", instanceNorm,
     "input weight bias running_mean running_var use_input_stats momentum eps"},
    {"aten.batch_norm", batchNorm, batch},
    {"aten.native_batch_norm", batchNorm, batch},
    {"aten._native_batch_norm_legit", batchNorm, batch},
    {"aten._native_batch_norm_legit_functional", batchNorm, batch},
    {"aten._native_batch_norm_legit_no_training", batchNormNoTraining,
     "input weight bias running_mean running_var momentum eps"},
};

ArrayRef<Operator> operatorsOfNormalization() { return normalizationOperators; }

} // namespace dlc::pt2
