//===- DerivativesTest.cpp ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Functions that differentiate the prediction: what they alone take and give.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TinyModel.h"

#include <functional>
#include <gtest/gtest.h>

namespace {

// Buffers: cotangents of the scores, weight as it is stored; gradient of x.
void backward(void *const *buffers, const int64_t *dims, int64_t, int64_t) {
  auto *cotangents = static_cast<const float *>(buffers[0]), *weight = static_cast<const float *>(buffers[1]);
  auto *gradient = static_cast<float *>(buffers[2]);
  for (int64_t row = 0; row < dims[0]; ++row)
    for (int64_t in = 0; in < tiny::inputs; ++in) {
      float sum = 0;
      for (int64_t out = 0; out < tiny::outputs; ++out)
        sum += cotangents[row * tiny::outputs + out] * weight[out * tiny::inputs + in];
      gradient[row * tiny::inputs + in] = sum;
    }
}

/// The tiny model with vjp: its third input is the cotangent of its scores, its last output the gradient of
/// x.
struct Derived {
  Derived()
      : inputs(tables.model.inputs, tables.model.inputs + tables.model.input_count),
        outputs(tables.model.outputs, tables.model.outputs + tables.model.output_count) {
    const dlc_output &scores = outputs[1];
    dlc_input cotangent = inputs[0];
    cotangent.name = "scores_cotangent";
    cotangent.shape = scores.shape;
    cotangent.axes = scores.axes;
    cotangent.is_target = 1;
    cotangent.taken_by = DLC_VJP;
    cotangent.of = 1;
    dlc_output gradient = scores;
    gradient.name = "x_gradient";
    gradient.role = DLC_OUTPUT_GRADIENT;
    gradient.of = 0;
    gradient.shape = inputs[0].shape;
    gradient.axes = inputs[0].axes;
    inputs.push_back(cotangent);
    outputs.push_back(gradient);
    tables.append(DLC_VJP, backward,
                  {DLC_PLACE(DLC_PLACE_INPUT, 2, 0), DLC_PLACE(DLC_PLACE_STATE, 0, 0),
                   DLC_PLACE(DLC_PLACE_OUTPUT, 5, 0)});
    tables.model.functions |= 1u << DLC_VJP;
    tables.model.inputs = inputs.data();
    tables.model.outputs = outputs.data();
    tables.model.input_count = static_cast<uint32_t>(inputs.size());
    tables.model.output_count = static_cast<uint32_t>(outputs.size());
  }
  tiny::Options options() const {
    tiny::Options result;
    result.model = &tables.model;
    return result;
  }

  tiny::OtherTables tables;
  std::vector<dlc_input> inputs;
  std::vector<dlc_output> outputs;
};

TEST(Derivatives, VjpTakesCotangentsAndGivesGradients) {
  Derived model;
  tiny::Instance instance(model.options());
  tiny::Batch data(0);
  const float cotangents[] = {1, 0, 0, 1};
  float gradient[] = {9, 9, 9, 9, 9, 9, 9};
  const void *given[] = {data.x, nullptr, cotangents};
  void *taken[] = {nullptr, nullptr, nullptr, nullptr, nullptr, gradient};
  ASSERT_EQ(dlc_instance_vjp(instance, 2, nullptr, given, taken), DLC_OK) << instance.lastError();
  EXPECT_EQ(std::vector<float>(gradient, gradient + 7),
            (std::vector<float>{0.5f, 1.0f, -1.5f, -0.25f, 0.125f, 0.75f, 9}));
}

TEST(Derivatives, OtherFunctionsTakeNoCotangents) {
  Derived model;
  tiny::Instance instance(model.options()), plain;
  tiny::Batch data(0);
  const void *given[] = {data.x, data.labels, nullptr};
  float scores[8], others[8];
  void *taken[] = {nullptr, scores, nullptr, nullptr, nullptr, nullptr};
  ASSERT_EQ(dlc_instance_train_step(instance, given, nullptr), DLC_OK) << instance.lastError();
  ASSERT_EQ(dlc_instance_train_step(plain, given, nullptr), DLC_OK);
  ASSERT_EQ(dlc_instance_predict(instance, 4, nullptr, given, taken), DLC_OK) << instance.lastError();
  taken[1] = others;
  ASSERT_EQ(dlc_instance_predict(plain, 4, nullptr, given, taken), DLC_OK);
  EXPECT_TRUE(std::equal(scores, scores + 8, others));
  dlc_metrics metrics;
  EXPECT_EQ(dlc_instance_eval_step(instance, 4, given, &metrics), DLC_OK) << instance.lastError();
}

TEST(Derivatives, ErrorsSayWhatIsWrong) {
  Derived model;
  tiny::Instance instance(model.options());
  tiny::Batch data(0);
  float cotangents[12] = {}, gradient[12];
  const void *given[] = {data.x, nullptr, nullptr};
  void *taken[] = {nullptr, nullptr, nullptr, nullptr, nullptr, gradient};
  EXPECT_EQ(dlc_instance_vjp(instance, 4, nullptr, given, taken), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "input 'scores_cotangent' is NULL");
  given[2] = cotangents;
  EXPECT_EQ(dlc_instance_vjp(instance, 5, nullptr, given, taken), DLC_INVALID_ARGUMENT);
  taken[5] = cotangents;
  EXPECT_EQ(dlc_instance_vjp(instance, 4, nullptr, given, taken), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(),
            "the memory of output 'x_gradient' overlaps that of input 'scores_cotangent'");
  taken[5] = nullptr;
  EXPECT_EQ(dlc_instance_vjp(instance, 4, nullptr, given, taken), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "output 'x_gradient' is NULL");
  EXPECT_EQ(dlc_instance_jvp(instance, 4, nullptr, given, taken), DLC_UNAVAILABLE);
  EXPECT_EQ(instance.lastError(), "tiny was compiled without jvp");
  EXPECT_EQ(dlc_instance_vjp(nullptr, 4, nullptr, given, taken), DLC_INVALID_ARGUMENT);
}

TEST(Derivatives, DescriptionsThatDoNotFitAreRefused) {
  const int64_t other[] = {4, 5};
  const std::function<void(Derived &)> changes[] = {
      [](Derived &m) { m.inputs[2].of = 0; },          // the loss
      [](Derived &m) { m.inputs[2].of = 99; },         // nothing
      [](Derived &m) { m.inputs[2].is_target = 0; },   // predict would take it
      [](Derived &m) { m.inputs[2].taken_by = 3; },    // which takes no inputs
      [](Derived &m) { m.inputs[2].dtype = DLC_F64; }, // longer than what the caller has
      [&](Derived &m) { m.inputs[2].shape = other; },
      [](Derived &m) { m.inputs[2].axes = nullptr; },
      [](Derived &m) { m.inputs[2].taken_by = DLC_JVP, m.inputs[2].of = 2; }, // of itself
      [](Derived &m) { m.outputs[5].of = 1; },                                // of a target
      [](Derived &m) { m.outputs[5].of = 99; },
      [](Derived &m) { m.outputs[5].dtype = DLC_F64; },
      [](Derived &m) { m.outputs[5].role = DLC_OUTPUT_TANGENT; }};
  for (size_t i = 0; i < std::size(changes); ++i) {
    Derived model;
    changes[i](model);
    dlc_instance *instance = nullptr;
    EXPECT_EQ(
        dlc_instance_create(&model.tables.model, DLC_ABI_VERSION, tiny::fingerprint, nullptr, &instance),
        DLC_ABI_MISMATCH)
        << i;
  }
}

} // namespace
