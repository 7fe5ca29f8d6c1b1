//===- CallSizesTest.cpp --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls with sizes that the model leaves open.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TinyModel.h"

#include <gtest/gtest.h>

namespace {

/// A model with a second open size; its predict writes the sizes that it gets.
int64_t seenSizes[2];
void recordSizes(void *const *, const int64_t *dims, int64_t, int64_t) {
  seenSizes[0] = dims[0];
  seenSizes[1] = dims[1];
}

TEST(CallSizes, PredictTakesSizesOfOtherDims) {
  tiny::OtherTables tables;
  dlc_model &model = tables.model;
  const dlc_dim dims[] = {{"batch", tiny::batch, 1}, {"seq", 7, 1}};
  const uint32_t both[] = {0, 1};
  const int64_t idShape[] = {tiny::batch * 7};
  const dlc_axis idAxis = {1, both, 2, 0};
  dlc_input inputs[] = {{"ids", DLC_I64, 1, idShape, &idAxis, 0, 1, 10, 0, INT64_MIN, 0, 0}};
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

TEST(CallSizes, TrainingTakesSizes) {
  tiny::OtherTables tables;
  dlc_model &model = tables.model;
  const dlc_dim dims[] = {{"batch", tiny::batch, 1}, {"seq", 7, 1}};
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
  const dlc_dim two[] = {{"batch", tiny::batch, 2}, {"seq", 7, 0}};
  model.dims = two;
  EXPECT_EQ(train(2, 1), DLC_OK) << instance.lastError();
  EXPECT_EQ(train(1, 5), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError().find("tiny: size 1 of 'batch', expected 2 to " + std::to_string(tiny::batch) +
                                      " in a training step: batch normalization has one value"),
            0u)
      << instance.lastError();
  EXPECT_EQ(dlc_instance_grad_step_n(instance, 1, &seq, none, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_eval_step_n(instance, 1, &seq, none, &metrics), DLC_OK) << instance.lastError();
  model.dims = dims;
  model.fixed_batch = 1;
  EXPECT_EQ(train(tiny::batch, 5), DLC_OK) << instance.lastError();
  EXPECT_EQ(train(3, 5), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "tiny: 3 rows, expected " + std::to_string(tiny::batch) +
                                      ", the only batch that training was compiled for");
}

TEST(CallSizes, FunctionsForAnySizeThatTheModelLacks) {
  tiny::Instance instance;
  tiny::Batch data(0);
  EXPECT_EQ(dlc_instance_train_step_n(instance, 1, nullptr, data.pointers, nullptr), DLC_UNAVAILABLE);
  EXPECT_EQ(instance.lastError(), "tiny was compiled without training steps of any size");
  EXPECT_EQ(dlc_instance_grad_step_n(instance, 1, nullptr, data.pointers, nullptr), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_accumulate_n(instance, 1, nullptr, data.pointers, nullptr), DLC_UNAVAILABLE);
}

} // namespace
