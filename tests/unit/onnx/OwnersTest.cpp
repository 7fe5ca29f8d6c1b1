//===- OwnersTest.cpp - whose is what a node reads
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Owners.h"
#include "frontends/onnx/Calls.h"
#include "tests/unit/onnx/ImportFixture.h"

namespace {

using dlc::onnx::Argument;
using dlc::onnx::Call;
using dlc::onnx::parseCall;
using models::addInt;
using models::addMetadata;
using models::has;
using models::madeOf;
using models::Model;

class OwnersTest : public models::ImportTest {
protected:
  static std::string parameter(const std::string &name) { return "train.state parameter @" + name + " "; }
  /// Parameters and buffers, whose symbols are p_ and b_ with the name.
  static void list(Model &model, const std::vector<std::string> &parameters,
                   const std::vector<std::string> &buffers = {}) {
    std::string lines;
    for (const std::string &name : parameters)
      lines += "p_" + name + ": PARAMETER target='" + name + "'\n";
    for (const std::string &name : buffers)
      lines += "b_" + name + ": BUFFER target='" + name + "' persistent=True\n";
    addMetadata(*model.proto.mutable_graph(), 16, "pkg.torch.export.ExportedProgram.graph_signature",
                "\n# inputs\n" + lines + "x: USER_INPUT\n\n# outputs\ny: USER_OUTPUT\n");
  }
  /// A node made of a call whose result it is: "aten.t.default", "(%p_w,)".
  static onnx::NodeProto &result(Model &model, const std::string &op, const std::vector<std::string> &inputs,
                                 const std::string &output, const std::string &callee,
                                 const std::string &arguments) {
    onnx::NodeProto &node = model.node(op, inputs, {output});
    addMetadata(node, 9, "pkg.torch.onnx.fx_node",
                "%" + output + " : [num_users=1] = call_function[target=torch.ops." + callee +
                    "](args = " + arguments + ", kwargs = {})");
    return node;
  }
  static std::string trained(const std::string &text) {
    std::string names;
    for (size_t at = 0; (at = text.find("train.state parameter @", at)) != std::string::npos;) {
      at += std::string("train.state parameter @").size();
      names += (names.empty() ? "" : " ") + text.substr(at, text.find(' ', at) - at);
    }
    return names;
  }
};

//===-- Calls --------------------------------------------------------------===//

std::string str(const std::vector<Argument> &arguments) {
  std::string text;
  for (const Argument &argument : arguments)
    text += std::string(1, "SN-o"[argument.kind]) + argument.text + " ";
  return text;
}

TEST(CallTest, ArgumentsAreReadByPositionAndByKeyword) {
  Call call = parseCall(
      "%conv1d : [num_users=1] = call_function[target=torch.ops.aten.conv1d.default](args = "
      "(%x, %p_w, None, [1, %n], [None]), kwargs = {alpha: -2.5, out: %b_m, dtype: torch.float32})");
  EXPECT_EQ(call.result, "conv1d");
  EXPECT_EQ(call.callee, "torch.ops.aten.conv1d.default");
  EXPECT_TRUE(call.calls("conv1d"));
  EXPECT_FALSE(call.calls("conv"));
  EXPECT_TRUE(call.mentions("b_m"));
  EXPECT_FALSE(call.mentions("conv1d"));
  EXPECT_EQ(str(call.arguments), "Sx Sp_w -None o1 Sn oNone N-2.5 Sb_m otorch.float32 ");
}

TEST(CallTest, BrokenTextsAreRead) {
  for (const char *text :
       {"", "%", "](", "%a](args = (%b", "%a](args = ))))", "%a](((((((%", "%a](args = (%b, %c"})
    parseCall(text);
  EXPECT_EQ(str(parseCall("%a](args = (%b, [%c").arguments), "Sb Sc ");
}

//===-- Views and buffers --------------------------------------------------===//

TEST_F(OwnersTest, AParameterBehindAViewMeetsABuffer) {
  Model model;
  model.input("x", {-1, 2}).floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}).floats("m", {2, 3}, {0, 1, 1, 1, 0, 1});
  model.output("y");
  result(model, "Transpose", {"w"}, "t", "aten.t.default", "(%p_w,)");
  result(model, "Mul", {"t", "m"}, "mul", "aten.mul.Tensor", "(%t, %b_m)");
  result(model, "MatMul", {"x", "mul"}, "y", "aten.matmul.default", "(%x, %mul)");
  list(model, {"w"}, {"m"});
  EXPECT_EQ(trained(import(model)), "w");
  EXPECT_EQ(messages, "");
}

TEST_F(OwnersTest, ABufferThatALayerReadsIsNotTrained) {
  Model model;
  model.input("x", {-1, 2}).floats("grid", {2, 2}, {1, 2, 3, 4}).floats("w", {2, 3}, {1, 2, 3, 4, 5, 6});
  model.weight("b", {3}).output("y");
  result(model, "Gemm", {"grid", "w", "b"}, "linear", "aten.linear.default", "(%b_grid, %p_w, %p_b)");
  result(model, "MatMul", {"x", "linear"}, "y", "aten.matmul.default", "(%x, %linear)");
  list(model, {"w", "b"}, {"grid"});
  EXPECT_EQ(trained(import(model)), "w b");
  EXPECT_EQ(messages, "");
}

TEST_F(OwnersTest, TwoParametersMeetBehindAView) {
  Model model;
  model.input("x", {-1, 3}).weight("a", {3}).floats("w", {3}, {1, 2, 3}).integers("axis", {0}).output("y");
  result(model, "Unsqueeze", {"w", "axis"}, "unsqueeze", "aten.unsqueeze.default", "(%p_w, 0)");
  result(model, "Mul", {"a", "unsqueeze"}, "mul", "aten.mul.Tensor", "(%p_a, %unsqueeze)");
  result(model, "Add", {"x", "mul"}, "y", "aten.add.Tensor", "(%x, %mul)");
  list(model, {"a", "w"});
  EXPECT_EQ(trained(import(model)), "w a");
  EXPECT_EQ(messages, "");
}

TEST_F(OwnersTest, ABufferIsNoParameterThatHasItsOwnName) {
  Model model;
  model.input("x", {-1, 3}).floats("m", {3}, {1, 2, 3}).weight("w", {3}).output("y");
  result(model, "Mul", {"x", "m"}, "mul", "aten.mul.Tensor",
         "(%x, %p_w)"); // of a call before it was rewritten
  result(model, "Add", {"mul", "w"}, "y", "aten.add.Tensor", "(%mul, %p_w)");
  list(model, {"w"}, {"m"});
  const std::string text = import(model);
  EXPECT_EQ(trained(text), "w");
  EXPECT_TRUE(has(text, "nn.constant dense<[1.000000e+00, 2.000000e+00, 3.000000e+00]>")) << text;
}

//===-- Merged initializers ------------------------------------------------===//

/// op(a, a) of a call that reads what `arguments` says.
std::string merged(Model &model, const std::string &op, const std::string &arguments) {
  model.input("x", {-1, 3}).weight("a", {3}).output("y");
  std::string callee = op == "Sub" ? "aten.sub.Tensor" : op == "Mul" ? "aten.mul.Tensor" : "aten.rsub.Tensor";
  madeOf(model.node(op == "Rsub" ? "Sub" : op, {"a", "a"}, {"d"}), callee, arguments);
  madeOf(model.node("Add", {"x", "d"}, {"y"}), "aten.add.Tensor", "(%x, %d)");
  return callee;
}

TEST_F(OwnersTest, OperandsAreMatchedByTheirPlaces) {
  auto operands = [&](const std::string &op, const std::string &arguments) {
    Model model;
    merged(model, op, arguments);
    list(model, {"a", "b", "c"});
    std::string text = import(model);
    // "%1 = train.read @b", "nn.sub %1, %0"
    std::string names;
    size_t at = text.find("nn.sub ");
    for (size_t i = 0; at != std::string::npos && i < 2; ++i) {
      at = text.find('%', at);
      std::string value = text.substr(at, text.find_first_of(", ", at) - at);
      size_t read = text.find(value + " = train.read @");
      size_t name = text.find('@', read) + 1;
      names += text.substr(name, text.find(' ', name) - name);
      ++at;
    }
    return names;
  };
  EXPECT_EQ(operands("Sub", "(%p_a, %p_b)"), "ab");
  EXPECT_EQ(operands("Sub", "(%p_b, %p_a)"), "ba");
  EXPECT_EQ(operands("Sub", "(%p_b, %p_c)"), "bc"); // nothing has its own name
  EXPECT_EQ(operands("Rsub", "(%p_b, %p_c)"), "cb");
  EXPECT_EQ(operands("Sub", "(%p_a, %p_a)"), "aa");
}

TEST_F(OwnersTest, EqualMatricesOfTwoLayersAreTwo) {
  Model model;
  model.input("x", {-1, 2}).floats("a", {2, 2}, {1, 2, 3, 4}).output("y");
  result(model, "MatMul", {"x", "a"}, "h", "aten.matmul.default", "(%x, %p_a)");
  result(model, "MatMul", {"h", "a"}, "g", "aten.matmul.default", "(%h, %p_b)");
  result(model, "MatMul", {"g", "a"}, "y", "aten.matmul.default", "(%g, %p_a)");
  list(model, {"a", "b"});
  EXPECT_EQ(trained(import(model)), "a b");
}

TEST_F(OwnersTest, NumbersAreToldFromParametersByTheirPlaces) {
  Model model;
  model.input("x", {-1, 3}).floats("s", {}, {2}).output("y");
  result(model, "Mul", {"s", "s"}, "mul", "aten.mul.Tensor", "(%p_s, 2)");
  result(model, "Mul", {"x", "mul"}, "y", "aten.mul.Tensor", "(%x, %mul)");
  list(model, {"s"});
  std::string text = import(model);
  EXPECT_EQ(trained(text), "s");
  EXPECT_TRUE(has(text, "dense<2.000000e+00> : tensor<f32>")) << text;
  EXPECT_FALSE(has(text, "nn.mul %0, %0")) << text;
  // The square of a parameter reads it twice.
  Model square;
  square.input("x", {-1, 3}).floats("s", {3}, {1, 2, 3}).output("y");
  result(square, "Mul", {"s", "s"}, "pow", "aten.pow.Tensor_Scalar", "(%p_s, 2)");
  result(square, "Mul", {"x", "pow"}, "y", "aten.mul.Tensor", "(%x, %pow)");
  list(square, {"s"});
  EXPECT_FALSE(has(import(square), "nn.constant"));
}

TEST_F(OwnersTest, WhatAGroupNormAddsIsNotTrained) {
  Model model;
  model.input("x", {-1, 2, 2}).weight("val_0", {1}).weight("val_1", {2}).weight("val_2", {2});
  model.floats("val_3", {4, 1}, {1, 2, 3, 4})
      .weight("val_4", {4, 1})
      .integers("shape", {0, 4, 1})
      .output("y");
  std::string call = "aten.group_norm.default", arguments = "(%x, 2, %p_w, %p_b, 1e-05, False)";
  madeOf(model.node("InstanceNormalization", {"x", "val_1", "val_2"}, {"i"}), call, arguments);
  madeOf(model.node("Reshape", {"i", "shape"}, {"r"}), call, arguments);
  madeOf(model.node("Mul", {"r", "val_3"}, {"m"}), call, arguments);
  madeOf(model.node("Add", {"m", "val_4"}, {"y"}), call, arguments);
  list(model, {"w", "b"});
  std::string text = import(model);
  EXPECT_EQ(trained(text), "w b") << text << messages;
  EXPECT_TRUE(has(text, "@w : tensor<4xf32>")) << text; // as in the state_dict
  EXPECT_EQ(messages, "");
}

TEST_F(OwnersTest, TheWeightOfALinearLayerBehindWhatIsGone) {
  Model model;
  model.input("x", {-1, 2}).floats("val_0", {2, 3}, {1, 2, 3, 4, 5, 6}).weight("b", {3}).output("y");
  std::string arguments = "(%clone, %p_w, %p_b)"; // the clone has no node
  madeOf(model.node("MatMul", {"x", "val_0"}, {"h"}), "aten.linear.default", arguments);
  madeOf(model.node("Add", {"h", "b"}, {"y"}), "aten.linear.default", arguments);
  list(model, {"w", "b"});
  std::string text = import(model);
  EXPECT_EQ(trained(text), "w b");
  EXPECT_TRUE(has(text, "@w : tensor<3x2xf32>"));
  EXPECT_EQ(messages, "");
}

TEST_F(OwnersTest, LayersThatARuleMadeAreToldApart) {
  Model model;
  model.input("x", {-1, 3}).weight("a", {3}).weight("c", {3}).output("y");
  auto norm = [&](const std::string &from, const std::string &to, const std::string &arguments) {
    addMetadata(madeOf(model.node("LayerNormalization", {from, "a"}, {to}), "aten.mul.Tensor", arguments), 9,
                "pkg.onnxscript.rewriter.rule_name", "FuseNorm");
  };
  norm("x", "h", "(%p_a, %mul_1)");
  norm("h", "g", "(%p_b, %mul_2)");
  norm("g", "f", "(%mul_3, %mul_4)"); // of which the file does not tell
  model.node("Add", {"f", "c"}, {"y"});
  list(model, {"a", "b", "c"});
  EXPECT_EQ(trained(import(model)), "a b LayerNormalization_2.scale c") << messages;
}

TEST_F(OwnersTest, NumbersOfANormAreNoOperands) {
  Model model(21);
  model.input("x", {-1, 4, 2}).weight("s", {4}).weight("t", {4}).integers("axis", {1}).output("y");
  std::string call = "aten.group_norm.default";
  for (auto [from, to, arguments] : {std::tuple("x", "h", "(%x, 2, %p_s, %p_t, 1e-05, False)"),
                                     std::tuple("h", "y", "(%h, 2, %p_w, %p_b, 1e-05, False)")})
    addInt(madeOf(model.node("GroupNormalization", {from, "s", "t"}, {to}), call, arguments), "num_groups",
           2);
  list(model, {"s", "t", "w", "b"});
  EXPECT_EQ(trained(import(model)), "s t w b");
}

//===-- Views that an exporter computed ------------------------------------------------===//

/// x [N, 3] times a matrix w [3, 3], plus something that is read from `name`.
Model withView(const std::vector<int64_t> &shape, const std::vector<float> &elements,
               const std::string &name) {
  Model model;
  model.input("x", {3, 3}).floats("w", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}).floats(name, shape, elements);
  model.output("y");
  madeOf(model.node("MatMul", {"x", "w"}, {"h"}), "aten.matmul.default", "(%x, %p_w)");
  madeOf(model.node("Add", {"h", name}, {"y"}), "aten.add.Tensor", "(%h, %" + name + ")");
  return model;
}

TEST_F(OwnersTest, ViewsOfParametersFollowThem) {
  struct Case {
    std::vector<int64_t> shape;
    std::vector<float> elements;
    const char *name, *made;
  };
  for (const Case &view :
       {Case{{1, 3}, {4, 5, 6}, "select", "nn.slice"}, Case{{3}, {7, 8, 9}, "select", "nn.slice"},
        Case{{2, 3, 3}, {}, "expand", "nn.expand"}}) {
    std::vector<float> elements = view.elements;
    for (int i = 0; view.elements.empty() && i < 18; ++i)
      elements.push_back(float(i % 9 + 1));
    Model model = withView(view.shape, elements, view.name);
    list(model, {"w"});
    std::string text = import(model);
    EXPECT_EQ(trained(text), "w") << messages;
    EXPECT_TRUE(has(text, view.made)) << text;
    EXPECT_FALSE(has(text, "nn.constant"));
    EXPECT_EQ(messages, "");
  }
  // Parts of a bias, once for each row.
  Model rows;
  rows.input("x", {2, 2})
      .floats("b", {6}, {1, 2, 3, 4, 5, 6})
      .floats("split", {2, 2}, {3, 4, 3, 4})
      .output("y");
  madeOf(rows.node("Add", {"x", "split"}, {"h"}), "aten.add.Tensor", "(%x, %split)");
  madeOf(rows.node("ReduceSum", {"b"}, {"s"}), "aten.sum.default", "(%p_b,)");
  madeOf(rows.node("Add", {"h", "s"}, {"y"}), "aten.add.Tensor", "(%h, %sum)");
  list(rows, {"b"});
  std::string text = import(rows);
  EXPECT_TRUE(has(text, "starts [2] limits [4]")) << messages;
  EXPECT_FALSE(has(text, "nn.constant")) << text;
  // Other elements, and numbers of the code, are no view.
  Model other = withView({3}, {7, 8, 8}, "select");
  list(other, {"w"});
  EXPECT_FALSE(has(import(other), "nn.slice"));
  Model number = withView({3}, {7, 8, 9}, "val_3");
  number.proto.mutable_graph()->mutable_node(1)->mutable_unknown_fields()->Clear();
  madeOf(*number.proto.mutable_graph()->mutable_node(1), "aten.add.Tensor", "(%h, 1)");
  list(number, {"w"});
  EXPECT_FALSE(has(import(number), "nn.slice"));
}

//===-- The last word ------------------------------------------------------------------===//

/// An image that is made larger by the numbers of `scales`.
Model resizedByParameter() {
  Model model;
  model.input("x", {2, 3, 4, 4}).floats("scales", {4}, {1, 1, 2, 2}).output("y");
  model.node("Resize", {"x", "", "scales"}, {"y"});
  return model;
}

TEST_F(OwnersTest, AParameterThatWouldNotBeTrainedIsAnError) {
  Model model = resizedByParameter();
  EXPECT_NE(import(model), "");
  list(model, {"scales"});
  EXPECT_EQ(import(model), "");
  EXPECT_TRUE(has(messages,
                  "the parameter 'scales' of the exported module would not be trained: node 'Resize_0' "
                  "(Resize) reads it as fixed numbers (--freeze='scales' leaves it as it is)"));
  dlc::onnx::ImportOptions options = withBatch();
  options.freeze = {"sca*"};
  EXPECT_NE(import(model, options), "");
  EXPECT_EQ(messages, "");
  options.freeze.clear();
  options.train = {"others"};
  EXPECT_NE(import(model, options), "");
  options.train.clear();
  options.predictOnly = true;
  EXPECT_NE(import(model, options), "");
  addMetadata(*model.proto.mutable_graph(), 16, "dlc.frozen", "scales");
  EXPECT_NE(import(model), "");
}

/// Nobody reads its elements: its shape alone, or nothing of it.
TEST_F(OwnersTest, AParameterThatNothingReadsIsNoError) {
  Model model;
  model.input("x", {-1, 3}).weight("w", {3}).weight("unused", {3}).weight("shape", {3}).output("y");
  result(model, "Mul", {"x", "w"}, "h", "aten.mul.Tensor", "(%x, %p_w)");
  result(model, "Shape", {"shape"}, "s", "aten.sym_size.int", "(%p_shape, 0)");
  result(model, "Expand", {"h", "s"}, "y", "aten.expand.default", "(%h, [%s])");
  list(model, {"w", "unused", "shape", "tied"});
  EXPECT_EQ(trained(import(model)), "w");
  EXPECT_EQ(messages, "");
}

TEST_F(OwnersTest, AParameterWithInfiniteElementsIsTrained) {
  Model model;
  model.input("x", {-1, 2}).floats("w", {2}, {1, std::numeric_limits<float>::infinity()}).output("y");
  result(model, "Add", {"x", "w"}, "y", "aten.add.Tensor", "(%x, %p_w)");
  EXPECT_EQ(trained(import(model)), "");
  list(model, {"w"});
  EXPECT_EQ(trained(import(model)), "w");
}

TEST_F(OwnersTest, WhatIsTrainedBesidesTheParametersIsWarnedOf) {
  Model model;
  model.input("x", {-1, 2}).floats("w", {2, 2}, {1, 2, 3, 4}).floats("mul", {2, 2}, {5, 6, 7, 8}).output("y");
  result(model, "MatMul", {"x", "w"}, "h", "aten.matmul.default", "(%x, %p_w)");
  result(model, "MatMul", {"h", "mul"}, "y", "aten.matmul.default", "(%h, %mul)");
  list(model, {"w", "lost"});
  EXPECT_EQ(trained(import(model)), "w mul");
  EXPECT_TRUE(has(messages,
                  "the exporter wrote 'mul', which the module's list of parameters does not have, and "
                  "which is trained. What is trained is another network"));
  dlc::onnx::ImportOptions options = withBatch();
  options.train = {"*"};
  EXPECT_NE(import(model, options), "");
  EXPECT_FALSE(has(messages, "the exporter wrote"));
}

TEST_F(OwnersTest, AnInstanceNormWithoutItsStatisticsIsWarnedOf) {
  Model model;
  model.input("x", {2, 3, 4}).weight("w", {3}).weight("b", {3}).output("y");
  result(model, "InstanceNormalization", {"x", "w", "b"}, "y", "aten.instance_norm.default",
         "(%x, %p_w, %p_b, %b_mean, %b_var, True, 0.1, 1e-05, False)");
  list(model, {"w", "b"}, {"mean", "var"});
  EXPECT_EQ(trained(import(model)), "w b");
  EXPECT_TRUE(has(messages,
                  "node 'InstanceNormalization_0' (InstanceNormalization): the module keeps running "
                  "statistics (track_running_stats=True), which the file does not have"));
}

TEST_F(OwnersTest, ABatchNormWithFiveOutputsIsRefused) {
  Model model;
  model.input("x", {2, 3, 4}).weight("w", {3}).output("y");
  onnx::NodeProto &node =
      model.node("BatchNormalization", {"x", "w", "w", "w", "w"}, {"y", "a", "b", "c", "d"});
  EXPECT_EQ(import(model), "");
  EXPECT_TRUE(
      has(messages, "has 5 outputs, expected at most 3: PyTorch's older exporter writes an InstanceNorm"));
  node.mutable_output()->DeleteSubrange(1, 4);
  EXPECT_NE(import(model), "");
}

} // namespace
