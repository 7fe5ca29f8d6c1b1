//===- error_test.cpp - what wrong descriptions are told --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "tests/cpp/Expect.h"
#include <cmath>

using namespace dlc;

TEST(Errors, NameTheLineAndBothShapes) {
  Tensor a = ones({2, 3}), b = ones({4, 5});
  EXPECT_MESSAGE(a.matmul(b), "matmul: expects equal inner dims, got 3 of a and 4 of b; it was given "
                              "float32 [2, 3] and float32 [4, 5]");
  EXPECT_MESSAGE(a + b, "add: expects shapes that broadcast, got [2, 3] and [4, 5]");
  EXPECT_MESSAGE(b - a, "sub: expects shapes that broadcast");
  EXPECT_MESSAGE(a.reshape({7}), "reshape");
  EXPECT_MESSAGE(
      a.reshape({-1, 4}),
      "reshape: expected sizes whose product divides 6, the number of elements of [2, 3], got [-1, 4]");
  EXPECT_MESSAGE(a.expand({2, 4}), "expand");
  EXPECT_MESSAGE(cat({a, b}), "concat");
  EXPECT_MESSAGE(a.sum(2), "expected a dim from -2 to 1, got 2");
  EXPECT_MESSAGE(a.permute({0, 0}), "transpose");
  EXPECT_MESSAGE(a.select(1, 3), "select: expected a position from -3 to 2 along dim 1 of [2, 3], got 3");
  EXPECT_MESSAGE(a.index({0, Ellipsis, 1, 2}),
                 "index: expected at most 2 positions and slices for [2, 3], and "
                 "one Ellipsis, got 3 and 1");
  EXPECT_MESSAGE(a.index({Ellipsis, Ellipsis}), "got 0 and 2");
  EXPECT_MESSAGE(a.split_with_sizes({1, 1}, 1),
                 "split_with_sizes: expected sizes whose sum is 3, got [1, 1]");
  EXPECT_MESSAGE(a.split_with_sizes({4, -1}, 1),
                 "split_with_sizes: expected sizes whose sum is 3, got [4, -1]");
  EXPECT_MESSAGE(a.item(), "item: expected a tensor of one element, got [2, 3]");
  EXPECT_MESSAGE(tensor({{1.0, 2}, {3}}),
                 "tensor: expected parts of one shape, got one of shape [2] and one of shape [1]");
  EXPECT_MESSAGE(Tensor() + a, "a tensor without a value was given");
}

/// A handle that was never given a value, as a member that forward sets too late.
TEST(Errors, OfTensorsWithoutAValue) {
  const Tensor none;
  const std::string given = "a tensor without a value was given";
  EXPECT_MESSAGE(relu(none), "a tensor without a value has no shape");
  EXPECT_MESSAGE(none.softmax(1), "a tensor without a value has no shape");
  EXPECT_MESSAGE(none.reshape({2}), "a tensor without a value has no dtype");
  EXPECT_MESSAGE(none.sum(), "a tensor without a value has no dtype");
  EXPECT_MESSAGE(none.shape(), "a tensor without a value has no shape");
  EXPECT_MESSAGE(none.dtype(), "a tensor without a value has no dtype");
  EXPECT_MESSAGE(none.values(), "a tensor without a value has no elements");
  EXPECT_MESSAGE(cat({ones({2}), none}), "concat: " + given);
  EXPECT_MESSAGE(where(none, 1, 2), "select: " + given);
  EXPECT_MESSAGE(outer(none, none), "a tensor without a value has no shape");
  EXPECT_MESSAGE(nn::Linear(2, 2)(none), "Linear: " + given);
  EXPECT_MESSAGE(input("x", {2}, none), "input 'x': the example has no value");
  nn::Linear layer(2, 2);
  EXPECT_MESSAGE(layer.register_parameter("more", none), "a tensor without a value has no dtype");
  EXPECT_MESSAGE(layer.register_buffer("more", none), given);
  EXPECT_MESSAGE(layer.tie_parameter("weight", none), "a tensor without a value has no shape");
}

TEST(Errors, OfProjections) {
  EXPECT_MESSAGE(nn::LSTM(3, 4, {.proj_size = 4}),
                 "proj_size: expected a number from 0 to 3, below hidden_size, got 4");
  EXPECT_MESSAGE(nn::LSTM(3, 4, {.proj_size = -1}), "proj_size: expected a number from 0 to 3");
  EXPECT_MESSAGE(nn::GRU(3, 4, {.proj_size = 2}), "proj_size: only an LSTM has projections");
}

/// No std::bad_alloc, and no numbers that have wrapped around.
TEST(Errors, OfSizesThatNoMachineHas) {
  constexpr int64_t k = 1024, m = k * k, g = k * m;
  EXPECT_MESSAGE(nn::Linear(m, m), "a tensor of shape [1048576, 1048576] is too large");
  EXPECT_MESSAGE(nn::Linear(-1, 2), "in_features: expected a number above 0, got -1");
  EXPECT_MESSAGE(nn::Linear(k * g, 2),
                 "in_features: expected a number above 0 and up to 68719476736, got 1099511627776");
  EXPECT_MESSAGE(nn::Conv2d(g, g, m), "a tensor of shape [1073741824, 1073741824, 1048576, 1048576]");
  EXPECT_MESSAGE(nn::Embedding(4 * g, 4 * g), "a tensor of shape [4294967296, 4294967296] is too large");
  EXPECT_MESSAGE(randn({4 * g, 4 * g}), "a tensor of shape [4294967296, 4294967296] is too large");
  EXPECT_MESSAGE(rand({-1}), "expected sizes of at least 0, got [-1]");
  EXPECT_MESSAGE(eye(4 * g), "a tensor of shape [4294967296, 4294967296] is too large");
  EXPECT_MESSAGE(linspace(0, 1, k * g), "a tensor of shape [1099511627776] is too large");
  EXPECT_MESSAGE(Array(float32, {m * g}), "an array of shape [1125899906842624]");
}

/// Numbers that C++ hands over without a word.
TEST(Errors, OfArgumentsThatCannotBeMeant) {
  Tensor image = ones({1, 3, 8, 8});
  EXPECT_MESSAGE(nn::AdaptiveAvgPool2d(int64_t(1) << 40)(image),
                 "output_size: expected at most 1048576, got");
  EXPECT_MESSAGE(nn::BatchNorm2d(3, {.eps = NAN}), "eps: expected a finite number of at least 0, got nan");
  EXPECT_MESSAGE(nn::LayerNorm(3, {.eps = -1}), "eps: expected a finite number of at least 0, got -1.0");
  EXPECT_MESSAGE(nn::GroupNorm(1, 3, {.eps = INFINITY}), "eps: expected a finite number");
  EXPECT_MESSAGE(nn::functional::lp_pool2d(image, NAN, 2), "expected a norm_type above 0, got nan");
  EXPECT_MESSAGE(from_blob(static_cast<const float *>(nullptr), {2}), "the elements of shape [2] are NULL");
  const float number = 1;
  EXPECT_MESSAGE(from_blob(&number, {-1}), "from_blob: expected sizes of at least 0, got [-1]");
  EXPECT_MESSAGE(from_data({1}, {Dim("batch", 4)}), "the size of the dim 'batch' is known only when");
  EXPECT_MESSAGE(input("", {2}), "input: expected a name, got ''");
  nn::Linear net(2, 2);
  Tensor y = net(input("x", {Dim("batch", 4), 2}));
  EXPECT_MESSAGE(make_program(net, {{"", y}}, loss::MSE(), optim::SGD({})), "a name for each output, got ''");
}

TEST(Errors, OfIndicesThatAreKnown) {
  nn::Embedding words(5, 2);
  EXPECT_MESSAGE(words(tensor({0, 5}, int64)),
                 "expected indices from 0 to 4 into dim 0 of float32 [5, 2], got 5");
  EXPECT_MESSAGE(words(input("ids", {2}, tensor({-1, 1}, int64))), "from 0 to 4 into dim 0");
  EXPECT_MESSAGE(ones({2, 3}).index_select(1, tensor({3}, int64)), "from 0 to 2 into dim 1");
  EXPECT_EQ(words(tensor({0, 4}, int64)).shape(), (Shape{2, 2}));
}

TEST(Errors, OfModulesThatCallThemselves) {
  struct Endless : nn::Module {
    Tensor forward(Tensor x) override { return (*this)(x); }
  } net;
  Tensor x = ones({1});
  EXPECT_NE(errorOf([&] { net(x); }).message().find("modules call each other more than 1000 deep"),
            std::string::npos);
}

TEST(Errors, OfPlacesInLists) {
  nn::Sequential net{nn::Linear(2, 2)};
  nn::ModuleList<nn::Linear> list;
  EXPECT_MESSAGE(net[1], "there is no module 1 in a list of 1, which are counted from 0");
  EXPECT_MESSAGE(net[-2], "there is no module -2 in a list of 1");
  EXPECT_MESSAGE(list[0], "there is no module 0 in a list of 0");
}

TEST(Errors, OfWholePrograms) {
  nn::Linear net(2, 2);
  Tensor x = input("x", {Dim("batch", 4), 2}), y = net(x);
  std::vector<std::pair<std::string, Tensor>> asInput{{"x", y}}, twice{{"y", y}, {"y", y * 2}};
  EXPECT_MESSAGE(make_program(net, asInput, y.mean(), optim::SGD({})),
                 "two things of the program are called 'x'; rename the output");
  EXPECT_MESSAGE(make_program(net, twice, y.mean(), optim::SGD({})),
                 "two things of the program are called 'y'; rename the output");
  // What has no line does not name one.
  EXPECT_STREQ(errorOf([] { (void)Program().str(); }).what(),
               "error: the program is empty; dlc::program makes one");
}

TEST(Errors, IntegersAreNotFloats) {
  Tensor numbers = tensor({1, 2}), floats = ones({2});
  EXPECT_MESSAGE(numbers.exp(), "exp: expects floating-point numbers, got int64 [2]; convert them with "
                                "to(dlc::float32)");
  EXPECT_MESSAGE(nn::Linear(2, 2)(numbers),
                 "convert one with to(dlc::float32); it was given int64 [1, 2] and");
  EXPECT_MESSAGE(nn::Embedding(2, 2)(floats),
                 "Embedding: expected indices of int64 or int32, got float32 [2]; convert them "
                 "with to(dlc::int64)");
  EXPECT_MESSAGE(full({2}, NAN, int64), "expected numbers that int64 has, got nan");
  EXPECT_MESSAGE(tensor({3e9}, int32), "expected numbers that int32 has, got 3000000000.0");
  EXPECT_MESSAGE(floats.masked_fill(floats, 0), "select: expects truth values as operand 0, got float32 [2]; "
                                                "convert them with to(dlc::boolean)");
}

TEST(Errors, OfWhatIsComposed) {
  Tensor a = ones({2, 3}), b = ones({4, 5});
  EXPECT_MESSAGE(einsum("ij,jk->ik", {a, b}), "einsum: a label of the equation 'ij,jk->ik' has dims 3 and 4");
  EXPECT_MESSAGE(einsum("ij,jk->ik", {a}), "einsum: expects as many terms as inputs");
  EXPECT_MESSAGE(einsum("i1", {a}), "einsum: the term 'i1' does not fit input 0 of shape");
  EXPECT_MESSAGE(einsum("ij->ik", {a}),
                 "einsum: each label of the result must occur there once and in a term");
  EXPECT_MESSAGE(einsum("ij,ij", {a, a.to(int64)}), "einsum: expects numbers of one dtype");
  EXPECT_MESSAGE(a.topk(4), "topk: expected a number from 0 to the size of the dim, 3, got 4");
  EXPECT_MESSAGE(a.roll({1, 1}, 0), "roll: expected a shift for each dim, got 2 shifts and 1 dims");
  EXPECT_MESSAGE(a.repeat({2}), "repeat: expected a count for each dim of [2, 3], got 1; tile() takes fewer");
  EXPECT_MESSAGE(ones({2}).tril(), "tril: expected matrices, got float32 [2]");
  EXPECT_MESSAGE(outer(a, b), "outer: expected two vectors, got float32 [2, 3] and float32 [4, 5]");
  EXPECT_MESSAGE(a.to(int64).norm(), "norm: expected floating-point numbers, got int64 [2, 3]");
  EXPECT_MESSAGE(a.scatter_add(0, tensor({{0}}, int64), b), "scatter_add: expected a source of the shape of");
  EXPECT_MESSAGE(nn::ModuleDict().at("x"), "ModuleDict: there is no module 'x'; it has none");
}

TEST(Errors, OfGradients) {
  Tensor x = tensor({1.0, 2}).requires_grad_(), numbers = tensor({1, 2}, int64), y = x * 2;
  EXPECT_MESSAGE(grad(y, x), "grad: the output, float32 [2], has more than one element; give grad_outputs");
  EXPECT_MESSAGE(grad(y.sum(), numbers), "grad: the input consists of int64, which have no gradients");
  EXPECT_MESSAGE(grad(x.argmax(0), x), "grad: the output consists of int64");
  EXPECT_MESSAGE(grad(y.sum(), tensor({1.0})), "the input, float32 [1], does not require a gradient: call");
  EXPECT_MESSAGE(grad(y.detach().sum(), x), "the output, float32 [], does not require a gradient: nothing");
  EXPECT_MESSAGE(grad(y.sum(), {x, tensor({3.0}).requires_grad_()}),
                 "grad: no output depends on input 1 of 2, float32 [1]; with allow_unused");
  EXPECT_MESSAGE(grad(y, x, {.grad_outputs = {ones({3})}}),
                 "expected grad_outputs of the type of the output, float32 [2], got float32 [3]");
  EXPECT_MESSAGE(grad(y, x, {.grad_outputs = {ones({2}), ones({2})}}),
                 "expected grad_outputs for each of 1 outputs, got 2");
  EXPECT_MESSAGE(grad(y.sum(), Tensor()), "grad: the input has no value");
  EXPECT_MESSAGE(numbers.requires_grad_(),
                 "expected floating-point numbers, which have gradients, got int64 [2]");
  EXPECT_MESSAGE(y.requires_grad_(false), "detach() gives one that does not");
  Tensor once = grad(x.pow(3).sum(), x);
  EXPECT_MESSAGE(grad(once.sum(), x),
                 "gradients can be differentiated again where grad was given create_graph");
}

/// What `warn` prints to standard error.
template <typename Function> static std::string warningOf(Function warn) {
  testing::internal::CaptureStderr();
  warn();
  return testing::internal::GetCapturedStderr();
}

TEST(Warnings, OfNumbersThatAreCompiledIn) {
  Tensor x = input("looked_at", {2}, tensor({1.0, 2}));
  std::string text = warningOf([&] {
    for (int i = 0; i < 3; ++i)
      (void)x.sum().item();
  });
  std::string line = std::to_string(__LINE__ - 2);
  EXPECT_NE(text.find("error_test.cpp:" + line + ":"), std::string::npos) << text;
  EXPECT_NE(text.find("warning: the numbers depend on input 'looked_at', and are those of its example"),
            std::string::npos)
      << text;
  EXPECT_EQ(text.find("warning"), text.rfind("warning")) << "once for a line: " << text;
  EXPECT_EQ(warningOf([] { (void)ones({2}).values(); }), "");
  EXPECT_EQ(warningOf([] { (void)nn::Linear(1, 1).parameter("weight").item(); }), "");
}

struct Unused : nn::Module {
  nn::Linear used = register_module("used", nn::Linear(2, 2)),
             extra = register_module("extra", nn::Linear(2, 2));
  Tensor forward(Tensor x) override { return used(x); }
};

TEST(Warnings, OfParametersThatAreNotUsed) {
  Tensor x = input("x", {Dim("batch", 4), 2});
  Unused net;
  EXPECT_NE(warningOf([&] {
              (void)program(net, loss::MSE(), optim::SGD({}), x);
            }).find("no output depends on the parameters 'extra.weight', 'extra.bias' through operations"),
            std::string::npos);
  EXPECT_EQ(warningOf([&] { (void)program(net, loss::None(), optim::SGD({}), x); }), "");
  net.extra.freeze();
  EXPECT_EQ(warningOf([&] { (void)program(net, loss::MSE(), optim::SGD({}), x); }), "");
}

TEST(Errors, OfLossesWithoutParameters) {
  struct Net : nn::Module {
    nn::Linear fc = register_module("fc", nn::Linear(2, 2));
    Tensor forward(Tensor x) override { return fc(x).detach(); }
  } net;
  Tensor x = input("x", {Dim("batch", 4), 2});
  EXPECT_MESSAGE(program(net, loss::MSE(), optim::SGD({}), x),
                 "the loss depends on no parameter: no gradient reaches 'fc.weight' or any other one");
}

TEST(Errors, OfInputs) {
  EXPECT_MESSAGE(input("x", {Dim("bad name", 3)}), "expected a dim's name of letters, digits and _");
  EXPECT_MESSAGE(input("x", {Dim("none", 0)}), "dim 'none': expected a bound above 0, got 0");
  EXPECT_MESSAGE(input("x", {Dim("rows", 8), 3}, ones({4, 2})),
                 "expected an example of type float32 [rows, 3], got float32 [4, 2]");
  Tensor open = input("open", {Dim("rows", 8), 3});
  EXPECT_MESSAGE(open.values(), "the value depends on input 'open', which has no example");
  EXPECT_MESSAGE(open.split(2), "is known only when the compiled model runs");
}

struct Inner : nn::Module {
  nn::Linear proj = register_module("proj", nn::Linear(4, 4));
  Tensor forward(Tensor x) override { return proj(x).reshape({-1, 3}); }
};
struct Outer : nn::Module {
  nn::ModuleList<Inner> layers = register_module("layers", nn::ModuleList<Inner>());
  Outer() { layers.push_back(Inner()); }
  Tensor forward(Tensor x) override { return layers[0](x); }
};

TEST(Errors, NameTheModule) {
  Outer outer;
  EXPECT_EQ(errorOf([&] { outer(ones({2, 4})); }).module(), "layers.0");
  EXPECT_EQ(errorOf([&] { outer(ones({2, 5})); }).module(), "layers.0.proj");
  // The scopes are gone with the exceptions.
  EXPECT_EQ(errorOf([&] { (void)ones({2}).reshape({3}); }).module(), "");
}

TEST(Errors, OfModules) {
  struct Net : nn::Module {
  } net, other;
  nn::Linear layer(2, 2);
  net.register_module("fc", layer);
  EXPECT_MESSAGE(net.register_module("fc", nn::Linear(2, 2)),
                 "there is a module 'fc' already, of class Linear and registered at ");
  EXPECT_MESSAGE(net.register_module("fc", nn::Linear(2, 2)), "; each has a name of its own, as 'fc2'");
  EXPECT_MESSAGE(other.register_module("fc2", layer), "the module 'fc2' is registered as 'fc' already");
  EXPECT_MESSAGE(other.register_module("a.b", nn::Linear(2, 2)), "expected a name without points, got 'a.b'");
  EXPECT_MESSAGE(other.register_parameter("w", tensor({1}, int64)), "integers have no gradients");
  EXPECT_MESSAGE(net.freeze("conv*"), "freeze: no parameter has a name like 'conv*'");
  EXPECT_MESSAGE(net.parameter("w"), "Net has no parameter 'w'");
  EXPECT_MESSAGE(nn::Linear(0, 2), "in_features: expected a number above 0, got 0");
  EXPECT_MESSAGE(nn::Dropout(1.5), "Dropout: expected a probability from 0 to 1, got 1.5");
  EXPECT_MESSAGE(net(ones({2})), "Net has no forward that takes one tensor");
}

/// Its modules are in a std::vector, which registers nothing.
struct Forgetful : nn::Module {
  std::vector<nn::Linear> layers{nn::Linear(2, 2)};
  Tensor forward(Tensor x) override { return layers[0](x); }
};

TEST(Errors, OfPrograms) {
  Forgetful net;
  Tensor x = input("x", {Dim("batch", 4), 2});
  Error error = errorOf([&] { (void)program(net, loss::MSE(), optim::SGD({.lr = 0.1}), x); });
  EXPECT_NE(error.message().find("which is no part of Forgetful; register the module with "
                                 "register_module, and several of a kind as a dlc::nn::ModuleList"),
            std::string::npos)
      << error.what();
  EXPECT_NE(std::string(error.what()).find("error_test.cpp:"), std::string::npos);
}

TEST(Errors, OfDimsWithTwoSizes) {
  nn::Identity net;
  Tensor x = input("x", {Dim("bounded", 3)}, ones({2})), y = input("y", {Dim("bounded", 4)}, ones({3}));
  EXPECT_MESSAGE(x.values(),
                 "input 'x', whose example has another size of 'bounded' than that of a later input");
  EXPECT_EQ(y.values().size(), 3u);
  EXPECT_MESSAGE(make_program(net, {{"sum", x + y}}, loss::None(), optim::SGD({})),
                 "dim 'bounded' has the bound 4 in input 'y' and 3 in another one");
}
