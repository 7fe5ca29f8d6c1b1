//===- StepTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training, evaluation and prediction calls: what they give.
//===----------------------------------------------------------------------===//
#include "tests/runtime/FloatControl.h"
#include "tests/runtime/TinyModel.h"

#include <cfenv>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>

namespace {

TEST(Steps, LearnsTheLabels) {
  tiny::Instance instance;
  tiny::Batch data(0);
  float first, last;
  ASSERT_EQ(dlc_instance_train_step(instance, data.pointers, &first), DLC_OK);
  for (int i = 0; i < 300; ++i)
    ASSERT_EQ(dlc_instance_train_step(instance, data.pointers, &last), DLC_OK);
  EXPECT_LT(last, first / 4);
  EXPECT_EQ(dlc_instance_step_count(instance), 301);
}

TEST(Steps, TrainStepEqualsGradStepAndApply) {
  tiny::Instance whole, halves;
  for (int step = 0; step < 20; ++step) {
    tiny::Batch data(step);
    float a, b;
    ASSERT_EQ(dlc_instance_train_step(whole, data.pointers, &a), DLC_OK);
    ASSERT_EQ(dlc_instance_grad_step(halves, data.pointers, &b), DLC_OK);
    ASSERT_EQ(dlc_instance_apply(halves), DLC_OK);
    EXPECT_EQ(a, b);
  }
  EXPECT_EQ(whole.state(), halves.state());
}

TEST(Steps, AccumulateAddsGradients) {
  tiny::Instance instance;
  tiny::Batch data(3);
  float once[6], twice[6];
  ASSERT_EQ(dlc_instance_grad_step(instance, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.weight", once, sizeof once), DLC_OK);
  ASSERT_EQ(dlc_instance_accumulate(instance, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.weight", twice, sizeof twice), DLC_OK);
  for (int i = 0; i < 6; ++i)
    EXPECT_NEAR(twice[i], 2 * once[i], 1e-6);
}

TEST(Steps, NormOfGradientsOnRequest) {
  tiny::Instance instance; // whose steps do not compute it
  tiny::Batch data(3);
  float weight[6], bias[2];
  double norm = 1, squares = 0;
  EXPECT_EQ(dlc_instance_grad_norm(instance, &norm), DLC_UNAVAILABLE);
  EXPECT_NE(instance.lastError().find("call grad_step before"), std::string::npos) << instance.lastError();
  EXPECT_EQ(norm, 0);
  ASSERT_EQ(dlc_instance_grad_step(instance, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_accumulate(instance, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.weight", weight, sizeof weight), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.bias", bias, sizeof bias), DLC_OK);
  for (float value : weight)
    squares += double(value) * value;
  for (float value : bias)
    squares += double(value) * value;
  ASSERT_GT(squares, 0);
  EXPECT_EQ(dlc_instance_grad_norm(instance, &norm), DLC_OK);
  EXPECT_NEAR(norm, std::sqrt(squares), 1e-12 * norm);
  EXPECT_EQ(dlc_instance_apply(instance), DLC_OK); // which keeps them
  double again = 0;
  EXPECT_EQ(dlc_instance_grad_norm(instance, &again), DLC_OK);
  EXPECT_EQ(again, norm);
  const float zeros[6] = {};
  ASSERT_EQ(dlc_instance_gradient_write(instance, "fc.weight", zeros, sizeof zeros), DLC_OK);
  EXPECT_EQ(dlc_instance_grad_norm(instance, &again), DLC_OK);
  EXPECT_NEAR(again, std::hypot(bias[0], bias[1]), 1e-6);
  // A whole step leaves no gradients: those from before are not its.
  ASSERT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_OK);
  EXPECT_EQ(dlc_instance_grad_norm(instance, &norm), DLC_UNAVAILABLE);
}

TEST(Steps, WeightOfGradientsIsANumberOfAtLeastZero) {
  tiny::OtherTables tables;
  std::vector<dlc_symbol> symbols(tables.model.symbols, tables.model.symbols + tables.model.symbol_count);
  std::vector<dlc_placement> placements(tables.target.placements,
                                        tables.target.placements + tables.model.symbol_count);
  symbols.push_back({"gradient_weight", DLC_GRADIENT, DLC_F64, 0, 0, nullptr, nullptr, 0, 0, 0, 0});
  placements.push_back({nullptr, tables.target.arena_bytes, 8, 0, 0});
  tables.target.arena_bytes += 64;
  tables.target.placements = placements.data();
  tables.model.symbols = symbols.data();
  tables.model.symbol_count = static_cast<uint32_t>(symbols.size());
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options);
  double weight = 2.5, read = 0;
  ASSERT_EQ(dlc_instance_gradient_write(instance, "gradient_weight", &weight, sizeof weight), DLC_OK);
  for (double wrong : {-1.0, -1e-300, double(NAN), double(INFINITY), -double(INFINITY)}) {
    EXPECT_EQ(dlc_instance_gradient_write(instance, "gradient_weight", &wrong, sizeof wrong),
              DLC_INVALID_ARGUMENT)
        << wrong;
    EXPECT_NE(instance.lastError().find("'gradient_weight', the weight of gradients, is "), std::string::npos)
        << instance.lastError();
    ASSERT_EQ(dlc_instance_gradient_read(instance, "gradient_weight", &read, sizeof read), DLC_OK);
    EXPECT_EQ(read, 2.5);
  }
  EXPECT_EQ(dlc_instance_gradient_write(instance, "gradient_weight", nullptr, sizeof weight),
            DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_gradient_write(instance, "gradient_weight", &weight, 4), DLC_INVALID_ARGUMENT);
  weight = 0;
  EXPECT_EQ(dlc_instance_gradient_write(instance, "gradient_weight", &weight, sizeof weight), DLC_OK);
  const float negative[6] = {-1, -1, -1, -1, -1, -INFINITY}; // gradients may be anything
  EXPECT_EQ(dlc_instance_gradient_write(instance, "fc.weight", negative, sizeof negative), DLC_OK);
}

TEST(Steps, GradientsAreFiniteDifferencesOfTheLoss) {
  tiny::Instance instance;
  tiny::Batch data(5);
  float gradient[6], weight[6], loss;
  ASSERT_EQ(dlc_instance_grad_step(instance, data.pointers, &loss), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.weight", gradient, sizeof gradient), DLC_OK);
  ASSERT_EQ(dlc_instance_parameter_read(instance, "fc.weight", weight, sizeof weight), DLC_OK);
  for (int i = 0; i < 6; ++i) { // the logical order of parameter and gradient must agree
    float around[2];
    for (int side = 0; side < 2; ++side) {
      float changed[6];
      std::copy(weight, weight + 6, changed);
      changed[i] += side ? 1e-2f : -1e-2f;
      ASSERT_EQ(dlc_instance_parameter_write(instance, "fc.weight", changed, sizeof changed), DLC_OK);
      ASSERT_EQ(dlc_instance_grad_step(instance, data.pointers, &around[side]), DLC_OK);
    }
    EXPECT_NEAR((around[1] - around[0]) / 2e-2f, gradient[i], 1e-3);
  }
}

TEST(Steps, UpdatesNeedGradients) {
  tiny::Instance instance;
  float gradient[6];
  EXPECT_EQ(dlc_instance_apply(instance), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_gradient_read(instance, "fc.weight", gradient, sizeof gradient), DLC_UNAVAILABLE);
  EXPECT_NE(instance.lastError().find("grad_step first"), std::string::npos);
}

TEST(Steps, SyncReadsTheLastLoss) {
  tiny::Instance instance, other;
  tiny::Batch data(1);
  float loss = 5, expected;
  EXPECT_EQ(dlc_instance_sync(instance, &loss), DLC_UNAVAILABLE);
  EXPECT_EQ(loss, 0);
  ASSERT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_train_step(other, data.pointers, &expected), DLC_OK);
  EXPECT_EQ(dlc_instance_sync(instance, &loss), DLC_OK);
  EXPECT_EQ(loss, expected);
  EXPECT_EQ(dlc_instance_sync(instance, nullptr), DLC_OK);
}

TEST(Steps, EvaluatesFewerRows) {
  tiny::Instance instance;
  tiny::Batch data(2);
  dlc_metrics whole, sum = {};
  ASSERT_EQ(dlc_instance_eval_step(instance, 4, data.pointers, &whole), DLC_OK);
  for (int64_t row = 0; row < 4; ++row) {
    const void *one[] = {data.x + row * tiny::inputs, data.labels + row};
    dlc_metrics metrics;
    ASSERT_EQ(dlc_instance_eval_step(instance, 1, one, &metrics), DLC_OK);
    sum.loss_sum += metrics.loss_sum;
    sum.loss_weight += metrics.loss_weight;
    sum.correct += metrics.correct;
    sum.count += metrics.count;
  }
  EXPECT_NEAR(sum.loss_sum, whole.loss_sum, 1e-9);
  EXPECT_EQ(sum.loss_weight, whole.loss_weight);
  EXPECT_EQ(sum.correct, whole.correct);
  EXPECT_EQ(sum.count, 4);
  for (int64_t rows : {int64_t{0}, int64_t{5}, int64_t{-1}, INT64_MAX}) {
    dlc_metrics metrics;
    EXPECT_EQ(dlc_instance_eval_step(instance, rows, data.pointers, &metrics), DLC_INVALID_ARGUMENT) << rows;
  }
}

TEST(Steps, PredictsWithoutTargetsAndOnlyTheRowsGiven) {
  tiny::Instance instance;
  tiny::Batch data(2);
  const void *inputs[] = {data.x, nullptr};
  float scores[8] = {};
  scores[6] = 99;
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr};
  ASSERT_EQ(dlc_instance_predict(instance, 3, nullptr, inputs, outputs), DLC_OK);
  const std::vector<float> weight = instance.read("fc.weight");
  for (int row = 0; row < 3; ++row)
    for (int out = 0; out < 2; ++out) {
      double expected = 0;
      for (int in = 0; in < 3; ++in)
        expected += double{data.x[row * 3 + in]} * weight[static_cast<size_t>(in * 2 + out)];
      EXPECT_NEAR(scores[row * 2 + out], expected, 1e-6);
    }
  EXPECT_EQ(scores[6], 99);
  void *none[] = {nullptr, nullptr, nullptr, nullptr, nullptr};
  EXPECT_EQ(dlc_instance_predict(instance, 3, nullptr, inputs, none), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "output 'scores' is NULL");
}

TEST(Steps, PredictsIntoTheMemoryOfEachCall) {
  tiny::Instance instance;
  tiny::Batch first(2), second(3);
  float scores[3][8] = {};
  auto predict = [&](const tiny::Batch &data, float *to) {
    const void *inputs[] = {data.x, nullptr};
    void *outputs[] = {nullptr, to, nullptr, nullptr, nullptr};
    return dlc_instance_predict(instance, 4, nullptr, inputs, outputs);
  };
  ASSERT_EQ(predict(first, scores[0]), DLC_OK);
  ASSERT_EQ(predict(second, scores[1]), DLC_OK);
  ASSERT_EQ(predict(first, scores[2]), DLC_OK);
  for (int i = 0; i < 8; ++i) {
    EXPECT_EQ(scores[2][i], scores[0][i]);
    EXPECT_NE(scores[1][i], scores[0][i]);
  }
}

TEST(Steps, CallsThatTheModelLacks) {
  dlc_model model = tiny::model();
  model.functions = 1u << DLC_PREDICT;
  tiny::Options options;
  options.model = &model;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  dlc_metrics metrics;
  EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_eval_step(instance, 1, data.pointers, &metrics), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_apply(instance), DLC_UNAVAILABLE);
  EXPECT_EQ(instance.lastError(), "tiny was compiled without a separate update");
}

TEST(Steps, CheckFiniteRestoresTheState) {
  tiny::Options options;
  options.checkFinite = true;
  tiny::Instance checked(options), reference(options);
  tiny::train(checked, 0, 2);
  tiny::train(reference, 0, 2);
  for (float poison : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity()}) {
    tiny::Batch data(2);
    data.x[5] = poison;
    float loss = 1;
    EXPECT_EQ(dlc_instance_train_step(checked, data.pointers, &loss), DLC_NOT_FINITE);
    EXPECT_EQ(loss, 0);
    EXPECT_EQ(dlc_instance_grad_step(checked, data.pointers, &loss), DLC_NOT_FINITE);
    EXPECT_EQ(dlc_instance_apply(checked), DLC_UNAVAILABLE) << "there are no good gradients";
  }
  EXPECT_EQ(checked.state(), reference.state());
  tiny::train(checked, 2, 3); // as if nothing had happened: random state included
  tiny::train(reference, 2, 3);
  EXPECT_EQ(checked.state(), reference.state());
}

TEST(Steps, WithoutCheckFiniteANanPasses) {
  tiny::Instance instance;
  tiny::Batch data(2);
  data.x[5] = std::numeric_limits<float>::quiet_NaN();
  float loss;
  EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, &loss), DLC_OK);
  EXPECT_TRUE(std::isnan(loss));
}

#if defined(__x86_64__) || defined(__aarch64__)
uint64_t modeInside = 0;
void recordMode(void *const *, const int64_t *, int64_t, int64_t) { modeInside = floatControl(); }

TEST(Steps, FlushesDenormalsDuringAStepOnly) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, recordMode);
  tables.replace(DLC_TRAIN_STEP, recordMode);
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  float scores[8];
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr};
  const uint64_t original = floatControl();
  for (int rounding : {FE_TONEAREST, FE_UPWARD}) {
    std::fesetround(rounding);
    const uint64_t before = floatControl();
    ASSERT_EQ(dlc_instance_predict(instance, 4, nullptr, data.pointers, outputs), DLC_OK);
    EXPECT_EQ(floatControl(), before);
    EXPECT_EQ(modeInside & flushBits, flushBits) << "flush to zero, denormals are zero";
    EXPECT_EQ(modeInside & roundingBits, 0u) << "round to nearest, whatever the caller had set";
    modeInside = 0;
    int32_t done = 0;
    ASSERT_EQ(dlc_instance_train_step_begin(instance, data.pointers), DLC_OK);
    EXPECT_EQ(floatControl(), before);
    ASSERT_EQ(dlc_instance_train_step_continue(instance, INT64_MAX, &done), DLC_OK);
    EXPECT_TRUE(done);
    EXPECT_EQ(floatControl(), before);
    EXPECT_EQ(modeInside & flushBits, flushBits) << "a slice has the mode of a step";
  }
  setFloatControl(original);
  std::fesetround(FE_TONEAREST);
}
#endif

} // namespace
