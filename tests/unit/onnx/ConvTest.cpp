//===- ConvTest.cpp - Conv and ConvTranspose: errors, and which initializers are whose
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/unit/onnx/ImportFixture.h"

namespace {

using models::addInt;
using models::addMetadata;
using models::has;
using models::madeOf;
using models::Model;

class ConvTest : public models::ImportTest {
protected:
  static std::string parameter(const std::string &name) { return "train.state parameter @" + name + " "; }
};

using Ints = std::vector<int64_t>;

void addInts(onnx::NodeProto &node, const std::string &name, const Ints &values) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values)
    attribute.add_ints(value);
}

void addText(onnx::NodeProto &node, const std::string &name, const std::string &text) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::STRING);
  attribute.set_s(text);
}

/// x -> a node with a weight -> y. Image and weight are those of a correct model unless a test says
/// otherwise.
struct One {
  Ints image = {-1, 3, 8, 8}, weight = {4, 3, 3, 3}, bias = {};
  std::vector<std::pair<std::string, Ints>> lists = {};
  int64_t group = 1;
  std::string autoPad = "";
  std::string op = "Conv";
};

Model modelOf(const One &one) {
  Model model;
  model.input("x", one.image).weight("w", one.weight).output("y");
  std::vector<std::string> inputs = {"x", "w"};
  if (!one.bias.empty()) {
    model.weight("b", one.bias);
    inputs.push_back("b");
  }
  onnx::NodeProto &node = model.node(one.op, inputs, {"y"});
  node.set_name("c1");
  addInt(node, "group", one.group);
  if (!one.autoPad.empty())
    addText(node, "auto_pad", one.autoPad);
  for (const auto &[name, values] : one.lists)
    addInts(node, name, values);
  return model;
}

TEST_F(ConvTest, WhatDoesNotFitIsAnErrorOfTheNode) {
  struct Case {
    One one;
    std::string message;
  };
  auto transposed = [](One one) {
    one.op = "ConvTranspose";
    return one;
  };
  const Case cases[] = {
      {{{-1, 3, 2, 8}},
       "expects a window that fits into the padded image, got a window of 3 (kernel 3, dilation 1) and an "
       "image "
       "of 2 (2 and padding of 0 and 0) along spatial dim 0"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {{"strides", {1, 0}}}},
       "attribute 'strides' must have numbers in [1, 16777216], got 0"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {{"strides", {1}}}},
       "attribute 'strides' must have 2 numbers, one per spatial dim, got 1"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {{"dilations", {0, 1}}}},
       "attribute 'dilations' must have numbers in [1, 16777216], got 0"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {{"pads", {0, 0, -1, 0}}}},
       "attribute 'pads' must have numbers in [0, 16777216], got -1"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {{"pads", {1, 1}}}},
       "attribute 'pads' must have 4 numbers, a begin and an end per spatial dim, got 2"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {{"pads", {1, 1, 1, 1}}}, 1, "VALID"},
       "attribute 'pads' must have numbers in [0, 0] where auto_pad is VALID, got 1"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {}, 1, "SAME"},
       "attribute 'auto_pad' is 'SAME', expected NOTSET, VALID, SAME_UPPER or SAME_LOWER"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {{"kernel_shape", {3, 5}}}},
       "attribute 'kernel_shape' is [3, 5], but the weight has a kernel of [3, 3]"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {}, 2},
       "expects a number of groups that divides the channels, got 2 groups of 3 channels of the image and 4 "
       "of "
       "the result"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {}, {}, -1},
       "expects a number of groups that divides the channels, got -1 groups"},
      {{{-1, 3, 8, 8}, {4, 5, 3, 3}},
       "expects a weight for 3 input channels (the image has 3, in 1 group), got a weight of shape [4, 5, 3, "
       "3]"},
      {{{-1, 3, 8, 8}, {4, 3, 3, 3}, {3}},
       "expects a bias for the 4 channels of the result, got one of shape [3]"},
      {{{-1, 3, 8}, {4, 3, 3, 3}},
       "expects an image and a weight of the same rank, 3, 4 or 5, for one to three spatial dims, got shapes "
       "[N, 3, 8] and [4, 3, 3, 3]"},
      {transposed({{-1, 4, 8, 8}, {3, 2, 3, 3}}), "expects a weight for the 4 channels of the image, which "
                                                  "are its dim 0, got one of shape [3, 2, 3, 3]"},
      {transposed({{-1, 4, 1, 8}, {4, 2, 3, 3}, {}, {{"pads", {2, 0, 1, 0}}}}),
       "expects an output of at least 1 element along each spatial dim, got 0 along spatial dim 0 (3 before "
       "padding "
       "of 2 and 1 is taken away)"},
      {transposed({{-1, 4, 8, 8}, {4, 2, 3, 3}, {}, {{"output_shape", {0, 8}}}}),
       "attribute 'output_shape' must have numbers in [1, 16777216], got 0"},
      {transposed({{-1, 4, 8, 8}, {4, 2, 3, 3}, {}, {{"output_padding", {-1, 0}}}}),
       "attribute 'output_padding' must have numbers in [0, 16777216], got -1"},
  };
  for (const Case &test : cases) {
    EXPECT_EQ(import(modelOf(test.one)), "");
    EXPECT_TRUE(has(messages, "node 'c1' (" + test.one.op + "): " + test.message));
  }
}

TEST_F(ConvTest, SizesAreKnownWhenTheModelIsCompiled) {
  Model model;
  model.input("x", {-1, 3, -1, 8}).weight("w", {4, 3, 3, 3}).output("y");
  model.node("Conv", {"x", "w"}, {"y"}).set_name("c1");
  dlc::onnx::ImportOptions options = withBatch();
  options.dims["x.2"] = {1, 16};
  EXPECT_EQ(import(model, options), "");
  EXPECT_TRUE(has(messages, "node 'c1' (Conv): expects known sizes of all dims but the batch, got "));
}

//===-- Parameters -------------------------------------------------------------------===//

TEST_F(ConvTest, ABiasOfOneElementIsAParameter) {
  std::string text = import(modelOf({{-1, 3, 8, 8}, {1, 3, 3, 3}, {1}}));
  EXPECT_TRUE(has(text, parameter("w")));
  EXPECT_TRUE(has(text, parameter("b")));
}

TEST_F(ConvTest, ConvolutionsThatShareABiasTrainTheirOwn) {
  Model model;
  model.input("x", {-1, 2, 8, 8})
      .weight("w1", {2, 2, 3, 3})
      .weight("w2", {2, 2, 3, 3})
      .weight("b", {2})
      .output("y");
  model.node("Conv", {"x", "w1", "b"}, {"h"}).set_name("first");
  model.node("ConvTranspose", {"h", "w2", "b"}, {"y"}).set_name("second");
  std::string text = import(model);
  for (const char *name : {"w1", "w2", "b", "second.bias"})
    EXPECT_TRUE(has(text, parameter(name)));
}

TEST_F(ConvTest, ConvolutionsThatShareAWeightStayTied) {
  Model model;
  model.input("x", {-1, 2, 8, 8}).weight("w", {2, 2, 3, 3}).weight("b", {2}).output("y");
  model.node("Conv", {"x", "w", "b"}, {"h"});
  model.node("Conv", {"h", "w", "b"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("w")));
  EXPECT_FALSE(has(text, "Conv_1"));
}

TEST_F(ConvTest, ConstantNodesThatAreWeightsAreParameters) {
  Model model;
  model.input("x", {-1, 1, 4, 4}).output("y");
  onnx::AttributeProto &value = *model.node("Constant", {}, {"kernel"}).add_attribute();
  value.set_name("value");
  value.set_type(onnx::AttributeProto::TENSOR);
  Model weight;
  *value.mutable_t() = weight.weight("", {2, 1, 2, 2}).proto.graph().initializer(0);
  model.node("Conv", {"x", "kernel"}, {"y"});
  EXPECT_TRUE(has(import(model), parameter("kernel")));
}

TEST_F(ConvTest, ABiasThatIsMissingIsMentioned) {
  Model model;
  model.input("x", {-1, 2, 8, 8})
      .weight("w1", {2, 2, 3, 3})
      .weight("w2", {2, 2, 3, 3})
      .weight("b", {2})
      .output("y");
  model.node("Conv", {"x", "w1", "b"}, {"h"}).set_name("conv1");
  model.node("Conv", {"h", "w2"}, {"y"}).set_name("conv2");
  import(model);
  EXPECT_TRUE(has(messages, "node 'conv2' (Conv): has no bias, while others of the kind have one"));
}

TEST_F(ConvTest, ABatchNormalizationInAConvolutionIsLost) {
  Model model;
  model.proto.set_producer_name("pytorch");
  model.input("x", {-1, 2, 8, 8})
      .weight("conv.weight", {2, 2, 3, 3})
      .weight("conv.bias_fused", {2})
      .output("y");
  onnx::NodeProto &node = madeOf(model.node("Conv", {"x", "conv.weight", "conv.bias_fused"}, {"y"}),
                                 "aten._native_batch_norm_legit_no_training.default",
                                 "(%conv2d, %p_n_weight, %p_n_bias, %b_n_running_mean)");
  addMetadata(node, 9, "pkg.onnxscript.rewriter.rule_name", "FuseBatchNormIntoConv");
  addMetadata(*model.proto.mutable_graph(), 16, "pkg.torch.export.ExportedProgram.graph_signature",
              "\n# inputs\np_conv_weight: PARAMETER target='conv.weight'\np_n_weight: PARAMETER "
              "target='n.weight'\np_n_bias: PARAMETER target='n.bias'\ninput: USER_INPUT\n\n# outputs\ny: "
              "USER_OUTPUT\n");
  import(model);
  EXPECT_TRUE(
      has(messages,
          "the module's parameters 'n.weight' and 'n.bias' are not in the file: the exporter folded them "
          "into other numbers or dropped them, at nodes 'Conv_0' (FuseBatchNormIntoConv)"));
}

} // namespace
