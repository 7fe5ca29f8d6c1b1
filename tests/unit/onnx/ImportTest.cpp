//===- ImportTest.cpp - what is imported, and as what
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dialects/train/Train.h"
#include "mlir/Parser/Parser.h"
#include "tests/unit/onnx/ImportFixture.h"

namespace {

using models::addInt;
using models::has;
using models::ImportTest;
using models::Model;

TEST_F(ImportTest, PerceptronHasParametersInputsAndPredictions) {
  std::string text = import(models::mlp());
  EXPECT_TRUE(has(text, "train.program @model"));
  EXPECT_TRUE(has(text, "train.dim @N = 8"));
  EXPECT_TRUE(has(text, "train.state parameter @w : tensor<3x4xf32>"));
  EXPECT_TRUE(has(text, "train.input @x : tensor<?x4xf32, #nn.dims<N, _>>"));
  EXPECT_TRUE(has(text, "train.output prediction @y : tensor<?x3xf32, #nn.dims<N, _>>"));
  EXPECT_TRUE(has(text, "transpose_b"));
  EXPECT_EQ(messages, "");
}

// The runtime takes the first dim for the rows of a call, whichever the model names first.
TEST_F(ImportTest, TheBatchIsTheFirstDim) {
  Model model;
  model.input("a", {3, -1}).input("x", {-1, 4}).output("p").output("y");
  model.proto.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_param("seq");
  model.node("Relu", {"a"}, {"p"});
  model.node("Relu", {"x"}, {"y"});
  dlc::onnx::ImportOptions options = withBatch();
  options.dims["seq"] = {1, 5};
  std::string text = import(model, options);
  ASSERT_TRUE(has(text, "train.dim open @seq = 5")) << messages;
  EXPECT_LT(text.find("train.dim @N = 8"), text.find("train.dim open @seq = 5"));
}

TEST_F(ImportTest, TextRoundTrips) {
  Model model;
  model.input("x", {-1, 64}).weight("w", {64, 32}).output("y"); // large enough for a resource
  model.node("MatMul", {"x", "w"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, "dense_resource<w>"));
  mlir::MLIRContext fresh(mlir::MLIRContext::Threading::DISABLED);
  fresh.loadDialect<nn::NNDialect, train::TrainDialect>();
  auto again = mlir::parseSourceString<mlir::ModuleOp>(text, &fresh);
  ASSERT_TRUE(again);
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  again->print(stream);
  EXPECT_TRUE(printed == text);
}

TEST_F(ImportTest, InitializersAmongInputsAreParameters) {
  Model model = models::mlp();
  model.input("w", {3, 4}).input("b", {3});
  std::string text = import(model);
  EXPECT_TRUE(has(text, "train.state parameter @w"));
  EXPECT_FALSE(has(text, "train.input @w"));
}

TEST_F(ImportTest, BatchMustBeGiven) {
  EXPECT_EQ(import(models::mlp(), {}), "");
  EXPECT_TRUE(has(messages, "dim 0 of input 'x' is symbolic ('N'): give its size with --batch=N"));
}

TEST_F(ImportTest, OtherDimsAreFixedByName) {
  Model model;
  model.input("x", {-1, -1, 4}).output("y");
  model.node("Relu", {"x"}, {"y"});
  EXPECT_EQ(import(model), "");
  EXPECT_TRUE(has(messages, "--dim 'x.1=N'"));
  dlc::onnx::ImportOptions options = withBatch();
  options.dims["x.1"] = {5, 5};
  EXPECT_TRUE(has(import(model, options), "tensor<?x5x4xf32, #nn.dims<N, _, _>>"));
  options.dims["other"] = {5, 5};
  EXPECT_EQ(import(model, options), "");
  EXPECT_TRUE(has(messages, "no symbolic dim 'other'"));
}

TEST_F(ImportTest, MinusOneIsASizeThatIsNotKnown) {
  Model model;
  model.input("x", {2, 4}).output("y");
  auto *shape =
      model.proto.mutable_graph()->mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
  shape->mutable_dim(0)->set_dim_value(-1);
  model.node("Relu", {"x"}, {"y"});
  EXPECT_TRUE(has(import(model), "tensor<?x4xf32"));
}

TEST_F(ImportTest, MissingSizesAreAmongTheReasons) {
  Model model;
  model.input("x", {-1, -1}).output("y");
  model.node("MaxRoiPool", {"x", "x"}, {"y"});
  std::vector<std::string> reasons =
      dlc::onnx::checkOnnx(folder.write("model.onnx", model.bytes()), {}, context);
  ASSERT_EQ(reasons.size(), 2u);
  EXPECT_TRUE(has(reasons[0], "dim 1 of input 'x' is symbolic ('x.1'): give its size with --dim 'x.1=N'"));
  EXPECT_TRUE(has(reasons[1], "operator MaxRoiPool is not supported: node 'MaxRoiPool_0'"));
}

TEST_F(ImportTest, OutputsAreCheckedAfterOtherErrors) {
  Model model;
  model.input("x", {2}).output("y").output("z").output("z");
  model.node("MaxRoiPool", {"x", "x"}, {"y"});
  model.node("Relu", {"x"}, {"z"});
  EXPECT_EQ(import(model), "");
  EXPECT_TRUE(has(messages, "operator MaxRoiPool is not supported"));
  EXPECT_TRUE(has(messages, "output 'z' is there twice"));
}

TEST_F(ImportTest, AllReasonsAreToldAtOnce) {
  Model model;
  model.input("x", {2, 4}).output("y").output("z");
  model.node("MaxRoiPool", {"x", "x"}, {"a"});
  model.node("Frobnicate", {"a"}, {"b"}).set_domain("com.example");
  model.node("NonMaxSuppression", {"b", "x"}, {"y"});
  addInt(model.node("Relu", {"x"}, {"z"}), "surprise", 1);
  EXPECT_EQ(import(model), "");
  for (const char *expected :
       {"operator MaxRoiPool is not supported: node 'MaxRoiPool_0'",
        "operator com.example.Frobnicate is not supported; --custom-ops=FILE can name code of yours for it: "
        "node 'Frobnicate_1'",
        "operator NonMaxSuppression is not supported", "attribute 'surprise' is not supported"})
    EXPECT_TRUE(has(messages, expected));
}

TEST_F(ImportTest, ShapeArithmeticIsFolded) {
  Model model;
  model.input("x", {-1, 2, 3}).integers("zero", {0}).integers("rest", {-1}).output("y");
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"rows"});
  addInt(model.node("Concat", {"rows", "rest"}, {"target"}), "axis", 0);
  model.node("Reshape", {"x", "target"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, "nn.reshape"));
  EXPECT_TRUE(has(text, "-> tensor<?x6xf32, #nn.dims<N, _>>"));
  EXPECT_FALSE(has(text, "nn.gather"));
}

TEST_F(ImportTest, AxesOfATransposeMayCountFromTheEnd) {
  Model model;
  model.input("x", {-1, 2, 3}).output("y");
  onnx::AttributeProto &order = *model.node("Transpose", {"x"}, {"y"}).add_attribute();
  order.set_name("perm");
  order.set_type(onnx::AttributeProto::INTS);
  for (int64_t axis : {0, -1, 1})
    order.add_ints(axis);
  EXPECT_TRUE(has(import(model), "train.output prediction @y : tensor<?x3x2xf32, #nn.dims<N, _, _>>"));
}

TEST_F(ImportTest, TheBeginningOfATableIsAsLongAsANamedDim) {
  Model model;
  model.input("x", {-1, 3}).weight("table", {9, 3}).weight("small", {7, 3}).integers("zero", {0}).output("y");
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"rows"});
  model.node("Slice", {"table", "zero", "rows", "zero"}, {"part"});
  model.node("Add", {"x", "part"}, {"y"});
  std::string text = import(model); // for up to 8 rows
  EXPECT_TRUE(has(text, "nn.iota axis 0 : tensor<?xi64, #nn.dims<N>>"));
  EXPECT_TRUE(has(text, "nn.gather"));
  model.proto.mutable_graph()->mutable_node(2)->set_input(0, "small");
  EXPECT_EQ(import(model), "");
  EXPECT_TRUE(has(messages, "axis 0 has the size 7, which may be less than N, of up to 8"));
  // The whole of an axis of that size.
  model.proto.mutable_graph()->mutable_node(2)->set_input(0, "x");
  text = import(model);
  EXPECT_TRUE(has(text, "nn.add"));
  EXPECT_FALSE(has(text, "nn.gather"));
}

TEST_F(ImportTest, OfAnOpenAxisOnePlaceOrAllCanBeTaken) {
  for (auto [from, to, index] : {std::tuple(0, 1, "dense<0>"),
                                 {-1, 9000000, "dense<-1>"},
                                 {0, 9000000, ""},
                                 {1, 9000000, nullptr},
                                 {0, -1, nullptr},
                                 {0, 2, nullptr}}) {
    Model model;
    model.input("x", {-1, 3}).integers("from", {from}).integers("to", {to == 9000000 ? INT64_MAX : to});
    model.integers("axis", {0}).output("y");
    model.node("Slice", {"x", "from", "to", "axis"}, {"y"});
    std::string text = import(model);
    EXPECT_EQ(text.empty(), !index);
    EXPECT_TRUE(
        has(index ? text : messages,
            index ? index : "axis 0 has the size N, of which all can be taken, the first place or the last "))
        << messages;
  }
}

TEST_F(ImportTest, UpdatesAlongAnAxisAreComparedForEachRowOfAnOpenBatch) {
  Model model;
  model.input("x", {-1, 3}).input("i", {-1, 5}, onnx::TensorProto::INT64).input("u", {-1, 5}).output("y");
  onnx::NodeProto &node = model.node("ScatterElements", {"x", "i", "u"}, {"y"});
  addInt(node, "axis", 1);
  onnx::AttributeProto &reduction = *node.add_attribute();
  reduction.set_name("reduction");
  reduction.set_type(onnx::AttributeProto::STRING);
  reduction.set_s("max");
  model.proto.mutable_opset_import(0)->set_version(18);
  std::string text = import(model);
  EXPECT_TRUE(has(text, "tensor<?x3x6x1xf32, #nn.dims<N, _, _, _>>")) << messages << text;
}

TEST_F(ImportTest, RemaindersOfFloatsAreThoseOfC) {
  Model model;
  model.input("x", {-1, 3}).weight("w", {3}).output("y");
  onnx::NodeProto &node = model.node("Mod", {"x", "w"}, {"y"});
  EXPECT_EQ(import(model), "");
  EXPECT_TRUE(has(messages, "the attribute fmod must be 1 for floats"));
  addInt(node, "fmod", 1);
  EXPECT_TRUE(has(import(model), "nn.fma"));
}

TEST_F(ImportTest, ARowIsRepeatedForEachSample) {
  Model model;
  model.input("x", {-1, 2, 3}).weight("token", {1, 1, 3}).integers("zero", {0}).integers("once", {1, 1});
  model.output("y");
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"rows"});
  addInt(model.node("Concat", {"rows", "once"}, {"repeats"}), "axis", 0);
  model.node("Tile", {"token", "repeats"}, {"tokens"});
  addInt(model.node("Concat", {"tokens", "x"}, {"y"}), "axis", 1);
  EXPECT_TRUE(has(import(model), "train.output prediction @y : tensor<?x3x3xf32, #nn.dims<N, _, _>>"));
}

TEST_F(ImportTest, ConstantNodesInWeightPositionsAreParameters) {
  Model model;
  model.input("x", {-1, 2}).integers("shape", {2, 3}).output("y");
  model.node("ConstantOfShape", {"shape"}, {"w"});
  model.node("MatMul", {"x", "w"}, {"y"});
  EXPECT_TRUE(has(import(model), "train.state parameter @w : tensor<2x3xf32> = dense<0.0"));
}

TEST_F(ImportTest, ParametersWithoutGradientAreFrozen) {
  Model model;
  model.input("x", {2, 3}).weight("w", {3}).output("y");
  model.node("Greater", {"x", "w"}, {"y"});
  EXPECT_TRUE(has(import(model), "train.state parameter @w frozen"));
}

TEST_F(ImportTest, BatchNormalizationInEvaluationModeAmongOthersKeepsItsStatistics) {
  Model model;
  model.input("x", {-1, 3}).weight("s", {3}).weight("b", {3}).weight("m", {3}).weight("v", {3});
  model.weight("t", {3}).weight("c", {3}).weight("n", {3}).weight("w", {3}).output("y");
  model.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"h"});
  addInt(model.node("BatchNormalization", {"h", "t", "c", "n", "w"}, {"y"}), "training_mode", 1);
  std::string text = import(model);
  EXPECT_TRUE(has(text, "train.state buffer @m ")) << text;
  EXPECT_TRUE(has(text, "nn.batch_norm_inference"));
  EXPECT_TRUE(has(text, "running @n, @w"));
  EXPECT_FALSE(has(text, "running @m, @v"));
  EXPECT_TRUE(has(messages, "it keeps its statistics in training"));
}

TEST_F(ImportTest, StatisticsThatTheModelComputesHaveGradients) {
  Model model;
  model.input("x", {-1, 3}).weight("s", {3}).weight("b", {3}).output("y");
  model.node("Exp", {"s"}, {"m"});
  model.node("Exp", {"b"}, {"v"});
  model.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, "nn.rsqrt")) << messages;
  EXPECT_FALSE(has(text, "batch_norm"));
}

TEST_F(ImportTest, BatchNormalizationHasRunningStatistics) {
  Model model;
  model.input("x", {-1, 3}).weight("s", {3}).weight("b", {3}).weight("m", {3}).weight("v", {3}).output("y");
  model.node("BatchNormalization", {"x", "s", "b", "m", "v"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, "train.state buffer @m"));
  EXPECT_TRUE(has(text, "train.batch_norm"));
  EXPECT_TRUE(has(messages, "updates the running ones"));
}

TEST_F(ImportTest, IdentityIsAnotherNameOfAParameter) {
  Model model;
  model.input("x", {-1, 2}).weight("w", {2, 2}).output("y");
  model.proto.mutable_graph()->mutable_initializer(0)->set_float_data(3, 1.5f);
  model.node("Identity", {"w"}, {"v"});
  model.node("MatMul", {"x", "w"}, {"h"});
  model.node("MatMul", {"h", "v"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, "train.state parameter @w "));
  EXPECT_FALSE(has(text, "train.state parameter @v "));
}

TEST_F(ImportTest, IdentityOfEqualNumbersIsAParameterOfItsOwn) {
  Model model;
  model.input("x", {-1, 3}).weight("s", {3}).weight("m", {3}).weight("v", {3}).output("y");
  model.node("Identity", {"s"}, {"b"});
  model.node("Identity", {"m"}, {"m2"});
  model.node("BatchNormalization", {"x", "s", "b", "m2", "v"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, "train.state parameter @s "));
  EXPECT_TRUE(has(text, "train.state parameter @b "));
  EXPECT_TRUE(has(text, "train.state buffer @m2 "));
  EXPECT_TRUE(has(text, "train.batch_norm"));
}

TEST_F(ImportTest, TheMaskOfDropoutIsDrawnWithItsNumbers) {
  Model model;
  model.input("x", {2, 3}).output("y").output("mask");
  model.node("Dropout", {"x"}, {"y", "mask"});
  std::string text = import(model);
  size_t first = text.find("nn.dropout");
  ASSERT_NE(first, std::string::npos);
  EXPECT_TRUE(has(text.substr(first + 1), "nn.dropout"));
  EXPECT_TRUE(has(text, "stream 0"));
  EXPECT_FALSE(has(text, "stream 1"));
  EXPECT_TRUE(has(text, "@mask : tensor<2x3xi1>"));
}

TEST_F(ImportTest, DropoutsHaveStreamsOfTheirOwn) {
  Model model;
  model.input("x", {-1, 3}).output("y");
  model.node("Dropout", {"x"}, {"h"});
  model.node("Dropout", {"h"}, {"y"});
  std::string text = import(model);
  EXPECT_TRUE(has(text, "train.state rng @rng : tensor<2xi64>"));
  EXPECT_TRUE(has(text, "stream 0"));
  EXPECT_TRUE(has(text, "stream 1"));
  dlc::onnx::ImportOptions options = withBatch();
  options.predictOnly = true;
  EXPECT_FALSE(has(import(model, options), "nn.dropout"));
}

TEST_F(ImportTest, RowNumbersFromInputsAreChecked) {
  Model model;
  model.input("ids", {-1}, onnx::TensorProto::INT64).weight("table", {10, 4}).output("y");
  model.node("Gather", {"table", "ids"}, {"y"});
  EXPECT_TRUE(has(import(model), "train.input @ids range[-10, 10)"));
}

TEST_F(ImportTest, LengthsOfSequencesAreChecked) {
  Model model;
  model.input("x", {5, 3}).input("lengths", {3}, onnx::TensorProto::INT64).output("y");
  onnx::NodeProto &node = model.node("ReverseSequence", {"x", "lengths"}, {"y"});
  EXPECT_TRUE(has(import(model), "train.input @lengths range[0, 6)"));
  addInt(node, "time_axis", 1);
  import(model);
  EXPECT_TRUE(has(messages, "expects time_axis and batch_axis to be 0 and 1, or 1 and 0, got 1 and 1"));
  Model known;
  known.input("x", {5, 3}).integers("lengths", {5, 6, 0}).output("y");
  known.node("ReverseSequence", {"x", "lengths"}, {"y"});
  import(known);
  EXPECT_TRUE(has(messages, "expects lengths from 0 to 5, got 6"));
  Model flat;
  flat.input("x", {5}).integers("lengths", {5}).output("y");
  flat.node("ReverseSequence", {"x", "lengths"}, {"y"});
  import(flat);
  EXPECT_TRUE(has(messages, "expects a tensor of at least 2 dims, got [5]"));
}

TEST_F(ImportTest, NodesMayBeInAnyOrder) {
  Model model;
  model.input("x", {2, 3}).output("y");
  model.node("Relu", {"h"}, {"y"});
  model.node("Neg", {"x"}, {"h"});
  EXPECT_TRUE(has(import(model), "nn.relu"));
}

} // namespace
