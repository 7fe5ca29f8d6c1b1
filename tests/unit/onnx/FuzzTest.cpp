//===- FuzzTest.cpp - imports mutations of valid models
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzz target on the same mutations every time. Besides bytes, fields are changed: most damage to
// bytes is found by the parser of messages already.
//===----------------------------------------------------------------------===//
#include "tests/unit/onnx/FuzzTarget.h"
#include "tests/unit/onnx/Models.h"
#include <algorithm>
#include <gtest/gtest.h>
#include <random>
#include <sstream>

namespace {

using models::addInt;
using models::Model;

std::string mutateBytes(std::string bytes, std::mt19937 &random) {
  for (int i = 0, count = 1 + random() % 3; i < count && !bytes.empty(); ++i) {
    size_t at = random() % bytes.size();
    switch (random() % 4) {
    case 0:
      bytes[at] = char(bytes[at] ^ (1 << random() % 8));
      break;
    case 1:
      bytes[at] = char(random());
      break;
    case 2:
      bytes.erase(at, 1 + random() % 4);
      break;
    case 3:
      bytes.insert(at, bytes.substr(random() % bytes.size(), random() % 16));
      break;
    }
  }
  return bytes;
}

/// Changes a field that the importer has to check.
void mutateFields(onnx::ModelProto &model, std::mt19937 &random) {
  static const int64_t numbers[] = {0,
                                    1,
                                    -1,
                                    2,
                                    3,
                                    7,
                                    -100,
                                    1 << 20,
                                    int64_t(1) << 31,
                                    int64_t(1) << 62,
                                    std::numeric_limits<int64_t>::min(),
                                    std::numeric_limits<int64_t>::max()};
  auto number = [&] { return numbers[random() % std::size(numbers)]; };
  onnx::GraphProto &graph = *model.mutable_graph();
  onnx::NodeProto &node = *graph.mutable_node(int(random() % graph.node_size()));
  std::vector<std::string> names{"", "nowhere"};
  for (const auto &tensor : graph.initializer())
    names.push_back(tensor.name());
  for (const auto &input : graph.input())
    names.push_back(input.name());
  for (const auto &each : graph.node())
    for (const auto &name : each.output())
      names.push_back(name);
  switch (random() % 7) {
  case 0:
    if (node.input_size())
      node.set_input(int(random() % node.input_size()), names[random() % names.size()]);
    break;
  case 1:
    if (node.attribute_size())
      node.mutable_attribute(int(random() % node.attribute_size()))->set_i(number());
    break;
  case 2:
    if (node.attribute_size() && node.attribute(0).ints_size())
      node.mutable_attribute(0)->set_ints(int(random() % node.attribute(0).ints_size()), number());
    break;
  case 3:
    for (auto &tensor : *graph.mutable_initializer())
      if (tensor.int64_data_size() && random() % 2)
        tensor.set_int64_data(int(random() % tensor.int64_data_size()), number());
    break;
  case 4: {
    if (graph.input_size() == 0)
      break;
    auto *shape = graph.mutable_input(0)->mutable_type()->mutable_tensor_type()->mutable_shape();
    shape->add_dim()->set_dim_value(number());
    break;
  }
  case 5:
    if (node.input_size())
      node.mutable_input()->RemoveLast();
    break;
  case 6:
    node.set_op_type(graph.node(int(random() % graph.node_size())).op_type());
    break;
  }
}

/// One node of each kind with shape arithmetic.
Model shapes() {
  Model model(13);
  model.input("x", {-1, 2, 6})
      .integers("zero", {0})
      .integers("rest", {-1})
      .integers("one", {1})
      .integers("six", {6});
  model.output("y").output("z");
  model.node("Shape", {"x"}, {"shape"});
  model.node("Gather", {"shape", "zero"}, {"rows"});
  addInt(model.node("Concat", {"rows", "rest"}, {"target"}), "axis", 0);
  model.node("Reshape", {"x", "target"}, {"flat"});
  model.node("Slice", {"flat", "zero", "six", "one", "one"}, {"part"});
  addInt(model.node("Softmax", {"part"}, {"y"}), "axis", 1);
  model.node("Unsqueeze", {"part", "one"}, {"more"});
  addInt(model.node("ReduceSum", {"more", "one"}, {"sum"}), "keepdims", 0);
  model.node("Tile", {"sum", "target"}, {"tiled"});
  addInt(model.node("Split", {"sum"}, {"z", "rest_of_it"}), "axis", 1);
  return model;
}

TEST(FuzzTest, MutatedBytes) {
  std::mt19937 random(1);
  int imported = 0;
  for (const Model &model : {models::mlp(), shapes()})
    for (int i = 0; i < 1500; ++i)
      imported += fuzzImport(mutateBytes(model.bytes(), random));
  EXPECT_GT(imported, 0); // damage to weights and names is harmless
}

/// The models of the lit tests: one node of most kinds.
TEST(FuzzTest, MutatedFiles) {
  std::vector<std::filesystem::path> paths;
  for (const auto &entry : std::filesystem::directory_iterator(DLC_ONNX_INPUTS))
    if (entry.path().extension() == ".onnx")
      paths.push_back(entry.path());
  std::sort(paths.begin(), paths.end());
  ASSERT_FALSE(paths.empty());
  std::mt19937 random(4);
  for (const auto &path : paths) {
    std::stringstream bytes;
    bytes << std::ifstream(path, std::ios::binary).rdbuf();
    onnx::ModelProto model;
    ASSERT_TRUE(model.ParseFromString(bytes.str())) << path;
    for (int i = 0; i < 150; ++i) {
      fuzzImport(mutateBytes(bytes.str(), random));
      onnx::ModelProto mutated = model;
      for (int j = 0, changes = 1 + random() % 3; j < changes; ++j)
        mutateFields(mutated, random);
      fuzzImport(mutated.SerializeAsString());
    }
  }
}

TEST(FuzzTest, MutatedFields) {
  std::mt19937 random(2);
  int imported = 0, count = 0;
  for (const Model &model : {models::mlp(), shapes()}) {
    for (int i = 0; i < 1500; ++i, ++count) {
      onnx::ModelProto mutated = model.proto;
      for (int j = 0, changes = 1 + random() % 3; j < changes; ++j)
        mutateFields(mutated, random);
      imported += fuzzImport(mutated.SerializeAsString());
    }
  }
  EXPECT_GT(imported, 0);
  EXPECT_LT(imported, count);
}

} // namespace
