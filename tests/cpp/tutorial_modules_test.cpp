//===- tutorial_modules_test.cpp - lines of introductions to PyTorch about modules and gradients -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each line has its line of Python beside it. The expected text is what PyTorch 2.13 prints for that.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "tests/cpp/Expect.h"
#include <sstream>

using namespace dlc;

namespace {

template <typename... Values> std::string printed(const Values &...values) {
  std::ostringstream text;
  (text << ... << values);
  return text.str();
}

/// torch.manual_seed(0); nn.Sequential(nn.Linear(2, 2), nn.ReLU(), nn.Linear(2, 1))
nn::Sequential makeModel() {
  manual_seed(0);
  return nn::Sequential{nn::Linear(2, 2), nn::ReLU(), nn::Linear(2, 1)};
}

TEST(Tutorials, WeightsAreMembers) {
  nn::Sequential model = makeModel();
  EXPECT_EQ(printed(model[0].weight), "Parameter containing:\n"
                                      "tensor([[-0.0053,  0.3793],\n"
                                      "        [-0.5820, -0.5204]], requires_grad=True)");
  EXPECT_EQ(printed(model[2].bias), "Parameter containing:\ntensor([-0.0628], requires_grad=True)");
  EXPECT_EQ(printed(model[0].weight.shape(), model[0].weight.dtype()), "[2, 2]float32");
  EXPECT_FALSE(model[1].weight.defined());
  EXPECT_FALSE(nn::Linear(2, 2, {.bias = false}).bias.defined());
  nn::Linear layer(2, 3);
  EXPECT_EQ(layer.weight.id(), layer.parameter("weight").id());
  nn::init::constant_(layer.bias, 1);
  EXPECT_EQ(printed(layer.bias.mean().detach()), "tensor(1.)");
  EXPECT_EQ(layer.modules()[0].weight.id(), layer.weight.id()); // of a handle
  EXPECT_EQ(nn::Conv2d(3, 8, 3).weight.shape(), (Shape{8, 3, 3, 3}));
}

struct Tied : nn::Module {
  nn::Linear first = register_module("first", nn::Linear(4, 4)),
             second = register_module("second", nn::Linear(4, 4));
  Tied() { second.tie_parameter("weight", first.weight); }
  Tensor forward(Tensor x) override { return matmul(first(x), second.weight.t()); }
};

TEST(Tutorials, TiedWeightsAreThoseOfTheOther) {
  Tied net;
  EXPECT_EQ(net.second.weight.values(), net.first.weight.values());
  std::string text =
      program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 4})).str();
  EXPECT_NE(text.find("@first.weight"), std::string::npos) << text;
  EXPECT_EQ(text.find("@second.weight"), std::string::npos) << text;
}

TEST(Tutorials, PartsOfASequential) {
  nn::Sequential model = makeModel();
  nn::Sequential first = model[{0, 2}]; // model[:2]
  EXPECT_EQ(printed(first), "Sequential(\n"
                            "  (0): Linear(in_features=2, out_features=2, bias=True)\n"
                            "  (1): ReLU()\n"
                            ")");
  EXPECT_EQ(printed(model[Slice(1)]), "Sequential(\n" // model[1:]
                                      "  (1): ReLU()\n"
                                      "  (2): Linear(in_features=2, out_features=1, bias=True)\n"
                                      ")");
  EXPECT_EQ(printed(model[-1]), "Linear(in_features=2, out_features=1, bias=True)"); // model[-1]
  Tensor x = tensor({{1.0, 2.0}});
  EXPECT_EQ(printed(first(x).detach()), "tensor([[0.4810, 0.0000]])"); // model[:2](x)
  EXPECT_EQ(printed(model[2](first(x)).detach()), "tensor([[-0.0695]])");
  EXPECT_EQ(first.parameter_count(), 6);
  EXPECT_EQ(model[2].path(), "2"); // still of the model
  EXPECT_EQ(printed(model[Slice(1)][Slice(1)]), "Sequential(\n"
                                                "  (2): Linear(in_features=2, out_features=1, bias=True)\n"
                                                ")");
  EXPECT_MESSAGE(model[3], "there is no module 3 in a list of 3");
  EXPECT_MESSAGE(model[-4], "there is no module -4 in a list of 3");
  {
    nn::Sequential part = model[Slice(0, 1)];
  }
  EXPECT_EQ(model[0].path(), "0"); // the part is gone
}

TEST(Tutorials, PartsAreTrainedInOtherModels) {
  struct Net : nn::Module {
    nn::Sequential features = register_module("features", makeModel()[Slice(0, 2)]);
    nn::Linear head = register_module("head", nn::Linear(2, 3));
    Tensor forward(Tensor x) override { return head(features(x)); }
  } net;
  std::string text =
      program(net, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 2})).str();
  EXPECT_NE(text.find("@features.0.weight"), std::string::npos) << text;
}

TEST(Tutorials, ForwardHooksAreRemoved) {
  nn::Sequential model = makeModel();
  std::string seen;
  // h = model[0].register_forward_hook(lambda m, i, o: print(type(m).__name__, o.shape))
  RemovableHandle h = model[0].register_forward_hook(
      [&](const nn::Module &module, const std::vector<Tensor> &, const Tensor &output) {
        seen += printed(module.type_name(), ' ', output.shape(), '\n');
      });
  RemovableHandle other = model[0].register_forward_hook(
      [](const nn::Module &, const std::vector<Tensor> &, const Tensor &output) { return output * 0; });
  Tensor x = tensor({{1.0, 2.0}});
  EXPECT_EQ(model(x).item(), model[2].bias.item());
  EXPECT_EQ(seen, "Linear [1, 2]\n");
  h.remove();
  h.remove(); // once more does nothing
  model(x);
  EXPECT_EQ(seen, "Linear [1, 2]\n");
  other.remove();
  EXPECT_EQ(printed(model(x).detach()), "tensor([[-0.0695]])");
  RemovableHandle late;
  {
    nn::Linear gone(1, 1);
    late = gone.register_forward_hook([](const nn::Module &, const std::vector<Tensor> &, const Tensor &) {});
  }
  late.remove();
}

TEST(Tutorials, HooksOfTensorsAreRemoved) {
  Tensor x = tensor({1.0, 2.0}).requires_grad_();
  RemovableHandle h = x.register_hook([](Tensor gradient) { return gradient * 10; });
  (x * 3).sum().backward();
  EXPECT_EQ(printed(x.grad()), "tensor([30., 30.])");
  RemovableHandle second = x.register_hook([](Tensor gradient) { return gradient + 1; });
  EXPECT_EQ(grad((x * 3).sum(), x).values(), (std::vector<double>{31, 31}));
  h.remove();
  EXPECT_EQ(grad((x * 3).sum(), x).values(), (std::vector<double>{4, 4}));
  second.remove();
  x.zero_grad(); // x.grad = None
  (x * 3).sum().backward();
  EXPECT_EQ(printed(x.grad()), "tensor([3., 3.])");
  int calls = 0;
  x.register_hook([&](Tensor) { ++calls; }).remove(); // one that gives nothing
  EXPECT_EQ(calls, 1);
}

TEST(Tutorials, BackwardHooksOfModules) {
  nn::Sequential model = makeModel();
  std::string seen;
  // lambda m, gi, go: print(type(m).__name__, [g.shape for g in gi], [g.shape for g in go])
  model[2].register_full_backward_hook(
      [&](const nn::Module &module, const std::vector<Tensor> &inputs, const std::vector<Tensor> &outputs) {
        seen += printed(module.type_name(), ' ', inputs[0].shape(), ' ', outputs[0].shape());
      });
  Tensor x = tensor({{1.0, 2.0}});
  model(x).sum().backward();
  EXPECT_EQ(seen, "Linear [1, 2] [1, 1]");
  EXPECT_EQ(printed(model[0].weight.grad()), "tensor([[-0.0140, -0.0280],\n        [ 0.0000,  0.0000]])");
  EXPECT_EQ(printed(model[2].bias.grad()), "tensor([1.])");
  EXPECT_EQ(printed(model[2].weight.grad()), "tensor([[0.4810, 0.0000]])");
  model.zero_grad();
  EXPECT_FALSE(model[0].weight.grad().defined());
  RemovableHandle h = model[2].register_full_backward_hook( // lambda m, gi, go: (gi[0] * 10,)
      [](const nn::Module &, const std::vector<Tensor> &inputs, const std::vector<Tensor> &) {
        return std::vector{inputs[0] * 10};
      });
  model(x).sum().backward();
  EXPECT_EQ(printed(model[0].weight.grad()), "tensor([[-0.1401, -0.2802],\n        [ 0.0000,  0.0000]])");
  EXPECT_EQ(printed(model[2].weight.grad()), "tensor([[0.4810, 0.0000]])");
  h.remove();
  model.zero_grad();
  model(x).sum().backward();
  EXPECT_EQ(printed(model[0].weight.grad()), "tensor([[-0.0140, -0.0280],\n        [ 0.0000,  0.0000]])");
}

TEST(Tutorials, BackwardHooksAreInPrograms) {
  nn::Sequential model = makeModel();
  model[2].register_full_backward_hook(
      [](const nn::Module &, const std::vector<Tensor> &inputs, const std::vector<Tensor> &) {
        return std::vector{inputs[0].clamp(-0.01, 0.01)};
      });
  std::string text =
      program(model, loss::MSE(), optim::SGD({.lr = 0.1}), input("x", {Dim("batch", 4), 2})).str();
  EXPECT_NE(text.find("train.custom_gradient"), std::string::npos) << text;
}

TEST(Tutorials, BackwardHooksThatDoNotFit) {
  nn::Linear layer(2, 2);
  Tensor x = tensor({{1.0, 2.0}}).requires_grad_();
  RemovableHandle h = layer.register_full_backward_hook(
      [](const nn::Module &, const std::vector<Tensor> &, const std::vector<Tensor> &outputs) {
        return std::vector{outputs[0] * 2};
      });
  EXPECT_NE(errorOf([&] { layer(x); })
                .message()
                .find("the backward hook of Linear computes the gradient of an input of "
                      "another gradient; expected one that is computed of grad_input[0]"),
            std::string::npos);
  h.remove();
  h = layer.register_full_backward_hook(
      [](const nn::Module &, const std::vector<Tensor> &, const std::vector<Tensor> &outputs) {
        return std::vector{outputs[0], outputs[0]};
      });
  EXPECT_MESSAGE(layer(x),
                 "the backward hook of Linear gives 2 gradients; expected one for each of the 1 inputs");
  nn::LSTM lstm(2, 3);
  lstm.register_full_backward_hook(
      [](const nn::Module &, const std::vector<Tensor> &, const std::vector<Tensor> &) {});
  EXPECT_MESSAGE(lstm.run(ones({4, 2})), "LSTM: a backward hook sees calls that give one tensor");
}

TEST(Tutorials, ForwardKnowsItsLine) {
  nn::Linear layer(4, 2);
  nn::Sequential net{nn::Linear(3, 3), nn::ReLU()};
  EXPECT_MESSAGE(layer.forward(ones({2, 3})),
                 "Linear: expected a last dim of 4 features, got float32 [2, 3]");
  Error error = errorOf([&] { net.forward(ones({2, 4})); });
  EXPECT_EQ(error.line(), unsigned(__LINE__ - 1));
  EXPECT_EQ(error.module(), "0");
  EXPECT_EQ(net.forward(ones({2, 3})).shape(), (Shape{2, 3}));
  nn::Module &base = layer;
  EXPECT_EQ(base.forward(ones({2, 4})).shape(), (Shape{2, 2}));
  struct Own : nn::Linear {
    Own() : nn::Linear(4, 2) {}
    Tensor forward(Tensor x) override { return nn::Linear::forward(x) * 0; }
  } own;
  EXPECT_EQ(own(ones({1, 4})).values(), (std::vector<double>{0, 0}));
  EXPECT_EQ(static_cast<nn::Module &>(own).forward(ones({1, 4})).values(), (std::vector<double>{0, 0}));
}

TEST(Tutorials, UnregisteredModulesAreNamed) {
  struct Block : nn::Module {
    nn::Linear fc = register_module("fc", nn::Linear(4, 4));
    Tensor forward(Tensor x) override { return fc(x); }
  };
  struct Net : nn::Module {
    nn::Linear plain = nn::Linear(4, 4); // not registered
    Tensor forward(Tensor x) override { return plain(x); }
  } net;
  struct Outer : nn::Module {
    Block block; // not registered
    Tensor forward(Tensor x) override { return block(x); }
  } outer;
  Tensor x = input("x", {Dim("batch", 4), 4});
  EXPECT_MESSAGE(program(net, loss::MSE(), optim::SGD({.lr = 0.1}), x),
                 "the model uses 'weight' of Linear(in_features=4, out_features=4, bias=True), float32 [4, "
                 "4], made at ");
  EXPECT_MESSAGE(program(outer, loss::MSE(), optim::SGD({.lr = 0.1}), x),
                 "the model uses 'fc.weight' of Block, float32 [4, 4], made at ");
}

TEST(Tutorials, UnregisteredDropoutIsFoundInEval) {
  struct Net : nn::Module {
    nn::Linear fc = register_module("fc", nn::Linear(4, 4));
    nn::Dropout forgotten = nn::Dropout(0.5);
    Tensor forward(Tensor x) override { return forgotten(fc(x)); }
  } net;
  Tensor x = ones({1, 4});
  testing::internal::CaptureStderr();
  net(x);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  net.eval();
  testing::internal::CaptureStderr();
  net(x);
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_NE(warning.find(
                "warning: Dropout(p=0.5, inplace=False) is no part of the module that calls it, and stays in "
                "training mode although that one is in eval(); register it with register_module"),
            std::string::npos)
      << warning;
  net.forgotten.eval();
  testing::internal::CaptureStderr();
  net(x);
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
}

TEST(Tutorials, BackwardAddsUp) {
  Tensor x = tensor({2.0, 3.0}).requires_grad_();
  EXPECT_FALSE(x.grad().defined()); // x.grad is None
  Tensor y = x.pow(2).sum();
  y.backward();
  EXPECT_EQ(printed(x.grad()), "tensor([4., 6.])");
  (3 * x).sum().backward();
  EXPECT_EQ(printed(x.grad()), "tensor([7., 9.])");
  x.grad().zero_();
  EXPECT_EQ(printed(x.grad()), "tensor([0., 0.])");
  y.backward(); // no graph is gone
  EXPECT_EQ(printed(x.grad()), "tensor([4., 6.])");
  Tensor a = tensor(2.0).requires_grad_(), b = tensor(3.0).requires_grad_();
  (a * b + a).backward();
  EXPECT_EQ(printed(a.grad(), b.grad()), "tensor(4.)tensor(2.)");
  x.zero_grad();
  x.pow(2).backward(tensor({1.0, 0.1}));
  EXPECT_EQ(printed(x.grad()), "tensor([4.0000, 0.6000])");
  x.zero_grad();
  Tensor h = x * 2;
  h.retain_grad();
  (h * h).sum().backward();
  EXPECT_EQ(printed(h.grad(), x.grad()), "tensor([ 8., 12.])tensor([16., 24.])");
  Tensor unrelated = tensor(1.0).requires_grad_();
  EXPECT_FALSE(unrelated.grad().defined());
  EXPECT_MESSAGE((x * x).backward(),
                 "backward: the tensor, float32 [2], has more than one element; call backward() of "
                 "its sum() or mean(), or give a gradient of its shape");
  EXPECT_MESSAGE(tensor(1.0).backward(), "backward: the tensor, float32 [], does not require a gradient");
  EXPECT_MESSAGE((x * x).backward(tensor({1.0})), "expected grad_outputs of the type of");
}

TEST(Tutorials, RegressionByHand) {
  Tensor x = tensor({{1.0}, {2.0}, {3.0}, {4.0}}), y = 2 * x + 1;
  Tensor w = tensor(0.0).requires_grad_(), b = tensor(0.0).requires_grad_(), loss;
  for (int i = 0; i < 100; ++i) {
    loss = (w * x + b - y).pow(2).mean();
    loss.backward();
    NoGrad off; // with torch.no_grad():
    w -= 0.05 * w.grad();
    b -= 0.05 * b.grad();
    w.grad().zero_();
    b.grad().zero_();
  }
  EXPECT_EQ(printed(w), "tensor(2.0216, requires_grad=True)");
  EXPECT_EQ(printed(b), "tensor(0.9366, requires_grad=True)");
  EXPECT_EQ(printed(loss.detach()), "tensor(0.0007)");
}

TEST(Tutorials, ParametersAreNoVariables) {
  nn::Linear layer(2, 2);
  EXPECT_MESSAGE(layer.weight -= 0.1, "'-=' would not change the parameter");
  for (Tensor parameter : layer.parameters()) {
    NoGrad off;
    EXPECT_MESSAGE(parameter -= 0.1, "a session trains parameters");
  }
  Tensor sum = layer.weight + 1;
  sum += 1; // a variable
  EXPECT_EQ(sum.shape(), (Shape{2, 2}));
}

TEST(Tutorials, ConditionsAskForValues) {
  Tensor x = tensor({1.0, 2.0});
  testing::internal::CaptureStderr();
  EXPECT_TRUE(x.mean() > 0 ? true : false);
  if (!(x.mean() > 0) || x.mean() < 1)
    ADD_FAILURE();
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  Tensor known = input("known", {2}, x), unknown = input("unknown", {2});
  testing::internal::CaptureStderr();
  if (known.mean() > 0)
    known = known * 2;
  const std::string warning = testing::internal::GetCapturedStderr(),
                    line = "tutorial_modules_test.cpp:" + std::to_string(__LINE__ - 3);
  EXPECT_NE(warning.find(line), std::string::npos) << warning;
  EXPECT_NE(
      warning.find(
          "warning: the condition depends on input 'known', and is that of its example: the way that is "
          "taken is the same for all inputs of the compiled model; where(condition, a, b) decides in "
          "each call"),
      std::string::npos)
      << warning;
  EXPECT_EQ(printed(known), "tensor([2., 4.])");
  EXPECT_MESSAGE(
      unknown.mean() > 0 ? 1 : 0,
      "if, &&, || and ! ask for the value of a tensor while the model is described, but the value depends on "
      "input 'unknown', which has no example; where(condition, a, b) decides in each call, by_mode(a, b) "
      "between training and evaluation");
  EXPECT_MESSAGE(x > 1 ? 1 : 0,
                 "expected one truth value as a condition, got bool [2]; any() or all() of them is one");
}

} // namespace

TEST(Tutorials, FunctionalHasActivations) {
  namespace F = nn::functional;
  const Tensor x = tensor({-1.0, 2.0});
  EXPECT_EQ(printed(F::relu(x)), "tensor([0., 2.])");
  EXPECT_EQ(printed(F::leaky_relu(x, 0.5)), "tensor([-0.5000,  2.0000])");
  EXPECT_EQ(printed(F::softmax(x, 0)), printed(x.softmax(0)));
  EXPECT_EQ(printed(F::gelu(F::tanh(F::sigmoid(x)))), printed(gelu(tanh(sigmoid(x)))));
}
