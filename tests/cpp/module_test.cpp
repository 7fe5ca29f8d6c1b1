//===- module_test.cpp - modules, their names and their text -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "tests/cpp/Expect.h"
#include <sstream>

using namespace dlc;

struct Mlp : nn::Module {
  nn::Linear fc1 = register_module("fc1", nn::Linear(784, 256));
  nn::Dropout drop = register_module("drop", nn::Dropout(0.2));
  nn::Linear fc2 = register_module("fc2", nn::Linear(256, 128));
  nn::Linear fc3 = register_module("fc3", nn::Linear(128, 10));
  Tensor forward(Tensor x) override { return fc3(relu(fc2(drop(relu(fc1(x)))))); }
};

template <typename T> static std::string text(const T &value) {
  std::ostringstream out;
  out << value;
  return out.str();
}

// The numbers of the tutorials' nets.
TEST(Modules, CountParameters) {
  EXPECT_EQ(nn::Sequential(nn::Linear(784, 128), nn::ReLU(), nn::Linear(128, 10)).parameter_count(), 101770);
  Mlp net;
  EXPECT_EQ(net.parameter_count(), 235146);
  net.freeze("fc3.*");
  EXPECT_EQ(net.parameter_count(), 235146 - 1290);
}

TEST(Modules, AreNamedAsInPyTorch) {
  Mlp net;
  std::string names;
  for (const auto &[name, tensor] : net.named_parameters())
    names += name + " " + str(tensor.shape()) + " ";
  EXPECT_EQ(names,
            "fc1.weight [256, 784] fc1.bias [256] fc2.weight [128, 256] fc2.bias [128] fc3.weight [10, 128] "
            "fc3.bias [10] ");
  EXPECT_EQ(net.fc2.path(), "fc2");
}

TEST(Modules, AreVisited) {
  struct Net : nn::Module {
    nn::Sequential body = register_module("body", nn::Sequential{nn::Linear(2, 3), nn::ReLU()});
    nn::Linear head = register_module("head", nn::Linear(3, 1));
  } net;
  std::string names;
  for (const auto &[name, module] : net.named_modules())
    names += name + ":" + module.type_name() + " ";
  EXPECT_EQ(names, ":Net body:Sequential body.0:Linear body.1:ReLU head:Linear ");
  EXPECT_EQ(net.children().size(), 2u);
  EXPECT_EQ(net.named_children()[1].first, "head");
  EXPECT_EQ(net.modules().size(), 5u);
  std::string order;
  net.for_each([&](nn::Module &module) {
    order += module.type_name() + " ";
    if (module.type_name() == "Linear")
      module.freeze("bias");
  });
  EXPECT_EQ(order, "Linear ReLU Sequential Linear Net ");
  EXPECT_EQ(net.parameter_count(), 9);
}

TEST(Modules, ByName) {
  struct Net : nn::Module {
    nn::ModuleDict activations = register_module("activations", nn::ModuleDict());
    Net() {
      activations.insert("relu", nn::ReLU());
      activations.insert("linear", nn::Linear(2, 1));
    }
    Tensor forward(Tensor x) override { return activations["linear"](activations["relu"](x)); }
  } net;
  EXPECT_EQ(net.activations.keys(), (std::vector<std::string>{"relu", "linear"}));
  EXPECT_TRUE(net.activations.contains("relu"));
  EXPECT_FALSE(net.activations.contains("gelu"));
  EXPECT_EQ(net.named_parameters()[0].first, "activations.linear.weight");
  EXPECT_EQ(net(tensor({{-1.0, -1}})).item(), net.activations["linear"].parameter("bias").item());
}

// print(net) of PyTorch 2.13.
TEST(Modules, PrintAsPyTorch) {
  EXPECT_EQ(text(Mlp()), R"(Mlp(
  (fc1): Linear(in_features=784, out_features=256, bias=True)
  (drop): Dropout(p=0.2, inplace=False)
  (fc2): Linear(in_features=256, out_features=128, bias=True)
  (fc3): Linear(in_features=128, out_features=10, bias=True)
))");
  EXPECT_EQ(text(nn::Sequential(nn::Flatten(), nn::Sequential(nn::Linear(4, 2, {.bias = false}), nn::GELU()),
                                nn::LeakyReLU(0.2), nn::Softmax(1), nn::Embedding(5, 3, 0))),
            R"(Sequential(
  (0): Flatten(start_dim=1, end_dim=-1)
  (1): Sequential(
    (0): Linear(in_features=4, out_features=2, bias=False)
    (1): GELU(approximate='none')
  )
  (2): LeakyReLU(negative_slope=0.2)
  (3): Softmax(dim=1)
  (4): Embedding(5, 3, padding_idx=0)
))");
}

TEST(Modules, CopiesShareParameters) {
  nn::Linear a(2, 2), b = a;
  EXPECT_EQ(a.parameter("weight").id(), b.parameter("weight").id());
}

TEST(Modules, EvaluationDropsNothing) {
  nn::Dropout drop(0.5);
  Tensor x = ones({8});
  drop.eval();
  EXPECT_EQ(drop(x).id(), x.id());
  drop.train();
  EXPECT_NE(drop(x).id(), x.id());
}

TEST(Modules, TiedParametersAreOne) {
  struct Net : nn::Module {
    nn::Embedding table = register_module("table", nn::Embedding(7, 3));
    nn::Linear head = register_module("head", nn::Linear(3, 7, {.bias = false}));
    Net() { head.tie_parameter("weight", table.parameter("weight")); }
    Tensor forward(Tensor x) override { return head(table(x)); }
  } net;
  EXPECT_EQ(net.named_parameters().size(), 1u);
  EXPECT_EQ(net.parameter_count(), 21);
  std::string program =
      dlc::program(net, loss::None(), optim::SGD({}), input("ids", {Dim("batch", 4)}, int64)).str();
  EXPECT_NE(program.find("@table.weight"), std::string::npos);
  EXPECT_EQ(program.find("@head.weight"), std::string::npos);
}

// torch 2.13 on a CPU: torch.manual_seed(3); torch.nn.Linear(3, 2).weight, bias.
TEST(Modules, StartWithPyTorchsWeights) {
  manual_seed(3);
  nn::Linear linear(3, 2);
  EXPECT_EQ(linear.parameter("weight").values(),
            (std::vector<double>{-0.5724271535873413, -0.45544925332069397, -0.2472877949476242,
                                 -0.5462254881858826, -0.032776910811662674, -0.5079339742660522}));
  EXPECT_EQ(linear.parameter("bias").values(),
            (std::vector<double>{0.3139236271381378, 0.28139978647232056}));
}

TEST(Modules, KeepBuffers) {
  struct Scaled : nn::Module {
    Tensor scale = register_buffer("scale", tensor({2.0, 3}));
    Tensor steps = register_buffer("steps", tensor({7}, int64));
    nn::Linear fc = register_module("fc", nn::Linear(2, 2));
    Tensor forward(Tensor x) override { return fc(x * scale); }
  } net;
  ASSERT_EQ(net.named_buffers().size(), 2u);
  EXPECT_EQ(net.named_buffers()[1].first, "steps");
  EXPECT_EQ(net.buffers()[0].values(), (std::vector<double>{2, 3}));
  EXPECT_FALSE(net.scale.requires_grad());
  EXPECT_EQ(net.parameter_count(), 6);
  EXPECT_EQ(net.parameters().size(), 2u);
  EXPECT_EQ(net.state_dict()[0].first, "scale");
  std::string text = program(net, loss::MSE(), optim::SGD({}), input("x", {Dim("batch", 4), 2})).str();
  EXPECT_NE(text.find("buffer @scale"), std::string::npos) << text;
}

TEST(Modules, ShowTheirResultsToHooks) {
  nn::Sequential net{nn::Linear(4, 3), nn::ReLU(), nn::Bilinear(3, 3, 2)};
  std::string seen;
  net.for_each([&](nn::Module &module) {
    module.register_forward_hook([&](const nn::Module &module, const std::vector<Tensor> &inputs,
                                     const Tensor &output) {
      seen += module.path() + ":" + module.type_name() + str(inputs[0].shape()) + str(output.shape()) + " ";
      return Tensor();
    });
  });
  Tensor x = net[1](net[0](ones({5, 4})));
  EXPECT_EQ(seen, "0:Linear[5, 4][5, 3] 1:ReLU[5, 3][5, 3] ");
  seen.clear();
  auto &pair = dynamic_cast<nn::Bilinear &>(net[2]);
  pair(x, x);
  nn::call(pair, x, x);
  EXPECT_EQ(seen, "2:Bilinear[5, 3][5, 2] 2:Bilinear[5, 3][5, 2] ");
}

TEST(Modules, HooksChangeResults) {
  nn::Sequential net{nn::Identity(), nn::Identity()};
  net.get_submodule("0").register_forward_hook([](const nn::Module &, const std::vector<Tensor> &inputs,
                                                  const Tensor &output) { return inputs[0] + output * 10; });
  for (double more : {1, 2}) // one after the other
    net.register_forward_hook([=](const nn::Module &, const std::vector<Tensor> &, const Tensor &output) {
      return output * 2 + more;
    });
  EXPECT_EQ(net(tensor({1.0, 2})).values(), (std::vector<double>{48, 92}));
  // In a program, too.
  std::string text = program(net, loss::MSE(), optim::SGD({}), input("x", {Dim("batch", 4), 2})).str();
  EXPECT_NE(text.find("nn.mul"), std::string::npos) << text;
}

TEST(Modules, HooksOfSeveralResultsAreRefused) {
  auto see = [](const nn::Module &, const std::vector<Tensor> &, const Tensor &) { return Tensor(); };
  nn::LSTM lstm(2, 3);
  nn::LSTMCell cell(2, 3);
  nn::MultiheadAttention attention(2, 1);
  lstm.register_forward_hook(see);
  cell.register_forward_hook(see);
  attention.register_forward_hook(see);
  Tensor x = ones({4, 2});
  EXPECT_EQ(lstm(x).shape(), (Shape{4, 3}));
  EXPECT_EQ(attention(x, x, x).shape(), (Shape{4, 2}));
  EXPECT_MESSAGE(lstm.run(x), "LSTM: a forward hook sees calls that give one tensor; this one gives several");
  EXPECT_MESSAGE(cell(x), "LSTMCell: a forward hook sees");
  EXPECT_MESSAGE(attention.run(x, x, x), "MultiheadAttention: a forward hook sees");
}

TEST(Tensors, PrintElementsOrTypes) {
  EXPECT_EQ(text(tensor({{1, 2.5}, {-3, 4}})), "tensor([[ 1.0000,  2.5000],\n        [-3.0000,  4.0000]])");
  EXPECT_EQ(text(tensor({1, 2}, int64)), "tensor([1, 2])");
  EXPECT_EQ(text(tensor({1.0, 2}) > 1), "tensor([False,  True])");
  EXPECT_EQ(text(tensor({1e-5, 1})), "tensor([1.0000e-05, 1.0000e+00])");
  EXPECT_EQ(text(full({2}, 3, float64)), "tensor([3., 3.], dtype=float64)");
  EXPECT_EQ(text(arange(0, 2000)), "tensor([   0,    1,    2,  ..., 1997, 1998, 1999])");
  EXPECT_EQ(text(Tensor()), "tensor without a value");
  std::string without = text(relu(input("x", {Dim("batch", 8), 2})));
  EXPECT_EQ(without.find("tensor(shape=[batch, 2], dtype=float32, made by relu at "), 0u) << without;
  EXPECT_NE(without.find("module_test.cpp:"), std::string::npos);
}

TEST(Tensors, ExamplesFlowThrough) {
  Tensor x = input("x", {Dim("examples", 8), 2}, tensor({{1.0, 2}, {3, 4}, {5, 6}}));
  EXPECT_EQ(x.size(0).str(), "examples");
  EXPECT_EQ((x * 2).sum(0).values(), (std::vector<double>{18, 24}));
  EXPECT_EQ(x.mean().item(), 3.5);
}

/// A compiled model checks indices that its program passes, in whatever form they reach a table.
TEST(Programs, InputsThatAreIndicesHaveARange) {
  struct Net : nn::Module {
    nn::Embedding words = register_module("words", nn::Embedding(50, 8));
    Tensor places = register_parameter("places", ones({7, 8}));
    using Module::forward;
    Tensor forward(Tensor ids, Tensor at, Tensor columns) {
      return words(ids.flatten()).sum(0) + places.index_select(0, at).gather(1, columns).sum();
    }
  } net;
  Tensor ids = input("ids", {Dim("batch", 4), 5}, int64), at = input("at", {3}, int64),
         columns = input("columns", {3, 2}, int32);
  std::string text = program(net, loss::MSE(), optim::SGD({.lr = 0.1}), std::tuple(ids, at, columns)).str();
  for (const char *range : {"@ids range[0, 50)", "@at range[0, 7)", "@columns range[0, 8)"})
    EXPECT_NE(text.find(range), std::string::npos) << range << " in\n" << text;
}

/// Whether a cell has biases is not seen by the number of its parameters.
TEST(Modules, CellsThatHaveMoreParameters) {
  struct Own : nn::GRUCell {
    Own() : nn::GRUCell(2, 3) { register_parameter("gain", ones({3})); }
  };
  manual_seed(0);
  nn::GRUCell plain(2, 3);
  manual_seed(0);
  Own own;
  EXPECT_EQ(own(ones({1, 2})).values(), plain(ones({1, 2})).values());
}

/// In braces, or one after the other.
TEST(Modules, ListsInBraces) {
  struct Net : nn::Module {
    nn::ModuleList<nn::Linear> layers =
        register_module("layers", nn::ModuleList{nn::Linear(2, 3), nn::Linear(3, 1, {.bias = false})});
    Tensor forward(Tensor x) override { return layers[1](layers[0](x)); }
  } net;
  std::vector<std::string> names;
  for (const auto &[name, parameter] : net.named_parameters())
    names.push_back(name);
  EXPECT_EQ(names, (std::vector<std::string>{"layers.0.weight", "layers.0.bias", "layers.1.weight"}));
  EXPECT_EQ(net(ones({4, 2})).shape(), (Shape{4, 1}));
  nn::ModuleList copy{net.layers};
  EXPECT_EQ(copy.size(), 2u);
}

TEST(Modules, ShapesOfVectors) {
  const std::vector<int64_t> sizes{2, 3};
  EXPECT_EQ(zeros(sizes).shape(), (Shape{2, 3}));
  EXPECT_EQ(arange(6).reshape(sizes).shape(), (Shape{2, 3}));
}
