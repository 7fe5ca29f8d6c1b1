//===- DropoutTest.cpp - which elements dropout drops ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Dropout of a parameter, with no product around it: the loop that draws its numbers is vector code of its
// own, on rows that share random words in groups of eight. The elements that change in a step are those that
// were kept, and the interpreter keeps the same ones. A part of a tensor keeps what the whole keeps there.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "tests/numerics/CompiledModel.h"
#include "llvm/Support/FormatVariadic.h"

namespace dlc::numerics {
namespace {

using Shape = std::vector<int64_t>;

std::string programText(const Shape &shape) {
  std::string type = "tensor<";
  for (int64_t size : shape)
    type += std::to_string(size) + "x";
  type += "f32>";
  return llvm::formatv(R"mlir(
train.program @dropout {{
  train.state parameter @w : {0} = dense<0.5>
  train.state rng @rng : tensor<2xi64>
  train.input target @t : {0}
  train.output prediction @y : {0}
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %w = train.read @w : {0}
    %rng = train.read @rng : tensor<2xi64>
    %t = train.read @t : {0}
    %0 = nn.dropout %w, %rng ratio 0.3 stream 0 : {0}, tensor<2xi64>
    %1 = nn.tanh %0 : {0}
    train.write %1, @y : {0}
    %loss, %weight = nn.mse_loss sum %1, %t : {0}, {0}
    train.loss %loss, %weight : tensor<f32>, tensor<f32>
  }
})mlir",
                       type);
}

/// The elements of a parameter that a step changes: those that were kept. The parameter begins at position
/// `first` of a larger one along the first dim.
std::vector<bool> kept(const Shape &shape, int64_t first, bool isCompiled) {
  std::string text = programText(shape);
  const size_t use = text.find("nn.dropout"), state = text.find("%rng ratio", use),
               type = text.find("tensor<2xi64>", use);
  text.replace(type, 13, "tensor<3xi64>");
  text.replace(state, 4, "%place");
  text.insert(text.rfind('\n', use) + 1, "%first = nn.constant dense<" + std::to_string(first) +
                                             "> : tensor<1xi64>\n%place = nn.concat %rng, %first axis 0 : "
                                             "tensor<2xi64>, tensor<1xi64>\n");
  Program program(text);
  EXPECT_TRUE(program) << takeErrors();
  program.addToRecipe({{"optimizer", "sgd"}, {"seed", "11"}});
  Tensor t = Tensor::zeros(interpret::DType::F32, shape), w = t;
  if (isCompiled) {
    auto model = CompiledModel::compile(program);
    float loss = 0;
    EXPECT_TRUE(model && model->trainStep({t}, loss) && model->read("w", w)) << takeErrors();
  } else {
    program.run(forward::createResolveModes());
    program.runBackward();
    auto interpreter = interpret::Interpreter::create(program.get());
    EXPECT_TRUE(mlir::succeeded(interpreter) && mlir::succeeded(interpreter->run("train_step", {{"t", t}})))
        << takeErrors();
    w = *interpreter->state("w");
  }
  std::vector<bool> result;
  for (double value : w.floats)
    result.push_back(value != 0.5);
  return result;
}

TEST(DropoutOfAPart, KeepsWhatTheWholeKeeps) {
  CompiledModel::loadDialects();
  const std::pair<Shape, Shape> cases[] = {{{40}, {16}}, {{23, 12}, {9, 12}}, {{11, 3, 5}, {4, 3, 5}}};
  for (const auto &[whole, part] : cases) {
    const int64_t first = whole.front() - part.front() - 1;
    int64_t below = 1;
    for (size_t dim = 1; dim < part.size(); ++dim)
      below *= part[dim];
    std::vector<bool> all = kept(whole, 0, /*isCompiled=*/false);
    std::vector<bool> expected(all.begin() + first * below, all.begin() + (first + part.front()) * below);
    EXPECT_EQ(kept(part, first, /*isCompiled=*/false), expected);
    EXPECT_EQ(kept(part, first, /*isCompiled=*/true), expected);
    EXPECT_NE(kept(part, 0, /*isCompiled=*/true), expected); // else it would not matter
  }
}

struct Dropout : testing::TestWithParam<Shape> {};

TEST_P(Dropout, DropsWhatTheInterpreterDrops) {
  CompiledModel::loadDialects();
  Program compiled(programText(GetParam())), interpreted(programText(GetParam()));
  ASSERT_TRUE(compiled && interpreted) << takeErrors();
  for (Program *program : {&compiled, &interpreted})
    program->addToRecipe({{"optimizer", "sgd"}, {"seed", "11"}});
  interpreted.run(forward::createResolveModes());
  interpreted.runBackward();
  auto interpreter = interpret::Interpreter::create(interpreted.get());
  auto model = CompiledModel::compile(compiled);
  ASSERT_TRUE(model && mlir::succeeded(interpreter)) << takeErrors();
  Tensor t = Tensor::zeros(interpret::DType::F32, GetParam()), w = t;
  for (int step = 0; step < 3; ++step) {
    ASSERT_TRUE(mlir::succeeded(interpreter->run("train_step", {{"t", t}}))) << takeErrors();
    float loss = 0;
    ASSERT_TRUE(model->trainStep({t}, loss));
    ASSERT_TRUE(model->read("w", w));
    EXPECT_TRUE(agree(w, *interpreter->state("w"), 1e-6)) << "after step " << step + 1;
  }
}

// A lone element, one row, rows that are no multiple of eight, rows in several chunks with a short last one.
INSTANTIATE_TEST_SUITE_P(Shape, Dropout,
                         testing::Values(Shape{}, Shape{1}, Shape{37}, Shape{1, 5}, Shape{19, 1},
                                         Shape{19, 40}, Shape{3, 7, 5}, Shape{2, 3, 11, 17}, Shape{203, 100},
                                         Shape{8, 4000}),
                         [](const testing::TestParamInfo<Shape> &info) {
                           std::string name = "of";
                           for (int64_t size : info.param)
                             name += "_" + std::to_string(size);
                           return name;
                         });

} // namespace
} // namespace dlc::numerics
