//===- GuardTest.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a step leaves behind is looked at, and taken back where it is not good: NaN and infinite numbers in
// gradients, parameters and optimizer state, computed indices out of range.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TinyModel.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

namespace {

/// What each function does at its end: a number into a tensor, a range of indices.
const char *poisoned;
float poison;
int64_t range[4];

// Buffers: all symbols, the range of indices.
void spoil(void *const *buffers, const int64_t *, int64_t, int64_t) {
  const dlc_model &model = tiny::model();
  for (uint32_t i = 0; poisoned && i < model.symbol_count; ++i)
    if (strcmp(model.symbols[i].name, poisoned) == 0)
      memcpy(static_cast<char *>(buffers[i]) + 4, &poison, sizeof poison);
  memcpy(buffers[model.symbol_count], range, sizeof range);
}

const int64_t rangeShape[] = {4};

/// The tiny model with one more output, the range of indices it would compute.
struct SpoiledModel : tiny::OtherTables {
  SpoiledModel() {
    outputs.assign(model.outputs, model.outputs + model.output_count);
    outputs.push_back({"embed.indices", DLC_OUTPUT_INDEX_RANGE, DLC_I64, 1, 0, rangeShape, nullptr});
    model.outputs = outputs.data();
    model.output_count = static_cast<uint32_t>(outputs.size());
    std::vector<dlc_place> buffers;
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      buffers.push_back(DLC_PLACE(DLC_PLACE_STATE, i, 0));
    buffers.push_back(DLC_PLACE(DLC_PLACE_OUTPUT, model.output_count - 1, 0));
    for (uint32_t i = 0; i < DLC_FUNCTIONS; ++i)
      append(static_cast<dlc_function_kind>(i), spoil, buffers);
  }
  std::vector<dlc_output> outputs;
};

class Guard : public testing::Test {
protected:
  void SetUp() override {
    poisoned = nullptr;
    const int64_t good[] = {-3, 2, -3, 3};
    memcpy(range, good, sizeof range);
    options.model = &spoiled.model;
  }
  SpoiledModel spoiled;
  tiny::Options options;
  tiny::Batch data{1};
};

class CheckFinite : public Guard {
protected:
  void SetUp() override {
    Guard::SetUp();
    options.checkFinite = true;
  }
};

TEST_F(CheckFinite, NamesTheGradient) {
  tiny::Instance instance(options), reference(options);
  float before[6], after[6], loss;
  for (dlc_instance *each : {(dlc_instance *)instance, (dlc_instance *)reference})
    ASSERT_EQ(dlc_instance_grad_step(each, data.pointers, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.weight", before, sizeof before), DLC_OK);
  poisoned = "fc.weight.grad";
  for (float bad : {std::numeric_limits<float>::quiet_NaN(), std::numeric_limits<float>::infinity(),
                    -std::numeric_limits<float>::infinity()}) {
    poison = bad;
    EXPECT_EQ(dlc_instance_grad_step(instance, data.pointers, &loss), DLC_NOT_FINITE);
    EXPECT_EQ(instance.lastError(), "tiny: the call would leave a NaN or infinite value in the gradient "
                                    "'fc.weight.grad'; the state is as before the call");
    EXPECT_EQ(loss, 0);
    EXPECT_EQ(dlc_instance_accumulate(instance, data.pointers, &loss), DLC_NOT_FINITE);
  }
  ASSERT_EQ(dlc_instance_gradient_read(instance, "fc.weight", after, sizeof after), DLC_OK);
  EXPECT_EQ(memcmp(before, after, sizeof before), 0);
  EXPECT_EQ(instance.state(), reference.state());
  poisoned = nullptr; // the gradients from before are still there to be applied
  for (dlc_instance *each : {(dlc_instance *)instance, (dlc_instance *)reference})
    ASSERT_EQ(dlc_instance_apply(each), DLC_OK);
  EXPECT_EQ(instance.state(), reference.state());
}

TEST_F(CheckFinite, NamesTheParameterOrItsState) {
  tiny::Instance instance(options), reference(options);
  poison = std::numeric_limits<float>::infinity();
  for (const char *name : {"fc.weight", "fc.bias.momentum", "norm.mean"}) {
    poisoned = name;
    EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, nullptr), DLC_NOT_FINITE) << name;
    EXPECT_EQ(instance.lastError(), std::string("tiny: the call would leave a NaN or infinite value in '") +
                                        name + "'; the state is as before the call");
  }
  EXPECT_EQ(instance.state(), reference.state());
  EXPECT_EQ(dlc_instance_step_count(instance), 0);
}

TEST_F(CheckFinite, LooksAtWhatApplyLeaves) {
  tiny::Instance instance(options), reference(options);
  for (dlc_instance *each : {(dlc_instance *)instance, (dlc_instance *)reference})
    ASSERT_EQ(dlc_instance_grad_step(each, data.pointers, nullptr), DLC_OK);
  poisoned = "fc.bias";
  poison = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(dlc_instance_apply(instance), DLC_NOT_FINITE);
  EXPECT_EQ(instance.state(), reference.state());
  poisoned = nullptr;
  EXPECT_EQ(dlc_instance_apply(instance), DLC_OK);
  EXPECT_EQ(dlc_instance_step_count(instance), 1);
}

TEST_F(Guard, WithoutCheckFiniteNothingIsLookedAt) {
  tiny::Instance instance(options);
  poisoned = "fc.weight.grad";
  poison = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(dlc_instance_grad_step(instance, data.pointers, nullptr), DLC_OK);
  EXPECT_EQ(dlc_instance_apply(instance), DLC_OK);
}

TEST_F(Guard, ComputedIndicesOutOfRange) {
  tiny::Instance instance(options), reference(options);
  ASSERT_EQ(dlc_instance_grad_step(instance, data.pointers, nullptr), DLC_OK) << instance.lastError();
  ASSERT_EQ(dlc_instance_grad_step(reference, data.pointers, nullptr), DLC_OK);
  float scores[8], loss = 1;
  void *predictions[] = {nullptr, scores, nullptr, nullptr, nullptr, nullptr};
  dlc_metrics metrics = {};
  for (auto [smallest, largest] : {std::pair<int64_t, int64_t>{-4, 0}, {0, 3}, {INT64_MIN, INT64_MAX}}) {
    range[0] = smallest;
    range[1] = largest;
    EXPECT_EQ(dlc_instance_train_step(instance, data.pointers, &loss), DLC_INDEX_OUT_OF_RANGE);
    EXPECT_EQ(instance.lastError(), "tiny: the computed indices 'embed.indices' reach from " +
                                        std::to_string(smallest) + " to " + std::to_string(largest) +
                                        ", expected -3 to 2");
    EXPECT_EQ(loss, 0);
    EXPECT_EQ(dlc_instance_grad_step(instance, data.pointers, &loss), DLC_INDEX_OUT_OF_RANGE);
    EXPECT_EQ(dlc_instance_accumulate(instance, data.pointers, &loss), DLC_INDEX_OUT_OF_RANGE);
    EXPECT_EQ(dlc_instance_eval_step(instance, 2, data.pointers, &metrics), DLC_INDEX_OUT_OF_RANGE);
    EXPECT_EQ(metrics.count, 0);
    EXPECT_EQ(dlc_instance_predict(instance, 2, nullptr, data.pointers, predictions), DLC_INDEX_OUT_OF_RANGE);
  }
  EXPECT_EQ(instance.state(), reference.state());
  range[0] = -3;
  range[1] = 2;
  for (dlc_instance *each : {(dlc_instance *)instance, (dlc_instance *)reference}) {
    EXPECT_EQ(dlc_instance_apply(each), DLC_OK); // the good gradients from before
    EXPECT_EQ(dlc_instance_train_step(each, data.pointers, nullptr), DLC_OK);
  }
  EXPECT_EQ(instance.state(), reference.state());
  EXPECT_EQ(dlc_instance_eval_step(instance, 2, data.pointers, &metrics), DLC_OK);
  EXPECT_EQ(dlc_instance_predict(instance, 2, nullptr, data.pointers, predictions), DLC_OK);
}

TEST_F(Guard, ARangeHasFourNumbers) {
  const int64_t three[] = {3};
  spoiled.outputs.back().shape = three;
  dlc_instance *instance = nullptr;
  EXPECT_EQ(dlc_instance_create(&spoiled.model, DLC_ABI_VERSION, tiny::fingerprint, nullptr, &instance),
            DLC_ABI_MISMATCH);
}

} // namespace
