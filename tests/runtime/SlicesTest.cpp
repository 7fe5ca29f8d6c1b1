//===- SlicesTest.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A training step in slices: its bits, its budget, and what others are answered meanwhile.
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Gate.h"
#include "tests/runtime/TinyModel.h"

#include <cmath>
#include <gtest/gtest.h>

namespace {

constexpr int64_t ever = INT64_MAX;

/// How many slices of this budget the step takes.
int finish(dlc_instance *instance, int64_t microseconds) {
  int32_t done = 0;
  int slices = 0;
  for (; !done && slices < 1000; ++slices)
    EXPECT_EQ(dlc_instance_train_step_continue(instance, microseconds, &done), DLC_OK)
        << dlc_instance_last_error(instance);
  return slices;
}

TEST(Slices, HaveTheBitsOfAStep) {
  for (int threads : {1, 2, 3}) {
    tiny::Options options;
    options.threads = threads;
    tiny::Instance straight, sliced(options);
    for (int step = 0; step < 5; ++step) {
      tiny::Batch data(step);
      float loss = 0, expected = 0;
      ASSERT_EQ(dlc_instance_train_step(straight, data.pointers, &expected), DLC_OK);
      ASSERT_EQ(dlc_instance_train_step_begin(sliced, data.pointers), DLC_OK) << sliced.lastError();
      // Seven launches, of which two have several chunks.
      const int slices = finish(sliced, 0);
      EXPECT_EQ(slices, threads == 1 ? 11 : threads == 2 ? 8 : 8) << threads;
      ASSERT_EQ(dlc_instance_sync(sliced, &loss), DLC_OK);
      EXPECT_EQ(loss, expected);
      EXPECT_EQ(sliced.state(), straight.state());
      EXPECT_EQ(dlc_instance_step_count(sliced), step + 1);
    }
    tiny::Batch data(0);
    ASSERT_EQ(dlc_instance_train_step_begin(sliced, data.pointers), DLC_OK);
    EXPECT_EQ(finish(sliced, ever), 1) << "all within the budget";
  }
}

TEST(Slices, OthersAreRefusedMeanwhile) {
  tiny::Instance instance, other;
  tiny::Batch data(0);
  ASSERT_EQ(dlc_instance_grad_step(instance, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_train_step_begin(instance, data.pointers), DLC_OK);
  int32_t done = 1;
  ASSERT_EQ(dlc_instance_train_step_continue(instance, 0, &done), DLC_OK);
  EXPECT_EQ(done, 0);
  float values[10], loss;
  double value;
  dlc_metrics metrics;
  void *outputs[] = {nullptr, values, nullptr, nullptr, nullptr};
  size_t needed;
  EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, &loss), DLC_BUSY);
  EXPECT_EQ(dlc_instance_train_step_begin(instance, data.pointers), DLC_BUSY);
  EXPECT_EQ(dlc_instance_grad_step(instance, data.pointers, &loss), DLC_BUSY);
  EXPECT_EQ(dlc_instance_apply(instance), DLC_BUSY);
  EXPECT_EQ(dlc_instance_sync(instance, &loss), DLC_BUSY);
  EXPECT_EQ(dlc_instance_predict(instance, 4, nullptr, data.pointers, outputs), DLC_BUSY);
  EXPECT_EQ(dlc_instance_eval_step(instance, 4, data.pointers, &metrics), DLC_BUSY);
  EXPECT_EQ(dlc_instance_parameter_read(instance, "fc.bias", values, 8), DLC_BUSY);
  EXPECT_EQ(dlc_instance_parameters_read_all(instance, values, 10, 0), DLC_BUSY);
  EXPECT_EQ(dlc_instance_get_hyperparameter(instance, "learning_rate", &value), DLC_BUSY);
  EXPECT_EQ(dlc_instance_save_to_memory(instance, values, sizeof values, &needed), DLC_BUSY);
  EXPECT_EQ(dlc_instance_copy_state(other, instance), DLC_BUSY);
  EXPECT_EQ(dlc_instance_copy_state(instance, other), DLC_BUSY);
  EXPECT_EQ(instance.lastError(), "") << "what is refused leaves no sentence";
  while (!done) {
    EXPECT_EQ(dlc_instance_step_count(instance), 0) << "the step counts when it is done";
    ASSERT_EQ(dlc_instance_train_step_continue(instance, 0, &done), DLC_OK);
  }
  EXPECT_EQ(dlc_instance_step_count(instance), 1);
  tiny::Instance straight;
  ASSERT_EQ(dlc_instance_grad_step(straight, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_train_step(straight, data.pointers, nullptr), DLC_OK);
  EXPECT_EQ(instance.state(), straight.state()) << "the calls that were refused changed nothing";
}

TEST(Slices, AStepThatIsNotSoundDoesNotBegin) {
  tiny::Instance instance;
  tiny::Batch data(0);
  int32_t done = 1;
  EXPECT_EQ(dlc_instance_train_step_continue(instance, ever, &done), DLC_UNAVAILABLE);
  EXPECT_EQ(instance.lastError(), "tiny: no training step has begun, call train_step_begin first");
  EXPECT_EQ(done, 0);
  const void *missing[] = {data.x, nullptr};
  EXPECT_EQ(dlc_instance_train_step_begin(instance, missing), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_train_step_begin_n(instance, 2, nullptr, data.pointers), DLC_UNAVAILABLE);
  EXPECT_EQ(dlc_instance_train_step_begin(nullptr, data.pointers), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_train_step_continue(nullptr, ever, &done), DLC_INVALID_ARGUMENT);
  tiny::train(instance, 0, 1); // is not held
  ASSERT_EQ(dlc_instance_train_step_begin(instance, data.pointers), DLC_OK);
  EXPECT_EQ(dlc_instance_train_step_continue(instance, ever, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(finish(instance, -5), 11) << "which runs a piece at least";
}

TEST(Slices, AStepThatFailsIsUndone) {
  tiny::Options options;
  options.checkFinite = true;
  tiny::Instance instance(options);
  tiny::train(instance, 0, 2);
  const std::vector<float> before = instance.state();
  tiny::Batch bad(0);
  bad.x[3] = NAN;
  ASSERT_EQ(dlc_instance_train_step_begin(instance, bad.pointers), DLC_OK);
  int32_t done = 0;
  dlc_status status = DLC_OK;
  while (!done)
    status = dlc_instance_train_step_continue(instance, 0, &done);
  EXPECT_EQ(status, DLC_NOT_FINITE);
  EXPECT_EQ(instance.state(), before);
  tiny::train(instance, 2, 1);
}

TEST(Slices, AnInstanceMayGoInTheMiddle) {
  tiny::Options options;
  options.threads = 2;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  int32_t done = 0;
  ASSERT_EQ(dlc_instance_train_step_begin(instance, data.pointers), DLC_OK);
  ASSERT_EQ(dlc_instance_train_step_continue(instance, 0, &done), DLC_OK);
}

void countFirst(void *const *buffers, const int64_t *, int64_t, int64_t) {
  ++*static_cast<int64_t *>(buffers[0]);
}

void doNothing(void *const *, const int64_t *, int64_t, int64_t) {}

TEST(Slices, AStepCountsWhenItIsDone) {
  tiny::OtherTables tables; // which counts the step before all else
  tables.launches[DLC_TRAIN_STEP].clear();
  tables.places[DLC_TRAIN_STEP].clear();
  uint32_t step = 0;
  while (tables.model.symbols[step].kind != DLC_STEP_COUNT)
    ++step;
  tables.append(DLC_TRAIN_STEP, countFirst, {DLC_PLACE(DLC_PLACE_STATE, step, 0)});
  tables.append(DLC_TRAIN_STEP, doNothing, {});
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  int32_t done = 0;
  ASSERT_EQ(dlc_instance_train_step_begin(instance, data.pointers), DLC_OK);
  ASSERT_EQ(dlc_instance_train_step_continue(instance, 0, &done), DLC_OK);
  EXPECT_EQ(done, 0);
  EXPECT_EQ(dlc_instance_step_count(instance), 0);
  ASSERT_EQ(dlc_instance_train_step_continue(instance, 0, &done), DLC_OK);
  EXPECT_EQ(done, 1);
  EXPECT_EQ(dlc_instance_step_count(instance), 1);
}

void waitAWhile(void *const *, const int64_t *, int64_t, int64_t) {
  for (const int64_t begin = dlc::runtime::nowNanoseconds();
       dlc::runtime::nowNanoseconds() - begin < 2000000;)
    ;
}

TEST(Slices, EndWhenTheirTimeIsOver) {
  tiny::OtherTables tables;
  tables.replace(DLC_TRAIN_STEP, waitAWhile); // 2 ms, ten times
  for (int i = 1; i < 10; ++i)
    tables.append(DLC_TRAIN_STEP, waitAWhile, {});
  tiny::Options options;
  options.model = &tables.model;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  ASSERT_EQ(dlc_instance_train_step_begin(instance, data.pointers), DLC_OK);
  EXPECT_GE(finish(instance, 5000), 4) << "three launches of 2 ms exceed 5 ms";
  ASSERT_EQ(dlc_instance_train_step_begin(instance, data.pointers), DLC_OK);
  EXPECT_EQ(finish(instance, 1), 10);
  ASSERT_EQ(dlc_instance_train_step_begin(instance, data.pointers), DLC_OK);
  EXPECT_EQ(finish(instance, 10000000), 1);
}

} // namespace
