//===- BatchPartsTest.cpp - steps that go over a batch in parts ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With a tight memory budget, the training functions go over a batch in parts. The loss and all gradients are
// still the interpreter's, which knows the whole batch only; several steps stay beside those of the same
// model without a budget; and neither threads nor halves of a step change a bit.
//===----------------------------------------------------------------------===//
#include "compiler/pipeline/Compile.h"
#include "tests/numerics/CompiledModel.h"
#include "tests/numerics/FirstStep.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"

#include <random>

namespace dlc::numerics {
namespace {

using llvm::formatv;

using Shapes = std::vector<std::pair<std::string, std::vector<int64_t>>>;

struct Model {
  const char *name;
  std::string text;
  Shapes weights;
  std::vector<int64_t> inputs[2];
  int64_t classes; ///< of labels; 0: the target is of numbers
};

/// Three layers; what `end` makes of %h3, of 7 positions with 40 numbers in each of 6 samples.
std::string layersText(const char *declarations, const char *end) {
  std::string body;
  for (int i = 0; i < 3; ++i)
    body += formatv(R"mlir(
    %n{0}, %mean{0}, %rstd{0} = nn.layer_norm %h{0}, %s, %b axis 2 epsilon 1.0e-5 : !h, tensor<40xf32>, tensor<40xf32>
    %p{0} = nn.matmul %n{0}, %w : !h, tensor<40x170xf32>
    %g{0} = nn.gelu %p{0} : tensor<?x7x170xf32, #nn.dims<batch, _, _>>
    %q{0} = nn.matmul %g{0}, %v : tensor<?x7x170xf32, #nn.dims<batch, _, _>>, tensor<170x40xf32>
    %h{1} = nn.add %h{0}, %q{0} : !h, !h)mlir",
                    i, i + 1);
  return formatv(R"mlir(
!h = tensor<?x7x40xf32, #nn.dims<batch, _, _>>
train.program @layers {{
  train.dim @batch = 6
  train.state parameter @s : tensor<40xf32> = dense<1.0>
  train.state parameter @b : tensor<40xf32> = dense<0.1>
  train.state parameter @w : tensor<40x170xf32> = dense<0.0>
  train.state parameter @v : tensor<170x40xf32> = dense<0.0>
  train.input @x : !h
  train.output loss @loss : tensor<f32>{0}
  train.function forward @forward {{
    %s = train.read @s : tensor<40xf32>
    %b = train.read @b : tensor<40xf32>
    %w = train.read @w : tensor<40x170xf32>
    %v = train.read @v : tensor<170x40xf32>
    %h0 = train.read @x : !h{1}{2}
  }
})mlir",
                 declarations, body, end);
}

std::string numbersText(const char *reduction) {
  return layersText(R"mlir(
  train.input target @t : !h
  train.output prediction @y : !h)mlir",
                    formatv(R"mlir(
    train.write %h3, @y : !h
    %t = train.read @t : !h
    %loss, %weight = nn.mse_loss {0} %h3, %t : !h, !h
    train.loss %loss, %weight : tensor<f32>, tensor<f32>)mlir",
                            reduction)
                        .str()
                        .c_str());
}

/// Each position has a class, one of which weighs three times as much; some are ignored. The classes' matrix
/// is also a residual, so that its gradient has two terms.
std::string classesText() {
  return layersText(R"mlir(
  train.state parameter @c : tensor<5x40xf32> = dense<0.0>
  train.input target @t range [0, 5) ignore -100 : tensor<?x7xi64, #nn.dims<batch, _>>
  train.output prediction @y : tensor<?x5xf32, #nn.dims<"7*batch", _>>)mlir",
                    R"mlir(
    %c = train.read @c : tensor<5x40xf32>
    %more = nn.sum %c axes [0] : tensor<5x40xf32>
    %k = nn.add %h3, %more : !h, tensor<40xf32>
    %flat = nn.reshape %k : !h -> tensor<?x40xf32, #nn.dims<"7*batch", _>>
    %y = nn.matmul %flat, %c transpose_b : tensor<?x40xf32, #nn.dims<"7*batch", _>>, tensor<5x40xf32>
    train.write %y, @y : tensor<?x5xf32, #nn.dims<"7*batch", _>>
    %t = train.read @t : tensor<?x7xi64, #nn.dims<batch, _>>
    %labels = nn.reshape %t : tensor<?x7xi64, #nn.dims<batch, _>> -> tensor<?xi64, #nn.dims<"7*batch">>
    %weights = nn.constant dense<[1.0, 3.0, 1.0, 1.0, 1.0]> : tensor<5xf32>
    %loss, %weight = nn.softmax_cross_entropy mean %y, %labels weights %weights ignore_index -100 {label_smoothing = 0.1 : f64} : tensor<?x5xf32, #nn.dims<"7*batch", _>>, tensor<?xi64, #nn.dims<"7*batch">>, tensor<5xf32>
    train.loss %loss, %weight : tensor<f32>, tensor<f32>)mlir");
}

const std::vector<Model> &models() {
  static const std::vector<Model> all = {
      {"mean", numbersText("mean"), {{"w", {40, 170}}, {"v", {170, 40}}}, {{6, 7, 40}, {6, 7, 40}}, 0},
      {"sum", numbersText("sum"), {{"w", {40, 170}}, {"v", {170, 40}}}, {{6, 7, 40}, {6, 7, 40}}, 0},
      {"classes",
       classesText(),
       {{"w", {40, 170}}, {"v", {170, 40}}, {"c", {5, 40}}},
       {{6, 7, 40}, {6, 7}},
       5}};
  return all;
}

/// In how many parts train_step goes over a batch.
int64_t partsOf(const Program &program, const pipeline::Options &options, int64_t &state, int64_t &working) {
  Program copy = program.clone();
  auto manifest = pipeline::compileToManifest(copy.getModule(), options);
  auto parsed = mlir::succeeded(manifest) ? llvm::json::parse(*manifest) : llvm::json::Value(nullptr);
  if (!parsed || !parsed->getAsObject())
    return 0;
  const llvm::json::Object *memory = parsed->getAsObject()->getObject("memory");
  state = *memory->getInteger("state_bytes");
  working = *memory->getInteger("arena_bytes") - state;
  for (const llvm::json::Value &function : *parsed->getAsObject()->getArray("functions"))
    if (function.getAsObject()->getString("name") == "train_step")
      return function.getAsObject()->getInteger("batch_parts").value_or(1);
  return 0;
}

/// A model, and a share of its working memory.
struct BatchParts : testing::TestWithParam<std::tuple<int, double>> {
  void SetUp() override {
    CompiledModel::loadDialects();
    program.emplace(model().text);
    ASSERT_TRUE(*program) << takeErrors();
  }
  const Model &model() const { return models()[std::get<0>(GetParam())]; }

  /// Adds a budget that is too small for the whole batch.
  void setBudget(pipeline::Options &options) {
    int64_t state = 0, working = 0;
    ASSERT_EQ(partsOf(*program, options, state, working), 1) << takeErrors();
    options.memoryBudget = state + int64_t(double(working) * std::get<1>(GetParam()));
    ASSERT_GT(partsOf(*program, options, state, working), 1) << takeErrors();
    EXPECT_LE(state + working, *options.memoryBudget);
  }

  std::vector<Tensor> inputs(std::mt19937 &random) const {
    Tensor x = Tensor::zeros(interpret::DType::F32, model().inputs[0]), t = x;
    for (double &number : x.floats)
      number = float(double(int64_t(random() % 257) - 128) / 128);
    if (model().classes == 0) {
      for (double &number : t.floats)
        number = float(double(int64_t(random() % 257) - 128) / 128);
      return {x, t};
    }
    t = Tensor::zeros(interpret::DType::I64, model().inputs[1]);
    for (size_t i = 0; i < t.ints.size(); ++i) // the first sample has few labels
      t.ints[i] = (i < 5 || random() % 4 == 0) ? -100 : int64_t(random() % model().classes);
    return {x, t};
  }

  std::optional<Program> program;
};

TEST_P(BatchParts, TrainAsTheInterpreterDoes) {
  pipeline::Options options;
  ASSERT_NO_FATAL_FAILURE(setBudget(options));
  EXPECT_EQ(compareFirstStep(*program, options).difference, "");
}

TEST_P(BatchParts, StayBesideTheWholeBatch) {
  program->addToRecipe({{"optimizer", "adamw"}, {"learning_rate", "0.01"}, {"clip_grad_norm", "0.5"}});
  pipeline::Options whole, parts;
  ASSERT_NO_FATAL_FAILURE(setBudget(parts));
  std::unique_ptr<CompiledModel> compiled[] = {CompiledModel::compile(program->clone(), whole),
                                               CompiledModel::compile(program->clone(), parts), nullptr};
  ASSERT_TRUE(compiled[0] && compiled[1]);
  compiled[2] = compiled[1]->another(/*threads=*/1);
  std::mt19937 random(5);
  for (auto &[name, shape] : model().weights) {
    Tensor value = Tensor::zeros(interpret::DType::F32, shape);
    for (double &number : value.floats)
      number = float(double(int64_t(random() % 257) - 128) / 640);
    for (auto &one : compiled)
      ASSERT_TRUE(one && one->write(name, value));
  }
  for (int step = 0; step < 4; ++step) {
    std::vector<Tensor> given = inputs(random);
    float losses[3] = {0, 1, 2};
    for (int i = 0; i < 3; ++i)
      ASSERT_TRUE(compiled[i]->trainStep(given, losses[i]));
    EXPECT_NEAR(losses[1], losses[0], 1e-5 * std::fabs(losses[0]));
    EXPECT_EQ(losses[1], losses[2]);
    for (auto &[name, shape] : model().weights) {
      Tensor values[3];
      for (int i = 0; i < 3; ++i) {
        values[i] = Tensor::zeros(interpret::DType::F32, shape);
        ASSERT_TRUE(compiled[i]->read(name, values[i]));
      }
      EXPECT_TRUE(agree(values[1], values[0], 2e-4, 0.2)) << name << " after step " << step + 1;
      EXPECT_EQ(values[1].floats, values[2].floats) << name << " after step " << step + 1;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Shares, BatchParts,
                         testing::Values(BatchParts::ParamType{0, 0.5}, BatchParts::ParamType{0, 0.45},
                                         BatchParts::ParamType{1, 0.5}, BatchParts::ParamType{2, 0.45}),
                         [](const testing::TestParamInfo<BatchParts::ParamType> &info) {
                           return models()[std::get<0>(info.param)].name +
                                  std::to_string(int(std::get<1>(info.param) * 100));
                         });

} // namespace
} // namespace dlc::numerics
