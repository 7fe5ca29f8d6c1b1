//===- CompiledStepTest.cpp - compiled training steps, whole ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A perceptron with dropout makes three steps, compiled and in the interpreter in double precision. The
// sizes make register tiles with rows and columns to spare, weights in panels, columns packed and rows
// fetched ahead, updates inside the reduction of the next tile and updates by themselves. Dropout draws the
// same elements in both, so its every element is checked.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

#include <random>

namespace dlc::numerics {
namespace {

struct Sizes {
  int64_t batch, in, hidden, out;
};

std::string programText(const Sizes &s) {
  auto matrix = [](int64_t rows, int64_t columns) -> std::string {
    return llvm::formatv("tensor<{0}x{1}xf32>", rows, columns);
  };
  std::string x = matrix(s.batch, s.in), h = matrix(s.batch, s.hidden), y = matrix(s.batch, s.out);
  std::string w1 = matrix(s.in, s.hidden), w2 = matrix(s.hidden, s.out);
  std::string b1 = llvm::formatv("tensor<{0}xf32>", s.hidden);
  return llvm::formatv(R"mlir(
train.program @perceptron {{
  train.state parameter @w1 : {3} = dense<0.0>
  train.state parameter @b1 : {5} = dense<0.0>
  train.state parameter @w2 : {4} = dense<0.0>
  train.state rng @rng : tensor<2xi64>
  train.input @x : {0}
  train.input target @t : {2}
  train.output prediction @y : {2}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : {0}
    %w1 = train.read @w1 : {3}
    %b1 = train.read @b1 : {5}
    %w2 = train.read @w2 : {4}
    %rng = train.read @rng : tensor<2xi64>
    %t = train.read @t : {2}
    %0 = nn.matmul %x, %w1 : {0}, {3}
    %1 = nn.add %0, %b1 : {1}, {5}
    %2 = nn.relu %1 : {1}
    %3 = nn.dropout %2, %rng ratio 0.3 stream 0 : {1}, tensor<2xi64>
    %4 = nn.matmul %3, %w2 : {1}, {4}
    train.write %4, @y : {2}
    %loss, %weight = nn.mse_loss mean %4, %t : {2}, {2}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                       x, h, y, w1, w2, b1);
}

Tensor randomTensor(std::mt19937 &numbers, llvm::ArrayRef<int64_t> shape) {
  Tensor tensor = Tensor::zeros(interpret::DType::F32, shape);
  // Powers of two times small integers: exact in f32.
  for (double &number : tensor.floats)
    number = double(int64_t(numbers() % 257) - 128) / 256;
  return tensor;
}

struct CompiledStep : testing::TestWithParam<std::tuple<const char *, Sizes, const char *>> {
  void SetUp() override { CompiledModel::loadDialects(); }
};

TEST_P(CompiledStep, UpdatesAsTheInterpreterDoes) {
  auto [optimizer, sizes, cpu] = GetParam();
  if (!CompiledModel::runsHere(cpu))
    GTEST_SKIP() << "this machine lacks instructions of " << cpu;
  Program compiled(programText(sizes)), interpreted(programText(sizes));
  ASSERT_TRUE(compiled && interpreted);
  pipeline::Options options;
  options.cpu = cpu;
  const llvm::StringRef name = optimizer;
  // A large epsilon: else a gradient of almost nothing moves a weight as far as any other.
  train::RecipeSettings recipe{
      {"optimizer", optimizer}, {"seed", "7"}, {"learning_rate", "0.05"}, {"weight_decay", "0.01"}};
  if (name == "sgd")
    recipe.emplace_back("momentum", "0.9");
  else if (name != "lion" && name != "asgd")
    recipe.emplace_back("epsilon", "0.01");
  if (name == "asgd")
    recipe.emplace_back("t0", "1");
  for (Program *program : {&compiled, &interpreted})
    program->addToRecipe(recipe);
  interpreted.run(forward::createResolveModes());
  interpreted.runBackward();
  auto interpreter = interpret::Interpreter::create(interpreted.get());
  auto model = CompiledModel::compile(compiled, options);
  ASSERT_TRUE(model && mlir::succeeded(interpreter)) << takeErrors();

  std::mt19937 random(1);
  std::map<std::string, Tensor> parameters{{"w1", randomTensor(random, {sizes.in, sizes.hidden})},
                                           {"b1", randomTensor(random, {sizes.hidden})},
                                           {"w2", randomTensor(random, {sizes.hidden, sizes.out})}};
  for (const auto &[name, value] : parameters) {
    ASSERT_TRUE(mlir::succeeded(interpreter->setState(name, value))) << takeErrors();
    ASSERT_TRUE(model->write(name, value));
  }
  for (int step = 0; step < 3; ++step) {
    Tensor x = randomTensor(random, {sizes.batch, sizes.in}),
           t = randomTensor(random, {sizes.batch, sizes.out});
    ASSERT_TRUE(mlir::succeeded(interpreter->run("train_step", {{"x", x}, {"t", t}}))) << takeErrors();
    float loss = 0;
    ASSERT_TRUE(model->trainStep({x, t}, loss));
    EXPECT_NEAR(loss, interpreter->output("loss")->number(0), 1e-5 * (1 + loss));
    for (auto &[name, value] : parameters) {
      ASSERT_TRUE(model->read(name, value));
      EXPECT_TRUE(agree(value, *interpreter->state(name), 2e-5)) << name << " after step " << step + 1;
    }
  }
}

std::string nameOf(const testing::TestParamInfo<CompiledStep::ParamType> &info) {
  const Sizes &s = std::get<1>(info.param);
  return llvm::formatv("{0}_{1}x{2}x{3}x{4}", std::get<0>(info.param), s.batch, s.in, s.hidden, s.out);
}

INSTANTIATE_TEST_SUITE_P(Optimizer, CompiledStep,
                         testing::Combine(testing::Values("sgd", "adam", "adamw", "rmsprop", "adagrad"),
                                          testing::Values(Sizes{64, 20, 40, 3}, Sizes{17, 9, 16, 5},
                                                          Sizes{200, 35, 70, 18}, Sizes{1, 1, 1, 1},
                                                          Sizes{33, 96, 192, 128}, Sizes{70, 640, 48, 40}),
                                          testing::Values("native")),
                         nameOf);
// Updates with norms and products of whole parameters among them. (Lion follows the sign of what may be
// almost nothing, and so does Rprop.)
INSTANTIATE_TEST_SUITE_P(MoreOptimizers, CompiledStep,
                         testing::Combine(testing::Values("nadam", "radam", "adamax", "adadelta", "lamb",
                                                          "muon", "asgd", "adafactor", "sparseadam"),
                                          testing::Values(Sizes{17, 9, 16, 5}, Sizes{1, 1, 1, 1},
                                                          Sizes{33, 96, 192, 128}),
                                          testing::Values("native")),
                         nameOf);
// Vectors and tiles of other sizes.
INSTANTIATE_TEST_SUITE_P(Avx2, CompiledStep,
                         testing::Combine(testing::Values("adam"),
                                          testing::Values(Sizes{64, 20, 40, 3}, Sizes{33, 96, 192, 128}),
                                          testing::Values("x86-64-v3")),
                         nameOf);
// Tiles of four vectors, and panels as wide; updates in two stages, and masks made before tiles.
INSTANTIATE_TEST_SUITE_P(IntelAvx512, CompiledStep,
                         testing::Combine(testing::Values("adam", "adamw", "rmsprop", "adagrad", "sgd"),
                                          testing::Values(Sizes{64, 20, 40, 3}, Sizes{17, 9, 16, 5},
                                                          Sizes{200, 35, 70, 18}, Sizes{1, 1, 1, 1},
                                                          Sizes{33, 96, 192, 128}, Sizes{70, 640, 48, 40}),
                                          testing::Values("cascadelake")),
                         nameOf);
INSTANTIATE_TEST_SUITE_P(WiderThanAvx512, CompiledStep,
                         testing::Combine(testing::Values("adam", "adamw", "rmsprop", "adagrad", "sgd"),
                                          testing::Values(Sizes{31, 130, 448, 65}),
                                          testing::Values("cascadelake")),
                         nameOf);

} // namespace
} // namespace dlc::numerics
