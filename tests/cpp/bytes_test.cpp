//===- bytes_test.cpp - tensors and inputs of uint8 ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What PyTorch makes of torch.uint8 stands in the comments.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "dlc/session.h"
#include "tests/cpp/Expect.h"
#include <cstring>
#include <sstream>

using namespace dlc;

namespace {

std::string printed(const Tensor &tensor) {
  std::ostringstream text;
  text << tensor;
  return text.str();
}

Tensor bytes() { return tensor({0, 1, 127, 128, 255}, uint8); }

TEST(Bytes, OfOtherNumbers) {
  EXPECT_EQ(printed(tensor({-1, 300, 256}).to(uint8)), "tensor([255,  44,   0], dtype=uint8)");
  EXPECT_EQ(printed(tensor({-1.0, 300.5, 255.9, 0.99}).to<uint8_t>()),
            "tensor([255,  44, 255,   0], dtype=uint8)");
  EXPECT_EQ(printed(tensor({true, false}).to(uint8)), "tensor([1, 0], dtype=uint8)");
  EXPECT_EQ(printed(bytes().to(float32)), "tensor([  0.,   1., 127., 128., 255.])"); // x.float()
  EXPECT_EQ(printed(bytes().to(int64)), "tensor([  0,   1, 127, 128, 255])");
  EXPECT_EQ(printed(bytes().to(boolean)), "tensor([False,  True,  True,  True,  True])");
  EXPECT_EQ(printed(zeros({2}, uint8)), "tensor([0, 0], dtype=uint8)");
  EXPECT_EQ(bytes().values(), (std::vector<double>{0, 1, 127, 128, 255}));
  EXPECT_MESSAGE(tensor({256}, uint8), "expected numbers that uint8 has, got 256.0");
  EXPECT_MESSAGE(tensor({-1}, uint8), "expected numbers that uint8 has, got -1.0");
}

// torch.result_type, and what it is modulo 256.
TEST(Bytes, WithOtherNumbers) {
  EXPECT_EQ(printed(bytes() + 300), "tensor([ 44,  45, 171, 172,  43], dtype=uint8)");
  EXPECT_EQ(printed(bytes() - 1), "tensor([255,   0, 126, 127, 254], dtype=uint8)");
  EXPECT_EQ(printed(bytes() * 2), "tensor([  0,   2, 254,   0, 254], dtype=uint8)");
  EXPECT_EQ(printed(bytes() - bytes().flip({0})), "tensor([  1, 129,   0, 127, 255], dtype=uint8)");
  EXPECT_EQ(printed(bytes().pow(2)), "tensor([0, 1, 1, 0, 1], dtype=uint8)");
  EXPECT_EQ(printed(bytes() + true), "tensor([  1,   2, 128, 129,   0], dtype=uint8)");
  EXPECT_EQ(printed(bytes() + 0.5), "tensor([  0.5000,   1.5000, 127.5000, 128.5000, 255.5000])");
  EXPECT_EQ(printed(bytes() / 2), "tensor([  0.0000,   0.5000,  63.5000,  64.0000, 127.5000])");
  EXPECT_EQ(printed(bytes() + tensor({1}, int32)), "tensor([  1,   2, 128, 129, 256], dtype=int32)");
  EXPECT_EQ(printed(bytes() + tensor({1})), "tensor([  1,   2, 128, 129, 256])");
  EXPECT_EQ(printed(maximum(bytes(), bytes().flip({0}))), "tensor([255, 128, 127, 128, 255], dtype=uint8)");
  EXPECT_EQ(printed(dlc::where(bytes() > 100, bytes(), 0)), "tensor([  0,   0, 127, 128, 255], dtype=uint8)");
  EXPECT_EQ(printed(bytes() >= 128), "tensor([False, False, False,  True,  True])");
  EXPECT_EQ(printed(bytes() == bytes().flip({0})), "tensor([False, False,  True, False, False])");
  EXPECT_EQ(printed(bytes().sum()), "tensor(511)");
  EXPECT_EQ(printed(bytes().cumsum(0)), "tensor([  0,   1, 128, 256, 511])");
  // PyTorch takes -1 for 255 here.
  EXPECT_MESSAGE(bytes() == -1, "expected numbers that uint8 has, got -1.0");
  Tensor changed = bytes();
  changed += 1;
  EXPECT_EQ(printed(changed), "tensor([  1,   2, 128, 129,   0], dtype=uint8)");
}

TEST(Bytes, AreConvertedToComputeWithThem) {
  EXPECT_MESSAGE(bytes().exp(),
                 "exp: expects floating-point numbers, got uint8 [5]; convert them with to(dlc::float32)");
  EXPECT_MESSAGE(bytes().mean(),
                 "mean: expects floating-point numbers, got uint8 [5]; convert them with to(dlc::float32)");
  EXPECT_MESSAGE(bytes().amax(),
                 "reduce_max: expects numbers, got uint8 [5]; convert them with to(dlc::float32)");
  EXPECT_MESSAGE(-bytes(), "neg: expects numbers, got uint8 [5]; convert them with to(dlc::float32)");
  EXPECT_MESSAGE(
      nn::Embedding(8, 2)(bytes()),
      "Embedding: expected indices of int64 or int32, got uint8 [5]; convert them with to(dlc::int64)");
  EXPECT_MESSAGE(nn::functional::cross_entropy(ones({5, 3}), bytes()), "got uint8 [5]");
  EXPECT_MESSAGE(bytes().requires_grad_(), "uint8");
}

TEST(Bytes, InMemory) {
  const uint8_t numbers[] = {0, 127, 128, 255};
  EXPECT_EQ(from_blob(numbers, {2, 2}).dtype(), uint8);
  EXPECT_EQ(bytes_of(uint8), 1u);
  Array array(std::vector<uint8_t>{0, 127, 128, 255}, {2, 2});
  EXPECT_EQ(array.dtype(), uint8);
  EXPECT_EQ(array.values<uint8_t>()[3], 255);
  EXPECT_EQ(View(array).bytes(), 4u);
  EXPECT_MESSAGE(array.values<float>(), "the array is uint8 [2, 2], not float32");
}

/// A classifier of images of 4x4 pixels.
struct Net : nn::Module {
  Net()
      : first(register_module("first", nn::Linear(16, 12))),
        second(register_module("second", nn::Linear(12, 3))) {}
  Tensor forward(Tensor pixels) override {
    return second(relu(first((pixels.to(float32) / 255.0 - 0.25).flatten(1))));
  }
  nn::Linear first, second;
};

Session sessionOf(DType pixels, DType labels) {
  manual_seed(1);
  Net net;
  Tensor scores = net(input("image", {Dim("batch", 8), 4, 4}, pixels));
  Tensor classes = input("labels", {Dim("batch", 8)}, labels).to(int64);
  return Session(
      program(net, scores, nn::functional::cross_entropy(scores, classes), optim::Adam({.lr = 0.01})));
}

TEST(Bytes, AsInputsGiveTheBitsOfFloats) {
  Session ofBytes = sessionOf(uint8, uint8), ofFloats = sessionOf(float32, int64);
  std::vector<uint8_t> image(8 * 16), labels(8);
  for (int step = 0; step < 10; ++step) {
    for (size_t i = 0; i < image.size(); ++i)
      image[i] = uint8_t(i * 127 + size_t(step) * 31);
    for (size_t i = 0; i < labels.size(); ++i)
      labels[i] = uint8_t((i + size_t(step)) % 3);
    const std::vector<float> floats(image.begin(), image.end());
    const std::vector<int64_t> classes(labels.begin(), labels.end());
    const float loss = ofBytes.train_step({View(image, {8, 4, 4}), View(labels, {8})});
    const float expected = ofFloats.train_step({View(floats, {8, 4, 4}), View(classes, {8})});
    EXPECT_EQ(std::memcmp(&loss, &expected, sizeof loss), 0) << loss << " and " << expected;
  }
  EXPECT_EQ(ofBytes.parameter("first.weight"), ofFloats.parameter("first.weight"));
  EXPECT_MESSAGE(ofBytes.train_step({View(std::vector<float>(8 * 16), {8, 4, 4}), View(labels, {8})}),
                 "uint8");
  labels[2] = 3;
  EXPECT_MESSAGE(ofBytes.train_step({View(image, {8, 4, 4}), View(labels, {8})}),
                 "input 'labels': value 3 at position 2, expected 0 to 2");
}

} // namespace
