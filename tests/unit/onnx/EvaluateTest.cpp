//===- EvaluateTest.cpp - values that must be known, computed by nodes
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/unit/onnx/ImportFixture.h"
#include <functional>

namespace {

using models::addInt;
using models::has;
using models::Model;

using EvaluateTest = models::ImportTest;

void addInts(onnx::NodeProto &node, const std::string &name, const std::vector<int64_t> &values) {
  onnx::AttributeProto &attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INTS);
  for (int64_t value : values)
    attribute.add_ints(value);
}

/// Pad by what `pads` is called.
Model padded() {
  Model model;
  model.input("x", {2, 3, 4}).output("y");
  return model;
}

TEST_F(EvaluateTest, PadsAreTurnedAsExportersDo) {
  // [last before, last after] of dims in reverse: reshaped to pairs, reversed, transposed, flattened.
  Model model = padded();
  model.integers("given", {1, 2, 0, 3, 0, 0}).integers("pairs", {-1, 2}).integers("flat", {-1});
  model.integers("from", {-1}).integers("to", {-1000}).integers("zero", {0}).integers("back", {-1});
  model.node("Reshape", {"given", "pairs"}, {"p"});
  model.node("Slice", {"p", "from", "to", "zero", "back"}, {"r"});
  addInts(model.node("Transpose", {"r"}, {"t"}), "perm", {1, 0});
  model.node("Reshape", {"t", "flat"}, {"pads"});
  model.node("Pad", {"x", "pads"}, {"y"});
  EXPECT_TRUE(has(import(model), "low [0, 0, 1] high [0, 3, 2]"));
}

TEST_F(EvaluateTest, EveryOperatorOnConstantsGivesAConstant) {
  struct {
    const char *what;
    std::function<void(Model &)> make; ///< "pads": [0, 0, 1, 0, 3, 2]
  } cases[] = {
      {"Where",
       [](Model &model) {
         model.integers("a", {0, 0, 1, 9, 9, 9})
             .integers("b", {9, 9, 9, 0, 3, 2})
             .integers("i", {5, 5, 5, 1, 1, 1});
         model.integers("three", {3});
         model.node("Greater", {"i", "three"}, {"c"});
         model.node("Where", {"c", "a", "b"}, {"pads"});
       }},
      {"GatherND",
       [](Model &model) {
         model.integers("table", {9, 0, 1, 2, 3}).integers("i", {1, 1, 2, 1, 4, -2}).integers("s", {6, 1});
         model.node("Reshape", {"i", "s"}, {"j"});
         model.node("GatherND", {"table", "j"}, {"pads"});
       }},
      {"Trilu",
       [](Model &model) {
         model.integers("given", {0, 0, 1, 7, 0, 3, 7, 7, 2})
             .integers("s", {3, 3})
             .integers("picks", {0, 4, 2, 0, 5, 8});
         model.integers("flat", {-1});
         model.node("Reshape", {"given", "s"}, {"m"});
         model.node("Trilu", {"m"}, {"u"});
         model.node("Reshape", {"u", "flat"}, {"f"});
         model.node("Gather", {"f", "picks"}, {"pads"});
       }},
      {"Range",
       [](Model &model) {
         model.scalar("zero", 0).scalar("two", 2).scalar("one", 1).integers("picks", {0, 0, 1, 0, 3, 2});
         model.node("Add", {"two", "two"}, {"four"});
         model.node("Range", {"zero", "four", "one"}, {"r"});
         model.node("Gather", {"r", "picks"}, {"pads"});
       }},
      {"Cast of floats",
       [](Model &model) {
         model.integers("given", {0, 0, 3, 0, 9, 6}).floats("half", {}, {1.5f}).floats("two", {}, {2});
         model.node("Mul", {"half", "two"}, {"three"});
         addInt(model.node("Cast", {"three"}, {"divisor"}), "to", onnx::TensorProto::INT64);
         model.node("Div", {"given", "divisor"}, {"pads"});
       }},
      {"Tile, Concat, ReduceMax",
       [](Model &model) {
         model.integers("a", {0, 0}).integers("m", {1, 0, 0}).integers("zero", {0}).integers("b", {3, 2});
         model.integers("once", {1});
         model.node("Tile", {"a", "once"}, {"t"});
         model.node("ReduceMax", {"m"}, {"o"});
         model.integers("one", {1});
         model.node("Reshape", {"o", "one"}, {"q"});
         addInt(model.node("Concat", {"t", "q", "zero", "b"}, {"pads"}), "axis", 0);
       }},
  };
  for (auto &[what, make] : cases) {
    Model model = padded();
    make(model);
    model.node("Pad", {"x", "pads"}, {"y"});
    EXPECT_TRUE(has(import(model), "low [0, 0, 1] high [0, 3, 2]")) << what << "\n" << messages;
  }
}

TEST_F(EvaluateTest, AnErrorIsToldOnce) {
  Model model = padded();
  model.input("pads", {6}, onnx::TensorProto::INT64);
  model.node("Pad", {"x", "pads"}, {"y"});
  EXPECT_EQ(import(model), "");
  EXPECT_TRUE(has(messages, "pads must be known at compile time, but 'pads' is computed or an input"));
  EXPECT_FALSE(has(messages, "pads are missing"));
}

TEST_F(EvaluateTest, ProductsOfSizes) {
  for (bool isNoop : {false, true}) {
    Model model(18);
    model.input("x", {-1, 3, 4}).output("y");
    model.node("Shape", {"x"}, {"sizes"});
    addInt(model.node("ReduceProd", {"sizes"}, {"shape"}), "noop_with_empty_axes", isNoop);
    model.node("Reshape", {"x", "shape"}, {"r"});
    model.node("Relu", {"r"}, {"y"});
    std::string text = import(model);
    EXPECT_TRUE(has(text, isNoop ? "nn.relu %0 : tensor<?x3x4xf32" : "nn.relu %1 : tensor<?xf32")) << text;
  }
}

TEST_F(EvaluateTest, TrianglesOfComputedTensors) {
  Model model;
  model.input("x", {-1, 3, 4}).scalar("k", -1).output("y");
  addInt(model.node("Trilu", {"x", "k"}, {"y"}), "upper", 0);
  std::string text = import(model);
  EXPECT_TRUE(has(text, "nn.iota axis 0 : tensor<3x1xi64>"));
  EXPECT_TRUE(has(text, "nn.select"));
}

} // namespace
