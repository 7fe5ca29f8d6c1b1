//===- JoinedBatchesTest.cpp - the gradients of several batches ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// With the option `average`, steps by the gradients of several batches are those of one batch that has all of
// their samples: in double precision the same parameters, to rounding, after 50 of them.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "compiler/forward/Passes.h"
#include "tests/numerics/Programs.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <random>
#include <utility>

namespace dlc::numerics {
namespace {

using interpret::DType;
using interpret::Tensor;

constexpr int64_t features = 4, classes = 5, steps = 50;

struct LossCase {
  const char *name, *loss; ///< of %y and the labels %t, or the numbers %n; %c are weights of rows
  std::vector<std::pair<int64_t, int64_t>> batches; ///< rows, and how many of them do not count
  bool adds = false;                                ///< the loss is a sum
};

const std::vector<LossCase> &lossCases() {
  static const char *const entropy =
      "%l, %k = nn.softmax_cross_entropy mean %y, %t ignore_index -100 : !y, !labels";
  static const std::vector<LossCase> all = {
      {"all_labels_count", entropy, {{32, 0}, {32, 0}}},
      {"ignored_labels", entropy, {{32, 24}, {32, 0}}},
      {"five_rows_in_the_last", entropy, {{32, 0}, {5, 0}}},
      {"four_batches", entropy, {{3, 1}, {17, 0}, {1, 0}, {30, 29}}},
      {"no_labels_first", entropy, {{4, 4}, {8, 2}}},
      {"no_labels_later", entropy, {{8, 2}, {4, 4}, {3, 0}}},
      {"no_labels_at_all", entropy, {{4, 4}, {3, 3}}},
      {"class_weights",
       "%v = nn.constant dense<[1.0, 0.25, 3.0, 0.5, 2.0]> : tensor<5xf64>\n"
       "%l, %k = nn.softmax_cross_entropy mean %y, %t weights %v ignore_index -100 "
       "{label_smoothing = 0.1 : f64} : !y, !labels, tensor<5xf64>",
       {{32, 24}, {9, 0}}},
      {"classes_that_weigh_nothing",
       "%v = nn.constant dense<[0.0, 0.0, 3.0, 0.5, 2.0]> : tensor<5xf64>\n"
       "%l, %k = nn.softmax_cross_entropy mean %y, %t weights %v ignore_index -100 "
       ": !y, !labels, tensor<5xf64>",
       {{1, 0}, {12, 0}, {1, 0}}},
      {"sum_of_labels",
       "%l, %k = nn.softmax_cross_entropy sum %y, %t ignore_index -100 : !y, !labels",
       {{16, 8}, {5, 0}},
       true},
      {"mean_of_numbers", "%l, %k = nn.mse_loss mean %y, %n : !y, !y", {{16, 0}, {3, 0}}},
      {"sum_of_numbers", "%l, %k = nn.l1_loss sum %y, %n : !y, !y", {{16, 0}, {3, 0}}, true},
      {"own_mean", "%l = nn.mean %q axes [0, 1] : !y", {{16, 0}, {3, 0}}},
      {"own_mean_over_rows",
       "%s = nn.sum %q axes [1] : !y\n%l = nn.mean %s axes [0] : tensor<?xf64, #nn.dims<batch>>",
       {{16, 0}, {3, 0}}},
      {"own_sum", "%l = nn.sum %q axes [0, 1] : !y", {{16, 0}, {3, 0}}, true},
      {"own_weights",
       "%p = nn.mul %q, %c : !y, tensor<?x1xf64, #nn.dims<batch, _>>\n%s = nn.sum %p axes [0, 1] : !y\n"
       "%d = nn.sum %c axes [0, 1] : tensor<?x1xf64, #nn.dims<batch, _>>\n"
       "%l = nn.div %s, %d : tensor<f64>, tensor<f64>",
       {{16, 9}, {3, 0}}},
      {"own_mask_kept_from_zero",
       "%zero = nn.constant dense<0> : tensor<i64>\n"
       "%counts = nn.compare ge %t, %zero : !labels, tensor<i64>\n"
       "%mask = nn.cast %counts to f64 : tensor<?xi1, #nn.dims<batch>>\n%r = nn.sum %q axes [1] : !y\n"
       "%p = nn.mul %r, %mask : tensor<?xf64, #nn.dims<batch>>, tensor<?xf64, #nn.dims<batch>>\n"
       "%s = nn.sum %p axes [0] : tensor<?xf64, #nn.dims<batch>>\n"
       "%m = nn.sum %mask axes [0] : tensor<?xf64, #nn.dims<batch>>\n"
       "%d = nn.max %m, %one : tensor<f64>, tensor<f64>\n%l = nn.div %s, %d : tensor<f64>, tensor<f64>",
       {{6, 6}, {16, 9}, {3, 3}, {3, 0}}},
      {"mean_and_decay",
       "%m = nn.mean %q axes [0, 1] : !y\n%v = nn.mul %w, %w : tensor<4x5xf64>, tensor<4x5xf64>\n"
       "%d = nn.sum %v axes [0, 1] : tensor<4x5xf64>\n%l = nn.add %m, %d : tensor<f64>, tensor<f64>",
       {{16, 0}, {3, 0}}}};
  return all;
}

std::string textOf(const LossCase &test) {
  const bool hasWeight = llvm::StringRef(test.loss).contains("%l, %k");
  return llvm::formatv(R"mlir(
!y = tensor<?x5xf64, #nn.dims<batch, _>>
!labels = tensor<?xi64, #nn.dims<batch>>
train.program @joined {{
  train.dim open @batch = 64
  train.state parameter @w : tensor<4x5xf64>
  train.state parameter @b : tensor<5xf64>
  train.input @x : tensor<?x4xf64, #nn.dims<batch, _>>
  train.input target @n : !y
  train.input target @c : tensor<?x1xf64, #nn.dims<batch, _>>
  train.input target @t range [0, 5) ignore -100 : !labels
  train.output loss @loss : tensor<f32>
  train.function forward @forward {{
    %x = train.read @x : tensor<?x4xf64, #nn.dims<batch, _>>
    %w = train.read @w : tensor<4x5xf64>
    %b = train.read @b : tensor<5xf64>
    %n = train.read @n : !y
    %c = train.read @c : tensor<?x1xf64, #nn.dims<batch, _>>
    %t = train.read @t : !labels
    %one = nn.constant dense<1.0> : tensor<f64>
    %xw = nn.matmul %x, %w : tensor<?x4xf64, #nn.dims<batch, _>>, tensor<4x5xf64>
    %z = nn.add %xw, %b : !y, tensor<5xf64>
    %y = nn.tanh %z : !y
    %e = nn.sub %y, %n : !y, !y
    %q = nn.mul %e, %e : !y, !y
    {0}
    train.loss %l, {1} : tensor<f64>, tensor<f64>
  }
})mlir",
                       test.loss, hasWeight ? "%k" : "%one");
}

using Inputs = llvm::StringMap<Tensor>;

Inputs batchOf(std::mt19937 &random, int64_t rows, int64_t ignored) {
  auto numbers = [&](int64_t width) {
    Tensor tensor = Tensor::zeros(DType::F64, {rows, width});
    for (double &number : tensor.floats)
      number = double(int64_t(random() % 2001) - 1000) / 800;
    return tensor;
  };
  Inputs inputs;
  inputs["x"] = numbers(features);
  inputs["n"] = numbers(classes);
  inputs["c"] = numbers(1);
  inputs["t"] = Tensor::zeros(DType::I64, {rows});
  for (int64_t row = 0; row < rows; ++row) {
    inputs["c"].floats[row] = row < ignored ? 0 : std::fabs(inputs["c"].floats[row]) + 0.1;
    inputs["t"].ints[row] = row < ignored ? -100 : int64_t(random() % classes);
  }
  return inputs;
}

Inputs joined(const std::vector<Inputs> &batches) {
  Inputs all = batches.front();
  for (const Inputs &more : llvm::drop_begin(batches))
    for (auto &entry : all) {
      const Tensor &tensor = more.lookup(entry.getKey());
      entry.second.shape[0] += tensor.shape[0];
      llvm::append_range(entry.second.floats, tensor.floats);
      llvm::append_range(entry.second.ints, tensor.ints);
    }
  return all;
}

/// Of a program after the stage backward.
struct Trained {
  Program program;
  mlir::FailureOr<interpret::Interpreter> interpreter;

  Trained(const LossCase &test, const train::RecipeSettings &recipe)
      : program(textOf(test)), interpreter(mlir::failure()) {
    if (!program)
      return;
    program.addToRecipe(recipe);
    program.run(forward::createResolveModes());
    program.runBackward();
    interpreter = interpret::Interpreter::create(program.get());
    std::mt19937 random(3);
    for (auto [name, shape] : {std::pair<const char *, std::vector<int64_t>>{"w", {features, classes}},
                               {"b", {classes}}}) {
      Tensor value = Tensor::zeros(DType::F64, shape);
      for (double &number : value.floats)
        number = double(int64_t(random() % 2001) - 1000) / 2000;
      if (mlir::succeeded(interpreter))
        EXPECT_TRUE(mlir::succeeded(interpreter->setState(name, value)));
    }
  }
  void run(const char *function, const Inputs &inputs) {
    ASSERT_TRUE(mlir::succeeded(interpreter)) << takeErrors();
    ASSERT_TRUE(mlir::succeeded(interpreter->run(function, inputs))) << takeErrors();
  }
  const Tensor &state(const char *name) const { return *interpreter->state(name); }
};

struct JoinedBatches : testing::TestWithParam<int> {
  const LossCase &test() const { return lossCases()[GetParam()]; }

  void trainBeside(train::RecipeSettings recipe) {
    recipe.emplace_back("accumulate", "mean");
    Trained apart(test(), recipe), whole(test(), recipe);
    std::mt19937 random(11);
    for (int64_t step = 0; step < steps; ++step) {
      std::vector<Inputs> batches;
      for (auto [rows, ignored] : test().batches)
        batches.push_back(batchOf(random, rows, ignored));
      const char *function = "grad_step_n";
      for (const Inputs &batch : batches)
        ASSERT_NO_FATAL_FAILURE(apart.run(std::exchange(function, "accumulate_n"), batch));
      ASSERT_NO_FATAL_FAILURE(whole.run("grad_step_n", joined(batches)));
      for (const char *gradient : {"w.grad", "b.grad"})
        ASSERT_TRUE(agree(apart.state(gradient), whole.state(gradient), 1e-12)) << "step " << step;
      EXPECT_EQ(apart.interpreter->state("gradient_weight") != nullptr, !test().adds);
      if (!test().adds)
        EXPECT_TRUE(agree(apart.state("gradient_weight"), whole.state("gradient_weight"), 1e-12));
      ASSERT_NO_FATAL_FAILURE(apart.run("apply", {}));
      ASSERT_NO_FATAL_FAILURE(whole.run("apply", {}));
    }
    for (const char *parameter : {"w", "b"}) {
      EXPECT_TRUE(agree(apart.state(parameter), whole.state(parameter), 1e-9)) << parameter;
      for (double number : whole.state(parameter).floats)
        EXPECT_TRUE(std::isfinite(number)) << parameter;
    }
  }
};

TEST_P(JoinedBatches, BySGD) {
  trainBeside({{"optimizer", "sgd"}, {"learning_rate", test().adds ? "0.005" : "0.1"}});
}

TEST_P(JoinedBatches, ByAdamOfClippedGradients) {
  trainBeside({{"optimizer", "adam"}, {"learning_rate", "0.01"}, {"clip_grad_norm", "0.1"}});
}

TEST_P(JoinedBatches, OfScaledLosses) {
  trainBeside({{"optimizer", "sgd"}, {"learning_rate", "0.005"}, {"loss_scale", "dynamic"}});
}

/// Sums over batches are those of all samples; their quotient is the loss, if it is a mean.
TEST_P(JoinedBatches, AreEvaluated) {
  Trained trained(test(), {});
  std::mt19937 random(5);
  std::vector<Inputs> batches;
  double sum = 0, weight = 0;
  for (auto [rows, ignored] : test().batches) {
    batches.push_back(batchOf(random, rows, ignored));
    ASSERT_NO_FATAL_FAILURE(trained.run("eval_step", batches.back()));
    sum += trained.interpreter->output("loss_sum")->floats[0];
    weight += trained.interpreter->output("loss_weight")->floats[0];
  }
  ASSERT_NO_FATAL_FAILURE(trained.run("eval_step", joined(batches)));
  EXPECT_NEAR(sum, trained.interpreter->output("loss_sum")->floats[0], 1e-12 * std::fabs(sum));
  if (llvm::StringRef(test().name) != "own_sum") // of which no weight is known
    EXPECT_NEAR(weight, trained.interpreter->output("loss_weight")->floats[0], 1e-12 * weight);
  ASSERT_NO_FATAL_FAILURE(trained.run("grad_step_n", joined(batches)));
  double loss = trained.interpreter->output("loss")->floats[0]; // a float
  if (!test().adds && weight != 0)
    EXPECT_NEAR(sum / weight, loss, 1e-6 * std::fabs(loss));
}

INSTANTIATE_TEST_SUITE_P(Losses, JoinedBatches, testing::Range(0, int(lossCases().size())),
                         [](const auto &info) { return lossCases()[info.param].name; });

} // namespace
} // namespace dlc::numerics
