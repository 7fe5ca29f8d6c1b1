//===- Roles.cpp - what nodes read initializers as
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Roles.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/OperatorTables.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"

using namespace llvm;

namespace dlc::onnx {

StringRef nameOf(Role role) {
  constexpr StringLiteral names[] = {"scale",    "bias",   "slope", "mean",
                                     "variance", "matrix", "table", "value"};
  return names[size_t(role)];
}

bool isMadeByExporter(StringRef name) {
  StringRef base = name.rtrim("0123456789");
  return name.contains("::") || name.contains('/') || base.empty() || base == "val_" ||
         name.contains_insensitive("const") || name.contains("_output_") || name.contains(':');
}

bool isView(StringRef op) {
  return StringSwitch<bool>(op)
      .Cases({"Transpose", "Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Cast", "CastLike",
              "Expand", "QuantizeLinear", "DequantizeLinear"},
             true)
      .Default(false);
}

GraphIndex::GraphIndex(::onnx::GraphProto &graph) {
  for (::onnx::NodeProto &node : *graph.mutable_node()) {
    for (const std::string &output : node.output())
      if (!output.empty())
        producers.try_emplace(output, &node);
    for (int i = 0; i < node.input_size(); ++i)
      if (!node.input(i).empty())
        readerLists[node.input(i)].push_back({&node, i});
  }
  for (const ::onnx::ValueInfoProto &output : graph.output())
    outputs.insert(output.name());
  for (const ::onnx::ValueInfoProto &input : graph.input())
    inputs.insert(input.name());
  for (const ::onnx::TensorProto &tensor : graph.initializer())
    inputs.erase(tensor.name());
}

const ::onnx::NodeProto *GraphIndex::producer(StringRef name) const { return producers.lookup(name); }

ArrayRef<GraphIndex::Reader> GraphIndex::readers(StringRef name) const {
  auto found = readerLists.find(name);
  return found == readerLists.end() ? ArrayRef<Reader>() : ArrayRef<Reader>(found->second);
}

StringRef GraphIndex::beforeViews(StringRef name) const {
  const ::onnx::NodeProto *node = producer(name);
  // A hostile graph's views may go in a circle.
  for (int steps = 0; node && isView(node->op_type()) && node->input_size() > 0 && steps < 64; ++steps) {
    name = node->input(0);
    node = producer(name);
  }
  return name;
}

bool GraphIndex::isConstant(StringRef name) const {
  StringRef before = beforeViews(name);
  const ::onnx::NodeProto *node = producer(before);
  return node ? StringRef(node->op_type()).starts_with("Constant") : !inputs.contains(before);
}

bool GraphIndex::isBiasOfProduct(const ::onnx::NodeProto &node, int input) const {
  if (node.op_type() != "Add" || node.input_size() != 2 || input > 1)
    return false;
  const ::onnx::NodeProto *product = producer(beforeViews(node.input(1 - input)));
  if (!product || product->input_size() < 2)
    return false;
  return is_contained({"Gemm", "Conv", "ConvTranspose"}, StringRef(product->op_type())) ||
         (product->op_type() == "MatMul" && (isConstant(product->input(0)) || isConstant(product->input(1))));
}

/// Whether a value was divided by a root: normalizations are also written as formulas.
bool GraphIndex::isNormalized(StringRef name) const {
  const ::onnx::NodeProto *node = producer(beforeViews(name));
  if (!node || (node->op_type() != "Mul" && node->op_type() != "Div"))
    return false;
  return any_of(node->input(), [&](const std::string &input) {
    const ::onnx::NodeProto *before = producer(beforeViews(input));
    return before && is_contained({"Sqrt", "Reciprocal"}, StringRef(before->op_type()));
  });
}

Role GraphIndex::roleOf(const ::onnx::NodeProto &node, int input) const {
  StringRef op = node.op_type();
  auto other = [&] {
    return input < 2 && node.input_size() == 2 ? StringRef(node.input(1 - input)) : StringRef();
  };
  if (op == "MatMul" || op == "FusedMatMul")
    return Role::Matrix;
  if (op == "Attention" || op == "GemmFastGelu")
    return input == 1 ? Role::Matrix : input == 2 ? Role::Bias : Role::Other;
  if (op == "BiasGelu" || op == "FastGelu")
    return input == 1 ? Role::Bias : Role::Other;
  if (op == "SkipLayerNormalization")
    return input == 2 ? Role::Scale : input > 2 ? Role::Bias : Role::Other;
  if (op == "Gemm" || op == "FusedGemm")
    return input == 2 ? Role::Bias : Role::Matrix;
  if (op == "Conv" || op == "ConvTranspose")
    return input == 2 ? Role::Bias : input == 1 ? Role::Matrix : Role::Other;
  if (op == "DeformConv")
    return input == 3 ? Role::Bias : input == 1 ? Role::Matrix : Role::Other;
  if (op == "Gather" && input == 0)
    return Role::Table;
  if (op == "PRelu" && input == 1)
    return Role::Slope;
  if (op.ends_with("Normalization") && input > 0) {
    constexpr Role roles[] = {Role::Scale, Role::Bias, Role::Mean, Role::Variance};
    return input <= (op == "BatchNormalization" ? 4 : 2) ? roles[input - 1] : Role::Other;
  }
  if (op == "Mul" && isNormalized(other()))
    return Role::Scale;
  if (isBiasOfProduct(node, input))
    return Role::Bias;
  if (op == "Add")
    if (const ::onnx::NodeProto *scaled = producer(beforeViews(other()));
        scaled && scaled->op_type() == "Mul" &&
        any_of(scaled->input(), [&](const std::string &factor) { return isNormalized(factor); }))
      return Role::Bias;
  return Role::Other;
}

/// Where the operator has weights. Some exporters write them as Constant nodes, or as ConstantOfShape.
static Inputs weightInputs(StringRef op) {
  bool known = false;
  const Operator *version = findOperator(op, std::numeric_limits<int64_t>::max(), known);
  return version ? version->weights : Inputs();
}

/// A function of one number, such as a scale that is learnt by its logarithm.
static bool isFunction(StringRef op) {
  return StringSwitch<bool>(op)
      .Cases(
          {"Abs", "Clip", "Exp", "Log", "Neg", "Reciprocal", "Relu", "Sigmoid", "Softplus", "Sqrt", "Tanh"},
          true)
      .Default(false);
}

void Positions::insert(const Positions &others) {
  for (auto [mine, added] :
       {std::pair(&weights, &others.weights), std::pair(&own, &others.own), std::pair(&terms, &others.terms)})
    for (const auto &name : *added)
      mine->insert(name.first());
}

Positions findPositions(ArrayRef<const ::onnx::NodeProto *> nodes, const GraphIndex &index) {
  Positions positions;
  // Consumers first, so that a view knows what its result is for.
  for (const ::onnx::NodeProto *node : reverse(nodes)) {
    auto [first, count] = weightInputs(node->op_type());
    for (int i = first; i < std::min(first + count, node->input_size()); ++i)
      positions.weights.insert(node->input(i));
    StringRef op = node->op_type();
    bool isArithmetic = is_contained({"Add", "Sub", "Mul", "Div", "Pow"}, op);
    for (int i = 0; i < node->input_size(); ++i) {
      // What only looks like a normalization's formula is no evidence for a number.
      bool isFormula = isArithmetic && !index.isBiasOfProduct(*node, i);
      if (!node->input(i).empty() && !isFormula && index.roleOf(*node, i) != Role::Other)
        positions.own.insert(node->input(i));
      if (isArithmetic)
        positions.terms.insert(node->input(i));
    }
    if (node->input_size() == 0 || node->output_size() == 0)
      continue;
    if (isFunction(op) && positions.terms.contains(node->output(0)))
      positions.terms.insert(node->input(0));
    if (!isView(op))
      continue;
    for (StringSet<> *set : {&positions.weights, &positions.own, &positions.terms})
      if (set->contains(node->output(0)))
        set->insert(node->input(0));
  }
  return positions;
}

} // namespace dlc::onnx
