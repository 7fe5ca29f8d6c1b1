//===- DropoutFormula.cpp - dropout that the exporter writes as a formula
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's exporter has no operator for dropout of whole channels. It writes the mask, of shape [rows,
// channels, 1, 1], as Less(RandomUniformLike(zeros), p) / p, where p is the probability that an element is
// kept. This is what Dropout with the ratio 1 - p makes of ones, and so the graph says afterwards.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/DropoutFormula.h"
#include "frontends/onnx/GraphNames.h"
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/NodeProtos.h"
#include "frontends/onnx/Roles.h"

namespace dlc::onnx {

using llvm::StringRef;

/// The tensor like which random numbers in [0, 1) are made, where `name` says which of them are below `keep`.
static StringRef drawnLike(StringRef name, double keep, const GraphIndex &index,
                           llvm::function_ref<std::optional<double>(StringRef)> numberOf) {
  const ::onnx::NodeProto *less = index.producer(index.beforeViews(name));
  if (!less || less->op_type() != "Less" || less->input_size() != 2)
    return {};
  std::optional<double> limit = numberOf(less->input(1));
  const ::onnx::NodeProto *uniform = index.producer(index.beforeViews(less->input(0)));
  if (!limit || std::abs(*limit - keep) > 1e-6 || !uniform || uniform->op_type() != "RandomUniformLike" ||
      uniform->input_size() != 1)
    return {};
  const ::onnx::AttributeProto *low = findAttribute(*uniform, "low"), *high = findAttribute(*uniform, "high");
  return (!low || low->f() == 0) && (!high || high->f() == 1) ? StringRef(uniform->input(0)) : StringRef();
}

static ::onnx::NodeProto &addNode(::onnx::GraphProto &graph, StringRef op, const std::string &input,
                                  const std::string &output) {
  ::onnx::NodeProto &node = *graph.add_node();
  node.set_op_type(op.str());
  node.set_name(output);
  if (!input.empty())
    node.add_input(input);
  node.add_output(output);
  return node;
}

static void addConstant(::onnx::GraphProto &graph, const std::string &output, double number, int32_t type) {
  ::onnx::AttributeProto &value = *addNode(graph, "Constant", "", output).add_attribute();
  value.set_name("value");
  value.set_type(::onnx::AttributeProto::TENSOR);
  value.mutable_t()->set_data_type(type);
  if (type == ::onnx::TensorProto::BOOL)
    value.mutable_t()->add_int32_data(number != 0);
  else
    value.mutable_t()->add_double_data(number);
}

void recognizeDropout(::onnx::GraphProto &graph, int64_t opset, const GraphNames &names) {
  if (opset < 15) // CastLike
    return;
  struct Mask {
    int node;
    double keep;
    std::string like;
  };
  std::vector<Mask> masks;
  GraphIndex index(graph);
  auto numberOf = [&](StringRef name) { return names.numberOf(name, index); };
  for (int i = 0; i < graph.node_size(); ++i) {
    const ::onnx::NodeProto &node = graph.node(i);
    if (node.op_type() != "Div" || node.input_size() != 2 || node.output_size() != 1)
      continue;
    std::optional<double> keep = numberOf(node.input(1));
    if (!keep || !(*keep > 0 && *keep <= 1))
      continue;
    StringRef like = drawnLike(node.input(0), *keep, index, numberOf);
    if (!like.empty())
      masks.push_back({i, *keep, like.str()});
  }
  for (const Mask &mask : masks) {
    std::string stem = graph.node(mask.node).output(0);
    addNode(graph, "Shape", mask.like, stem + ".shape");
    ::onnx::AttributeProto &one =
        *addNode(graph, "ConstantOfShape", stem + ".shape", stem + ".one").add_attribute();
    one.set_name("value");
    one.set_type(::onnx::AttributeProto::TENSOR);
    one.mutable_t()->set_data_type(::onnx::TensorProto::FLOAT);
    one.mutable_t()->add_dims(1);
    one.mutable_t()->add_float_data(1);
    addNode(graph, "CastLike", stem + ".one", stem + ".ones").add_input(mask.like);
    addConstant(graph, stem + ".ratio", 1 - mask.keep, ::onnx::TensorProto::DOUBLE);
    addConstant(graph, stem + ".training", 1, ::onnx::TensorProto::BOOL);
    ::onnx::NodeProto &node = *graph.mutable_node(mask.node);
    node.set_op_type("Dropout");
    node.clear_input();
    for (const char *part : {".ones", ".ratio", ".training"})
      node.add_input(stem + part);
  }
}

} // namespace dlc::onnx
