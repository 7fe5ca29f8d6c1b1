//===- TinyModel.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The hand-written model behind the runtime's tests.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TinyModel.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

namespace tiny {

namespace {

constexpr uint64_t at(uint32_t place) { return uint64_t{place} * 64; }
/// Symbols by their numbers, then working memory: each has 64 bytes of the arena.
enum Place : uint32_t {
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
    {"fc.weight", DLC_PARAMETER, DLC_F32, 1, 2, weightShape, initialWeight, 0, 0, 0, 0},
    {"fc.bias", DLC_PARAMETER, DLC_F32, 1, 1, biasShape, nullptr, 0, 0, 0, 0},
    {"norm.mean", DLC_BUFFER, DLC_F32, 0, 1, biasShape, nullptr, 0, 0, 0, 0},
    {"fc.weight.momentum", DLC_OPTIMIZER_STATE, DLC_F32, 0, 2, weightShape, nullptr, 0, 0, 0, 0},
    {"fc.bias.momentum", DLC_OPTIMIZER_STATE, DLC_F32, 0, 1, biasShape, nullptr, 0, 0, 0, 0},
    {"fc.weight.grad", DLC_GRADIENT, DLC_F32, 0, 2, weightShape, nullptr, 0, 0, 0, 0},
    {"fc.bias.grad", DLC_GRADIENT, DLC_F32, 0, 1, biasShape, nullptr, 0, 0, 0, 0},
    {"learning_rate", DLC_HYPERPARAMETER, DLC_F64, 0, 0, nullptr, &initialRate, 0, 0, 0, 1e3},
    {"momentum", DLC_HYPERPARAMETER, DLC_F64, 0, 0, nullptr, &initialMomentum, 0, 0, 0, 1},
    {"rng", DLC_RNG, DLC_I64, 0, 1, rngShape, initialRng, 0, 0, 0, 0},
    {"step", DLC_STEP_COUNT, DLC_I64, 0, 0, nullptr, nullptr, 0, 0, 0, 0},
    {"table", DLC_CONSTANT, DLC_F32, 0, 1, biasShape, initialTable, 0, 0, 0, 0},
};

const dlc_placement placements[] = {
    {transposed, at(Weight), 24, 0, 0},   {nullptr, at(Bias), 8, 0, 0},
    {nullptr, at(Mean), 8, 0, 0},         {transposed, at(WeightMomentum), 24, 0, 0},
    {nullptr, at(BiasMomentum), 8, 0, 0}, {transposed, at(WeightGrad), 24, 0, 0},
    {nullptr, at(BiasGrad), 8, 0, 0},     {nullptr, at(Rate), 8, 0, 0},
    {nullptr, at(Momentum), 8, 0, 0},     {nullptr, at(Rng), 16, 0, 0},
    {nullptr, at(Step), 8, 0, 0},         {nullptr, at(Table), 8, 0, 0},
};

template <typename T> const T *input(void *const *buffers, int number) {
  return static_cast<const T *>(buffers[number]);
}
template <typename T> T *output(void *const *buffers, int number) {
  return static_cast<T *>(buffers[number]);
}

// Buffers: x, weight, bias; scores. One chunk per row.
void forward(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end) {
  auto *x = input<float>(buffers, 0), *weight = input<float>(buffers, 1), *bias = input<float>(buffers, 2);
  auto *scores = output<float>(buffers, 3);
  for (int64_t row = begin; row < std::min(end, dims[0]); ++row)
    for (int64_t out = 0; out < outputs; ++out) {
      float sum = bias[out];
      for (int64_t in = 0; in < inputs; ++in)
        sum += x[row * inputs + in] * weight[out * inputs + in];
      scores[row * outputs + out] = sum;
    }
}

struct Loss {
  double sum = 0, weight = 0;
  int64_t correct = 0;
};

/// Also writes errors: 2 (scores - onehot) / rows.
Loss computeLoss(const float *scores, const int64_t *labels, float *errors, int64_t rows) {
  Loss loss;
  for (int64_t row = 0; row < rows; ++row) {
    const bool ignored = labels[row] == -100;
    for (int64_t out = 0; out < outputs; ++out) {
      float difference = ignored ? 0 : scores[row * outputs + out] - (labels[row] == out ? 1.0f : 0.0f);
      errors[row * outputs + out] = 2 * difference / static_cast<float>(rows);
      loss.sum += difference * difference;
    }
    loss.weight += !ignored;
    loss.correct += !ignored && (scores[row * outputs + 1] > scores[row * outputs] ? 1 : 0) == labels[row];
  }
  return loss;
}

// Buffers: scores, labels; errors, loss.
void trainingLoss(void *const *buffers, const int64_t *dims, int64_t, int64_t) {
  Loss loss =
      computeLoss(input<float>(buffers, 0), input<int64_t>(buffers, 1), output<float>(buffers, 2), dims[0]);
  *output<float>(buffers, 3) = static_cast<float>(loss.sum / static_cast<double>(dims[0]));
}

// Buffers: scores, labels; errors, sum, weight, correct.
void evaluation(void *const *buffers, const int64_t *dims, int64_t, int64_t) {
  Loss loss =
      computeLoss(input<float>(buffers, 0), input<int64_t>(buffers, 1), output<float>(buffers, 2), dims[0]);
  *output<double>(buffers, 3) = loss.sum;
  *output<double>(buffers, 4) = loss.weight;
  *output<int64_t>(buffers, 5) = loss.correct;
}

// Buffers: x, errors; weight gradient, bias gradient. One chunk per output column.
template <bool accumulate>
void gradient(void *const *buffers, const int64_t *dims, int64_t begin, int64_t end) {
  auto *x = input<float>(buffers, 0), *errors = input<float>(buffers, 1);
  auto *weightGrad = output<float>(buffers, 2), *biasGrad = output<float>(buffers, 3);
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

// Buffers: scores; mean, random state.
void statistics(void *const *buffers, const int64_t *, int64_t, int64_t) {
  auto *scores = input<float>(buffers, 0);
  auto *mean = output<float>(buffers, 1);
  for (int64_t i = 0; i < outputs; ++i)
    mean[i] = 0.9f * mean[i] + 0.1f * scores[i];
  ++output<int64_t>(buffers, 2)[1];
}

// Buffers: rate, momentum, gradient; momentum of the parameter, parameter.
template <int64_t count> void update(void *const *buffers, const int64_t *, int64_t, int64_t) {
  auto rate = static_cast<float>(*input<double>(buffers, 0)),
       momentum = static_cast<float>(*input<double>(buffers, 1));
  for (int64_t i = 0; i < count; ++i) {
    float &velocity = output<float>(buffers, 3)[i];
    velocity = momentum * velocity + input<float>(buffers, 2)[i];
    output<float>(buffers, 4)[i] -= rate * velocity;
  }
}

// Buffers: step count.
void countStep(void *const *buffers, const int64_t *, int64_t, int64_t) { ++*output<int64_t>(buffers, 0); }

enum Kernel : uint32_t {
  Forward,
  TrainingLoss,
  Evaluation,
  Gradient,
  Accumulate,
  Statistics,
  UpdateWeight,
  UpdateBias,
  CountStep
};
const dlc_kernel_info kernels[] = {{"forward", forward, batch},
                                   {"loss", trainingLoss, 1},
                                   {"evaluation", evaluation, 1},
                                   {"gradient", gradient<false>, outputs},
                                   {"accumulate", gradient<true>, outputs},
                                   {"statistics", statistics, 1},
                                   {"update_weight", update<inputs * outputs>, 1},
                                   {"update_bias", update<outputs>, 1},
                                   {"count_step", countStep, 1}};

constexpr dlc_place state(uint32_t symbol) { return DLC_PLACE(DLC_PLACE_STATE, symbol, 0); }
constexpr dlc_place working(uint32_t place) { return DLC_PLACE(DLC_PLACE_WORKING, 0, 64 * place); }
constexpr dlc_place given(uint32_t number) { return DLC_PLACE(DLC_PLACE_INPUT, number, 0); }
constexpr dlc_place result(uint32_t number) { return DLC_PLACE(DLC_PLACE_OUTPUT, number, 0); }

// train_step runs all launches, grad_step the first four, accumulate four that differ in the third.
constexpr dlc_place trainPlaces[] = {
    given(0),        state(Weight),   state(Bias),       working(Scores), // 0
    working(Scores), given(1),        working(Errors),   result(0),       // 4
    given(0),        working(Errors), state(WeightGrad), state(BiasGrad), // 8
    working(Scores), state(Mean),     state(Rng),                         // 12
    state(Rate),     state(Momentum), state(WeightGrad), state(WeightMomentum),
    state(Weight), // 15
    state(Rate),     state(Momentum), state(BiasGrad),   state(BiasMomentum),
    state(Bias),  // 20
    state(Step)}; // 25
constexpr uint32_t gradientPlaces = 15, allPlaces = 26;
constexpr dlc_launch trainLaunches[] = {
    {Forward, 0, 4, 0},       {TrainingLoss, 4, 4, 0}, {Gradient, 8, 4, 0},  {Statistics, 12, 3, 0},
    {UpdateWeight, 15, 5, 0}, {UpdateBias, 20, 5, 0},  {CountStep, 25, 1, 0}};
constexpr dlc_launch accumulateLaunches[] = {
    {Forward, 0, 4, 0}, {TrainingLoss, 4, 4, 0}, {Accumulate, 8, 4, 0}, {Statistics, 12, 3, 0}};
constexpr dlc_launch applyLaunches[] = {
    {UpdateWeight, 0, 5, 0}, {UpdateBias, 5, 5, 0}, {CountStep, 10, 1, 0}};
constexpr dlc_place evalPlaces[] = {given(0), state(Weight),   state(Bias), working(Scores), working(Scores),
                                    given(1), working(Errors), result(2),   result(3),       result(4)};
constexpr dlc_launch evalLaunches[] = {{Forward, 0, 4, 0}, {Evaluation, 4, 6, 0}};
constexpr dlc_place predictPlaces[] = {given(0), state(Weight), state(Bias), result(1)};
constexpr dlc_launch predictLaunches[] = {{Forward, 0, 4, 0}};
const dlc_function functions[DLC_FUNCTIONS] = {
    {trainLaunches, trainPlaces, nullptr, 7, allPlaces, 0, 0},
    {trainLaunches, trainPlaces, nullptr, 4, gradientPlaces, 0, 0},
    {accumulateLaunches, trainPlaces, nullptr, 4, gradientPlaces, 0, 0},
    {applyLaunches, trainPlaces + gradientPlaces, nullptr, 3, allPlaces - gradientPlaces, 0, 0},
    {evalLaunches, evalPlaces, nullptr, 2, 10, 0, 0},
    {predictLaunches, predictPlaces, nullptr, 1, 4, 0, 0}};

const dlc_target target = {DLC_TARGET_CPU,
                           0,
                           at(Places),
                           placements,
                           kernels,
                           functions,
                           static_cast<uint32_t>(std::size(kernels)),
                           0,
                           nullptr,
                           nullptr,
                           nullptr};

const dlc_dim dims[] = {{"batch", batch, 1}};
const int64_t xShape[] = {batch, inputs}, labelShape[] = {batch}, scoreShape[] = {batch, outputs};
constexpr uint32_t batchDim[] = {0};
constexpr dlc_axis rowAxis = {1, batchDim, 1, 0};
constexpr dlc_axis xAxes[] = {rowAxis, {inputs, nullptr, 0, 0}},
                   scoreAxes[] = {rowAxis, {outputs, nullptr, 0, 0}};
const dlc_input modelInputs[] = {
    {"x", DLC_F32, 2, xShape, xAxes, 0, 0, 0, 0, 0, 0, 0},
    {"labels", DLC_I64, 1, labelShape, &rowAxis, 1, 1, outputs, 0, -100, 0, 0},
};
const dlc_output modelOutputs[] = {
    {"loss", DLC_OUTPUT_LOSS, DLC_F32, 0, 0, nullptr, nullptr},
    {"scores", DLC_OUTPUT_PREDICTION, DLC_F32, 2, 0, scoreShape, scoreAxes},
    {"loss_sum", DLC_OUTPUT_LOSS_SUM, DLC_F64, 0, 0, nullptr, nullptr},
    {"loss_weight", DLC_OUTPUT_LOSS_WEIGHT, DLC_F64, 0, 0, nullptr, nullptr},
    {"correct", DLC_OUTPUT_CORRECT, DLC_I64, 0, 0, nullptr, nullptr},
};

const dlc_model description = {DLC_ABI_VERSION,
                               (1u << (DLC_PREDICT + 1)) - 1,
                               "tiny",
                               fingerprint,
                               nullptr,
                               batch,
                               symbols,
                               static_cast<uint32_t>(std::size(symbols)),
                               2,
                               modelInputs,
                               modelOutputs,
                               5,
                               1,
                               dims,
                               &target,
                               1,
                               0};

} // namespace

const dlc_model &model() { return description; }

OtherTables::OtherTables() : model(description), target(tiny::target) {
  kernels.assign(std::begin(tiny::kernels), std::end(tiny::kernels));
  for (uint32_t i = 0; i < DLC_FUNCTIONS; ++i) {
    const dlc_function &function = target.functions[i];
    launches[i].assign(function.launches, function.launches + function.launch_count);
    places[i].assign(function.places, function.places + function.place_count);
  }
  describe();
}

void OtherTables::replace(dlc_function_kind function, dlc_kernel kernel) {
  launches[function].clear();
  places[function].clear();
  append(function, kernel, {});
}

void OtherTables::append(dlc_function_kind function, dlc_kernel kernel,
                         const std::vector<dlc_place> &buffers) {
  launches[function].push_back({static_cast<uint32_t>(kernels.size()),
                                static_cast<uint32_t>(places[function].size()),
                                static_cast<uint32_t>(buffers.size()), 0});
  places[function].insert(places[function].end(), buffers.begin(), buffers.end());
  kernels.push_back({"of the test", kernel, 1});
  describe();
}

void OtherTables::describe() {
  for (uint32_t i = 0; i < DLC_FUNCTIONS; ++i)
    functions[i] = {launches[i].data(),
                    places[i].data(),
                    copySizes.data(),
                    static_cast<uint32_t>(launches[i].size()),
                    static_cast<uint32_t>(places[i].size()),
                    static_cast<uint32_t>(copySizes.size()),
                    0};
  target.kernels = kernels.data();
  target.kernel_count = static_cast<uint32_t>(kernels.size());
  target.functions = functions;
  model.targets = &target;
}

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
  create.device = options.device;
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
