//===- LargeConvolutionsTest.cpp - convolutions in blocks ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Convolutions and both of their gradients, large enough that reductions are cut and operands are copied. No
// size is a multiple of a tile, a vector or a block. The factors are small multiples of a power of two, so
// that all sums are exact.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <random>

namespace dlc::numerics {
namespace {

struct Shape {
  const char *name;
  int64_t images, channels, filters, height, width, kernel, stride, padding;
  int64_t outputs(int64_t size) const { return (size + 2 * padding - kernel) / stride + 1; }
};

std::string programText(const Shape &s) {
  std::string x = llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", s.images, s.channels, s.height, s.width);
  std::string w = llvm::formatv("tensor<{0}x{1}x{2}x{2}xf32>", s.filters, s.channels, s.kernel);
  std::string y = llvm::formatv("tensor<{0}x{1}x{2}x{3}xf32>", s.images, s.filters, s.outputs(s.height),
                                s.outputs(s.width));
  std::string window = llvm::formatv(
      "strides [{0}, {0}] dilations [1, 1] low [{1}, {1}] high [{1}, {1}] groups 1", s.stride, s.padding);
  return llvm::formatv(R"mlir(
train.program @convolution {{
  train.input @x : {0}
  train.input @w : {1}
  train.input @dy : {2}
  train.output prediction @y : {2}
  train.output prediction @dx : {0}
  train.output prediction @dw : {1}
  train.output prediction @positive : {1}
  train.function forward @forward {{
    %x = train.read @x : {0}
    %w = train.read @w : {1}
    %dy = train.read @dy : {2}
    %y = nn.conv %x, %w {3} : {0}, {1}
    %dx = nn.conv_transpose %dy, %w size [{4}, {5}] {3} : {2}, {1}
    %dw = nn.conv_weight_gradient %x, %dy kernel [{6}, {6}] {3} : {0}, {2}
    %negative = nn.neg %x : {0}
    %other = nn.conv_weight_gradient %negative, %dy kernel [{6}, {6}] {3} : {0}, {2}
    %positive = nn.relu %other : {1}
    train.write %y, @y : {2}
    train.write %dx, @dx : {0}
    train.write %dw, @dw : {1}
    train.write %positive, @positive : {1}
  }
})mlir",
                       x, w, y, window, s.height, s.width, s.kernel);
}

struct LargeConvolutions : testing::TestWithParam<std::tuple<Shape, const char *>> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(LargeConvolutions, AreSumsOfProducts) {
  auto [s, cpu] = GetParam();
  if (llvm::StringRef(cpu) == "x86-64-v3" && !__builtin_cpu_supports("avx2"))
    GTEST_SKIP() << "this machine has no AVX2";
  Program program(programText(s));
  ASSERT_TRUE(program);
  pipeline::Options options;
  options.cpu = cpu;
  auto model = CompiledModel::compile(program, options);
  ASSERT_TRUE(model);
  std::mt19937 random(1);
  auto tensor = [&](std::vector<int64_t> shape, bool isRandom) {
    Tensor tensor = Tensor::zeros(interpret::DType::F32, shape);
    for (double &number : tensor.floats)
      number = isRandom ? double(int64_t(random() % 65) - 32) / 64 : 0;
    return tensor;
  };
  int64_t rows = s.outputs(s.height), columns = s.outputs(s.width);
  std::vector<int64_t> xShape = {s.images, s.channels, s.height, s.width},
                       wShape = {s.filters, s.channels, s.kernel, s.kernel},
                       yShape = {s.images, s.filters, rows, columns};
  Tensor x = tensor(xShape, true), w = tensor(wShape, true), dy = tensor(yShape, true);
  Tensor y = tensor(yShape, false), dx = tensor(xShape, false), dw = tensor(wShape, false);
  for (int64_t n = 0; n < s.images; ++n)
    for (int64_t f = 0; f < s.filters; ++f)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          for (int64_t k = 0; k < s.kernel; ++k)
            for (int64_t l = 0; l < s.kernel; ++l) {
              int64_t row = i * s.stride + k - s.padding, column = j * s.stride + l - s.padding;
              if (row < 0 || row >= s.height || column < 0 || column >= s.width)
                continue;
              for (int64_t c = 0; c < s.channels; ++c) {
                int64_t atX = ((n * s.channels + c) * s.height + row) * s.width + column;
                int64_t atW = ((f * s.channels + c) * s.kernel + k) * s.kernel + l;
                int64_t atY = ((n * s.filters + f) * rows + i) * columns + j;
                y.floats[atY] += x.floats[atX] * w.floats[atW];
                dx.floats[atX] += dy.floats[atY] * w.floats[atW];
                dw.floats[atW] += x.floats[atX] * dy.floats[atY];
              }
            }
  Tensor positive = dw;
  for (double &number : positive.floats)
    number = std::max(0.0, -number);
  std::vector<Tensor> expected = {y, dx, dw, positive}, found;
  for (const Tensor &t : expected)
    found.push_back(Tensor::zeros(interpret::DType::F32, t.shape));
  ASSERT_TRUE(model->predict(1, {x, w, dy}, found));
  for (size_t i = 0; i < expected.size(); ++i)
    EXPECT_TRUE(agree(found[i], expected[i], /*tolerance=*/0)) << "output " << i;
}

INSTANTIATE_TEST_SUITE_P(
    Shape, LargeConvolutions,
    testing::Combine(testing::Values(Shape{"wide", 3, 21, 37, 29, 31, 3, 1, 1},
                                     Shape{"narrow", 37, 43, 70, 4, 3, 3, 1, 1},
                                     Shape{"many_channels", 19, 261, 139, 5, 4, 3, 1, 1},
                                     Shape{"strided", 9, 35, 67, 17, 18, 3, 2, 1},
                                     Shape{"many_images", 11, 40, 70, 7, 26, 3, 1, 1},
                                     Shape{"strided_even", 9, 35, 67, 18, 34, 3, 2, 1},
                                     Shape{"strided_by_three", 9, 19, 36, 20, 17, 5, 3, 2},
                                     Shape{"element", 9, 131, 37, 13, 14, 1, 2, 0},
                                     Shape{"one_channel", 33, 1, 40, 23, 22, 3, 1, 0},
                                     Shape{"parts_of_images", 96, 2, 20, 11, 12, 3, 1, 1},
                                     Shape{"image_by_image", 83, 20, 96, 12, 11, 3, 1, 0},
                                     Shape{"block_of_a_line", 9, 701, 70, 3, 4, 3, 1, 1}),
                     testing::ValuesIn(CompiledModel::cpus({"native", "x86-64-v3"}))),
    [](const testing::TestParamInfo<LargeConvolutions::ParamType> &info) {
      llvm::StringRef cpu = std::get<1>(info.param);
      return std::get<0>(info.param).name + std::string(cpu == "native" ? "" : "_avx2");
    });

} // namespace
} // namespace dlc::numerics
