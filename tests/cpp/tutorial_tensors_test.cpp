//===- tutorial_tensors_test.cpp - tensor lines of introductions to PyTorch --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each line has its line of Python beside it. The expected text is what PyTorch 2.13 prints for that, without
// "torch." before the names of dtypes.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "tests/cpp/Expect.h"
#include <sstream>

using namespace dlc;

template <typename... Values> static std::string printed(const Values &...values) {
  std::ostringstream text;
  (text << ... << values);
  return text.str();
}

TEST(Tutorials, TensorsOfNumbers) {
  EXPECT_EQ(printed(tensor(3.0)), "tensor(3.)");                    // torch.tensor(3.0)
  EXPECT_EQ(printed(tensor(3)), "tensor(3)");                       // torch.tensor(3)
  EXPECT_EQ(printed(tensor(true)), "tensor(True)");                 // torch.tensor(True)
  EXPECT_EQ(printed(tensor({1, 2, 3})), "tensor([1, 2, 3])");       // torch.tensor([1, 2, 3])
  EXPECT_EQ(printed(tensor({1, 2.5})), "tensor([1.0000, 2.5000])"); // torch.tensor([1, 2.5])
  EXPECT_EQ(printed(tensor({true, false})), "tensor([ True, False])");
  EXPECT_EQ(printed(tensor({{1.0}, {2.0}})), "tensor([[1.],\n        [2.]])"); // torch.tensor([[1.], [2.]])
  EXPECT_EQ(printed(tensor({1, 2}, float64)), "tensor([1., 2.], dtype=float64)");
  // torch.tensor([[[1, 2], [3, 4]], [[5, 6], [7, 8]]])
  EXPECT_EQ(printed(tensor({{{1, 2}, {3, 4}}, {{5, 6}, {7, 8}}})), "tensor([[[1, 2],\n"
                                                                   "         [3, 4]],\n"
                                                                   "\n"
                                                                   "        [[5, 6],\n"
                                                                   "         [7, 8]]])");
  EXPECT_EQ(tensor({{{{7}}}}).shape(), (Shape{1, 1, 1, 1}));
  EXPECT_EQ(printed(tensor({})), "tensor([])");                 // torch.tensor([])
  EXPECT_EQ(printed(zeros({2, 0})), "tensor([], size=(2, 0))"); // torch.zeros(2, 0)
  EXPECT_EQ(printed(zeros({0}, int64)), "tensor([], dtype=int64)");
}

TEST(Tutorials, TensorsOfVectors) {
  EXPECT_EQ(printed(tensor(std::vector<float>{1, 2})), "tensor([1., 2.])");
  EXPECT_EQ(printed(tensor(std::vector<double>{1, 2.5})), "tensor([1.0000, 2.5000])");
  EXPECT_EQ(printed(tensor(std::vector<int64_t>{1, 2})), "tensor([1, 2])");
  EXPECT_EQ(printed(tensor(std::vector<bool>{true, false})), "tensor([ True, False])");
  EXPECT_EQ(printed(tensor(std::vector<std::vector<double>>{{1, 2}, {3, 4}})),
            "tensor([[1., 2.],\n        [3., 4.]])");
  EXPECT_EQ(printed(tensor(std::vector<int>{1, 2}, float32)), "tensor([1., 2.])");
  EXPECT_EQ(tensor(std::vector<float>()).shape(), Shape{0});
}

TEST(Tutorials, SizesWithoutBraces) {
  EXPECT_EQ(printed(zeros(2, 3)), "tensor([[0., 0., 0.],\n        [0., 0., 0.]])"); // torch.zeros(2, 3)
  EXPECT_EQ(printed(ones(2)), "tensor([1., 1.])");                                  // torch.ones(2)
  manual_seed(42);
  EXPECT_EQ(printed(rand(3)), "tensor([0.8823, 0.9150, 0.3829])"); // torch.manual_seed(42); torch.rand(3)
  EXPECT_EQ(randn(2, 2).shape(), (Shape{2, 2}));
  Tensor x = arange(6), y = input("y", {Dim("batch", 8), 2, 3});
  EXPECT_EQ(x.view(2, 3).shape(), (Shape{2, 3}));
  EXPECT_EQ(x.reshape(-1, 2).shape(), (Shape{3, 2}));
  EXPECT_EQ(y.view(y.size(0), -1).shape(), (Shape{Dim("batch", 8), 6})); // y.view(y.size(0), -1)
  EXPECT_EQ(y.permute(0, 2, 1).shape(), (Shape{Dim("batch", 8), 3, 2}));
  EXPECT_EQ(x.expand(2, 6).shape(), (Shape{2, 6}));
  EXPECT_EQ(x.view({6}).shape(), Shape{6});
  EXPECT_MESSAGE(x.view(4, -1), "reshape");
}

TEST(Tutorials, ImagesOfBytes) {
  const std::vector<uint8_t> pixels{0, 128, 255, 64};
  EXPECT_EQ(
      printed(from_blob(pixels.data(), {2, 2})), // torch.frombuffer(pixels, dtype=torch.uint8).view(2, 2)
      "tensor([[  0, 128],\n        [255,  64]], dtype=uint8)");
  EXPECT_EQ(printed(from_blob(pixels.data(), {2, 2}) / 255.0), // images / 255.0
            "tensor([[0.0000, 0.5020],\n        [1.0000, 0.2510]])");
  EXPECT_EQ(printed(tensor(pixels)), "tensor([  0, 128, 255,  64])");
  EXPECT_MESSAGE(from_blob(static_cast<const uint8_t *>(nullptr), {2}), "the elements of shape [2] are NULL");
}

TEST(Tutorials, PartsOfDifferentShapesAreNoTensor) {
  EXPECT_MESSAGE(tensor({{1, 2}, {3}}),
                 "tensor: expected parts of one shape, got one of shape [2] and one of shape [1]");
  EXPECT_MESSAGE(tensor({1, {3}}), "tensor: expected parts of one shape, got a number and one of shape [1]");
  EXPECT_MESSAGE(tensor({{{1, 2}}, {{3}}}), "tensor: expected parts of one shape, got one of shape");
}

TEST(Tutorials, Ranges) {
  EXPECT_EQ(printed(arange(10)), "tensor([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])"); // torch.arange(10)
  EXPECT_EQ(printed(arange(3.)), "tensor([0., 1., 2.])");                   // torch.arange(3.)
  EXPECT_EQ(printed(arange(0, 1, 0.25)), "tensor([0.0000, 0.2500, 0.5000, 0.7500])");
  EXPECT_EQ(printed(arange(0, 10, 2)), "tensor([0, 2, 4, 6, 8])"); // torch.arange(0, 10, 2)
  EXPECT_EQ(printed(arange(3, int32)), "tensor([0, 1, 2], dtype=int32)");
}

TEST(Tutorials, RandomNumbersOfDoublePrecision) {
  manual_seed(42); // torch.manual_seed(42); torch.rand(3, dtype=torch.float64)
  EXPECT_EQ(printed(rand({3}, float64)), "tensor([0.0582, 0.0629, 0.1236], dtype=float64)");
  manual_seed(42);
  EXPECT_EQ(printed(randn({3}, float64)), "tensor([0.3367, 0.1288, 0.2345], dtype=float64)");
  manual_seed(42); // torch.randn(17, dtype=torch.float64): lines of 80 characters
  EXPECT_EQ(printed(randn({17}, float64)),
            "tensor([ 0.2996,  1.5046,  1.2716,  0.6187, -0.0372,  1.0352, -0.0101,  0.0895,\n"
            "         0.0384,  0.3900, -0.5798,  0.8759,  0.3924,  1.1085,  0.8652,  0.8552,\n"
            "         0.2494], dtype=float64)");
  EXPECT_MESSAGE(randn({3}, int64), "randn: draws float32 or float64, got int64");
}

TEST(Tutorials, Indexing) {
  Tensor x = arange(6).reshape({2, 3});
  EXPECT_EQ(printed(x[0]), "tensor([0, 1, 2])");                                          // x[0]
  EXPECT_EQ(printed(x[-1]), "tensor([3, 4, 5])");                                         // x[-1]
  EXPECT_EQ(printed(x[{0, 2}]), "tensor(2)");                                             // x[0, 2]
  EXPECT_EQ(printed(x[{Slice(), 1}]), "tensor([1, 4])");                                  // x[:, 1]
  EXPECT_EQ(printed(x[{Slice(0, 2), Slice(1, 3)}]), "tensor([[1, 2],\n        [4, 5]])"); // x[0:2, 1:3]
  EXPECT_EQ(printed(x[{Ellipsis, 0}]), "tensor([0, 3])");                                 // x[..., 0]
  EXPECT_EQ(x[None].shape(), (Shape{1, 2, 3}));                                           // x[None].shape
  EXPECT_EQ(printed(x[x > 2]), "tensor([3, 4, 5])");                                      // x[x > 2]
  EXPECT_EQ(printed(x[{x > 2}]), "tensor([3, 4, 5])");
  EXPECT_EQ(printed(x[x[{Slice(), 0}] > 0]), "tensor([[3, 4, 5]])"); // x[x[:, 0] > 0]
  EXPECT_EQ(printed(x[{1, x[1] > 3}]), "tensor([4, 5])");            // x[1, x[1] > 3]
  EXPECT_EQ(printed(x[x > 9]), "tensor([], dtype=int64)");           // x[x > 9]
  EXPECT_EQ(printed(x[tensor({1, 0, 1})]),
            "tensor([[3, 4, 5],\n        [0, 1, 2],\n        [3, 4, 5]])"); // x[torch.tensor([1, 0, 1])]
  EXPECT_EQ((x[{Slice(), tensor({{0, 1}, {2, 2}})}].shape()), (Shape{2, 2, 2}));
  EXPECT_MESSAGE(x[5], "expected a position from -2 to 1 along dim 0");
  EXPECT_MESSAGE((x[{0, 0, 0}]), "index: expected at most 2 positions and slices for [2, 3]");
  EXPECT_MESSAGE(x[x[0] > 0], "expected a mask of the shape of the dims that it stands for, got bool [3]");
  EXPECT_MESSAGE(x[tensor({0.5})],
                 "expected a mask of truth values, or integers as positions, got float32 [1]");
  EXPECT_MESSAGE((x[{tensor({0}), tensor({0})}]), "index: expected at most one tensor, got 2");
}

TEST(Tutorials, MasksOfInputsAreChosenOnce) {
  Tensor x = input("x", {4}, tensor({1.0, -1.0, 2.0, -2.0})), unknown = input("unknown", {4});
  EXPECT_MESSAGE(x[unknown > 0], "index: how many elements the mask chooses must be known while the model is "
                                 "described, but the value depends on input 'unknown', which has no example; "
                                 "masked_fill(mask, value) and where(mask, a, b) choose in each call");
  testing::internal::CaptureStderr();
  EXPECT_EQ(printed(x[x > 0]), "tensor([1., 2.])");
  const std::string warning = testing::internal::GetCapturedStderr();
  EXPECT_NE(warning.find("warning: the numbers depend on input 'x'"), std::string::npos) << warning;
  Tensor rows = input("rows", {Dim("batch", 4)}, tensor({1.0, -1.0}));
  EXPECT_MESSAGE(rows[rows > 0], "index: dim 0 of [batch] is known only when the compiled model runs");
}

TEST(Tutorials, SumsOfTruthValuesAndIntegers) {
  Tensor pred = tensor({1, 2, 3}), y = tensor({1, 0, 3});
  EXPECT_EQ(printed((pred == y).sum()), "tensor(2)"); // (pred == y).sum()
  EXPECT_EQ((pred == y).sum().item<int>(), 2);
  EXPECT_EQ(printed((pred == y).to<float>().mean()), "tensor(0.6667)"); // (pred == y).float().mean()
  EXPECT_EQ(printed((pred == y).cumsum(0)), "tensor([1, 1, 2])");
  EXPECT_EQ(printed((pred == y).prod()), "tensor(0)");
  EXPECT_EQ(tensor({3, 4}, int32).sum().dtype(), int64);
  EXPECT_EQ(tensor({3, 4}, int32).cumprod(0).dtype(), int64);
}

// What torch.result_type says of both.
TEST(Tutorials, NumbersOfTwoDtypes) {
  Tensor integers = tensor({1, 2, 3});
  EXPECT_EQ(printed(ones({2, 3}) + integers), "tensor([[2., 3., 4.],\n        [2., 3., 4.]])");
  EXPECT_EQ(printed(integers * 0.5), "tensor([0.5000, 1.0000, 1.5000])");
  EXPECT_EQ(printed(integers / 2), "tensor([0.5000, 1.0000, 1.5000])");
  EXPECT_EQ(printed(2 - integers), "tensor([ 1,  0, -1])");
  EXPECT_EQ(printed(integers > 1.5), "tensor([False,  True,  True])");
  EXPECT_EQ(printed(tensor({true, false}) + 1), "tensor([2, 1])");
  EXPECT_EQ(printed(tensor({true, false}) * 0.5), "tensor([0.5000, 0.0000])");
  EXPECT_EQ(printed(tensor({true, false}) + tensor({true, false})), "tensor([ True, False])");
  EXPECT_EQ(printed(tensor({true, false}) * tensor({true, true})), "tensor([ True, False])");
  EXPECT_EQ(printed(tensor({1, 2}, int32) + tensor({1, 2})), "tensor([2, 4])");
  EXPECT_EQ(printed(tensor({1, 2}, int32) + 1), "tensor([2, 3], dtype=int32)");
  EXPECT_EQ(printed(tensor({1, 2}, float64) + tensor({1.0, 2.0})), "tensor([2., 4.], dtype=float64)");
  EXPECT_EQ(printed(tensor({1.0, 2.0}) + tensor(1.0, float64)), "tensor([2., 3.])"); // no dims
  EXPECT_EQ(printed(tensor(1.0, float64) + tensor({1.0, 2.0})), "tensor([2., 3.])");
  EXPECT_EQ(printed(tensor({1, 2}) + tensor(1.0, float64)), "tensor([2., 3.], dtype=float64)");
  EXPECT_EQ(printed(tensor({1.0}) + tensor({1.0}).half()), "tensor([2.])");
  EXPECT_EQ(printed(tensor({1.0}).half() + tensor({1.0}).bfloat16()), "tensor([2.])");
  EXPECT_EQ(printed(tensor({2, 3}).pow(2)), "tensor([4, 9])");
  EXPECT_EQ(printed(tensor({2, 3}).pow(0.5)), "tensor([1.4142, 1.7321])");
  EXPECT_EQ(printed(pow(2, tensor({2, 3}))), "tensor([4, 8])");
  EXPECT_EQ(printed(maximum(tensor({1, 2}), tensor({1.5, 1.5}))), "tensor([1.5000, 2.0000])");
  EXPECT_EQ(printed(dlc::where(tensor({true, false}), tensor({1, 2}), 0.5)), "tensor([1.0000, 0.5000])");
  EXPECT_MESSAGE(tensor({true}) - tensor({true}), "sub: expected numbers, got two truth values");
  EXPECT_MESSAGE(integers += 0.5,
                 "'+=' gives float32, which a variable of int64 cannot take; write x = x + y");
  integers += 1;
  EXPECT_EQ(printed(integers), "tensor([2, 3, 4])");
}

TEST(Tutorials, PromotionInProgramsHasGradients) {
  Tensor x = input("x", {Dim("batch", 4), 2}, int64);
  nn::Linear net(2, 1);
  std::string text = program(net, loss::MSE(), optim::SGD({.lr = 0.1}), x * 0.5).str();
  EXPECT_NE(text.find("nn.cast"), std::string::npos) << text;
  Tensor w = tensor({0.5, 2.0}).requires_grad_();
  EXPECT_EQ(printed(grad((w * tensor({3, 4})).sum(), w)), "tensor([3., 4.])");
}

TEST(Tutorials, OtherDtypes) {
  EXPECT_EQ(printed(tensor({1.0, 2.0}).half()), "tensor([1., 2.], dtype=float16)"); // x.half()
  EXPECT_EQ(printed(tensor({1.0}).bfloat16()), "tensor([1.], dtype=bfloat16)");     // x.bfloat16()
  EXPECT_EQ(printed(tensor({1.7, -2.7}).to<long>()), "tensor([ 1, -2])");           // x.long()
  EXPECT_EQ(printed(tensor({1, 2}).to<float>()), "tensor([1., 2.])");               // x.float()
  EXPECT_EQ(printed(tensor({1.0}).to<double>()), "tensor([1.], dtype=float64)");    // x.double()
  EXPECT_EQ(printed(tensor({1.5}).to<int>()), "tensor([1], dtype=int32)");          // x.int()
  EXPECT_EQ(printed(tensor({1.0, 0.0}).to<bool>()), "tensor([ True, False])");      // x.bool()
}

TEST(Tutorials, ShapesAndDtypesPrint) {
  Tensor x = zeros({2, 3}), y = input("y", {Dim("batch", 8), 3});
  EXPECT_EQ(printed(x.shape(), ' ', x.dtype(), ' ', x.size(1), ' ', x.ndim(), ' ', x.numel()),
            "[2, 3] float32 3 2 6");
  EXPECT_EQ(printed(y.shape(), ' ', y.size(0), ' ', y.numel()), "[batch, 3] batch 3*batch");
  EXPECT_TRUE(x.dtype() == float32 && x.shape() == Shape({2, 3}) && x.size(0) == 2 && 2 == x.size(0));
  EXPECT_TRUE(x.size(0) != 3 && y.size(0) != 8 && y.size(0) == Dim("batch", 8));
}

TEST(Tutorials, SizesAreNumbers) {
  Tensor x = arange(6).reshape({2, 3}), y = input("y", {Dim("batch", 8), 3}, ones({2, 3}));
  int64_t rows = x.size(0), sum = 0;
  double half = x.size(1) / 2.0;
  std::vector<float> many(x.numel());
  for (int64_t i = 0; i < x.size(0); ++i)
    sum += i + x.size(0) % 2;
  EXPECT_EQ(
      printed(rows, ' ', half, ' ', many.size(), ' ', sum, ' ', x.size(0) + 1, ' ', x.size(0) < x.size(1)),
      "2 1.5 6 1 3 1");
  EXPECT_EQ(printed(x.size(0) * 2, ' ', 2 * y.size(0), ' ', x.numel() / 2), "4 2*batch 3");
  EXPECT_EQ(printed(x.sum() / x.size(0)), "tensor(7.5000)"); // x.sum() / x.shape[0]
  EXPECT_EQ(printed(y.sum() / y.size(0)), "tensor(3.)");     // counted in each call
  EXPECT_EQ(printed(x.size(0) * tensor({1.5})), "tensor([3.])");
  EXPECT_NE(
      errorOf([&] { rows = y.size(0); }).message().find("'batch' is known only when the compiled model runs"),
      std::string::npos);
}

TEST(Tutorials, TextSaysWhatHasGradients) {
  Tensor w = tensor({1.0, 2.0}).requires_grad_();
  EXPECT_EQ(printed(w), "tensor([1., 2.], requires_grad=True)");
  const std::string line = std::to_string(__LINE__ + 1);
  const std::string product = printed(w * 2), where = "tutorial_tensors_test.cpp:" + line + ")";
  EXPECT_EQ(product.find("tensor([2., 4.],"), 0u) << product; // torch: grad_fn=<MulBackward0>
  EXPECT_NE(product.find("made by mul at "), std::string::npos) << product;
  EXPECT_TRUE(product.ends_with(where)) << product;
  EXPECT_EQ(printed(w.detach()), "tensor([1., 2.])");
  {
    NoGrad off;
    EXPECT_EQ(printed(w * 2), "tensor([2., 4.])");
  }
  nn::Linear layer(2, 2);
  nn::init::constant_(layer.get_parameter("weight"), 0.5);
  EXPECT_EQ(
      printed(layer.parameter("weight")),
      "Parameter containing:\ntensor([[0.5000, 0.5000],\n        [0.5000, 0.5000]], requires_grad=True)");
  layer.requires_grad_(false);
  EXPECT_EQ(printed(layer.parameter("weight")),
            "Parameter containing:\ntensor([[0.5000, 0.5000],\n        [0.5000, 0.5000]])");
  nn::BatchNorm1d norm(2);
  EXPECT_EQ(printed(norm.get_buffer("running_mean")), "tensor([0., 0.])");
  EXPECT_EQ(printed(input("x", {2}).requires_grad_())
                .find("tensor(shape=[2], dtype=float32, requires_grad=True, made "
                      "by input at "),
            0u);
}
