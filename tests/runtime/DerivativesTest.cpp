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

TEST(Derivatives, JacobianHasARowForEachScore) {
  Derived model;
  tiny::Instance instance(model.options()), plain;
  tiny::Batch data(0);
  std::vector<float> matrix(25, 9);
  const void *given[] = {data.x, nullptr, nullptr};
  void *matrices[] = {matrix.data()};
  ASSERT_EQ(dlc_instance_jacobian(instance, 2, nullptr, given, matrices), DLC_OK) << instance.lastError();
  EXPECT_EQ(matrix, (std::vector<float>{0.5f,   1.0f,   -1.5f, 0,      0,      0,     //
                                        -0.25f, 0.125f, 0.75f, 0,      0,      0,     //
                                        0,      0,      0,     0.5f,   1.0f,   -1.5f, //
                                        0,      0,      0,     -0.25f, 0.125f, 0.75f, 9}));
  EXPECT_EQ(dlc_instance_jacobian(instance, 5, nullptr, given, matrices), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_jacobian(instance, 2, nullptr, given, nullptr), DLC_INVALID_ARGUMENT);
  matrices[0] = nullptr;
  EXPECT_EQ(dlc_instance_jacobian(instance, 2, nullptr, given, matrices), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "output 'scores by x' is NULL");
  matrices[0] = data.x + 5; // its last element lies in the matrix
  EXPECT_EQ(dlc_instance_jacobian(instance, 2, nullptr, given, matrices), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "the memory of output 'scores by x' overlaps that of input 'x'");
  matrices[0] = matrix.data();
  EXPECT_EQ(dlc_instance_jacobian(instance, 2, nullptr, nullptr, matrices), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_jacobian(plain, 2, nullptr, given, matrices), DLC_UNAVAILABLE);
  EXPECT_EQ(plain.lastError(), "tiny was compiled without a Jacobian");
  EXPECT_EQ(dlc_instance_jacobian(nullptr, 2, nullptr, given, matrices), DLC_INVALID_ARGUMENT);
}

// Buffers: vector; product.
void twice(void *const *buffers, const int64_t *, int64_t, int64_t) {
  for (int i = 0; i < 8; ++i)
    static_cast<float *>(buffers[1])[i] = 2 * static_cast<const float *>(buffers[0])[i];
}

/// The tiny model with hvp: its third input is a vector for its eight trainable numbers, its last output the
/// product.
struct Curved {
  Curved()
      : inputs(tables.model.inputs, tables.model.inputs + tables.model.input_count),
        outputs(tables.model.outputs, tables.model.outputs + tables.model.output_count) {
    inputs.push_back({"vector", DLC_F32, 1, shape, nullptr, 1, 0, 0, 0, 0, DLC_HVP, 0});
    outputs.push_back({"product", DLC_OUTPUT_PRODUCT, DLC_F32, 1, 0, shape, nullptr});
    tables.append(DLC_HVP, twice, {DLC_PLACE(DLC_PLACE_INPUT, 2, 0), DLC_PLACE(DLC_PLACE_OUTPUT, 5, 0)});
    tables.model.functions |= 1u << DLC_HVP;
    tables.model.inputs = inputs.data();
    tables.model.outputs = outputs.data();
    tables.model.input_count = static_cast<uint32_t>(inputs.size());
    tables.model.output_count = static_cast<uint32_t>(outputs.size());
  }

  const int64_t shape[1] = {8};
  tiny::OtherTables tables;
  std::vector<dlc_input> inputs;
  std::vector<dlc_output> outputs;
};

TEST(Derivatives, HvpTakesTargetsAndAVector) {
  Curved model;
  tiny::Options options;
  options.model = &model.tables.model;
  tiny::Instance instance(options);
  tiny::Batch data(0);
  const float vector[] = {1, 2, 3, 4, 5, 6, 7, 8};
  float product[9] = {};
  const void *given[] = {data.x, data.labels, vector};
  void *taken[] = {nullptr, nullptr, nullptr, nullptr, nullptr, product};
  const std::vector<float> before = instance.state();
  ASSERT_EQ(dlc_instance_hvp(instance, 3, nullptr, given, taken), DLC_OK) << instance.lastError();
  EXPECT_EQ(std::vector<float>(product, product + 9), (std::vector<float>{2, 4, 6, 8, 10, 12, 14, 16, 0}));
  EXPECT_EQ(instance.state(), before);
  given[1] = nullptr;
  EXPECT_EQ(dlc_instance_hvp(instance, 3, nullptr, given, taken), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "input 'labels' is NULL");
  given[1] = data.labels;
  data.labels[2] = tiny::outputs;
  EXPECT_EQ(dlc_instance_hvp(instance, 3, nullptr, given, taken), DLC_INDEX_OUT_OF_RANGE);
  EXPECT_EQ(dlc_instance_hvp(instance, 2, nullptr, given, taken), DLC_OK); // which has no third label
  given[2] = product;
  EXPECT_EQ(dlc_instance_hvp(instance, 2, nullptr, given, taken), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(instance.lastError(), "the memory of output 'product' overlaps that of input 'vector'");
  EXPECT_EQ(dlc_instance_hvp(tiny::Instance(), 2, nullptr, given, taken), DLC_UNAVAILABLE);
}

TEST(Derivatives, VectorsOfOtherSizesAreRefused) {
  const int64_t fewer[] = {7}, square[] = {2, 4};
  const std::function<void(Curved &)> changes[] = {
      [&](Curved &m) { m.inputs[2].shape = fewer; },
      [&](Curved &m) { m.inputs[2].rank = 2, m.inputs[2].shape = square; },
      [](Curved &m) { m.inputs[2].dtype = DLC_I32; },
      [](Curved &m) { m.inputs[2].is_target = 0; },
      [&](Curved &m) { m.outputs[5].shape = fewer; },
      [](Curved &m) { m.outputs[5].dtype = DLC_I64; }};
  for (size_t i = 0; i < std::size(changes); ++i) {
    Curved model;
    changes[i](model);
    dlc_instance *instance = nullptr;
    EXPECT_EQ(
        dlc_instance_create(&model.tables.model, DLC_ABI_VERSION, tiny::fingerprint, nullptr, &instance),
        DLC_ABI_MISMATCH)
        << i;
  }
}

} // namespace
