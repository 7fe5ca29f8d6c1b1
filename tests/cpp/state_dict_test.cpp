//===- state_dict_test.cpp - modules and what they begin with, by name
//------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"

using namespace dlc;

namespace {

struct Net : nn::Module {
  nn::Sequential body = register_module("body", nn::Sequential{nn::Linear(2, 3), nn::BatchNorm1d(3)});
  nn::Linear head = register_module("head", nn::Linear(3, 2));
  Tensor forward(Tensor x) override { return head(body(x)); }
};

Array array(const std::vector<float> &numbers, const std::vector<int64_t> &shape) { return {numbers, shape}; }

TEST(Modules, AreFoundByPath) {
  Net net;
  EXPECT_EQ(net.get_submodule("body.1").type_name(), "BatchNorm1d");
  EXPECT_EQ(net.get_submodule("").type_name(), "Net");
  EXPECT_EQ(net.get_parameter("body.0.weight").id(), net.body[0].parameter("weight").id());
  EXPECT_EQ(net.get_buffer("body.1.running_var").values(), (std::vector<double>{1, 1, 1}));
  EXPECT_EQ(net.buffers().size(), 2u);
  EXPECT_MESSAGE(net.get_submodule("body.2"), "get_submodule: 'body' has no module '2'; it has '0', '1'");
  EXPECT_MESSAGE(net.get_submodule("boty.0"),
                 "get_submodule: Net has no module 'boty'; it has 'body', 'head'");
  EXPECT_MESSAGE(net.get_submodule("head."), "'head' has no module ''; it has none");
  EXPECT_MESSAGE(net.get_parameter("body.1.running_var"),
                 "Net has no parameter 'body.1.running_var'; it has 'body.0.weight', 'body.0.bias', "
                 "'body.1.weight', 'body.1.bias' and 2 more");
  EXPECT_MESSAGE(net.get_buffer("mean"), "Net has no buffer 'mean'; it has 'body.1.running_mean', ");
}

TEST(Modules, ChangeTheirDType) {
  nn::Sequential net{nn::Linear(2, 3), nn::BatchNorm1d(3)};
  std::vector<double> before = net[0].parameter("weight").values();
  Tensor weight = net[0].parameter("weight");
  net.to(float64);
  for (const auto &[name, tensor] : net.named_parameters())
    EXPECT_EQ(tensor.dtype(), float64) << name;
  EXPECT_EQ(net[1].parameter("running_mean").dtype(), float64);
  EXPECT_EQ(weight.dtype(), float64) << "handles that were taken before";
  EXPECT_EQ(weight.values(), before);
  EXPECT_EQ(net(ones({4, 2}, float64)).dtype(), float64);
  EXPECT_MESSAGE(net(ones({4, 2})), "matmul: expects operands of one dtype, got float32 and float64");
  EXPECT_MESSAGE(net.to(float32), "to: '0.weight' was used at ");
  EXPECT_MESSAGE(net.to(float16),
                 "to: expected float32 or float64, in which models are trained, got float16");
  EXPECT_MESSAGE(net.to(int64), "got int64");
  net.to(float64); // it has it
  // Nothing changes where one of them was used, as running statistics are by their names.
  nn::Sequential both{nn::Linear(2, 3), nn::BatchNorm1d(3, {.affine = false})};
  both[1](ones({4, 3}));
  EXPECT_MESSAGE(both.to(float64), "to: '1.running_mean' was used at ");
  EXPECT_EQ(both[0].parameter("weight").dtype(), float32);
}

TEST(Modules, AreTrainedOrNot) {
  Net net;
  net.requires_grad_(false);
  EXPECT_EQ(net.parameter_count(), 0);
  net.head.requires_grad_();
  EXPECT_EQ(net.parameter_count(), 8);
  EXPECT_FALSE(net.get_buffer("body.1.running_mean").requires_grad());
  std::string text =
      program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 2})).str();
  EXPECT_NE(text.find("@body.0.weight frozen"), std::string::npos) << text;
  EXPECT_EQ(text.find("@head.weight frozen"), std::string::npos) << text;
}

TEST(Modules, BeginWithAStateDict) {
  Net one, other;
  StateDict values = one.state_dict();
  ASSERT_EQ(values.size(), 8u);
  EXPECT_EQ(values[0].first, "body.0.weight");
  EXPECT_EQ(values[5], (StateDict::value_type("body.1.running_var", array({1, 1, 1}, {3}))));
  values[5].second = array({4, 5, 6}, {3});
  values.emplace_back("body.1.num_batches_tracked", Array(std::vector<int64_t>{7}, {}));
  StateDifference difference = other.load_state_dict(values);
  EXPECT_TRUE(difference.missing.empty() && difference.unexpected.empty());
  EXPECT_EQ(other.get_parameter("head.bias").values(), one.get_parameter("head.bias").values());
  EXPECT_EQ(other.get_buffer("body.1.running_var").values(), (std::vector<double>{4, 5, 6}));

  // Programs that are made of the module begin with them; what was trained goes back.
  Session session(program(other, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 2})));
  EXPECT_EQ(session.state_dict(), other.state_dict());
  session.train_step({array({1, 2, 3, 5}, {2, 2}), array({1, 0, 0, 1}, {2, 2})});
  one.load_state_dict(session.state_dict());
  EXPECT_EQ(session.state_dict(), one.state_dict());
  EXPECT_EQ(session.state_dict(), other.state_dict()) << "its module follows the session";
  session.train_step({array({1, 2, 3, 5}, {2, 2}), array({1, 0, 0, 1}, {2, 2})});
  EXPECT_NE(session.state_dict(), one.state_dict()) << "another module does not";
  session.save_weights(testing::TempDir() + "modules.safetensors");
  other.load_state_dict(testing::TempDir() + "modules.safetensors");
  EXPECT_EQ(session.state_dict(), other.state_dict());
}

TEST(Modules, TakeFloatingPointNumbersOfAnyKind) {
  nn::Linear net(2, 1), wide(2, 1);
  wide.to(float64);
  wide.load_state_dict(
      {{"weight", array({0.1f, 2}, {1, 2})}, {"bias", Array(std::vector<double>{0.1}, {1})}});
  EXPECT_EQ(wide.parameter("weight").values(), (std::vector<double>{0.1f, 2}));
  EXPECT_EQ(wide.parameter("bias").item(), 0.1);
  net.load_state_dict(wide.state_dict());
  EXPECT_EQ(net.parameter("bias").item(), double(0.1f));
  Array narrow(DType::BFloat16, {1});
  narrow.bytes()[0] = std::byte(0x80), narrow.bytes()[1] = std::byte(0x3f);
  net.load_state_dict({{"bias", narrow}}, /*strict=*/false);
  EXPECT_EQ(net.parameter("bias").item(), 1);
}

/// An error changes nothing.
TEST(Modules, RefuseOtherStateDicts) {
  Net net;
  const StateDict before = net.state_dict();
  StateDict given = before;
  given[0].first = "stem.weight";
  given[1].second = array({7, 7, 7}, {3});
  EXPECT_MESSAGE(net.load_state_dict(given),
                 "the state_dict is not that of the model: it lacks 'body.0.weight'; "
                 "the model has no 'stem.weight'; strict = false takes");
  EXPECT_EQ(net.state_dict(), before);
  StateDifference difference = net.load_state_dict(given, /*strict=*/false);
  EXPECT_EQ(difference.missing, std::vector<std::string>{"body.0.weight"});
  EXPECT_EQ(difference.unexpected, std::vector<std::string>{"stem.weight"});
  EXPECT_EQ(net.get_parameter("body.0.bias").values(), (std::vector<double>{7, 7, 7}));

  const StateDict now = net.state_dict();
  given = before;
  given[7].second = array({1, 2, 3}, {3});
  EXPECT_MESSAGE(net.load_state_dict(given), "'head.bias' is float32 [2]; got float32 [3]");
  given[7].second = Array(std::vector<int64_t>{1, 2}, {2});
  EXPECT_MESSAGE(net.load_state_dict(given), "'head.bias' is float32 [2]; got int64 [2]");
  given[7] = given[6];
  EXPECT_MESSAGE(net.load_state_dict(given), "the state_dict has 'head.weight' twice");
  EXPECT_MESSAGE(net.load_state_dict(testing::TempDir() + "modules_nowhere"), "modules_nowhere");
  EXPECT_EQ(net.state_dict(), now);
}

/// PyTorch's files have parameters that two modules share by both names, or by one.
TEST(Modules, ShareParametersOfAStateDict) {
  struct Tied : nn::Module {
    nn::Embedding table = register_module("table", nn::Embedding(3, 2));
    nn::Linear head = register_module("head", nn::Linear(2, 3, {.bias = false}));
    Tied() { head.tie_parameter("weight", table.parameter("weight")); }
  } net;
  Array values = array({1, 2, 3, 4, 5, 6}, {3, 2});
  EXPECT_EQ(net.state_dict().size(), 1u);
  net.load_state_dict({{"table.weight", values}});
  net.load_state_dict({{"table.weight", values}, {"head.weight", values}});
  EXPECT_EQ(net.head.parameter("weight").values(), (std::vector<double>{1, 2, 3, 4, 5, 6}));
  EXPECT_MESSAGE(
      net.load_state_dict({{"table.weight", values}, {"head.weight", Array(DType::Float32, {3, 2})}}),
      "'table.weight' and 'head.weight' are one parameter, for which the state_dict has different values");
}

} // namespace
