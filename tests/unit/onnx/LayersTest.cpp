//===- LayersTest.cpp - which initializers are whose parameters
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/unit/onnx/ImportFixture.h"
#include <limits>

namespace {

using models::addInt;
using models::addMetadata;
using models::has;
using models::madeOf;
using models::Model;

class LayersTest : public models::ImportTest {
protected:
  static dlc::onnx::ImportOptions keepingTies() {
    dlc::onnx::ImportOptions options = withBatch();
    options.keepTies = true;
    return options;
  }
  static std::string parameter(const std::string &name) { return "train.state parameter @" + name + " "; }
  static std::string quoted(const std::string &name) { return "train.state parameter @\"" + name + "\" "; }
};

//===-- Ties -------------------------------------------------------------------------===//

/// x -> norm(s, b) -> relu -> norm(s, b)
Model twoNorms() {
  Model model;
  model.input("x", {-1, 3}).weight("s", {3}).weight("b", {3}).output("y");
  model.node("LayerNormalization", {"x", "s", "b"}, {"h"}).set_name("first");
  model.node("Relu", {"h"}, {"r"});
  model.node("LayerNormalization", {"r", "s", "b"}, {"y"}).set_name("second");
  return model;
}

TEST_F(LayersTest, NormsThatShareInitialValuesTrainTheirOwn) {
  std::string text = import(twoNorms());
  for (const char *name : {"s", "b", "second.scale", "second.bias"})
    EXPECT_TRUE(has(text, parameter(name)));
  EXPECT_TRUE(has(messages,
                  "'s' holds the equal initial values of several layers (nodes 'first' and 'second'): "
                  "each trains its own, 's' and 'second.scale' (--keep-ties trains one for all)"));
}

TEST_F(LayersTest, TiesAreKeptWhereAskedFor) {
  std::string text = import(twoNorms(), keepingTies());
  EXPECT_TRUE(has(text, parameter("s")));
  EXPECT_FALSE(has(text, "second.scale"));
  EXPECT_EQ(messages, "");
}

TEST_F(LayersTest, SlopesBehindSharedViewsAreUntied) {
  Model model;
  model.input("x", {-1, 3}).weight("a", {1}).integers("axis", {0}).output("y");
  model.node("Unsqueeze", {"a", "axis"}, {"v"});
  model.node("PRelu", {"x", "v"}, {"h"});
  model.node("PRelu", {"h", "v"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("a")));
  EXPECT_TRUE(has(text, parameter("PRelu_2.slope") + ": tensor<1xf32>"));
}

TEST_F(LayersTest, BiasesFollowTheirMatrices) {
  Model model;
  model.input("x", {-1, 3}).weight("w", {3, 3}).weight("other", {3, 3}).weight("b", {3}).output("y");
  model.proto.mutable_graph()->mutable_initializer(0)->set_float_data(3, 1.5f);
  model.node("Gemm", {"x", "w", "b"}, {"h"});
  model.node("Gemm", {"h", "w", "b"}, {"g"}); // the same layer again
  model.node("MatMul", {"g", "other"}, {"p"});
  model.node("Add", {"p", "b"}, {"y"}); // another one
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("w")));
  EXPECT_TRUE(has(text, parameter("b")));
  EXPECT_TRUE(has(text, parameter("Add_3.bias")));
  EXPECT_FALSE(has(text, "Gemm_1.bias"));
}

TEST_F(LayersTest, AModuleThatIsCalledTwiceStaysOne) {
  Model model = twoNorms();
  model.proto.mutable_graph()->mutable_node(0)->set_name("/norm/LayerNormalization");
  model.proto.mutable_graph()->mutable_node(2)->set_name("/norm_1/LayerNormalization");
  for (int i : {0, 1}) {
    std::string name = i == 0 ? "norm.weight" : "norm.bias";
    model.proto.mutable_graph()->mutable_initializer(i)->set_name(name);
    for (int node : {0, 2})
      model.proto.mutable_graph()->mutable_node(node)->set_input(1 + i, name);
  }
  std::string text = import(model);
  EXPECT_FALSE(has(text, "norm_1"));
  EXPECT_EQ(messages, "");
  // The number belongs to the name of a module of its own.
  for (int node : {0, 2})
    model.proto.mutable_graph()->mutable_node(node)->set_name(node == 0 ? "/norm_0/LayerNormalization"
                                                                        : "/norm_1/LayerNormalization");
  for (int i : {0, 1})
    for (int node : {0, 2}) {
      std::string name = i == 0 ? "norm_0.weight" : "norm_0.bias";
      model.proto.mutable_graph()->mutable_initializer(i)->set_name(name);
      model.proto.mutable_graph()->mutable_node(node)->set_input(1 + i, name);
    }
  EXPECT_TRUE(has(import(model), quoted("/norm_1/LayerNormalization.scale")));
}

TEST_F(LayersTest, OneTensorMayBeScaleBiasAndStatistic) {
  Model model;
  model.input("x", {-1, 3}).weight("ones", {3}).output("y");
  model.node("BatchNormalization", {"x", "ones", "ones", "ones", "ones"}, {"h"});
  model.node("LayerNormalization", {"h", "ones", "ones"}, {"g"});
  model.node("Mul", {"g", "ones"}, {"y"}); // a normalization written as a formula ends so
  std::string text = import(model);
  for (const char *name : {"ones", "LayerNormalization_1.scale", "LayerNormalization_1.bias", "Mul_2.scale"})
    EXPECT_TRUE(has(text, parameter(name)));
  for (const char *name : {"BatchNormalization_0.mean", "BatchNormalization_0.variance"})
    EXPECT_TRUE(has(text, "train.state buffer @" + std::string(name) + " "));
}

TEST_F(LayersTest, WhatIsAddedToScoresIsNoBias) {
  Model model;
  model.input("x", {2, 3, 3}).weight("mask", {3, 3}).floats("shift", {1}, {0.5f}).output("y");
  model.node("MatMul", {"x", "x"}, {"s"});
  model.node("Add", {"s", "mask"}, {"h"});
  model.node("MatMul", {"h", "x"}, {"t"});
  model.node("Add", {"t", "mask"}, {"g"});
  model.node("MatMul", {"g", "x"}, {"u"});
  model.node("Add", {"u", "shift"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("mask")));
  EXPECT_FALSE(has(text, "Add_3.bias"));
  EXPECT_FALSE(has(text, "@shift"));
}

TEST_F(LayersTest, TwoBatchNormsNeverShareStatistics) {
  Model model;
  model.input("x", {-1, 3}).weight("s", {3}).weight("m", {3}).weight("v", {3}).output("y");
  model.node("BatchNormalization", {"x", "s", "s", "m", "v"}, {"h"});
  model.node("BatchNormalization", {"h", "s", "s", "m", "v"}, {"y"});
  std::string text = import(model, keepingTies());
  EXPECT_TRUE(has(text, "running @m, @v"));
  EXPECT_TRUE(has(text, "running @BatchNormalization_1.mean, @BatchNormalization_1.variance"));
  EXPECT_FALSE(has(text, "scale : tensor"));
}

TEST_F(LayersTest, MatricesAndEmbeddingsStayTied) {
  Model model;
  model.input("ids", {-1}, onnx::TensorProto::INT64).weight("table", {3, 3}).output("y");
  model.proto.mutable_graph()->mutable_initializer(0)->set_float_data(3, 1.5f);
  model.node("Gather", {"table", "ids"}, {"h"});
  model.node("Transpose", {"table"}, {"t"});
  model.node("MatMul", {"h", "t"}, {"g"});
  model.node("MatMul", {"g", "table"}, {"y"});
  std::string text = import(model);
  size_t first = text.find("train.state parameter");
  EXPECT_EQ(text.find("train.state parameter", first + 1), std::string::npos);
  EXPECT_EQ(messages, "");
}

//===-- What PyTorch's exporter says ---------------------------------------------------===//

void addSignature(Model &model, const std::string &lines) {
  addMetadata(*model.proto.mutable_graph(), 16, "pkg.torch.export.ExportedProgram.graph_signature",
              "\n# inputs\n" + lines + "input: USER_INPUT\n\n# outputs\ny: USER_OUTPUT\n");
}

TEST_F(LayersTest, TheRecordTellsWhoseValuesWereMerged) {
  Model model;
  model.input("x", {-1, 3}).weight("a.weight", {3}).output("y");
  madeOf(model.node("Mul", {"x", "a.weight"}, {"h"}), "aten.mul.Tensor", "(%x, %p_a_weight)");
  madeOf(model.node("Mul", {"h", "a.weight"}, {"g"}), "aten.mul.Tensor", "(%h, %p_b_weight)");
  madeOf(model.node("Mul", {"g", "a.weight"}, {"y"}), "aten.mul.Tensor", "(%g, %p_a_weight)");
  addSignature(model, "p_a_weight: PARAMETER target='a.weight'\np_b_weight: PARAMETER target='b.weight'\n");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("a.weight")));
  EXPECT_TRUE(has(text, parameter("b.weight")));
  EXPECT_FALSE(has(text, "Mul_2"));
  EXPECT_TRUE(has(messages, "(nodes 'Mul_0' and 'Mul_1'): each trains its own, 'a.weight' and 'b.weight'"));
}

TEST_F(LayersTest, AMatrixThatAFormulaReadsBesidesIsOneParameter) {
  Model model;
  model.input("x", {-1, 3}).floats("w", {3, 2}, {1, 2, 3, 4, 5, 6}).output("y");
  madeOf(model.node("MatMul", {"x", "w"}, {"h"}), "aten.matmul.default", "(%x, %p_w)");
  madeOf(model.node("Mul", {"w", "w"}, {"s"}), "aten.mul.Tensor", "(%p_w, %p_w)");
  madeOf(model.node("ReduceSum", {"s"}, {"t"}), "aten.sum.default", "(%mul,)");
  madeOf(model.node("Add", {"h", "t"}, {"y"}), "aten.add.Tensor", "(%h, %sum)");
  Model listed = model; // as of the older exporter, whose nodes say nothing
  addSignature(model, "p_w: PARAMETER target='w'\n");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("w")));
  EXPECT_FALSE(has(text, "Mul_1"));
  EXPECT_EQ(messages, "");
  for (onnx::NodeProto &node : *listed.proto.mutable_graph()->mutable_node())
    node.mutable_unknown_fields()->Clear();
  addSignature(listed, "p_w: PARAMETER target='w'\n");
  EXPECT_FALSE(has(import(listed), "Mul_1"));
  EXPECT_EQ(messages, "");
}

TEST_F(LayersTest, AMaskOfAWeightIsNotTheWeight) {
  Model model;
  model.input("x", {-1, 3}).floats("fc.weight", {3, 2}, {1, 2, 3, 4, 5, 6});
  model.floats("mask", {3, 2}, {0, 1, 1, 0, 1, 1}).output("y");
  madeOf(model.node("Mul", {"fc.weight", "mask"}, {"w"}), "aten.mul.Tensor", "(%p_fc_weight, %b_mask)");
  madeOf(model.node("MatMul", {"x", "w"}, {"y"}), "aten.matmul.default", "(%x, %mul)");
  addSignature(model,
               "p_fc_weight: PARAMETER target='fc.weight'\nb_mask: BUFFER target='mask' persistent=True\n");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("fc.weight"))) << text;
  EXPECT_FALSE(has(text, parameter("mask"))) << text;
  EXPECT_EQ(messages, "");
}

TEST_F(LayersTest, ALiteralThatWasMergedWithAParameterIsNotTrained) {
  Model model;
  model.input("x", {-1, 3}).floats("scale", {}, {2}).output("y");
  madeOf(model.node("Pow", {"x", "scale"}, {"h"}), "aten.pow.Tensor_Scalar", "(%x, 2)");
  madeOf(model.node("Mul", {"h", "scale"}, {"y"}), "aten.mul.Tensor", "(%h, %p_scale)");
  addSignature(model, "p_scale: PARAMETER target='scale'\n");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("scale") + ": tensor<f32>"));
  EXPECT_TRUE(has(text, "nn.mul %0, %0")); // the power
}

TEST_F(LayersTest, ViewsOfAParameterAreTheParameter) {
  Model model;
  model.input("x", {-1, 3}).weight("s", {3}).integers("axis", {0}).output("y");
  madeOf(model.node("Mul", {"x", "s"}, {"h"}), "aten.mul.Tensor", "(%x, %p_s)");
  madeOf(model.node("Unsqueeze", {"s", "axis"}, {"view"}), "aten.unsqueeze.default", "(%p_s, 0)");
  madeOf(model.node("Add", {"h", "view"}, {"g"}), "aten.add.Tensor", "(%h, %unsqueeze)");
  madeOf(model.node("Identity", {"s"}, {"copy"}), "aten.clone.default", "(%p_s,)");
  madeOf(model.node("Mul", {"g", "copy"}, {"y"}), "aten.mul.Tensor", "(%g, %clone)");
  addSignature(model, "p_s: PARAMETER target='s'\n");
  std::string text = import(model);
  size_t first = text.find("train.state parameter");
  EXPECT_TRUE(has(text, parameter("s")));
  EXPECT_EQ(text.find("train.state parameter", first + 1), std::string::npos);
  EXPECT_FALSE(has(text, "nn.constant"));
}

TEST_F(LayersTest, BuffersAreNotTrained) {
  Model model;
  model.input("x", {-1, 3}).weight("table", {3}).weight("folded", {3}).output("y");
  madeOf(model.node("Add", {"x", "table"}, {"h"}), "aten.add.Tensor", "(%x, %b_table)");
  madeOf(model.node("Add", {"h", "folded"}, {"y"}), "aten.add.Tensor", "(%h, %sin)");
  addSignature(model, "b_table: BUFFER target='table' persistent=True\n");
  EXPECT_FALSE(has(import(model), "train.state"));
  dlc::onnx::ImportOptions options = withBatch();
  options.train = {"table"};
  EXPECT_TRUE(has(import(model, options), parameter("table")));
}

TEST_F(LayersTest, TensorsOfTheModuleThatAreNoParametersAreNotTrained) {
  Model model;
  model.input("x", {-1, 2}).floats("basis", {2, 2}, {1, 2, 3, 4}).floats("cos", {2, 2}, {4, 3, 2, 1});
  model.floats("sin", {2}, {5, 6}).output("y");
  madeOf(model.node("MatMul", {"x", "basis"}, {"p"}), "aten.matmul.default", "(%x, %c_basis)");
  madeOf(model.node("MatMul", {"p", "cos"}, {"q"}), "aten.matmul.default", "(%p, %cos)");
  madeOf(model.node("Add", {"q", "sin"}, {"y"}), "aten.add.Tensor", "(%q, %sin)");
  addSignature(model, "c_basis: CONSTANT_TENSOR target='basis'\np_unused: PARAMETER target='unused'\n");
  // What was computed may be computed of a parameter that is gone.
  EXPECT_TRUE(has(import(model), parameter("cos")));
  EXPECT_FALSE(has(import(model), parameter("basis")));
  EXPECT_TRUE(has(messages, "the module's parameters 'unused' are not in the file"));
  // Unless it is noted that it has no gradient in the module either, or is another name.
  for (auto [key, text] : {std::pair("dlc.unused", "unused"), std::pair("dlc.tied", "unused=basis")}) {
    Model noted = model;
    addMetadata(*noted.proto.mutable_graph(), 16, key, text);
    import(noted);
    EXPECT_FALSE(has(messages, "are not in the file")) << key;
  }
  model.proto.mutable_graph()->mutable_unknown_fields()->Clear();
  addSignature(model, "c_basis: CONSTANT_TENSOR target='basis'\n");
  EXPECT_FALSE(has(import(model), "train.state"));
  EXPECT_TRUE(has(messages, "the exporter computed 'cos' and 'sin', which the training leaves as they are"));
  EXPECT_FALSE(has(import(model, keepingTies()), "train.state"));
}

TEST_F(LayersTest, FunctionsOfParametersAreWarnedOf) {
  Model model;
  model.input("x", {-1, 3}).floats("p", {1}, {4}).floats("mul_1", {1}, {0.25f}).output("y");
  madeOf(model.node("Pow", {"x", "p"}, {"h"}), "aten.pow.Tensor_Tensor", "(%x, %p_p)");
  madeOf(model.node("Pow", {"h", "mul_1"}, {"y"}), "aten.pow.Tensor_Tensor", "(%h, %mul_1)");
  addSignature(model, "p_p: PARAMETER target='p'\n");
  EXPECT_TRUE(has(import(model), parameter("p")));
  EXPECT_TRUE(has(messages,
                  "the exporter computed 'mul_1', which is 1 / 'p' now and will not follow it (read by "
                  "nodes 'Pow_1'). What is trained is another network; export with"))
      << messages;
}

TEST_F(LayersTest, LostParametersAreWarnedOf) {
  Model model;
  model.input("x", {-1, 3}).weight("w", {3, 3}).weight("b", {3}).output("y");
  onnx::NodeProto &node =
      madeOf(model.node("Gemm", {"x", "w", "b"}, {"y"}), "aten._native_batch_norm_legit_no_training.default",
             "(%linear, %p_n_weight, %p_n_bias, %b_n_running_mean)");
  addMetadata(node, 9, "pkg.onnxscript.rewriter.rule_name", "FuseBatchNormIntoGemm");
  Model without = model; // the list of parameters
  addSignature(model, "p_w: PARAMETER target='w'\np_b: PARAMETER target='b'\np_n_weight: PARAMETER "
                      "target='n.weight'\np_n_bias: PARAMETER target='n.bias'\n");
  EXPECT_NE(import(model), "");
  EXPECT_TRUE(has(messages,
                  "the module's parameters 'n.weight' and 'n.bias' are not in the file: the exporter "
                  "folded them into other numbers or dropped them, at nodes 'Gemm_0' "
                  "(FuseBatchNormIntoGemm)"));
  EXPECT_TRUE(has(messages, "optimize=False"));
  EXPECT_NE(import(without), "");
  EXPECT_TRUE(has(messages, "folded or dropped parameters at nodes 'Gemm_0' (FuseBatchNormIntoGemm)"));
}

TEST_F(LayersTest, CopiesOfOneParameterAreWarnedOf) {
  Model model;
  model.input("ids", {-1}, onnx::TensorProto::INT64).weight("e.weight", {4, 3}).weight("val_0", {3, 4});
  model.output("y");
  madeOf(model.node("Gather", {"e.weight", "ids"}, {"h"}), "aten.embedding.default", "(%p_e_weight, %ids)");
  madeOf(model.node("MatMul", {"h", "val_0"}, {"y"}), "aten.linear.default", "(%h, %p_e_weight)");
  addSignature(model, "p_e_weight: PARAMETER target='e.weight'\n");
  EXPECT_NE(import(model), "");
  EXPECT_TRUE(has(messages,
                  "nodes 'Gather_0' and 'MatMul_1' share the module's parameter 'e.weight', but the "
                  "file has a copy for each ('e.weight' and 'val_0'), which are trained apart"));
}

TEST_F(LayersTest, TransposedCopiesAreTheParameter) {
  Model model;
  model.input("ids", {-1}, onnx::TensorProto::INT64).floats("e.weight", {3, 2}, {1, 2, 3, 4, 5, 6});
  model.floats("val_0", {2, 3}, {1, 3, 5, 2, 4, 6}).floats("val_1", {2, 3}, {1, 3, 5, 2, 4, 7}).output("y");
  madeOf(model.node("Gather", {"e.weight", "ids"}, {"h"}), "aten.embedding.default", "(%p_e_weight, %ids)");
  madeOf(model.node("MatMul", {"h", "val_0"}, {"y"}), "aten.matmul.default", "(%h, %permute)");
  addSignature(model, "p_e_weight: PARAMETER target='e.weight'\np_w: PARAMETER target='w'\n");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("e.weight")));
  EXPECT_TRUE(has(text, "nn.transpose"));
  EXPECT_FALSE(has(text, "val_0"));
  // Other elements are another matrix, and so are equal ones of another parameter.
  model.proto.mutable_graph()->mutable_node(1)->set_input(1, "val_1");
  EXPECT_FALSE(has(import(model), "nn.transpose"));
  model.proto.mutable_graph()->mutable_node(1)->set_input(1, "val_0");
  model.proto.mutable_graph()->mutable_node(1)->mutable_unknown_fields()->Clear();
  madeOf(*model.proto.mutable_graph()->mutable_node(1), "aten.linear.default", "(%h, %p_w)");
  text = import(model);
  EXPECT_TRUE(has(text, parameter("w")));
  EXPECT_TRUE(has(text, parameter("e.weight")));
}

TEST_F(LayersTest, TransposedWeightsAreParametersAgain) {
  Model model;
  model.input("x", {-1, 2, 2}).floats("val_0", {2, 3}, {1, 2, 3, 4, 5, 6}).output("y");
  madeOf(model.node("MatMul", {"x", "val_0"}, {"y"}), "aten.linear.default",
         "(%x, %p_fc_weight, %p_fc_bias)");
  addSignature(model, "p_fc_weight: PARAMETER target='fc.weight'\np_fc_bias: PARAMETER target='fc.bias'\n");
  std::string text = import(model);
  EXPECT_TRUE(has(text, "@fc.weight : tensor<3x2xf32> = dense<[[1.000000e+00, 4.000000e+00], "
                        "[2.000000e+00, 5.000000e+00], [3.000000e+00, 6.000000e+00]]>"))
      << text;
  EXPECT_FALSE(has(text, "val_0"));
  EXPECT_TRUE(has(messages, "the module's parameters 'fc.bias' are not in the file"));
  // What two layers read may be equal by chance; where the parameter is in the file, the copy is another.
  madeOf(model.node("MatMul", {"x", "val_0"}, {"z"}), "aten.linear.default", "(%x, %p_v_weight)");
  model.proto.mutable_graph()->mutable_unknown_fields()->Clear();
  addSignature(model, "p_fc_weight: PARAMETER target='fc.weight'\np_v_weight: PARAMETER target='v.weight'\n");
  model.output("z");
  EXPECT_FALSE(has(import(model), "tensor<3x2xf32>"));
  // A product of the module's own is not transposed.
  Model product;
  product.input("x", {-1, 2}).floats("val_0", {2, 3}, {1, 2, 3, 4, 5, 6}).output("y");
  madeOf(product.node("MatMul", {"x", "val_0"}, {"y"}), "aten.matmul.default", "(%x, %p_w)");
  addSignature(product, "p_w: PARAMETER target='w'\n");
  EXPECT_FALSE(has(import(product), "tensor<3x2xf32>"));
}

TEST_F(LayersTest, WhatTheModuleDoesNotTrainIsFrozen) {
  Model model;
  model.input("x", {-1, 3}).weight("v", {3}).weight("w", {3}).output("y");
  model.node("Mul", {"x", "v"}, {"h"});
  model.node("Mul", {"h", "w"}, {"y"});
  addMetadata(*model.proto.mutable_graph(), 16, "dlc.frozen", "v\nnone");
  std::string text = import(model);
  EXPECT_TRUE(has(text, "train.state parameter @v frozen")) << text;
  EXPECT_TRUE(has(text, parameter("w")));
  EXPECT_TRUE(has(messages, "the exported module does not train 'v', and neither does dlc"));
}

TEST_F(LayersTest, BuffersThatForwardChangesAreWarnedOf) {
  Model model;
  model.input("x", {-1, 3}).weight("w", {3}).weight("mean", {3}).weight("unread", {3}).output("y");
  madeOf(model.node("Mul", {"x", "w"}, {"h"}), "aten.mul.Tensor", "(%x, %p_w)");
  madeOf(model.node("Sub", {"h", "mean"}, {"y"}), "aten.sub.Tensor", "(%h, %b_mean)");
  addMetadata(*model.proto.mutable_graph(), 16, "pkg.torch.export.ExportedProgram.graph_signature",
              "\n# inputs\np_w: PARAMETER target='w'\nb_mean: BUFFER target='mean' persistent=True\n"
              "b_unread: BUFFER target='unread' persistent=True\nx: USER_INPUT\n\n# outputs\n"
              "add: BUFFER_MUTATION target='mean'\nadd_1: BUFFER_MUTATION target='unread'\ny: USER_OUTPUT\n");
  EXPECT_NE(import(model), "");
  EXPECT_TRUE(has(messages, "the module gives its buffers 'mean' other values in forward")) << messages;
}

TEST_F(LayersTest, LimitsPassGradientsAsTheirCallsDo) {
  auto clip = [&](const std::string &op, const std::string &call) {
    Model model;
    model.input("x", {-1, 3}).weight("w", {3}).floats("least", {}, {0}).floats("most", {}, {6}).output("y");
    model.node("Add", {"x", "w"}, {"h"});
    if (op == "Clip")
      madeOf(model.node("Clip", {"h", "least", "most"}, {"y"}), call, "(%h, 0, 6)");
    else
      madeOf(model.node(op, {"h", "least"}, {"y"}), call, "(%h, %least)");
    return import(model);
  };
  EXPECT_TRUE(has(clip("Clip", "aten.clamp.default"), "nn.clip"));
  for (const char *call : {"aten.hardtanh.default", "aten.relu6.default"}) {
    EXPECT_TRUE(has(clip("Clip", call), "nn.compare le")) << call;
    EXPECT_FALSE(has(clip("Clip", call), "nn.clip")) << call;
  }
  EXPECT_TRUE(has(clip("Max", "aten.maximum.default"), "nn.max"));
  EXPECT_TRUE(has(clip("Max", "aten.clamp.Tensor"), "nn.compare lt"));
  EXPECT_TRUE(has(clip("Min", "aten.clamp.Tensor"), "nn.compare gt"));
}

TEST_F(LayersTest, AMeanOfUpdatesThatWasLostIsRefused) {
  Model model;
  model.input("x", {-1, 3}).input("i", {-1, 3}, onnx::TensorProto::INT64).output("y");
  addInt(madeOf(model.node("ScatterElements", {"x", "i", "x"}, {"y"}), "aten.scatter_reduce.two",
                "(%x, 1, %i, %x, mean)"),
         "axis", 1);
  EXPECT_EQ(import(model), "");
  EXPECT_TRUE(has(messages, "was made of scatter_reduce with 'mean'"));
}

TEST_F(LayersTest, NoGradientFlowsBehindDetach) {
  Model model;
  model.input("x", {-1, 3}).weight("w", {3}).output("y");
  madeOf(model.node("Mul", {"x", "w"}, {"h"}), "aten.mul.Tensor", "(%x, %p_w)");
  onnx::NodeProto &node = model.node("Identity", {"h"}, {"d"});
  addMetadata(node, 9, "pkg.torch.onnx.fx_node",
              "%detach : [num_users=1] = call_function[target=torch.ops.aten.detach.default](args = (%h,))");
  madeOf(model.node("Mul", {"x", "d"}, {"y"}), "aten.mul.Tensor", "(%x, %detach)");
  addSignature(model, "p_w: PARAMETER target='w'\n");
  EXPECT_TRUE(has(import(model), "train.stop_gradient"));
  EXPECT_EQ(messages, "");
  model.proto.mutable_graph()->mutable_node()->DeleteSubrange(1, 1);
  model.proto.mutable_graph()->mutable_node(1)->set_input(1, "h");
  EXPECT_FALSE(has(import(model), "train.stop_gradient"));
  EXPECT_TRUE(has(messages, "what nodes 'Mul_2' read is detached in the module, but not in the file"));
}

TEST_F(LayersTest, LayersThatLackWhatOthersHaveAreWarnedOf) {
  Model model;
  model.input("x", {-1, 3}).weight("v", {3, 3}).weight("w", {3, 3}).weight("b", {3}).output("y");
  model.node("Gemm", {"x", "v", "b"}, {"h"}).set_name("fc1");
  model.node("Gemm", {"h", "w"}, {"y"}).set_name("fc2");
  EXPECT_NE(import(model), "");
  EXPECT_TRUE(has(messages, "node 'fc2' (Gemm): has no bias, while others of the kind have one"));
}

//===-- Numbers ------------------------------------------------------------------------===//

TEST_F(LayersTest, NumbersOfFormulasAreConstants) {
  Model model;
  model.input("x", {-1, 3}).floats("val_72", {1}, {0.25f}).floats("logit_scale", {}, {2}).output("y");
  model.node("Mul", {"x", "val_72"}, {"h"});
  model.node("Mul", {"h", "logit_scale"}, {"y"});
  EXPECT_FALSE(has(import(model), "train.state"));
  EXPECT_TRUE(has(messages,
                  "the initializer 'logit_scale' has one element and is no layer's own parameter: it is "
                  "not trained (--train='*' --train='logit_scale' trains it too)"));
  EXPECT_FALSE(has(messages, "val_72"));
  dlc::onnx::ImportOptions options = withBatch();
  options.train = {"logit_scale", "*"};
  std::string text = import(model, options);
  EXPECT_TRUE(has(text, parameter("logit_scale") + ": tensor<f32>"));
  EXPECT_FALSE(has(text, "@val_72"));
}

TEST_F(LayersTest, ExponentsAndLimitsMayBeTrained) {
  Model model;
  model.input("x", {-1, 3}).floats("p", {}, {3}).floats("high", {}, {6}).output("y");
  model.node("Pow", {"x", "p"}, {"h"});
  model.node("Clip", {"h", "", "high"}, {"g"});
  model.node("Clip", {"g", "", "high"}, {"f"});
  model.node("Pow", {"f", "p"}, {"y"});
  EXPECT_FALSE(has(import(model), "train.state"));
  model.proto.set_producer_name("pytorch");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("p") + ": tensor<f32>"));
  EXPECT_FALSE(has(text, "@high"));
  EXPECT_TRUE(has(text, "nn.clip"));
  size_t warning = messages.find("the module's 'high' has one element"); // of both nodes
  EXPECT_NE(warning, std::string::npos);
  EXPECT_EQ(messages.find("the module's 'high' has one element", warning + 1), std::string::npos);
  addSignature(model, "p_0: PARAMETER target='p'\np_1: PARAMETER target='high'\n");
  text = import(model);
  EXPECT_TRUE(has(text, parameter("p") + ": tensor<f32>"));
  EXPECT_TRUE(has(text, parameter("high") + ": tensor<f32>"));
  EXPECT_TRUE(has(text, "nn.pow"));
  EXPECT_TRUE(has(text, "nn.compare gt")); // the limit
}

TEST_F(LayersTest, OneElementMayBeALayersOwn) {
  Model model;
  model.input("x", {-1, 1})
      .weight("w", {1, 1})
      .weight("b", {1})
      .weight("s", {1})
      .weight("a", {1})
      .output("y");
  model.node("MatMul", {"x", "w"}, {"p"});
  model.node("Add", {"p", "b"}, {"h"});
  model.node("LayerNormalization", {"h", "s"}, {"n"});
  model.node("PRelu", {"n", "a"}, {"y"});
  std::string text = import(model);
  for (const char *name : {"w", "b", "s", "a"})
    EXPECT_TRUE(has(text, parameter(name)));
}

TEST_F(LayersTest, MasksAreConstants) {
  float inf = std::numeric_limits<float>::infinity();
  Model model;
  model.input("x", {-1, 2}).floats("mask", {2, 2}, {0, -inf, 0, 0}).weight("w", {2, 2}).output("y");
  model.node("MatMul", {"x", "w"}, {"p"});
  model.node("Add", {"p", "mask"}, {"h"});
  model.proto.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(0)
      ->set_dim_value(2);
  model.node("Softmax", {"h"}, {"y"});
  std::string text = import(model);
  EXPECT_FALSE(has(text, "@mask"));
  EXPECT_TRUE(has(text, "0xFF800000"));
  dlc::onnx::ImportOptions options = withBatch();
  options.train = {"mask"};
  EXPECT_FALSE(has(import(model, options), "@mask"));
  EXPECT_TRUE(has(messages, "--train='mask' has no effect"));
}

//===-- PyTorch's older exporter, whose files list no parameters ---------------------------===//

TEST_F(LayersTest, ScalarsOfModulesAreTrainedWhereTheyAreCalculatedWith) {
  Model model;
  model.input("x", {-1, 3}).floats("logit_scale", {}, {2}).floats("onnx::Mul_3", {}, {3});
  model.input("b", {-1, 3}, onnx::TensorProto::BOOL).floats("filler", {}, {-9}).output("y");
  model.node("Exp", {"logit_scale"}, {"e"});
  model.node("Mul", {"x", "e"}, {"h"});
  model.node("Where", {"b", "filler", "h"}, {"g"});
  model.node("Mul", {"g", "onnx::Mul_3"}, {"y"});
  model.proto.set_producer_name("pytorch");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("logit_scale")));
  EXPECT_TRUE(has(messages,
                  "the module's 'logit_scale' has one element: it is trained, as parameters are; if it "
                  "is a buffer, --freeze='logit_scale' leaves it as it is"));
  EXPECT_FALSE(has(text, "@filler"));
  EXPECT_TRUE(has(messages,
                  "the module's 'filler' has one element and is no operand of arithmetic: it is not "
                  "trained; if it is a parameter and no buffer, give --train='filler'"));
  EXPECT_FALSE(has(messages, "onnx::Mul_3"));
}

TEST_F(LayersTest, RunningStatisticsAreNoParameters) {
  Model model;
  model.input("x", {2, 3})
      .weight("n.running_mean", {3})
      .weight("n.shift", {3})
      .integers("times", {2})
      .output("y");
  model.node("Tile", {"n.running_mean", "times"}, {"m"});
  model.node("Tile", {"n.shift", "times"}, {"s"});
  addInt(model.node("Concat", {"m", "s"}, {"t"}), "axis", 0);
  model.integers("shape", {4, 3}).weight("w", {3, 3});
  model.node("Reshape", {"t", "shape"}, {"r"});
  model.node("Gemm", {"r", "w"}, {"y"});
  model.proto.set_producer_name("pytorch");
  std::string text = import(model);
  EXPECT_FALSE(has(text, "running_mean"));
  EXPECT_TRUE(has(text, parameter("n.shift"))) << messages;
}

TEST_F(LayersTest, ACellThatIsCalledTwiceStaysOne) {
  Model model;
  model.input("x", {8, 3})
      .floats("start", {1, 3}, {1, 2, 3})
      .floats("cell.w", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9});
  model.weight("cell.b", {3}).integers("shape", {8, 3}).output("y");
  model.node("Expand", {"start", "shape"}, {"h0"});
  model.node("Gemm", {"h0", "cell.w", "cell.b"}, {"g0"}).set_name("/cell/Gemm_1");
  model.node("Add", {"x", "g0"}, {"h1"});
  model.node("Gemm", {"h1", "cell.w", "cell.b"}, {"y"}).set_name("/cell_1/Gemm_1");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("cell.b")));
  EXPECT_FALSE(has(text, "Gemm_1.bias"));
  EXPECT_EQ(messages, "");
}

TEST_F(LayersTest, AListWithoutCallsTellsBuffersFromParameters) {
  Model model;
  model.input("x", {-1, 3}).floats("mask", {3}, {0, -1e4f, 0}).floats("logit_scale", {}, {2}).output("y");
  model.node("Add", {"x", "mask"}, {"h"});
  model.node("Mul", {"h", "logit_scale"}, {"y"});
  model.proto.set_producer_name("pytorch");
  EXPECT_TRUE(has(import(model), parameter("mask")));
  addSignature(model, "p_0: PARAMETER target='logit_scale'\nb_1: BUFFER target='mask'\n");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("logit_scale")));
  EXPECT_FALSE(has(text, parameter("mask")));
  EXPECT_EQ(messages, "");
}

TEST_F(LayersTest, AListWithoutCallsKeepsParametersWhole) {
  Model model;
  model.input("x", {-1, 3}).floats("w", {3, 3}, {1, 2, 3, 4, 5, 6, 7, 8, 9}).weight("b", {3}).output("y");
  model.node("Gemm", {"x", "w", "b"}, {"h"});
  model.node("Mul", {"h", "b"}, {"y"});
  EXPECT_TRUE(has(import(model), "Mul_1.scale"));
  addSignature(model, "p_0: PARAMETER target='w'\np_1: PARAMETER target='b'\n");
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("b")));
  EXPECT_FALSE(has(text, "Mul_1.scale"));
  EXPECT_EQ(messages, "");
}

TEST_F(LayersTest, NodesOfModulesMakeNoParameters) {
  Model model;
  model.input("x", {-1, 3}).weight("w", {3, 3}).integers("shape", {3}).output("y");
  model.node("MatMul", {"x", "w"}, {"p"});
  model.node("ConstantOfShape", {"shape"}, {"zeros"});
  model.node("Add", {"p", "zeros"}, {"y"});
  EXPECT_TRUE(has(import(model), parameter("zeros")));
  model.proto.set_producer_name("pytorch");
  EXPECT_FALSE(has(import(model), parameter("zeros")));
}

TEST_F(LayersTest, FoldedInitializersAreWarnedOf) {
  Model model;
  model.input("x", {-1, 3}).weight("onnx::MatMul_7", {3, 3}).output("y");
  model.node("MatMul", {"x", "onnx::MatMul_7"}, {"y"});
  EXPECT_TRUE(has(import(model), quoted("onnx::MatMul_7")));
  EXPECT_TRUE(has(messages,
                  "the exporter computed the initializers 'onnx::MatMul_7' of parameters that are not "
                  "in the file"));
}

TEST_F(LayersTest, CopiesAreParametersOfTheirName) {
  Model model;
  model.input("x", {-1, 3}).weight("norm1.weight", {3}).output("y");
  model.node("Identity", {"norm1.weight"}, {"norm2.weight"});
  model.node("Mul", {"x", "norm1.weight"}, {"h"});
  model.node("Mul", {"h", "norm2.weight"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, parameter("norm1.weight")));
  EXPECT_TRUE(has(text, parameter("norm2.weight")));
}

//===-- Names --------------------------------------------------------------------------===//

TEST_F(LayersTest, WhatDlcAddsGivesWayToTheModelsNames) {
  Model model;
  model.input("x", {-1, 3}).output("y");
  std::string last = "x";
  for (const char *name : {"N", "rng", "step", "loss", "forward", "evaluate", "train_step"}) {
    model.weight(name, {3});
    model.node("Mul", {last, name}, {last + "_"});
    last += "_";
  }
  model.node("Dropout", {last}, {"y"});
  std::string text = import(model);
  for (const char *name : {"N", "rng", "step", "loss", "forward", "evaluate", "train_step"})
    EXPECT_TRUE(has(text, parameter(name)));
  EXPECT_TRUE(has(text, "train.dim @N_1 = 8"));
  EXPECT_TRUE(has(text, "train.state rng @rng_1"));
  EXPECT_TRUE(has(text, "train.function forward @forward_1"));
}

TEST_F(LayersTest, NamesThatFilesCannotHaveAreRefused) {
  for (const char *name : {"__metadata__", "w\xff"}) {
    Model model;
    model.input("x", {-1, 3}).weight(name, {3, 3}).output("y");
    model.node("MatMul", {"x", name}, {"y"});
    EXPECT_EQ(import(model), "");
    EXPECT_TRUE(has(messages, "has a name that a safetensors file cannot have"));
  }
}

//===-- Running variance ---------------------------------------------------------------===//

TEST_F(LayersTest, TheProducerSaysWhatRunningVariancesFollow) {
  Model model;
  model.input("x", {-1, 3}).weight("s", {3}).weight("b", {3}).weight("m", {3}).weight("v", {3}).output("y");
  addInt(model.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"}), "training_mode", 1);
  EXPECT_TRUE(has(import(model), " biased : tensor"));
  model.proto.set_producer_name("pytorch");
  EXPECT_FALSE(has(import(model), " biased : tensor"));
  dlc::onnx::ImportOptions options = withBatch();
  options.runningVariance = dlc::onnx::RunningVariance::Population;
  EXPECT_TRUE(has(import(model, options), " biased : tensor"));
  model.proto.clear_producer_name();
  options.runningVariance = dlc::onnx::RunningVariance::Unbiased;
  EXPECT_FALSE(has(import(model, options), " biased : tensor"));
  EXPECT_FALSE(has(messages, "one value of each channel"));
  options.batch = 1;
  EXPECT_NE(import(model, options), "");
  EXPECT_TRUE(has(messages, "a training step has one value of each channel"));
}

} // namespace
