//===- PrecisionTest.cpp - to which numbers float32 is rounded -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Bit by bit: by the interpreter, and in compiled code, alone and as operands of products.
//===----------------------------------------------------------------------===//
#include "tests/numerics/CompiledModel.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>

namespace dlc::numerics {
namespace {

using interpret::DType;

struct Rounding {
  uint32_t number, bf16, tf32; ///< bits of float32
};

const Rounding roundings[] = {
    {0x00000000, 0x00000000, 0x00000000}, {0x80000000, 0x80000000, 0x80000000},
    {0x3f800000, 0x3f800000, 0x3f800000}, {0xc0490fdb, 0xc0490000, 0xc0490000},
    {0x3f807fff, 0x3f800000, 0x3f808000}, {0x3f808001, 0x3f810000, 0x3f808000},
    {0x3f808000, 0x3f800000, 0x3f808000}, // a half: to the even one
    {0x3f818000, 0x3f820000, 0x3f818000}, {0xbf818000, 0xbf820000, 0xbf818000},
    {0x3f800fff, 0x3f800000, 0x3f800000}, {0x3f801001, 0x3f800000, 0x3f802000},
    {0x3f801000, 0x3f800000, 0x3f802000}, // a half: away from zero
    {0x3f803000, 0x3f800000, 0x3f804000}, {0xbf801000, 0xbf800000, 0xbf802000},
    {0x3fffffff, 0x40000000, 0x40000000}, {0x7f7fffff, 0x7f800000, 0x7f800000},
    {0x7f7f7fff, 0x7f7f0000, 0x7f7f8000}, {0x00800001, 0x00800000, 0x00800000},
    {0x7f800000, 0x7f800000, 0x7f800000}, {0xff800000, 0xff800000, 0xff800000},
    {0x7fc00000, 0x7fc00000, 0x7fc00000}, {0x7f800001, 0x7fc00000, 0x7fc00000},
    {0xffffffff, 0x7fc00000, 0x7fc00000},
};

double numberOf(uint32_t bits) { return llvm::bit_cast<float>(bits); }

testing::AssertionResult isNumber(double found, uint32_t bits) {
  double expected = numberOf(bits);
  bool same = std::isnan(expected) ? std::isnan(found)
                                   : found == expected && std::signbit(found) == std::signbit(expected);
  return same ? testing::AssertionSuccess()
              : testing::AssertionFailure() << "expected " << expected << ", found " << found;
}

struct Precision : testing::Test {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_F(Precision, InterpretedNumbersAreTheNearest) {
  for (const Rounding &each : roundings) {
    EXPECT_TRUE(isNumber(interpret::roundTo(DType::BF16, numberOf(each.number)), each.bf16));
    EXPECT_TRUE(isNumber(interpret::roundTo(DType::TF32, numberOf(each.number)), each.tf32));
  }
}

// In registers, and by way of memory, in vectors and in what is left of them.
TEST_F(Precision, CompiledNumbersAreTheNearest) {
  const int64_t count = std::size(roundings);
  Program program(llvm::formatv(R"mlir(
train.program @rounding {{
  train.input @x : tensor<{0}xf32>
  train.input @stored : tensor<{0}xbf16>
  train.output prediction @inRegisters : tensor<{0}xf32>
  train.output prediction @inMemory : tensor<{0}xbf16>
  train.output prediction @loaded : tensor<{0}xf32>
  train.output prediction @tf32 : tensor<{0}xf32>
  train.function forward @forward {{
    %x = train.read @x : tensor<{0}xf32>
    %stored = train.read @stored : tensor<{0}xbf16>
    %0 = nn.cast %x to bf16 : tensor<{0}xf32>
    %1 = nn.cast %0 to f32 : tensor<{0}xbf16>
    %2 = nn.cast %stored to f32 : tensor<{0}xbf16>
    %3 = nn.cast %x to tf32 : tensor<{0}xf32>
    %4 = nn.cast %3 to f32 : tensor<{0}xtf32>
    train.write %1, @inRegisters : tensor<{0}xf32>
    train.write %0, @inMemory : tensor<{0}xbf16>
    train.write %2, @loaded : tensor<{0}xf32>
    train.write %4, @tf32 : tensor<{0}xf32>
  }
})mlir",
                                count)
                      .str());
  ASSERT_TRUE(program);
  auto model = CompiledModel::compile(program);
  ASSERT_TRUE(model);
  Tensor x = Tensor::zeros(DType::F32, {count}), stored = Tensor::zeros(DType::BF16, {count});
  for (auto [i, each] : llvm::enumerate(roundings)) {
    x.floats[i] = numberOf(each.number);
    stored.floats[i] = numberOf(each.bf16);
  }
  std::vector<Tensor> outputs{x, stored, x, x};
  ASSERT_TRUE(model->predict(1, {x, stored}, outputs));
  for (auto [i, each] : llvm::enumerate(roundings)) {
    EXPECT_TRUE(isNumber(outputs[0].floats[i], each.bf16)) << "in a register, number " << i;
    EXPECT_TRUE(isNumber(outputs[1].floats[i], each.bf16)) << "in memory, number " << i;
    EXPECT_TRUE(isNumber(outputs[2].floats[i], each.bf16)) << "loaded, number " << i;
    EXPECT_TRUE(isNumber(outputs[3].floats[i], each.tf32)) << "tf32, number " << i;
  }
}

/// Floats between which halves change: each half, the middle to the next one, and both neighbours of the
/// middle.
std::vector<double> floatsAroundHalves() {
  std::vector<double> numbers;
  for (uint32_t bits = 0; bits < 0x7c00; ++bits) {
    auto half = [](uint32_t bits) {
      return llvm::APFloat(llvm::APFloat::IEEEhalf(), llvm::APInt(16, bits)).convertToDouble();
    };
    const double least = half(bits), next = bits + 1 == 0x7c00 ? 65536 : half(bits + 1);
    const auto middle = float((least + next) / 2);
    for (float number : {float(least), std::nextafter(middle, 0.0F), middle, std::nextafter(middle, 1e9F)}) {
      numbers.push_back(number);
      numbers.push_back(-number);
    }
  }
  for (uint32_t bits : {0x7f7fffffU, 0x7f800000U, 0xff800000U, 0x7fc00000U, 0x7f800001U, 0x00800000U})
    numbers.push_back(numberOf(bits));
  return numbers;
}

/// By a CPU's own instructions, and by integers where it has none.
struct Halves : testing::TestWithParam<const char * /*cpu*/> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(Halves, AreTheNearest) {
  if (!CompiledModel::runsHere(GetParam()))
    GTEST_SKIP() << "this machine lacks instructions of " << GetParam();
  std::vector<double> numbers = floatsAroundHalves();
  const auto count = int64_t(numbers.size());
  Program program(llvm::formatv(R"mlir(
train.program @rounding {{
  train.input @x : tensor<{0}xf32>
  train.output prediction @inRegisters : tensor<{0}xf32>
  train.output prediction @inMemory : tensor<{0}xf16>
  train.function forward @forward {{
    %x = train.read @x : tensor<{0}xf32>
    %0 = nn.cast %x to f16 : tensor<{0}xf32>
    %1 = nn.cast %0 to f32 : tensor<{0}xf16>
    train.write %1, @inRegisters : tensor<{0}xf32>
    train.write %0, @inMemory : tensor<{0}xf16>
  }
})mlir",
                                count)
                      .str());
  ASSERT_TRUE(program);
  pipeline::Options options;
  options.cpu = GetParam();
  auto model = CompiledModel::compile(program, options);
  ASSERT_TRUE(model);
  Tensor x = Tensor::zeros(DType::F32, {count});
  x.floats = numbers;
  std::vector<Tensor> outputs{x, Tensor::zeros(DType::F16, {count})};
  ASSERT_TRUE(model->predict(1, {x}, outputs));
  for (auto [i, number] : llvm::enumerate(numbers)) {
    const double nearest = interpret::roundTo(DType::F16, number);
    const auto bits = llvm::bit_cast<uint32_t>(float(nearest));
    ASSERT_TRUE(isNumber(outputs[0].floats[i], bits)) << "in a register, of " << number;
    ASSERT_TRUE(isNumber(outputs[1].floats[i], bits)) << "in memory, of " << number;
  }
}

INSTANTIATE_TEST_SUITE_P(Cpus, Halves, testing::Values("native", "x86-64", "x86-64-v3"));

// What reaches the product is the rounded number, and what leaves it is not rounded.
TEST_F(Precision, ProductsRoundTheirOperands) {
  for (auto [precision, expected] : {std::pair("fp32", 1 + 0x1p-11), std::pair("tf32", 1 + 0x1p-10),
                                     std::pair("bf16", 1.0), std::pair("fp16", 1.0)}) {
    Program program(R"mlir(
train.program @product {
  train.input @x : tensor<2x2xf32>
  train.input @w : tensor<2x2xf32>
  train.output prediction @y : tensor<2x2xf32>
  train.function forward @forward {
    %x = train.read @x : tensor<2x2xf32>
    %w = train.read @w : tensor<2x2xf32>
    %y = nn.matmul %x, %w : tensor<2x2xf32>, tensor<2x2xf32>
    train.write %y, @y : tensor<2x2xf32>
  }
})mlir");
    ASSERT_TRUE(program);
    program.addToRecipe({{"precision", precision}});
    auto model = CompiledModel::compile(program);
    ASSERT_TRUE(model);
    Tensor x = Tensor::zeros(DType::F32, {2, 2}), w = x;
    x.floats = {1 + 0x1p-11, 0, 1, 0x1p-20};
    w.floats = {1, 0, 1, 1};
    std::vector<Tensor> outputs{x};
    ASSERT_TRUE(model->predict(1, {x, w}, outputs));
    EXPECT_EQ(outputs[0].floats, (std::vector<double>{expected, 0, 1 + 0x1p-20, 0x1p-20})) << precision;
  }
}

} // namespace
} // namespace dlc::numerics
