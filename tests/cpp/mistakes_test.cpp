//===- mistakes_test.cpp - what the commonest mistakes are told
//------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each message has the line of the program, the path of the innermost module, what was expected and what was
// found.
//===----------------------------------------------------------------------===//
#include "dlc/dlc.h"
#include "tests/cpp/Expect.h"

using namespace dlc;

namespace {

/// Modules whose forward is one line, so that the test knows it.
#define FORWARD(expression)                                                                                  \
  static constexpr unsigned line = __LINE__;                                                                 \
  Tensor forward(Tensor x) override { return expression; }

template <typename Net> void expectMistake(const Tensor &x, const char *module, const char *message) {
  Net net;
  Error error = errorOf([&] { net(x); });
  EXPECT_EQ(error.module(), module) << error.what();
  EXPECT_EQ(error.message(), message);
  EXPECT_EQ(error.line(), Net::line) << error.what();
  EXPECT_TRUE(error.file().ends_with("mistakes_test.cpp")) << error.what();
}

struct Flattened : nn::Module {
  nn::Sequential head = register_module("head", nn::Sequential{nn::Flatten(), nn::Linear(100, 10)});
  FORWARD(head(x))
};

TEST(Mistakes, LinearOfAnotherSize) {
  expectMistake<Flattened>(input("image", {Dim("batch", 8), 1, 28, 28}), "head.1",
                           "Linear: expected a last dim of 100 features, got float32 [batch, 784]");
}

struct Vision : nn::Module {
  nn::Sequential features = register_module("features", nn::Sequential{nn::Conv2d(3, 8, 3), nn::ReLU()});
  FORWARD(features(x))
};

TEST(Mistakes, ImagesWithTheChannelsLast) {
  expectMistake<Vision>(
      input("image", {Dim("batch", 8), 32, 32, 3}), "features.0",
      "Conv2d: expected an image of 3 channels, which are dim 1, got float32 [batch, 32, 32, 3]");
}

struct Perceptron : nn::Module {
  nn::Linear fc = register_module("fc", nn::Linear(4, 2));
  FORWARD(fc(x))
};

struct Deep : nn::Module {
  nn::Sequential features = register_module(
      "features", nn::Sequential{nn::Conv2d(1, 2, 3, {.stride = 2}), nn::Conv2d(2, 2, 5, {.padding = 1})});
  FORWARD(features(x))
};

TEST(Mistakes, KernelsThatAreLargerThanWhatIsLeftOfAnImage) {
  expectMistake<Deep>(
      input("image", {Dim("batch", 8), 1, 5, 8}), "features.1",
      "conv: expects a window that fits into the padded image, got a window of 5 (kernel 5, dilation "
      "1) and an image of 4 (2 and padding of 1 and 1) along spatial dim 0; the image is 2x3, with a "
      "kernel of 5x5, a stride of 1x1 and padding of 1x1 before and 1x1 behind it: a smaller kernel, "
      "more padding, or layers before that leave a larger image would make it fit; it was given "
      "float32 [batch, 2, 2, 3] and float32 [2, 2, 5, 5]");
}

TEST(Mistakes, OneHotRowsWhereLabelsAreExpected) {
  Tensor scores = input("scores", {8, 3}), rows = input("rows", {8, 3}, int64),
         labels = input("labels", {8}, int64);
  EXPECT_MESSAGE(
      nn::functional::cross_entropy(scores, rows),
      "cross_entropy: expected scores [rows, classes, ...] and labels without the classes, got float32 [8, "
      "3] and int64 [8, 3]; these are a number for each class: argmax(1) of one-hot rows makes labels of "
      "them, and as floating-point numbers cross_entropy takes them for probabilities");
  EXPECT_MESSAGE(
      nn::functional::mse_loss(scores, labels),
      "mse_loss: expected a target of shape [8, 3], got [8] of integers; labels, the numbers of classes, "
      "are for cross_entropy");
}

TEST(Mistakes, IntegersWhereNumbersAreComputed) {
  expectMistake<Perceptron>(input("pixels", {Dim("batch", 8), 4}, int64), "fc",
                            "matmul: expects operands of one dtype, got int64 and float32; convert one with "
                            "to(dlc::float32); it was given int64 [batch, 4] and float32 [2, 4]");
}

struct Words : nn::Module {
  nn::Embedding words = register_module("words", nn::Embedding(50, 8));
  FORWARD(words(x))
};

TEST(Mistakes, NumbersWhereIndicesArePositions) {
  expectMistake<Words>(input("tokens", {Dim("batch", 8), 4}), "words",
                       "Embedding: expected indices of int64 or int32, got float32 [batch, 4]; convert them "
                       "with to(dlc::int64)");
}

struct Normalized : nn::Module {
  nn::Sequential block =
      register_module("block", nn::Sequential{nn::Conv2d(3, 16, 3), nn::BatchNorm2d(8), nn::ReLU()});
  FORWARD(block(x))
};

TEST(Mistakes, NormalizationOfAnotherNumberOfChannels) {
  expectMistake<Normalized>(
      input("image", {Dim("batch", 8), 3, 32, 32}), "block.1",
      "BatchNorm2d: expected 4 dims, of which dim 1 has 8 features, got [batch, 16, 30, 30]");
}

struct Residual : nn::Module {
  nn::Conv2d conv = register_module("conv", nn::Conv2d(8, 8, 3));
  FORWARD(x + conv(x))
};
struct Stages : nn::Module {
  nn::ModuleList<Residual> stages = register_module("stages", nn::ModuleList<Residual>());
  static constexpr unsigned line = Residual::line;
  Stages() { stages.push_back(Residual()); }
  Tensor forward(Tensor x) override { return stages[0](x); }
};

TEST(Mistakes, SumsOfShapesThatDiffer) {
  expectMistake<Stages>(
      input("image", {Dim("batch", 8), 8, 32, 32}), "stages.0",
      "add: expects shapes that broadcast, got [batch, 8, 32, 32] and [batch, 8, 30, 30]; it was "
      "given float32 [batch, 8, 32, 32] and float32 [batch, 8, 30, 30]");
}

struct Encoder : nn::Module {
  nn::TransformerEncoder encoder =
      register_module("encoder", nn::TransformerEncoder(nn::TransformerEncoderLayer(64, 4), 2));
  FORWARD(encoder(x))
};

TEST(Mistakes, SequencesOfAnotherWidth) {
  expectMistake<Encoder>(input("words", {20, Dim("batch", 8), 32}), "encoder.layers.0.self_attn",
                         "MultiheadAttention: expected a query of 2 or 3 dims, of which the last one has 64 "
                         "features, got [20, batch, 32]");
}

struct Reader : nn::Module {
  nn::LSTM lstm = register_module("lstm", nn::LSTM(16, 32, {.batch_first = true}));
  FORWARD(lstm(x))
};

TEST(Mistakes, FeaturesOfARecurrentLayer) {
  expectMistake<Reader>(
      input("words", {Dim("batch", 8), 16, 20}), "lstm",
      "LSTM: expected [batch, places, 16], or the same without a batch, got [batch, 16, 20]");
}

struct Viewed : nn::Module {
  nn::Linear fc = register_module("fc", nn::Linear(4, 10));
  FORWARD(fc(x).view({-1, 3}))
};

TEST(Mistakes, ViewsOfOtherSizes) {
  expectMistake<Viewed>(input("x", {Dim("batch", 8), 4}), "",
                        "reshape: expected sizes whose product divides 10*batch, the number of elements of "
                        "[batch, 10], got [-1, 3]");
}

struct Labelled : nn::Module {
  nn::CrossEntropyLoss criterion = register_module("criterion", nn::CrossEntropyLoss());
  FORWARD(criterion(x, x.argmax(1, /*keepdim=*/true)))
};

TEST(Mistakes, LabelsOfAnotherShape) {
  expectMistake<Labelled>(
      input("scores", {Dim("batch", 8), 10}), "criterion",
      "cross_entropy: expected scores [rows, classes, ...] and labels without the classes, "
      "got float32 [batch, 10] and int64 [batch, 1]");
}

struct Regression : nn::Module {
  nn::Linear fc = register_module("fc", nn::Linear(4, 1));
  nn::MSELoss criterion = register_module("criterion", nn::MSELoss());
  FORWARD(criterion(fc(x), x.sum(1)))
};

TEST(Mistakes, TargetsThatWouldBroadcast) {
  expectMistake<Regression>(input("x", {Dim("batch", 8), 4}), "criterion",
                            "mse_loss: expected a target of shape [batch, 1], got [batch]");
}

} // namespace
