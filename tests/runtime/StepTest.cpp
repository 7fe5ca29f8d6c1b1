//===- StepTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Training, evaluation and prediction calls: results, checks, and that a refused call changes nothing.
//===----------------------------------------------------------------------===//
#include "tests/runtime/FloatControl.h"
#include "tests/runtime/TinyModel.h"

#include <atomic>
#include <cfenv>
#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <thread>

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

TEST(Steps, RefusesBadIndicesAndKeepsTheState) {
  tiny::Instance instance;
  tiny::train(instance, 0, 3);
  const std::vector<float> before = instance.state();
  for (int64_t bad : {int64_t{2}, int64_t{-1}, INT64_MIN, INT64_MAX, int64_t{-99}}) {
    tiny::Batch data(4);
    data.labels[2] = bad;
    float loss = 1;
    EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, &loss), DLC_INDEX_OUT_OF_RANGE);
    EXPECT_EQ(loss, 0);
    EXPECT_EQ(dlc_instance_grad_step(instance, data.pointers, nullptr), DLC_INDEX_OUT_OF_RANGE);
    dlc_metrics metrics;
    EXPECT_EQ(dlc_instance_eval_step(instance, 3, data.pointers, &metrics), DLC_INDEX_OUT_OF_RANGE);
    EXPECT_NE(instance.lastError().find("'labels': value " + std::to_string(bad) +
                                        " at position 2, expected 0 to 1"),
              std::string::npos)
        << instance.lastError();
    EXPECT_EQ(dlc_instance_eval_step(instance, 2, data.pointers, &metrics), DLC_OK)
        << "row 2 is not evaluated";
  }
  EXPECT_EQ(instance.state(), before);
}

/// The model's labels as they are in other programs: of type i32, or `factor` of them a row.
struct OtherLabels : tiny::OtherTables {
  OtherLabels(uint32_t dtype, int64_t factor) {
    shape = tiny::batch * factor;
    axis = {factor, &batchDim, 1, 0};
    inputs = {model.inputs[0], model.inputs[1]};
    inputs[1].dtype = dtype;
    inputs[1].shape = &shape;
    inputs[1].axes = &axis;
    model.inputs = inputs.data();
    // What is checked is the runtime's part; the hand-written kernels know labels of one kind only.
    auto doNothing = [](void *const *, const int64_t *, int64_t, int64_t) {};
    replace(DLC_TRAIN_STEP, doNothing);
    replace(DLC_EVAL_STEP, doNothing);
  }
  const uint32_t batchDim = 0;
  int64_t shape;
  dlc_axis axis;
  std::vector<dlc_input> inputs;
};

template <typename Label> void expectAllLabelsChecked(uint32_t dtype, int64_t factor) {
  OtherLabels other(dtype, factor);
  tiny::Options options;
  options.model = &other.model;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  // What lies behind the last label is nobody's, and not a label.
  std::vector<Label> labels(static_cast<size_t>(tiny::batch * factor + 1), Label{1});
  labels.back() = Label{77};
  const void *pointers[] = {data.x, labels.data()};
  dlc_metrics metrics;
  ASSERT_EQ(dlc_instance_train_step(instance, pointers, nullptr), DLC_OK) << instance.lastError();
  for (int64_t rows = 1; rows <= tiny::batch; ++rows)
    ASSERT_EQ(dlc_instance_eval_step(instance, rows, pointers, &metrics), DLC_OK) << instance.lastError();
  for (Label bad :
       {Label{2}, Label{-1}, std::numeric_limits<Label>::min(), std::numeric_limits<Label>::max()})
    for (int64_t position : {int64_t{0}, tiny::batch - 1, tiny::batch * factor - 1}) {
      std::vector<Label> wrong = labels;
      wrong[static_cast<size_t>(position)] = bad;
      const void *changed[] = {data.x, wrong.data()};
      EXPECT_EQ(dlc_instance_train_step(instance, changed, nullptr), DLC_INDEX_OUT_OF_RANGE)
          << int64_t{bad} << " at " << position << " of " << factor << " labels a row";
      EXPECT_EQ(instance.lastError(), "input 'labels': value " + std::to_string(bad) + " at position " +
                                          std::to_string(position) +
                                          ", expected 0 to 1 (or -100 to ignore the row)");
      const int64_t rows = position / factor + 1; // the last row is the bad one, or is left out
      EXPECT_EQ(dlc_instance_eval_step(instance, rows, changed, &metrics), DLC_INDEX_OUT_OF_RANGE);
      if (rows > 1)
        EXPECT_EQ(dlc_instance_eval_step(instance, rows - 1, changed, &metrics), DLC_OK);
    }
}

TEST(Steps, ChecksEveryLabelOfARow) {
  for (int64_t factor : {1, 32}) {
    expectAllLabelsChecked<int64_t>(DLC_I64, factor);
    expectAllLabelsChecked<int32_t>(DLC_I32, factor);
  }
}

TEST(Steps, AcceptsTheIgnoreIndex) {
  tiny::Instance instance;
  tiny::Batch data(0);
  data.labels[1] = -100;
  EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_OK);
  dlc_metrics metrics;
  ASSERT_EQ(dlc_instance_eval_step(instance, 4, data.pointers, &metrics), DLC_OK);
  EXPECT_EQ(metrics.loss_weight, 3);
  EXPECT_EQ(metrics.count, 4);
}

TEST(Steps, RefusesNullAndMisalignedInputs) {
  tiny::Instance instance;
  tiny::Batch data(0);
  const void *missing[] = {data.x, nullptr};
  EXPECT_EQ(dlc_instance_train_step(instance, missing, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "input 'labels' is NULL");
  const void *odd[] = {reinterpret_cast<const char *>(data.x) + 1, data.labels};
  EXPECT_EQ(dlc_instance_train_step(instance, odd, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_train_step(instance, nullptr, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_train_step(nullptr, data.pointers, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_eval_step(instance, 1, data.pointers, nullptr), DLC_INVALID_ARGUMENT);
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

TEST(Steps, RefusesOutputsThatAreMisalignedOrOverlap) {
  dlc_model model = tiny::model();
  std::vector<dlc_output> outputs(model.outputs, model.outputs + model.output_count);
  outputs.push_back(outputs[1]);
  outputs.back().name = "again";
  model.outputs = outputs.data();
  model.output_count = static_cast<uint32_t>(outputs.size());
  tiny::Options options;
  options.model = &model;
  tiny::Instance instance(options);
  float memory[64] = {}; // x: 0 to 11, scores: from 16, again: from 32
  auto predict = [&](int64_t rows, const void *x, void *scores, void *again) {
    const void *inputs[] = {x, nullptr};
    void *written[] = {nullptr, scores, nullptr, nullptr, nullptr, again};
    return dlc_instance_predict(instance, rows, nullptr, inputs, written);
  };
  ASSERT_EQ(predict(4, memory, memory + 16, memory + 32), DLC_OK) << instance.lastError();
  const std::vector<float> good(memory, memory + 64);
  EXPECT_EQ(predict(4, memory, reinterpret_cast<char *>(memory + 16) + 2, memory + 32), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "output 'scores' is not aligned to its elements' 4 bytes");
  EXPECT_EQ(predict(4, reinterpret_cast<char *>(memory) + 1, memory + 16, memory + 32), DLC_INVALID_ARGUMENT);
  for (int64_t first : {0, 4, 11}) {
    EXPECT_EQ(predict(4, memory, memory + first, memory + 32), DLC_INVALID_ARGUMENT) << first;
    EXPECT_EQ(instance.lastError(), "the memory of output 'scores' overlaps that of input 'x'");
  }
  for (int64_t first : {25, 32, 39}) {
    EXPECT_EQ(predict(4, memory, memory + first, memory + 32), DLC_INVALID_ARGUMENT) << first;
    EXPECT_EQ(instance.lastError(), "the memory of output 'again' overlaps that of output 'scores'");
  }
  void *weights = nullptr;
  ASSERT_EQ(dlc_instance_parameter_view(instance, "fc.bias", &weights), DLC_OK);
  EXPECT_EQ(predict(4, memory, weights, memory + 32), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "the memory of output 'scores' overlaps that of the model 'tiny'");
  EXPECT_EQ(std::vector<float>(memory, memory + 64), good) << "a refused call writes nothing";
  // Side by side is fine, and so are fewer rows where all of them would overlap.
  EXPECT_EQ(predict(4, memory, memory + 12, memory + 20), DLC_OK) << instance.lastError();
  EXPECT_EQ(predict(2, memory, memory + 6, memory + 10), DLC_OK) << instance.lastError();
}

/// A model with a second open size; its predict writes the sizes that it gets.
int64_t seenSizes[2];
void recordSizes(void *const *, const int64_t *dims, int64_t, int64_t) {
  seenSizes[0] = dims[0];
  seenSizes[1] = dims[1];
}

TEST(Steps, PredictTakesSizesOfOtherDims) {
  tiny::OtherTables tables;
  dlc_model &model = tables.model;
  const dlc_dim dims[] = {{"batch", tiny::batch}, {"seq", 7}};
  const uint32_t both[] = {0, 1};
  const int64_t idShape[] = {tiny::batch * 7};
  const dlc_axis idAxis = {1, both, 2, 0};
  dlc_input inputs[] = {{"ids", DLC_I64, 1, idShape, &idAxis, 0, 1, 10, 0, INT64_MIN}};
  model.inputs = inputs;
  model.input_count = 1;
  model.dims = dims;
  model.dim_count = 2;
  for (uint32_t i = 0; i < DLC_FUNCTIONS; ++i)
    tables.replace(static_cast<dlc_function_kind>(i), recordSizes);
  tiny::Options options;
  options.model = &model;
  tiny::Instance instance(options);
  int64_t ids[tiny::batch * 7] = {};
  float scores[8];
  const void *read[] = {ids};
  void *written[] = {nullptr, scores, nullptr, nullptr, nullptr};
  auto predict = [&](int64_t rows, int64_t seq) {
    return dlc_instance_predict(instance, rows, &seq, read, written);
  };
  EXPECT_EQ(predict(3, 5), DLC_OK) << instance.lastError();
  EXPECT_EQ(seenSizes[0], 3);
  EXPECT_EQ(seenSizes[1], 5);
  for (int64_t seq : {int64_t{0}, int64_t{8}, int64_t{-1}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(predict(3, seq), DLC_INVALID_ARGUMENT);
    EXPECT_EQ(instance.lastError(), "tiny: size " + std::to_string(seq) + " of 'seq', expected 1 to 7");
  }
  ids[15] = 10; // the first value that 3 rows of 5 do not have
  EXPECT_EQ(predict(3, 5), DLC_OK) << instance.lastError();
  EXPECT_EQ(predict(4, 4), DLC_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(predict(3, 6), DLC_INDEX_OUT_OF_RANGE);
  ids[15] = 0;
  EXPECT_EQ(dlc_instance_predict(instance, 2, nullptr, read, written), DLC_OK);
  EXPECT_EQ(seenSizes[1], 7) << "without sizes all are at their bounds";
  EXPECT_EQ(predict(1, 1), DLC_OK);
  EXPECT_EQ(dlc_instance_train_step(instance, read, nullptr), DLC_OK) << instance.lastError();
  EXPECT_EQ(seenSizes[0], tiny::batch);
  EXPECT_EQ(seenSizes[1], 7) << "a training step has one size";
}

TEST(Steps, TrainingTakesSizes) {
  tiny::OtherTables tables;
  dlc_model &model = tables.model;
  const dlc_dim dims[] = {{"batch", tiny::batch}, {"seq", 7}};
  model.dims = dims;
  model.dim_count = 2;
  model.input_count = 0;
  model.functions |= 7u << DLC_TRAIN_STEP_N;
  for (uint32_t i = 0; i < DLC_FUNCTIONS; ++i)
    tables.replace(static_cast<dlc_function_kind>(i),
                   [](void *const *, const int64_t *, int64_t, int64_t) {});
  tables.replace(DLC_TRAIN_STEP_N, recordSizes);
  tables.replace(DLC_EVAL_STEP, recordSizes);
  tiny::Options options;
  options.model = &model;
  tiny::Instance instance(options);
  const void *none[1] = {};
  auto train = [&](int64_t rows, int64_t seq) {
    return dlc_instance_train_step_n(instance, rows, &seq, none, nullptr);
  };
  EXPECT_EQ(train(3, 5), DLC_OK) << instance.lastError();
  EXPECT_EQ(seenSizes[0], 3);
  EXPECT_EQ(seenSizes[1], 5);
  EXPECT_EQ(train(tiny::batch, 7), DLC_OK) << instance.lastError();
  EXPECT_EQ(seenSizes[1], 5) << "at the bounds the function of fixed sizes runs";
  for (int64_t seq : {int64_t{0}, int64_t{8}, INT64_MAX, INT64_MIN}) {
    EXPECT_EQ(train(3, seq), DLC_INVALID_ARGUMENT);
    EXPECT_EQ(instance.lastError(), "tiny: size " + std::to_string(seq) + " of 'seq', expected 1 to 7");
  }
  EXPECT_EQ(train(tiny::batch + 1, 7), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(train(0, 7), DLC_INVALID_ARGUMENT);
  const int64_t seq = 4;
  dlc_metrics metrics;
  EXPECT_EQ(dlc_instance_eval_step_n(instance, 2, &seq, none, &metrics), DLC_OK) << instance.lastError();
  EXPECT_EQ(seenSizes[0], 2);
  EXPECT_EQ(seenSizes[1], 4);
  EXPECT_EQ(dlc_instance_apply(instance), DLC_UNAVAILABLE) << "no gradients yet";
  EXPECT_EQ(dlc_instance_grad_step_n(instance, 1, &seq, none, nullptr), DLC_OK) << instance.lastError();
  EXPECT_EQ(dlc_instance_accumulate_n(instance, 1, &seq, none, nullptr), DLC_OK) << instance.lastError();
  EXPECT_EQ(dlc_instance_apply(instance), DLC_OK) << instance.lastError();
  model.fixed_batch = 1;
  EXPECT_EQ(train(tiny::batch, 5), DLC_OK) << instance.lastError();
  EXPECT_EQ(train(3, 5), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "tiny: 3 rows, expected " + std::to_string(tiny::batch) +
                                      ", the only batch that training was compiled for");
}

TEST(Steps, FunctionsForAnySizeThatTheModelLacks) {
  tiny::Instance instance;
  tiny::Batch data(0);
  EXPECT_EQ(dlc_instance_train_step_n(instance, 1, nullptr, data.pointers, nullptr), DLC_UNAVAILABLE);
  EXPECT_EQ(instance.lastError(), "tiny was compiled without training steps of any size");
  EXPECT_EQ(dlc_instance_grad_step_n(instance, 1, nullptr, data.pointers, nullptr), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_accumulate_n(instance, 1, nullptr, data.pointers, nullptr), DLC_UNAVAILABLE);
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

/// A model whose predict blocks until the test lets it go.
std::atomic<int> inside{0};
std::atomic<bool> letGo{false};
void blockingPredict(void *const *, const int64_t *, int64_t, int64_t) {
  ++inside;
  while (!letGo)
    std::this_thread::yield();
}

TEST(Steps, ASecondThreadIsRefusedNotRaced) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, blockingPredict);
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options), independent;
  tiny::Batch data(0);
  float scores[8], weight[6];
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr};
  std::thread first(
      [&] { EXPECT_EQ(dlc_instance_predict(instance, 4, nullptr, data.pointers, outputs), DLC_OK); });
  while (inside == 0)
    std::this_thread::yield();
  EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_BUSY);
  EXPECT_EQ(dlc_instance_parameter_read(instance, "fc.weight", weight, sizeof weight), DLC_BUSY);
  EXPECT_EQ(dlc_instance_save(instance, "/nonexistent"), DLC_BUSY);
  EXPECT_EQ(dlc_instance_train_step(independent, data.pointers, nullptr), DLC_OK);
  letGo = true;
  first.join();
  EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_OK);
}

TEST(Steps, EveryCallIsRefusedWhileAnotherRuns) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, blockingPredict);
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  ASSERT_EQ(dlc_instance_grad_step(instance, data.pointers, nullptr), DLC_OK); // so that apply would run
  const std::vector<float> before = instance.state();
  float scores[8], weight[6] = {}, loss;
  double value;
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr}, *view;
  dlc_metrics metrics;
  inside = 0;
  letGo = false;
  std::thread first(
      [&] { EXPECT_EQ(dlc_instance_predict(instance, 4, nullptr, data.pointers, outputs), DLC_OK); });
  while (inside == 0)
    std::this_thread::yield();
  const std::string file = testing::TempDir() + "dlc-busy";
  const std::pair<const char *, dlc_status> calls[] = {
      {"train_step", dlc_instance_train_step(instance, data.pointers, &loss)},
      {"grad_step", dlc_instance_grad_step(instance, data.pointers, &loss)},
      {"accumulate", dlc_instance_accumulate(instance, data.pointers, &loss)},
      {"apply", dlc_instance_apply(instance)},
      {"sync", dlc_instance_sync(instance, &loss)},
      {"eval_step", dlc_instance_eval_step(instance, 4, data.pointers, &metrics)},
      {"save", dlc_instance_save(instance, file.c_str())},
      {"load", dlc_instance_load(instance, file.c_str())},
      {"set_hyperparameter", dlc_instance_set_hyperparameter(instance, "learning_rate", 0.5)},
      {"get_hyperparameter", dlc_instance_get_hyperparameter(instance, "learning_rate", &value)},
      {"set_seed", dlc_instance_set_seed(instance, 3)},
      {"parameter_read", dlc_instance_parameter_read(instance, "fc.weight", weight, sizeof weight)},
      {"parameter_write", dlc_instance_parameter_write(instance, "fc.weight", weight, sizeof weight)},
      {"parameter_view", dlc_instance_parameter_view(instance, "fc.bias", &view)},
      {"gradient_read", dlc_instance_gradient_read(instance, "fc.weight", weight, sizeof weight)}};
  for (const auto &[name, status] : calls)
    EXPECT_EQ(status, DLC_BUSY) << name;
  letGo = true;
  first.join();
  EXPECT_EQ(instance.lastError(), "") << "what is refused leaves no sentence either";
  EXPECT_EQ(instance.state(), before);
  EXPECT_EQ(dlc_instance_get_hyperparameter(instance, "learning_rate", &value), DLC_OK);
  EXPECT_NE(value, 0.5);
}

TEST(Steps, PredictIsRefusedWhilePredictRuns) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, blockingPredict);
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  float scores[8];
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr};
  inside = 0;
  letGo = false;
  std::atomic<int> refused{0};
  auto predict = [&] {
    if (dlc_instance_predict(instance, 4, nullptr, data.pointers, outputs) == DLC_BUSY) {
      ++refused;
      letGo = true;
    }
  };
  std::thread first(predict), second(predict); // one runs until the other is refused, or both are inside
  while (!letGo && inside < 2)
    std::this_thread::yield();
  letGo = true;
  first.join();
  second.join();
  EXPECT_EQ(inside, 1);
  EXPECT_EQ(refused, 1);
}

/// A model whose predict trains another instance: a host may do so from its own callbacks.
dlc_instance *innerInstance = nullptr;
void trainInner(void *const *, const int64_t *, int64_t, int64_t) { tiny::train(innerInstance, 0, 5); }

TEST(Steps, AnInstanceMayRunInsideACallOfAnother) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, trainInner);
  tiny::Options options;
  options.threads = 2;
  options.model = &tables.model;
  tiny::Instance outer(options), inner(options), expected;
  innerInstance = inner;
  tiny::Batch data(0);
  float scores[8];
  void *outputs[] = {nullptr, scores, nullptr, nullptr, nullptr};
  ASSERT_EQ(dlc_instance_predict(outer, 4, nullptr, data.pointers, outputs), DLC_OK);
  tiny::train(expected, 0, 5);
  EXPECT_EQ(inner.state(), expected.state());
}

#if defined(__x86_64__) || defined(__aarch64__)
uint64_t modeInside = 0;
void recordMode(void *const *, const int64_t *, int64_t, int64_t) { modeInside = floatControl(); }

TEST(Steps, FlushesDenormalsDuringAStepOnly) {
  tiny::OtherTables tables;
  tables.replace(DLC_PREDICT, recordMode);
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
  }
  setFloatControl(original);
  std::fesetround(FE_TONEAREST);
}
#endif

} // namespace
