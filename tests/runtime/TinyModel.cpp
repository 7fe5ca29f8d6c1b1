//===- TinyModel.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written model behind the runtime's tests.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TinyModel.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace tiny {

namespace {

constexpr uint64_t at(int place) { return static_cast<uint64_t>(place) * 64; }
enum Place {
  Weight,
  Bias,
  Mean,
  WeightMomentum,
  BiasMomentum,
  WeightGrad,
  BiasGrad,
  Rate,
  Momentum,
  Rng,
  Step,
  Table,
  Scores,
  Errors,
  Places
};

const int64_t weightShape[] = {inputs, outputs}, biasShape[] = {outputs}, rngShape[] = {2};
const int32_t transposed[] = {1, 0};
const float initialWeight[] = {0.5f, -0.25f, 1.0f, 0.125f, -1.5f, 0.75f};
const double initialRate = 0.05, initialMomentum = 0.9;
const int64_t initialRng[] = {7, 0};
const float initialTable[] = {1.0f, -INFINITY};

const dlc_symbol symbols[] = {
    {"fc.weight", DLC_PARAMETER, DLC_F32, 1, 2, weightShape, transposed, at(Weight), 24, initialWeight, 0, 0,
     0, 0},
    {"fc.bias", DLC_PARAMETER, DLC_F32, 1, 1, biasShape, nullptr, at(Bias), 8, nullptr, 0, 0, 0, 0},
    {"norm.mean", DLC_BUFFER, DLC_F32, 0, 1, biasShape, nullptr, at(Mean), 8, nullptr, 0, 0, 0, 0},
    {"fc.weight.momentum", DLC_OPTIMIZER_STATE, DLC_F32, 0, 2, weightShape, transposed, at(WeightMomentum),
     24, nullptr, 0, 0, 0, 0},
    {"fc.bias.momentum", DLC_OPTIMIZER_STATE, DLC_F32, 0, 1, biasShape, nullptr, at(BiasMomentum), 8, nullptr,
     0, 0, 0, 0},
    {"fc.weight.grad", DLC_GRADIENT, DLC_F32, 0, 2, weightShape, transposed, at(WeightGrad), 24, nullptr, 0,
     0, 0, 0},
    {"fc.bias.grad", DLC_GRADIENT, DLC_F32, 0, 1, biasShape, nullptr, at(BiasGrad), 8, nullptr, 0, 0, 0, 0},
    {"learning_rate", DLC_HYPERPARAMETER, DLC_F64, 0, 0, nullptr, nullptr, at(Rate), 8, &initialRate, 0, 0, 0,
     1e3},
    {"momentum", DLC_HYPERPARAMETER, DLC_F64, 0, 0, nullptr, nullptr, at(Momentum), 8, &initialMomentum, 0, 0,
     0, 1},
    {"rng", DLC_RNG, DLC_I64, 0, 1, rngShape, nullptr, at(Rng), 16, initialRng, 0, 0, 0, 0},
    {"step", DLC_STEP_COUNT, DLC_I64, 0, 0, nullptr, nullptr, at(Step), 8, nullptr, 0, 0, 0, 0},
    {"table", DLC_CONSTANT, DLC_F32, 0, 1, biasShape, nullptr, at(Table), 8, initialTable, 0, 0, 0, 0},
};

template <typename T> T *place(void *arena, Place where) {
  return reinterpret_cast<T *>(static_cast<char *>(arena) + at(where));
}

// Buffers: x, weight, bias, scores.
void forwardKernel(void *const *buffers, const int64_t *, int64_t begin, int64_t end) {
  auto *x = static_cast<const float *>(buffers[0]), *weight = static_cast<const float *>(buffers[1]),
       *bias = static_cast<const float *>(buffers[2]);
  auto *scores = static_cast<float *>(buffers[3]);
  for (int64_t row = begin; row < end; ++row)
    for (int64_t out = 0; out < outputs; ++out) {
      float sum = bias[out];
      for (int64_t in = 0; in < inputs; ++in)
        sum += x[row * inputs + in] * weight[out * inputs + in];
      scores[row * outputs + out] = sum;
    }
}

// Buffers: x, errors (2 (scores - onehot) / rows), weight gradient, bias gradient, accumulate. One chunk per
// output column.
void gradientKernel(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end) {
  auto *x = static_cast<const float *>(buffers[0]), *errors = static_cast<const float *>(buffers[1]);
  auto *weightGrad = static_cast<float *>(buffers[2]), *biasGrad = static_cast<float *>(buffers[3]);
  const bool accumulate = buffers[4] != nullptr;
  for (int64_t out = begin; out < end; ++out) {
    for (int64_t in = 0; in < inputs; ++in) {
      float sum = accumulate ? weightGrad[out * inputs + in] : 0;
      for (int64_t row = 0; row < dims[0]; ++row)
        sum += x[row * inputs + in] * errors[row * outputs + out];
      weightGrad[out * inputs + in] = sum;
    }
    float sum = accumulate ? biasGrad[out] : 0;
    for (int64_t row = 0; row < dims[0]; ++row)
      sum += errors[row * outputs + out];
    biasGrad[out] = sum;
  }
}

void forward(dlc_context *context, void *arena, const void *x, void *scores, const int64_t *dims) {
  void *buffers[] = {const_cast<void *>(x), place<float>(arena, Weight), place<float>(arena, Bias), scores};
  dlc_parallel(context, forwardKernel, buffers, dims, dims[0]);
}

double lossSum(void *arena, const int64_t *labels, const int64_t *dims, double *weight, int64_t *correct) {
  auto *scores = place<float>(arena, Scores), *errors = place<float>(arena, Errors);
  double sum = 0;
  for (int64_t row = 0; row < dims[0]; ++row) {
    const bool ignored = labels[row] == -100;
    for (int64_t out = 0; out < outputs; ++out) {
      float difference = ignored ? 0 : scores[row * outputs + out] - (labels[row] == out ? 1.0f : 0.0f);
      errors[row * outputs + out] = 2 * difference / static_cast<float>(dims[0]);
      sum += difference * difference;
    }
    *weight += !ignored;
    *correct += !ignored && (scores[row * outputs + 1] > scores[row * outputs] ? 1 : 0) == labels[row];
  }
  return sum;
}

void computeGradients(dlc_context *context, void *arena, const void *const *in, void *const *out,
                      const int64_t *dims, bool accumulate) {
  forward(context, arena, in[0], place<float>(arena, Scores), dims);
  double weight = 0;
  int64_t correct = 0;
  double sum = lossSum(arena, static_cast<const int64_t *>(in[1]), dims, &weight, &correct);
  *static_cast<float *>(out[0]) = static_cast<float>(sum / static_cast<double>(dims[0]));
  void *buffers[] = {const_cast<void *>(in[0]), place<float>(arena, Errors), place<float>(arena, WeightGrad),
                     place<float>(arena, BiasGrad), accumulate ? arena : nullptr};
  dlc_parallel(context, gradientKernel, buffers, dims, outputs);
  for (int64_t i = 0; i < outputs; ++i)
    place<float>(arena, Mean)[i] =
        0.9f * place<float>(arena, Mean)[i] + 0.1f * place<float>(arena, Scores)[i];
  ++place<int64_t>(arena, Rng)[1];
}

void gradStep(dlc_context *context, void *arena, const void *const *in, void *const *out,
              const int64_t *dims) {
  computeGradients(context, arena, in, out, dims, false);
}

void accumulate(dlc_context *context, void *arena, const void *const *in, void *const *out,
                const int64_t *dims) {
  computeGradients(context, arena, in, out, dims, true);
}

void apply(dlc_context *, void *arena, const void *const *, void *const *, const int64_t *) {
  auto rate = static_cast<float>(*place<double>(arena, Rate)),
       momentum = static_cast<float>(*place<double>(arena, Momentum));
  auto update = [&](Place value, Place slot, Place gradient, int64_t count) {
    for (int64_t i = 0; i < count; ++i) {
      float &velocity = place<float>(arena, slot)[i];
      velocity = momentum * velocity + place<float>(arena, gradient)[i];
      place<float>(arena, value)[i] -= rate * velocity;
    }
  };
  update(Weight, WeightMomentum, WeightGrad, inputs * outputs);
  update(Bias, BiasMomentum, BiasGrad, outputs);
  ++*place<int64_t>(arena, Step);
}

void trainStep(dlc_context *context, void *arena, const void *const *in, void *const *out,
               const int64_t *dims) {
  gradStep(context, arena, in, out, dims);
  apply(context, arena, in, out, dims);
}

void evalStep(dlc_context *context, void *arena, const void *const *in, void *const *out,
              const int64_t *dims) {
  forward(context, arena, in[0], place<float>(arena, Scores), dims);
  *static_cast<double *>(out[2]) = lossSum(arena, static_cast<const int64_t *>(in[1]), dims,
                                           static_cast<double *>(out[3]), static_cast<int64_t *>(out[4]));
}

void predict(dlc_context *context, void *arena, const void *const *in, void *const *out,
             const int64_t *dims) {
  forward(context, arena, in[0], out[1], dims);
}

const dlc_dim dims[] = {{"batch", batch}};
const int64_t xShape[] = {batch, inputs}, labelShape[] = {batch}, scoreShape[] = {batch, outputs};
constexpr uint32_t batchDim[] = {0};
constexpr dlc_axis rowAxis = {1, batchDim, 1, 0};
constexpr dlc_axis xAxes[] = {rowAxis, {inputs, nullptr, 0, 0}},
                   scoreAxes[] = {rowAxis, {outputs, nullptr, 0, 0}};
const dlc_input modelInputs[] = {
    {"x", DLC_F32, 2, xShape, xAxes, 0, 0, 0, 0, 0},
    {"labels", DLC_I64, 1, labelShape, &rowAxis, 1, 1, outputs, 0, -100},
};
const dlc_output modelOutputs[] = {
    {"loss", DLC_OUTPUT_LOSS, DLC_F32, 0, 0, nullptr, nullptr},
    {"scores", DLC_OUTPUT_PREDICTION, DLC_F32, 2, 0, scoreShape, scoreAxes},
    {"loss_sum", DLC_OUTPUT_LOSS_SUM, DLC_F64, 0, 0, nullptr, nullptr},
    {"loss_weight", DLC_OUTPUT_LOSS_WEIGHT, DLC_F64, 0, 0, nullptr, nullptr},
    {"correct", DLC_OUTPUT_CORRECT, DLC_I64, 0, 0, nullptr, nullptr},
};

const dlc_model description = {DLC_ABI_VERSION,
                               0,
                               "tiny",
                               fingerprint,
                               nullptr,
                               at(Places),
                               batch,
                               symbols,
                               static_cast<uint32_t>(std::size(symbols)),
                               2,
                               modelInputs,
                               modelOutputs,
                               5,
                               1,
                               dims,
                               trainStep,
                               gradStep,
                               accumulate,
                               apply,
                               evalStep,
                               predict};

} // namespace

const dlc_model &model() { return description; }

dlc_model modelWithWeightsFile() {
  static const std::vector<dlc_symbol> changed = [] {
    std::vector<dlc_symbol> copy(std::begin(symbols), std::end(symbols));
    for (dlc_symbol &symbol : copy)
      if (symbol.kind == DLC_PARAMETER || symbol.kind == DLC_BUFFER || symbol.kind == DLC_CONSTANT) {
        symbol.initial = nullptr;
        symbol.in_weights_file = 1;
      }
    return copy;
  }();
  dlc_model result = description;
  result.symbols = changed.data();
  result.weights_file = "tiny.safetensors";
  return result;
}

Instance::Instance(const Options &options) {
  char error[256] = "";
  dlc_create_options create = {};
  create.struct_size = sizeof create;
  create.threads = options.threads;
  create.check_finite = options.checkFinite;
  create.weights_path = options.weights;
  create.error = error;
  create.error_bytes = sizeof error;
  const dlc_model &used = options.model ? *options.model : description;
  dlc_status status = dlc_instance_create(&used, DLC_ABI_VERSION, fingerprint, &create, &handle);
  EXPECT_EQ(status, DLC_OK) << error;
}

std::vector<float> Instance::read(const char *name) const {
  std::vector<float> values(std::strstr(name, "weight") ? 6 : 2);
  EXPECT_EQ(dlc_instance_parameter_read(handle, name, values.data(), values.size() * sizeof(float)), DLC_OK);
  return values;
}

std::vector<float> Instance::state() const {
  std::vector<float> all;
  for (const char *name : {"fc.weight", "fc.bias", "norm.mean", "fc.weight.momentum", "fc.bias.momentum"})
    for (float value : read(name))
      all.push_back(value);
  all.push_back(static_cast<float>(dlc_instance_step_count(handle)));
  return all;
}

Batch::Batch(int step) {
  for (int64_t i = 0; i < batch * inputs; ++i)
    x[i] = std::sin(static_cast<float>(i + 13 * step));
  for (int64_t i = 0; i < batch; ++i)
    labels[i] = (i * 7 + step) % outputs;
}

void train(dlc_instance *instance, int first, int steps) {
  for (int step = first; step < first + steps; ++step) {
    Batch data(step);
    float loss;
    ASSERT_EQ(dlc_instance_train_step(instance, data.pointers, &loss), DLC_OK)
        << dlc_instance_last_error(instance);
  }
}

} // namespace tiny
