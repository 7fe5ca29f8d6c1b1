//===- CallChecksTest.cpp -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What callers pass is checked before anything runs: a call that is refused changes nothing.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TinyModel.h"

#include <gtest/gtest.h>
#include <limits>

namespace {

TEST(CallChecks, RefusesBadIndicesAndKeepsTheState) {
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
  for (Label bad : {Label{2}, std::is_signed_v<Label> ? std::numeric_limits<Label>::min() : Label{200},
                    static_cast<Label>(-1), std::numeric_limits<Label>::max()})
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

TEST(CallChecks, ChecksEveryLabelOfARow) {
  for (int64_t factor : {1, 32}) {
    expectAllLabelsChecked<int64_t>(DLC_I64, factor);
    expectAllLabelsChecked<int32_t>(DLC_I32, factor);
    expectAllLabelsChecked<uint8_t>(DLC_U8, factor);
  }
}

TEST(CallChecks, AcceptsTheIgnoreIndex) {
  tiny::Instance instance;
  tiny::Batch data(0);
  data.labels[1] = -100;
  EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_OK);
  dlc_metrics metrics;
  ASSERT_EQ(dlc_instance_eval_step(instance, 4, data.pointers, &metrics), DLC_OK);
  EXPECT_EQ(metrics.loss_weight, 3);
  EXPECT_EQ(metrics.count, 3); // of which `correct` are some
}

TEST(CallChecks, RefusesNullAndMisalignedInputs) {
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

TEST(CallChecks, RefusesOutputsThatAreMisalignedOrOverlap) {
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

} // namespace
