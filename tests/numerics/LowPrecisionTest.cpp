//===- LowPrecisionTest.cpp - training with products of low precision ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Whole training steps with --precision=tf32, bf16 and fp16, whose loss, gradients and updates are those of
// the interpreter, which rounds by other code; and products of numbers that need no rounding.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/FirstStep.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <random>

namespace dlc::numerics {
namespace {

std::string typeOf(llvm::ArrayRef<int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += std::to_string(size) + "x";
  return text + "f32>";
}

/// A parameter whose numbers are no round ones.
std::string parameter(const char *name, llvm::ArrayRef<int64_t> shape, std::mt19937 &random) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  std::string bytes;
  for (int64_t i = 0; i < count; ++i) {
    uint32_t bits = llvm::bit_cast<uint32_t>(float(int64_t(random() % 20001) - 10000) / 14142.0F);
    for (int byte = 0; byte < 4; ++byte)
      bytes += llvm::formatv("{0:X-2}", (bits >> (8 * byte)) & 255).str();
  }
  std::string type = typeOf(shape);
  return llvm::formatv("  train.state parameter @{0} : {1} = dense<\"0x{2}\">\n", name, type, bytes);
}

struct Sizes {
  int64_t batch, in, hidden, out;
};

/// Two products with a bias and a ReLU between, and a product of a product.
std::string perceptron(const Sizes &s) {
  std::mt19937 random(3);
  return "train.program @perceptron {\n" + parameter("w1", {s.in, s.hidden}, random) +
         parameter("b1", {s.hidden}, random) + parameter("w2", {s.out, s.hidden}, random) +
         parameter("w3", {s.out, s.out}, random) +
         llvm::formatv(R"mlir(
  train.input @x : {0}
  train.input target @t : {2}
  train.output prediction @y : {2}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : {0}
    %w1 = train.read @w1 : {3}
    %b1 = train.read @b1 : tensor<{6}xf32>
    %w2 = train.read @w2 : {4}
    %w3 = train.read @w3 : {5}
    %t = train.read @t : {2}
    %0 = nn.matmul %x, %w1 : {0}, {3}
    %1 = nn.add %0, %b1 : {1}, tensor<{6}xf32>
    %2 = nn.relu %1 : {1}
    %3 = nn.matmul %2, %w2 transpose_b : {1}, {4}
    %4 = nn.matmul %3, %w3 : {2}, {5}
    train.write %4, @y : {2}
    %loss, %weight = nn.mse_loss mean %4, %t : {2}, {2}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                       typeOf({s.batch, s.in}), typeOf({s.batch, s.hidden}), typeOf({s.batch, s.out}),
                       typeOf({s.in, s.hidden}), typeOf({s.out, s.hidden}), typeOf({s.out, s.out}), s.hidden)
             .str();
}

/// Attention of 3 heads: products of many matrices, with transposes before them.
std::string attention(int64_t places, int64_t size) {
  std::mt19937 random(5);
  const int64_t width = 3 * size;
  return "train.program @attention {\n" + parameter("wq", {12, width}, random) +
         parameter("wk", {12, width}, random) + parameter("wv", {12, width}, random) +
         llvm::formatv(R"mlir(
  train.input @x : {0}
  train.input target @t : {4}
  train.output prediction @y : {4}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : {0}
    %wq = train.read @wq : {1}
    %wk = train.read @wk : {1}
    %wv = train.read @wv : {1}
    %t = train.read @t : {4}
    %q0 = nn.matmul %x, %wq : {0}, {1}
    %k0 = nn.matmul %x, %wk : {0}, {1}
    %v0 = nn.matmul %x, %wv : {0}, {1}
    %q1 = nn.reshape %q0 : {2} -> {3}
    %k1 = nn.reshape %k0 : {2} -> {3}
    %v1 = nn.reshape %v0 : {2} -> {3}
    %q = nn.transpose %q1 [0, 2, 1, 3] : {3}
    %k = nn.transpose %k1 [0, 2, 1, 3] : {3}
    %v = nn.transpose %v1 [0, 2, 1, 3] : {3}
    %s0 = nn.matmul %q, %k transpose_b : {4}, {4}
    %scale = nn.constant dense<0.447> : tensor<f32>
    %s1 = nn.mul %s0, %scale : {5}, tensor<f32>
    %p = nn.softmax %s1 axis 3 : {5}
    %y = nn.matmul %p, %v : {5}, {4}
    train.write %y, @y : {4}
    %loss, %weight = nn.mse_loss mean %y, %t : {4}, {4}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                       typeOf({2, places, 12}), typeOf({12, width}), typeOf({2, places, width}),
                       typeOf({2, places, 3, size}), typeOf({2, 3, places, size}),
                       typeOf({2, 3, places, places}))
             .str();
}

/// Convolutions with padding, a stride and groups.
std::string convolutions() {
  std::mt19937 random(7);
  return "train.program @convolutions {\n" + parameter("w1", {6, 3, 3, 3}, random) +
         parameter("w2", {4, 3, 3, 2}, random) + R"mlir(
  train.input @x : tensor<2x3x11x9xf32>
  train.input target @t : tensor<2x4x4x4xf32>
  train.output prediction @y : tensor<2x4x4x4xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x3x11x9xf32>
    %w1 = train.read @w1 : tensor<6x3x3x3xf32>
    %w2 = train.read @w2 : tensor<4x3x3x2xf32>
    %t = train.read @t : tensor<2x4x4x4xf32>
    %0 = nn.conv %x, %w1 strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1
       : tensor<2x3x11x9xf32>, tensor<6x3x3x3xf32>
    %1 = nn.tanh %0 : tensor<2x6x6x5xf32>
    %2 = nn.conv %1, %w2 strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 2
       : tensor<2x6x6x5xf32>, tensor<4x3x3x2xf32>
    train.write %2, @y : tensor<2x4x4x4xf32>
    %loss, %weight = nn.mse_loss mean %2, %t : tensor<2x4x4x4xf32>, tensor<2x4x4x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir";
}

/// Convolutions with a window over many channels: with padding, with a stride, and of one element.
std::string channels() {
  std::mt19937 random(9);
  return "train.program @channels {\n" + parameter("w1", {32, 16, 3, 3}, random) +
         parameter("w2", {24, 32, 3, 3}, random) + parameter("w3", {6, 24, 1, 1}, random) + R"mlir(
  train.input @x : tensor<4x16x10x8xf32>
  train.input target @t : tensor<4x6x5x4xf32>
  train.output prediction @y : tensor<4x6x5x4xf32>
  train.output loss @loss : tensor<f32>
  train.function forward @forward {
    %x = train.read @x : tensor<4x16x10x8xf32>
    %w1 = train.read @w1 : tensor<32x16x3x3xf32>
    %w2 = train.read @w2 : tensor<24x32x3x3xf32>
    %w3 = train.read @w3 : tensor<6x24x1x1xf32>
    %t = train.read @t : tensor<4x6x5x4xf32>
    %0 = nn.conv %x, %w1 strides [1, 1] dilations [1, 1] low [1, 1] high [1, 1] groups 1
       : tensor<4x16x10x8xf32>, tensor<32x16x3x3xf32>
    %1 = nn.relu %0 : tensor<4x32x10x8xf32>
    %2 = nn.conv %1, %w2 strides [2, 2] dilations [1, 1] low [1, 1] high [1, 1] groups 1
       : tensor<4x32x10x8xf32>, tensor<24x32x3x3xf32>
    %3 = nn.conv %2, %w3 strides [1, 1] dilations [1, 1] low [0, 0] high [0, 0] groups 1
       : tensor<4x24x5x4xf32>, tensor<6x24x1x1xf32>
    train.write %3, @y : tensor<4x6x5x4xf32>
    %loss, %weight = nn.mse_loss mean %3, %t : tensor<4x6x5x4xf32>, tensor<4x6x5x4xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir";
}

/// In place of a CPU: any with vectors of 512 bits, and an emulator of AMX.
constexpr char amxByCalls[] = "amx by calls";

struct LowModel {
  const char *name;
  std::string (*text)();
  friend void PrintTo(const LowModel &model, std::ostream *stream) { *stream << model.name; }
};

struct LowPrecisionStep
    : testing::TestWithParam<std::tuple<LowModel, const char * /*precision*/, const char * /*cpu*/>> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(LowPrecisionStep, IsTheInterpreters) {
  auto [model, precision, cpu] = GetParam();
  pipeline::Options options;
  options.amxCalls = llvm::StringRef(cpu) == amxByCalls;
  options.cpu = options.amxCalls ? "x86-64-v4" : cpu;
  if (!CompiledModel::runsHere(options.cpu))
    GTEST_SKIP() << "this machine lacks instructions of " << cpu;
  Program program(model.text());
  ASSERT_TRUE(program);
  program.addToRecipe({{"precision", precision}});
  if (llvm::StringRef(precision) == "fp16")
    program.addToRecipe({{"loss_scale", "1792"}}); // with which no operand of these lies next to the middle of two numbers
  EXPECT_EQ(compareFirstStep(program, options).difference, "");
}

// The gradients of the second one are too large for the scale that it begins with: the interpreter skips the
// step, too.
TEST(LossScale, AdjustsItselfAsTheInterpreters) {
  CompiledModel::loadDialects();
  for (std::string text : {perceptron({17, 9, 16, 5}), perceptron({70, 640, 48, 40})})
    for (double largestNorm : {0.0, 0.5}) {
      Program program(text);
      ASSERT_TRUE(program);
      program.addToRecipe({{"precision", "fp16"}, {"optimizer", "adam"}, {"ema_decay", "0.9"}});
      if (largestNorm)
        program.addToRecipe({{"clip_grad_norm", train::textOf(largestNorm)}});
      EXPECT_EQ(compareFirstStep(program, {}).difference, "");
    }
}

std::string nameOf(const testing::TestParamInfo<LowPrecisionStep::ParamType> &info) {
  auto [model, precision, cpu] = info.param;
  return testName(llvm::formatv("{0}_{1}_{2}", model.name, precision, cpu).str());
}

INSTANTIATE_TEST_SUITE_P(
    Models, LowPrecisionStep,
    testing::Combine(testing::Values(LowModel{"perceptron", [] { return perceptron({64, 20, 40, 3}); }},
                                     LowModel{"odd", [] { return perceptron({17, 9, 16, 5}); }},
                                     LowModel{"ones", [] { return perceptron({1, 1, 1, 1}); }},
                                     LowModel{"large", [] { return perceptron({70, 640, 48, 40}); }},
                                     LowModel{"panels", [] { return perceptron({33, 96, 192, 128}); }},
                                     LowModel{"copied", [] { return perceptron({288, 320, 160, 48}); }},
                                     LowModel{"attention", [] { return attention(7, 5); }},
                                     LowModel{"heads", [] { return attention(24, 16); }},
                                     LowModel{"convolutions", convolutions}, LowModel{"channels", channels}),
                     testing::Values("tf32", "bf16", "fp16"), testing::Values("native")),
    nameOf);
// Vectors and tiles of other sizes; products that are added pair by pair, and those that are not.
INSTANTIATE_TEST_SUITE_P(
    OtherCpus, LowPrecisionStep,
    testing::Combine(testing::Values(LowModel{"panels", [] { return perceptron({33, 96, 192, 128}); }},
                                     LowModel{"copied", [] { return perceptron({288, 320, 160, 48}); }},
                                     LowModel{"heads", [] { return attention(24, 16); }},
                                     LowModel{"channels", channels}),
                     testing::Values("bf16", "fp16"),
                     testing::Values("x86-64", "x86-64-v3", "cascadelake", "znver4")),
    nameOf);

// Sums in tile registers: of tiles that are whole in no dim, and of few rows, columns or steps.
INSTANTIATE_TEST_SUITE_P(
    Amx, LowPrecisionStep,
    testing::Combine(testing::Values(LowModel{"perceptron", [] { return perceptron({64, 96, 128, 32}); }},
                                     LowModel{"ragged", [] { return perceptron({65, 63, 97, 33}); }},
                                     LowModel{"few", [] { return perceptron({17, 200, 130, 15}); }},
                                     LowModel{"copied", [] { return perceptron({288, 320, 160, 48}); }},
                                     LowModel{"heads", [] { return attention(24, 16); }},
                                     LowModel{"long_heads", [] { return attention(70, 40); }},
                                     LowModel{"channels", channels}),
                     testing::Values("bf16"), testing::Values("sapphirerapids", amxByCalls)),
    nameOf);

/// Small whole numbers, whose products and sums bf16 and float32 have exactly: whatever the order is in which
/// terms are added, and wherever pairs of them come from, the result is one number.
struct ExactProduct : testing::TestWithParam<std::tuple<const char * /*cpu*/, bool, bool>> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(ExactProduct, IsExact) {
  auto [cpu, rowsAcross, columnsAcross] = GetParam();
  if (!CompiledModel::runsHere(cpu))
    GTEST_SKIP() << "this machine lacks instructions of " << cpu;
  // Steps, rows and columns: of small products, and of those whose operands are copied; with rests of tiles.
  for (auto [steps, rows, columns] : {std::tuple<int64_t, int64_t, int64_t>{2, 3, 5},
                                      {6, 8, 32},
                                      {64, 40, 96},
                                      {63, 9, 40},
                                      {288, 131, 72},
                                      {300, 128, 64},
                                      {1200, 130, 100}}) {
    std::string x = typeOf(rowsAcross ? std::vector{steps, rows} : std::vector{rows, steps});
    std::string w = typeOf(columnsAcross ? std::vector{columns, steps} : std::vector{steps, columns});
    std::string y = typeOf({rows, columns});
    Program program(llvm::formatv(R"mlir(
train.program @product {{
  train.input @x : {0}
  train.input @w : {1}
  train.output prediction @y : {2}
  train.function forward @forward {{
    %x = train.read @x : {0}
    %w = train.read @w : {1}
    %y = nn.matmul %x, %w{3}{4} : {0}, {1}
    train.write %y, @y : {2}
  }
})mlir",
                                  x, w, y, rowsAcross ? " transpose_a" : "",
                                  columnsAcross ? " transpose_b" : "")
                        .str());
    ASSERT_TRUE(program);
    pipeline::Options options;
    program.addToRecipe({{"precision", "bf16"}});
    options.cpu = cpu;
    auto model = CompiledModel::compile(program, options);
    ASSERT_TRUE(model);
    std::mt19937 random(1);
    auto numbers = [&](std::vector<int64_t> shape) {
      Tensor tensor = Tensor::zeros(interpret::DType::F32, shape);
      for (double &number : tensor.floats)
        number = int(random() % 15) - 7;
      return tensor;
    };
    Tensor left = numbers(rowsAcross ? std::vector{steps, rows} : std::vector{rows, steps});
    Tensor right = numbers(columnsAcross ? std::vector{columns, steps} : std::vector{steps, columns});
    std::vector<Tensor> outputs{Tensor::zeros(interpret::DType::F32, {rows, columns})};
    ASSERT_TRUE(model->predict(1, {left, right}, outputs));
    for (int64_t row = 0; row < rows; ++row)
      for (int64_t column = 0; column < columns; ++column) {
        double sum = 0;
        for (int64_t step = 0; step < steps; ++step)
          sum += left.floats[rowsAcross ? step * rows + row : row * steps + step] *
                 right.floats[columnsAcross ? column * steps + step : step * columns + column];
        ASSERT_EQ(outputs[0].floats[row * columns + column], sum)
            << "row " << row << ", column " << column << " of " << rows << "x" << columns << ", " << steps
            << " steps";
      }
  }
}

INSTANTIATE_TEST_SUITE_P(Products, ExactProduct,
                         testing::Combine(testing::Values("x86-64-v3", "x86-64-v4", "znver4"),
                                          testing::Bool(), testing::Bool()));

} // namespace
} // namespace dlc::numerics
