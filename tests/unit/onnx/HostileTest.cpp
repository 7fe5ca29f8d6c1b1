//===- HostileTest.cpp - files that are no model, or an evil one
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "mlir/IR/MLIRContext.h"
#include "tests/unit/onnx/Models.h"
#include <gtest/gtest.h>
#include <limits>

namespace {

using models::addInt;
using models::has;
using models::Model;

class HostileTest : public testing::Test {
protected:
  std::vector<std::string> check(const std::string &bytes) {
    return dlc::onnx::checkOnnx(folder.write("model.onnx", bytes), {}, context);
  }
  std::vector<std::string> check(const Model &model) { return check(model.bytes()); }
  models::Folder folder;
  mlir::MLIRContext context{mlir::MLIRContext::Threading::DISABLED};
};

/// Relu of an initializer whose data is in `location`.
Model external(const std::string &location, const std::string &offset = "0",
               const std::string &length = "16") {
  Model model;
  model.output("y").weight("w", {4});
  onnx::TensorProto &tensor = *model.proto.mutable_graph()->mutable_initializer(0);
  tensor.clear_float_data();
  tensor.set_data_location(onnx::TensorProto::EXTERNAL);
  for (auto [key, value] :
       {std::pair<const char *, std::string>{"location", location}, {"offset", offset}, {"length", length}}) {
    auto *entry = tensor.add_external_data();
    entry->set_key(key);
    entry->set_value(value);
  }
  model.node("Relu", {"w"}, {"y"});
  return model;
}

TEST_F(HostileTest, FilesThatAreNoModels) {
  EXPECT_TRUE(has(check(std::string()), "empty"));
  EXPECT_TRUE(has(check(std::string("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n")),
                  "git LFS pointer"));
  EXPECT_TRUE(has(check(std::string("certainly not a model")), "not an ONNX model"));
  EXPECT_TRUE(has(dlc::onnx::checkOnnx((folder.path / "none.onnx").string(), {}, context), "cannot read"));
  EXPECT_TRUE(has(dlc::onnx::checkOnnx(folder.path.string(), {}, context), "not a regular file"));
}

/// Another number is yes to one reader and no to the next.
TEST_F(HostileTest, AttributesThatSayYesOrNoAreZeroOrOne) {
  for (int64_t value :
       {int64_t(0), int64_t(1), int64_t(2), int64_t(-1), std::numeric_limits<int64_t>::min()}) {
    Model model;
    model.input("x", {2, 3}).output("y");
    addInt(model.node("ReduceMin", {"x"}, {"y"}), "keepdims", value);
    if (value == 0 || value == 1)
      EXPECT_TRUE(check(model).empty()) << value;
    else
      EXPECT_TRUE(
          has(check(model), "attribute 'keepdims' is " + std::to_string(value) + ", expected 0 or 1"));
  }
}

TEST_F(HostileTest, ANumberIsNoListOfNumbers) {
  Model model;
  model.input("x", {2, 3}).output("y");
  addInt(model.node("Transpose", {"x"}, {"y"}), "perm", 1);
  EXPECT_TRUE(has(check(model), "attribute 'perm' must be a list of integers"));
}

TEST_F(HostileTest, IntegersThatAreNowhereAreMissed) {
  Model model(11); // whose Unsqueeze has axes as an attribute
  model.input("x", {2, 3}).output("y");
  model.node("Unsqueeze", {"x"}, {"y"});
  EXPECT_TRUE(has(check(model), "expected axes, in input 1 or an attribute, and found neither"));
}

TEST_F(HostileTest, EveryTruncationIsRefused) {
  std::string bytes = models::mlp().bytes();
  EXPECT_TRUE(check(bytes).empty());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(check(bytes.substr(0, size)).empty()) << size << " bytes";
}

TEST_F(HostileTest, ViewsOfInitializersThatGoInCircles) {
  Model model;
  model.input("x", {2, 3}).weight("w", {3}).output("y");
  model.node("Identity", {"w"}, {"t"});
  for (int i = 0; i < 40; ++i)
    model.node("Identity", {"t"}, {"t"});
  model.node("PRelu", {"x", "t"}, {"h"});
  model.node("PRelu", {"h", "t"}, {"y"});
  EXPECT_TRUE(has(check(model), "'t' has another producer already"));
}

TEST_F(HostileTest, LongChainsOfViewsBeforeManyReaders) {
  Model model;
  model.input("x", {2, 3}).weight("w", {3}).output("y");
  std::string view = "w", last = "x";
  for (int i = 0; i < 3000; ++i, view = "v" + std::to_string(i))
    model.node("Identity", {view}, {"v" + std::to_string(i + 1)});
  for (int i = 0; i < 3000; ++i, last = "p" + std::to_string(i))
    model.node("PRelu", {last, view}, {"p" + std::to_string(i + 1)});
  model.node("Relu", {last}, {"y"});
  EXPECT_TRUE(check(model).empty());
}

TEST_F(HostileTest, RecordsOfExportersThatMakeNoSense) {
  for (const char *record : {"p_w: PARAMETER target='", "p_w: PARAMETER target=''", ": PARAMETER target='w'",
                             "p_w: PARAMETER target='w'\np_w: BUFFER target='w'\n", "# outputs", "\n\n\n"}) {
    Model model;
    model.input("x", {2, 3}).weight("w", {3}).output("y");
    for (const char *call :
         {"", "target=", "target=]", "](", "](%", "](%%p_w%", "target=torch.ops.aten.mul](args = (%p_w"}) {
      Model one = model;
      onnx::NodeProto &node = one.node("Mul", {"x", "w"}, {"y"});
      models::addMetadata(node, 9, "pkg.torch.onnx.fx_node", call);
      models::addMetadata(*one.proto.mutable_graph(), 16, "pkg.torch.export.ExportedProgram.graph_signature",
                          record);
      EXPECT_TRUE(check(one).empty()) << record << " " << call;
    }
  }
}

TEST_F(HostileTest, EpsilonsThatAreNone) {
  for (auto [epsilon, found] : {std::pair<float, const char *>{-1, "is -1"},
                                {-1e-45f, "is -1.4013e-45"},
                                {std::numeric_limits<float>::infinity(), "is inf"},
                                {std::numeric_limits<float>::quiet_NaN(), "is nan"}}) {
    Model model;
    model.input("x", {2, 3}).output("y");
    for (const char *name : {"scale", "bias", "mean", "variance"})
      model.weight(name, {3});
    onnx::NodeProto &node =
        model.node("BatchNormalization", {"x", "scale", "bias", "mean", "variance"}, {"y"});
    onnx::AttributeProto &attribute = *node.add_attribute();
    attribute.set_name("epsilon");
    attribute.set_type(onnx::AttributeProto::FLOAT);
    attribute.set_f(epsilon);
    EXPECT_TRUE(has(check(model),
                    std::string("node 'BatchNormalization_0' (BatchNormalization): attribute 'epsilon' ") +
                        found + ", expected a finite number of at least 0"));
  }
}

TEST_F(HostileTest, OpsetsOutOfRange) {
  EXPECT_TRUE(has(check(Model(5)), "opset 5 is not supported"));
  EXPECT_TRUE(has(check(Model(1000)), "opset 1000 is not supported"));
}

TEST_F(HostileTest, LoopsAndMissingNames) {
  Model loop;
  loop.input("x", {2}).output("y");
  loop.node("Add", {"x", "y"}, {"h"});
  loop.node("Relu", {"h"}, {"y"});
  EXPECT_TRUE(has(check(loop), "the graph has a loop"));
  Model missing;
  missing.output("y");
  missing.node("Relu", {"nowhere"}, {"y"});
  EXPECT_TRUE(has(check(missing), "reads 'nowhere', which nothing produces"));
  Model twice;
  twice.input("x", {2}).output("y");
  twice.node("Relu", {"x"}, {"y"});
  twice.node("Neg", {"x"}, {"y"});
  EXPECT_TRUE(has(check(twice), "another producer"));
}

TEST_F(HostileTest, BadDims) {
  Model negative;
  negative.input("x", {2, 3}).output("y");
  negative.proto.mutable_graph()
      ->mutable_input(0)
      ->mutable_type()
      ->mutable_tensor_type()
      ->mutable_shape()
      ->mutable_dim(1)
      ->set_dim_value(-7);
  negative.node("Relu", {"x"}, {"y"});
  EXPECT_TRUE(has(check(negative), "negative"));
  Model huge;
  huge.input("x", {2000000000, 2000000000}).output("y");
  huge.node("Relu", {"x"}, {"y"});
  EXPECT_TRUE(has(check(huge), "too large"));
  Model overflow;
  overflow.input("x", {1}).integers("shape", {2000000000, 2000000000, 2000000000}).output("y");
  overflow.node("ConstantOfShape", {"shape"}, {"y"});
  EXPECT_TRUE(has(check(overflow), "too large"));
  Model weights;
  weights.weight("w", {3000000, 3000000}).output("y");
  weights.node("Relu", {"w"}, {"y"});
  EXPECT_TRUE(has(check(weights), "too large"));
}

TEST_F(HostileTest, TooManyDims) {
  Model model;
  model.input("x", std::vector<int64_t>(65, 1)).output("y");
  model.node("Relu", {"x"}, {"y"});
  EXPECT_TRUE(has(check(model), "at most 64"));
  Model grown;
  grown.input("x", {2}).output("y");
  onnx::AttributeProto &axes = *grown.node("Unsqueeze", {"x"}, {"y"}).add_attribute();
  grown.proto.mutable_opset_import(0)->set_version(11);
  axes.set_name("axes");
  axes.set_type(onnx::AttributeProto::INTS);
  for (int64_t axis = 0; axis < 200000; ++axis)
    axes.add_ints(axis);
  EXPECT_TRUE(has(check(grown), "at most 64 dims"));
  Model named;
  for (int i = 0; i < 300; ++i)
    named.input("x" + std::to_string(i), {2, -1});
  named.output("y");
  named.node("Relu", {"x0"}, {"y"});
  EXPECT_TRUE(has(check(named), "one symbolic dim too many"));
}

/// Huge constants are one element, repeated, as long as nothing needs all of them.
TEST_F(HostileTest, HugeConstants) {
  std::vector<std::pair<std::string, std::vector<int64_t>>> huge = {
      {"ConstantOfShape", {int64_t(1) << 20, int64_t(1) << 20, int64_t(1) << 20}},
      {"ConstantOfShape", {int64_t(1) << 60}},
      {"ConstantOfShape", {-4}},
      {"Expand", {int64_t(1) << 60}},
      {"Expand", {int64_t(1) << 30, int64_t(1) << 30}},
      {"Reshape", {int64_t(1) << 62}},
      {"Tile", {int64_t(1) << 60}},
      {"Tile", {std::numeric_limits<int64_t>::min()}}};
  for (const auto &[op, numbers] : huge) {
    Model model;
    model.weight("w", {1}).integers("numbers", numbers).output("y");
    if (op == "ConstantOfShape")
      model.node(op, {"numbers"}, {"y"});
    else
      model.node(op, {"w", "numbers"}, {"y"});
    EXPECT_EQ(check(model).size(), 1u) << op << " " << numbers.front();
  }
  Model range;
  range.scalar("start", 0).scalar("limit", int64_t(1) << 60).scalar("delta", 1).output("y");
  range.node("Range", {"start", "limit", "delta"}, {"y"});
  EXPECT_TRUE(has(check(range), "too long"));
}

/// Doubling something again and again is a small file and takes all memory.
TEST_F(HostileTest, ShapeArithmeticDoesNotExplode) {
  for (bool concat : {true, false}) {
    Model model;
    model.input("x", {-1, 2}).integers("zero", {0}).output("y");
    model.node("Shape", {"x"}, {"shape"});
    model.node("Gather", {"shape", "zero"}, {"v0"});
    for (int i = 0; i < 60; ++i) {
      std::string from = "v" + std::to_string(i), to = "v" + std::to_string(i + 1);
      onnx::NodeProto &node = model.node(concat ? "Concat" : "Mul", {from, from}, {to});
      if (concat)
        addInt(node, "axis", 0);
    }
    model.node("ConstantOfShape", {"v60"}, {"y"});
    EXPECT_EQ(check(model).size(), 1u);
  }
}

TEST_F(HostileTest, DeepGraphs) {
  Model model;
  model.input("v0", {-1, 2}).output("v100000");
  for (int i = 0; i < 100000; ++i)
    model.node(i % 2 ? "Sigmoid" : "Exp", {"v" + std::to_string(i)}, {"v" + std::to_string(i + 1)});
  EXPECT_TRUE(check(model).empty());
}

TEST_F(HostileTest, OneNameForManyThings) {
  Model model(13);
  model.input("x", {-1, 3}).weight("s", {3}).output("v20000");
  model.node("Relu", {"x"}, {"v0"});
  for (int i = 0; i < 20000; ++i)
    model.node("BatchNormalization", {"v" + std::to_string(i), "s", "s", "s", "s"},
               {"v" + std::to_string(i + 1)});
  EXPECT_TRUE(check(model).empty());
}

TEST_F(HostileTest, NamesThatAreNoText) {
  for (const char *bytes : {"\xff\xfe", "\xed\xa0\x80", "\xc3"}) {
    Model model;
    model.input(std::string("x") + bytes, {2}).output("y");
    model.node("Relu", {std::string("x") + bytes}, {"y"});
    EXPECT_TRUE(has(check(model), "expects a name in UTF-8")) << bytes;
  }
  Model zero;
  zero.input(std::string("x\0y", 3), {2}).output("y");
  zero.node("Relu", {std::string("x\0y", 3)}, {"y"});
  EXPECT_TRUE(has(check(zero), "expects a name in UTF-8"));
  Model odd;
  odd.input("../x\n\"%s%n\\\x1b[31m", {2}).output("y");
  odd.node("Relu", {"../x\n\"%s%n\\\x1b[31m"}, {"y"});
  EXPECT_TRUE(check(odd).empty());
}

TEST_F(HostileTest, WrongSizesOfInitializers) {
  Model model = models::mlp();
  model.proto.mutable_graph()->mutable_initializer(0)->add_dims(2);
  EXPECT_TRUE(has(check(model), "12 elements, its shape needs 24"));
}

TEST_F(HostileTest, WrongSizesOfRawData) {
  Model model;
  model.output("y").weight("w", {4}).node("Relu", {"w"}, {"y"});
  onnx::TensorProto &tensor = *model.proto.mutable_graph()->mutable_initializer(0);
  tensor.clear_float_data();
  for (size_t bytes : {0, 12, 15, 17, 20}) {
    tensor.set_raw_data(std::string(bytes, '\0'));
    EXPECT_TRUE(has(check(model), "bytes, its shape and type need 16")) << bytes;
  }
  tensor.set_raw_data(std::string(16, '\0'));
  EXPECT_TRUE(check(model).empty());
}

TEST_F(HostileTest, ShapesThatDoNotFit) {
  Model model;
  model.input("x", {2, 3}).input("z", {4, 5}).output("y");
  model.node("MatMul", {"x", "z"}, {"y"});
  std::vector<std::string> reasons = check(model);
  ASSERT_EQ(reasons.size(), 1u);
  EXPECT_TRUE(has(reasons, "node 'MatMul_0' (MatMul)"));
  EXPECT_TRUE(has(reasons, "expects equal inner dims, got 3 of a and 4 of b"));
}

TEST_F(HostileTest, ExternalDataStaysInTheFolder) {
  folder.write("data.bin", std::string(16, '\0'));
  EXPECT_TRUE(check(external("data.bin")).empty());
  for (const char *outside : {"../data.bin", "/etc/passwd", "sub/../../data.bin"})
    EXPECT_TRUE(has(check(external(outside)), "outside the model's folder")) << outside;
  std::filesystem::create_symlink("/etc/passwd", folder.path / "link.bin");
  EXPECT_TRUE(has(check(external("link.bin")), "outside the model's folder"));
  EXPECT_TRUE(has(check(external("none.bin")), "cannot read external data 'none.bin'"));
  EXPECT_TRUE(has(check(external("")), "without a location"));
}

// A folder whose name begins like the model's is another one.
TEST_F(HostileTest, ExternalDataInASiblingFolder) {
  std::filesystem::path sibling = folder.path.string() + "-evil";
  std::filesystem::create_directory(sibling);
  std::ofstream(sibling / "data.bin") << std::string(16, '\0');
  std::filesystem::create_symlink(sibling / "data.bin", folder.path / "link.bin");
  std::vector<std::string> reasons = check(external("link.bin"));
  std::filesystem::remove_all(sibling);
  EXPECT_TRUE(has(reasons, "outside the model's folder"));
}

TEST_F(HostileTest, ExternalDataStaysInTheFile) {
  folder.write("data.bin", std::string(16, '\0'));
  EXPECT_TRUE(has(check(external("data.bin", "1")), "has 16 bytes, 16 at offset 1"));
  EXPECT_TRUE(has(check(external("data.bin", "18446744073709551615")), "at offset"));
  EXPECT_TRUE(has(check(external("data.bin", "-1")), "which is no number"));
  EXPECT_TRUE(has(check(external("data.bin", "0", "8")), "has 8 bytes"));
}

} // namespace
