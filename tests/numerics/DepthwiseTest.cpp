//===- DepthwiseTest.cpp - convolutions with one filter for each channel ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A depthwise convolution between two layers with a window of one element, after which channels lie last, and
// one that reads the caller's image, whose lines do. Its gradients by image and by weight are compared with
// the interpreter's and with finite differences of its loss. No size is a multiple of a tile or a vector but
// where it is said.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/FirstStep.h"
#include "llvm/Support/FormatVariadic.h"

#include <random>

namespace dlc::numerics {
namespace {

struct Shape {
  const char *name;
  int64_t images, channels, height, width;
  int64_t kernelHeight, kernelWidth, stride, dilation, low, high;
  bool isFirst; ///< reads the caller's image

  int64_t outputs(int64_t size, int64_t kernel) const {
    return (size + low + high - dilation * (kernel - 1) - 1) / stride + 1;
  }
  friend void PrintTo(const Shape &shape, std::ostream *stream) { *stream << shape.name; }
};

std::string textOf(const Shape &s) {
  auto image = [&](int64_t channels, int64_t height, int64_t width) {
    return llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", s.images, channels, height, width).str();
  };
  int64_t height = s.outputs(s.height, s.kernelHeight), width = s.outputs(s.width, s.kernelWidth);
  int64_t given = s.isFirst ? s.channels : 5;
  std::string one = "strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1";
  std::string type = llvm::formatv("tensor<{0}x5x1x1xf32>", s.channels);
  std::string weight = s.isFirst ? "" : "train.state parameter @w1 : " + type + " = dense<0.0>";
  std::string before = s.isFirst ? "%h = nn.neg %x : " + image(given, s.height, s.width)
                                 : "%w1 = train.read @w1 : " + type + "\n    %h = nn.conv %x, %w1 " + one +
                                       " : " + image(given, s.height, s.width) + ", " + type;
  return llvm::formatv(R"mlir(
train.program @depthwise {{
  train.input @x : {0}
  train.input target @t : {1}
  {13}
  train.state parameter @w : tensor<{2}x1x{3}x{4}xf32> = dense<0.0>
  train.state parameter @w2 : tensor<3x{2}x1x1xf32> = dense<0.0>
  train.output prediction @y : {1}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : {0}
    %t = train.read @t : {1}
    %w = train.read @w : tensor<{2}x1x{3}x{4}xf32>
    %w2 = train.read @w2 : tensor<3x{2}x1x1xf32>
    {5}
    %a = nn.tanh %h : {6}
    %d = nn.conv %a, %w strides [{7}, {7}] dilations [{8}, {8}] low [{9}, {9}] high [{10}, {10}] groups {2} : {6}, tensor<{2}x1x{3}x{4}xf32>
    %r = nn.sigmoid %d : {11}
    %y = nn.conv %r, %w2 {12} : {11}, tensor<3x{2}x1x1xf32>
    train.write %y, @y : {1}
    %loss, %weight = nn.mse_loss mean %y, %t : {1}, {1}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                       image(given, s.height, s.width), image(3, height, width), s.channels, s.kernelHeight,
                       s.kernelWidth, before, image(s.channels, s.height, s.width), s.stride, s.dilation,
                       s.low, s.high, image(s.channels, height, width), one, weight)
      .str();
}

/// With parameters at random.
Program programOf(const Shape &shape) {
  Program program(textOf(shape));
  std::mt19937 random(11);
  std::uniform_real_distribution<float> numbers(-0.5, 0.5);
  for (auto state : program.get().getBody().getOps<train::StateOp>()) {
    auto type = mlir::cast<mlir::RankedTensorType>(state.getType());
    std::vector<float> values(type.getNumElements());
    for (float &value : values)
      value = numbers(random);
    state.setInitialAttr(mlir::DenseElementsAttr::get(type, llvm::ArrayRef(values)));
  }
  return program;
}

struct Depthwise
    : testing::TestWithParam<std::tuple<Shape, const char * /*cpu*/, const char * /*precision*/>> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(Depthwise, StepsAsTheInterpreterDoes) {
  auto [shape, cpu, precision] = GetParam();
  if (!CompiledModel::runsHere(cpu))
    GTEST_SKIP() << "this machine lacks instructions of " << cpu;
  Program program = programOf(shape);
  pipeline::Options options;
  options.cpu = cpu;
  program.addToRecipe({{"precision", precision}});
  EXPECT_EQ(compareFirstStep(program, options).difference, "") << takeErrors();
}

std::string nameOf(const testing::TestParamInfo<Depthwise::ParamType> &info) {
  auto [shape, cpu, precision] = info.param;
  return testName(llvm::formatv("{0}_{1}_{2}", shape.name, cpu, precision).str());
}

const auto shapes = testing::Values(Shape{"odd", 3, 37, 13, 11, 3, 3, 1, 1, 1, 1, false},
                                    Shape{"whole", 2, 64, 8, 16, 3, 3, 1, 1, 1, 1, false},
                                    Shape{"few", 2, 3, 9, 7, 3, 3, 1, 1, 1, 1, false},
                                    Shape{"one", 1, 1, 5, 4, 2, 3, 1, 1, 0, 0, false},
                                    Shape{"strided", 3, 24, 13, 10, 3, 3, 2, 1, 1, 1, false},
                                    Shape{"dilated", 2, 20, 11, 12, 3, 3, 1, 2, 2, 2, false},
                                    Shape{"large_window", 2, 40, 9, 10, 7, 7, 1, 1, 3, 3, false},
                                    Shape{"line", 2, 33, 1, 70, 1, 9, 1, 1, 0, 0, false},
                                    Shape{"uneven", 2, 19, 10, 9, 2, 4, 1, 1, 2, 1, false},
                                    Shape{"to_one", 4, 48, 6, 6, 6, 6, 1, 1, 0, 0, false},
                                    Shape{"image_by_image", 5, 200, 25, 24, 3, 3, 1, 1, 1, 1, false},
                                    Shape{"first", 2, 5, 17, 34, 3, 3, 1, 1, 1, 1, true},
                                    Shape{"first_strided", 2, 5, 12, 35, 5, 5, 3, 1, 2, 2, true});

INSTANTIATE_TEST_SUITE_P(
    Shape, Depthwise,
    testing::Combine(shapes, testing::ValuesIn(CompiledModel::cpus({"native", "x86-64-v3", "x86-64"})),
                     testing::Values("fp32")),
    nameOf);
INSTANTIATE_TEST_SUITE_P(Low, Depthwise,
                         testing::Combine(shapes, testing::Values("native"), testing::Values("bf16")),
                         nameOf);

} // namespace
} // namespace dlc::numerics
