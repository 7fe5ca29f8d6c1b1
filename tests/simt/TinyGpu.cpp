//===- TinyGpu.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tests/simt/TinyGpu.h"

#include <cstring>

namespace tiny {

namespace {

uint32_t threadOf(const dlc_simt *simt) { return simt->sreg(simt, DLC_SIMT_THREAD); }
/// Of the grid.
int64_t globalThread(const dlc_simt *simt) {
  return int64_t{simt->sreg(simt, DLC_SIMT_BLOCK)} * simt->sreg(simt, DLC_SIMT_BLOCK_SIZE) + threadOf(simt);
}

// x, weight, bias; scores; dims. A thread for each score.
void forward(const dlc_simt *simt, void *const *parameters) {
  auto *x = argument<float>(parameters, 0), *weight = argument<float>(parameters, 1),
       *bias = argument<float>(parameters, 2), *scores = argument<float>(parameters, 3);
  const int64_t rows = get(simt, argument<int64_t>(parameters, 4), 0);
  const int64_t row = globalThread(simt) / outputs, out = globalThread(simt) % outputs;
  if (row >= rows)
    return;
  float sum = get(simt, bias + out, 1);
  for (int64_t in = 0; in < inputs; ++in)
    sum += get(simt, x + row * inputs + in, 2) * get(simt, weight + out * inputs + in, 3);
  put(simt, scores + row * outputs + out, sum, 4);
}

struct RowLoss {
  double sum;
  int64_t counts, correct;
};

/// A thread for each row: its errors, and its share of the loss in shared memory.
void lossOfRow(const dlc_simt *simt, void *const *parameters, int64_t rows) {
  auto *scores = argument<float>(parameters, 0), *errors = argument<float>(parameters, 2);
  auto *labels = argument<int64_t>(parameters, 1);
  auto *shares = static_cast<double *>(simt->shared(simt));
  const int64_t row = threadOf(simt);
  if (row < rows) {
    const int64_t label = get(simt, labels + row, 1);
    const bool ignored = label == -100;
    double sum = 0;
    float values[outputs];
    for (int64_t out = 0; out < outputs; ++out) {
      values[out] = get(simt, scores + row * outputs + out, 2);
      const float difference = ignored ? 0 : values[out] - (label == out ? 1.0f : 0.0f);
      put(simt, errors + row * outputs + out, 2 * difference / static_cast<float>(rows), 3);
      sum += difference * difference;
    }
    put(simt, shares + 3 * row, sum, 4);
    put(simt, shares + 3 * row + 1, ignored ? 0.0 : 1.0, 5);
    put(simt, shares + 3 * row + 2, !ignored && (values[1] > values[0] ? 1 : 0) == label ? 1.0 : 0.0, 6);
  }
}

double sumOfShares(const dlc_simt *simt, int64_t rows, int which) {
  auto *shares = static_cast<double *>(simt->shared(simt));
  double sum = 0;
  for (int64_t row = 0; row < rows; ++row)
    sum += get(simt, shares + 3 * row + which, 7);
  return sum;
}

// scores, labels; errors, loss; dims.
void trainingLoss(const dlc_simt *simt, void *const *parameters) {
  const int64_t rows = get(simt, argument<int64_t>(parameters, 4), 0);
  lossOfRow(simt, parameters, rows);
  simt->barrier(simt, 0);
  if (threadOf(simt) == 0)
    put(simt, argument<float>(parameters, 3),
        static_cast<float>(sumOfShares(simt, rows, 0) / static_cast<double>(rows)), 8);
}

// scores, labels; errors, sum, weight, correct; dims.
void evaluation(const dlc_simt *simt, void *const *parameters) {
  const int64_t rows = get(simt, argument<int64_t>(parameters, 6), 0);
  lossOfRow(simt, parameters, rows);
  simt->barrier(simt, 0);
  if (threadOf(simt) != 0)
    return;
  put(simt, argument<double>(parameters, 3), sumOfShares(simt, rows, 0), 8);
  put(simt, argument<double>(parameters, 4), sumOfShares(simt, rows, 1), 9);
  put(simt, argument<int64_t>(parameters, 5), static_cast<int64_t>(sumOfShares(simt, rows, 2)), 10);
}

// x, errors; weight gradient, bias gradient; dims. A block for each output column, a thread for each input
// and one for the bias.
template <bool accumulate> void gradient(const dlc_simt *simt, void *const *parameters) {
  auto *x = argument<float>(parameters, 0), *errors = argument<float>(parameters, 1);
  const int64_t rows = get(simt, argument<int64_t>(parameters, 4), 0);
  const int64_t out = simt->sreg(simt, DLC_SIMT_BLOCK), in = threadOf(simt);
  if (in > inputs)
    return;
  const bool isBias = in == inputs;
  float *place =
      isBias ? argument<float>(parameters, 3) + out : argument<float>(parameters, 2) + out * inputs + in;
  float sum = accumulate ? get(simt, place, 1) : 0;
  for (int64_t row = 0; row < rows; ++row)
    sum += (isBias ? 1 : get(simt, x + row * inputs + in, 2)) * get(simt, errors + row * outputs + out, 3);
  put(simt, place, sum, 4);
}

// scores; mean, random state; dims.
void statistics(const dlc_simt *simt, void *const *parameters) {
  const uint32_t i = threadOf(simt);
  if (i < outputs) {
    float *mean = argument<float>(parameters, 1) + i;
    put(simt, mean, 0.9f * get(simt, mean, 0) + 0.1f * get(simt, argument<float>(parameters, 0) + i, 1), 2);
  } else if (i == outputs) {
    int64_t *drawn = argument<int64_t>(parameters, 2) + 1;
    put(simt, drawn, get(simt, drawn, 3) + 1, 4);
  }
}

// rate, momentum, gradient; momentum of the parameter, parameter; dims.
template <int64_t count> void update(const dlc_simt *simt, void *const *parameters) {
  const int64_t i = globalThread(simt);
  if (i >= count)
    return;
  const auto rate = static_cast<float>(get(simt, argument<double>(parameters, 0), 0)),
             momentum = static_cast<float>(get(simt, argument<double>(parameters, 1), 1));
  float *velocity = argument<float>(parameters, 3) + i, *value = argument<float>(parameters, 4) + i;
  const float next = momentum * get(simt, velocity, 2) + get(simt, argument<float>(parameters, 2) + i, 3);
  put(simt, velocity, next, 4);
  put(simt, value, get(simt, value, 5) - rate * next, 6);
}

// step count; dims.
void countStep(const dlc_simt *simt, void *const *parameters) {
  int64_t *count = argument<int64_t>(parameters, 0);
  put(simt, count, get(simt, count, 0) + 1, 1);
}

constexpr uint32_t R = DLC_ACCESS_READ, W = DLC_ACCESS_WRITE, RW = R | W;
constexpr uint64_t xBytes = sizeof(float) * batch * inputs, scoreBytes = sizeof(float) * batch * outputs,
                   labelBytes = sizeof(int64_t) * batch, weightBytes = sizeof(float) * inputs * outputs,
                   biasBytes = sizeof(float) * outputs;
const dlc_operand forwardOperands[] = {
    {xBytes, R, 0}, {weightBytes, R, 0}, {biasBytes, R, 0}, {scoreBytes, W, 0}};
const dlc_operand lossOperands[] = {{scoreBytes, R, 0}, {labelBytes, R, 0}, {scoreBytes, W, 0}, {4, W, 0}};
const dlc_operand evaluationOperands[] = {{scoreBytes, R, 0}, {labelBytes, R, 0}, {scoreBytes, W, 0},
                                          {8, W, 0},          {8, W, 0},          {8, W, 0}};
const dlc_operand gradientOperands[] = {
    {xBytes, R, 0}, {scoreBytes, R, 0}, {weightBytes, W, 0}, {biasBytes, W, 0}};
const dlc_operand accumulateOperands[] = {
    {xBytes, R, 0}, {scoreBytes, R, 0}, {weightBytes, RW, 0}, {biasBytes, RW, 0}};
const dlc_operand statisticsOperands[] = {{scoreBytes, R, 0}, {biasBytes, RW, 0}, {16, RW, 0}};
const dlc_operand weightOperands[] = {
    {8, R, 0}, {8, R, 0}, {weightBytes, R, 0}, {weightBytes, RW, 0}, {weightBytes, RW, 0}};
const dlc_operand biasOperands[] = {
    {8, R, 0}, {8, R, 0}, {biasBytes, R, 0}, {biasBytes, RW, 0}, {biasBytes, RW, 0}};
const dlc_operand stepOperands[] = {{8, RW, 0}};

template <size_t count>
dlc_device_kernel kernel(const char *name, const dlc_operand (&operands)[count], uint32_t grid,
                         uint32_t block) {
  return {name, name, operands, count, grid, block, 0};
}

} // namespace

GpuTables::GpuTables() : model(tiny::model()), target(*model.targets) {
  kernels = {kernel("forward", forwardOperands, batch, outputs),
             kernel("loss", lossOperands, 1, blockOfLoss),
             kernel("evaluation", evaluationOperands, 1, blockOfLoss),
             kernel("gradient", gradientOperands, outputs, 32),
             kernel("accumulate", accumulateOperands, outputs, 32),
             kernel("statistics", statisticsOperands, 1, 32),
             kernel("update_weight", weightOperands, 2, 3),
             kernel("update_bias", biasOperands, 1, 4),
             kernel("count_step", stepOperands, 1, 1)};
  const Code codes[] = {forward,
                        trainingLoss,
                        evaluation,
                        gradient<false>,
                        gradient<true>,
                        statistics,
                        update<inputs * outputs>,
                        update<outputs>,
                        countStep};
  for (size_t i = 0; i < kernels.size(); ++i)
    simtKernels.push_back({kernels[i].entry, codes[i], kernels[i].operands, kernels[i].operand_count,
                           3 * batch * sizeof(double), model.dim_count, 0});
  memcpy(simt.magic, DLC_SIMT_MAGIC, sizeof simt.magic);
  simt.kernel_count = simtKernels.size();
  simt.kernels = simtKernels.data();
  image = {DLC_IMAGE_SIMT, 0, sizeof simt, &simt};
  target.kind = DLC_TARGET_CUDA;
  target.features = 80;
  target.kernels = nullptr;
  target.device_kernels = kernels.data();
  target.images = &image;
  target.image_count = 1;
  target.backend = &dlc_cuda_backend;
  model.targets = &target;
}

void GpuTables::replace(uint32_t kernel, Code code) { simtKernels[kernel].code = code; }

BothTables::BothTables(bool gpuFirst) : targets{*tiny::model().targets, gpu.target}, model(gpu.model) {
  if (gpuFirst)
    std::swap(targets[0], targets[1]);
  model.targets = targets.data();
  model.target_count = 2;
}

} // namespace tiny
