//===- BagsTest.cpp - loops over bags of embeddings, whole and broken ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PyTorch's exporters write for embedding_bag is recognized by nodes inside of loops and branches. Each
// of these may lack inputs, outputs, attributes or a body in a broken file: it is then no bag, and nothing is
// read that is not there.
//===----------------------------------------------------------------------===//
#include "tests/unit/onnx/ImportFixture.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace {

using models::Model;
using onnx::GraphProto;
using onnx::NodeProto;

/// All nodes of a graph, with those of its loops and branches.
std::vector<NodeProto *> nodesOf(GraphProto &graph) {
  std::vector<NodeProto *> nodes;
  for (NodeProto &node : *graph.mutable_node()) {
    nodes.push_back(&node);
    for (auto &attribute : *node.mutable_attribute())
      if (attribute.has_g())
        for (NodeProto *inner : nodesOf(*attribute.mutable_g()))
          nodes.push_back(inner);
  }
  return nodes;
}

struct BagsTest : models::ImportTest, testing::WithParamInterface<const char *> {
  /// As the exporter has written it: tests/onnx/exported compares what it computes.
  static Model exported() {
    Model model;
    std::ifstream file(std::string(EXPORTED_MODELS) + "/" + GetParam() + "/model.onnx", std::ios::binary);
    EXPECT_TRUE(model.proto.ParseFromIstream(&file)) << GetParam();
    return model;
  }
  /// Imports the model once for each node that `damage` can change: that ends, and what is not imported has a
  /// reason.
  void importDamaged(llvm::function_ref<bool(NodeProto &)> damage) {
    Model whole = exported();
    const size_t count = nodesOf(*whole.proto.mutable_graph()).size();
    int damaged = 0;
    for (size_t i = 0; i < count; ++i) {
      Model broken = whole;
      NodeProto &node = *nodesOf(*broken.proto.mutable_graph())[i];
      if (!damage(node))
        continue;
      ++damaged;
      std::string text = import(broken, {});
      EXPECT_TRUE(!text.empty() || !messages.empty()) << "node " << i << ", " << node.op_type();
    }
    EXPECT_GT(damaged, 5);
  }
};

/// The older exporter's loop counts its bags, which end where the next one begins. One of another number of
/// them, or of other ends, is not the layer.
TEST_P(BagsTest, AreThoseOfTheLoop) {
  const Model whole = exported();
  auto producer = [](Model &model, const std::string &name) -> NodeProto * {
    for (NodeProto &node : *model.proto.mutable_graph()->mutable_node())
      if (node.output_size() == 1 && node.output(0) == name)
        return &node;
    return nullptr;
  };
  for (const NodeProto &loop : whole.proto.graph().node()) {
    if (loop.op_type() != "Loop" || loop.input(0).empty())
      continue;
    auto importChanged = [&](auto change) {
      Model model = whole;
      model.integers("two", {2});
      NodeProto &count = *producer(model, loop.input(0)), &shape = *producer(model, count.input(0));
      change(*producer(model, loop.output(0)), count, *producer(model, shape.input(0)));
      EXPECT_EQ(import(model, {}), "") << "not the layer";
      EXPECT_TRUE(models::has(messages, "'/bag/")) << messages;
    };
    // Times: the number 0, which chose the dim. Ends: every other one, and not to the end.
    importChanged(
        [](NodeProto &changed, NodeProto &count, NodeProto &) { changed.set_input(0, count.input(1)); });
    importChanged([](NodeProto &, NodeProto &, NodeProto &slice) { slice.set_input(4, "two"); });
    importChanged([](NodeProto &, NodeProto &, NodeProto &slice) { slice.set_input(2, "two"); });
  }
}

/// The last bag ends with the indices, and the newer exporter's loop takes one offset after the other.
TEST_P(BagsTest, EndAndFollowEachOtherAsTheLayers) {
  Model whole = exported();
  whole.integers("two", {2});
  const size_t count = nodesOf(*whole.proto.mutable_graph()).size();
  // Bags whose last offset is their end join nothing.
  const bool hasEnd = std::string(GetParam()).find("ends") != std::string::npos;
  bool isNewer = false;
  for (const NodeProto &loop : whole.proto.graph().node())
    isNewer |= loop.op_type() == "Loop" && loop.input(0).empty();
  int changed = 0;
  for (size_t i = 0; i < count; ++i) {
    Model other = whole;
    NodeProto &node = *nodesOf(*other.proto.mutable_graph())[i];
    bool joins =
        !hasEnd && node.op_type() == "Concat" && node.input_size() == 2 && node.input(1) != "weight_dim_1";
    bool counts = isNewer && (node.op_type() == "Less" || node.op_type() == "Add");
    if (!joins && !counts)
      continue;
    ++changed;
    node.set_input(1, "two");
    EXPECT_EQ(import(other, {}), "") << "node " << i << ", " << node.op_type();
  }
  EXPECT_EQ(changed, (isNewer ? 6 : 0) + (hasEnd ? 0 : 1));
}

TEST_P(BagsTest, AreRecognized) {
  std::string text = import(exported(), {});
  EXPECT_FALSE(text.empty()) << messages;
  EXPECT_EQ(text.find("Loop"), std::string::npos);
}

TEST_P(BagsTest, NodesWithoutInputs) {
  importDamaged([](NodeProto &node) {
    bool had = node.input_size() > 0;
    node.clear_input();
    return had;
  });
}

TEST_P(BagsTest, NodesThatLackTheirLastInput) {
  importDamaged([](NodeProto &node) {
    if (node.input_size() < 2)
      return false;
    node.mutable_input()->RemoveLast();
    return true;
  });
}

TEST_P(BagsTest, NodesWithoutOutputs) {
  importDamaged([](NodeProto &node) {
    node.clear_output();
    return true;
  });
}

TEST_P(BagsTest, NodesWithoutAttributes) {
  importDamaged([](NodeProto &node) {
    bool had = node.attribute_size() > 0;
    node.clear_attribute();
    return had;
  });
}

INSTANTIATE_TEST_SUITE_P(Exporters, BagsTest,
                         testing::Values("bag_offsets_sum_torchscript", "bag_weights_torchscript",
                                         "bag_ends_mean_torchscript", "bag_offsets_max_dynamo",
                                         "bag_ends_sum_dynamo"));
} // namespace
