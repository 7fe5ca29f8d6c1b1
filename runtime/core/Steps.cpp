//===- Steps.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls that run compiled code: training, evaluation, prediction. All checks come first, so that a
// refused call leaves the state as it was.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/Guard.h"

#include <cinttypes>
#include <cstdio>

namespace dlc::runtime {

namespace {

enum class Inputs { All, WithoutTargets };

/// Sets the actual sizes of the named dims: `rows` of the batch, `sizes` of the others, or their bounds.
dlc_status setSizes(dlc_instance &instance, int64_t rows, const int64_t *sizes = nullptr) {
  const dlc_model &model = *instance.model;
  const int64_t most = model.batch > 0 ? model.batch : 1;
  const int64_t least = model.batch > 0 && model.dim_count == 0 ? most : 1; // a batch of one size only
  if (rows < least || rows > most)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "%s: %" PRId64 " rows, expected %" PRId64 " to %" PRId64,
                               model.name, rows, least, most);
  for (uint32_t i = 1; sizes && i < model.dim_count; ++i)
    if (sizes[i - 1] < 1 || sizes[i - 1] > model.dims[i].bound)
      return instance.error.fail(DLC_INVALID_ARGUMENT, "%s: size %" PRId64 " of '%s', expected 1 to %" PRId64,
                                 model.name, sizes[i - 1], model.dims[i].name, model.dims[i].bound);
  for (uint32_t i = 0; i < model.dim_count; ++i)
    instance.dims[i] = i == 0 ? rows : sizes ? sizes[i - 1] : model.dims[i].bound;
  return DLC_OK;
}

/// Of an input or output, at the actual sizes. Not more than at the bounds, which checkModel has counted.
template <typename Tensor> int64_t elementsOf(const dlc_instance &instance, const Tensor &tensor) {
  int64_t count = 1;
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    if (!tensor.axes) {
      count *= tensor.shape[i];
      continue;
    }
    const dlc_axis &axis = tensor.axes[i];
    count *= axis.factor;
    for (uint32_t d = 0; d < axis.dim_count; ++d)
      count *= instance.dims[axis.dims[d]];
  }
  return count;
}

/// What `correct` counts some of: labels where there are classes, else rows.
int64_t countOf(const dlc_instance &instance, int64_t rows) {
  for (uint32_t i = 0; i < instance.model->input_count; ++i)
    if (const dlc_input &input = instance.model->inputs[i]; input.is_target && input.is_index)
      return elementsOf(instance, input);
  return rows;
}

template <typename T>
dlc_status checkIndices(dlc_instance &instance, const dlc_input &input, const T *values) {
  const int64_t count = elementsOf(instance, input);
  auto valid = [&](int64_t value) {
    return (value >= input.index_low && value < input.index_limit) ||
           (value == input.ignore_index && input.ignore_index != INT64_MIN);
  };
  int64_t first = 0;
  while (first < count && valid(values[first]))
    ++first;
  if (first == count)
    return DLC_OK;
  char ignored[64] = "";
  if (input.ignore_index != INT64_MIN)
    snprintf(ignored, sizeof ignored, " (or %" PRId64 " to ignore the row)", input.ignore_index);
  return instance.error.fail(DLC_INDEX_OUT_OF_RANGE,
                             "input '%s': value %" PRId64 " at position %" PRId64 ", expected %" PRId64
                             " to %" PRId64 "%s",
                             input.name, static_cast<int64_t>(values[first]), first, input.index_low,
                             input.index_limit - 1, ignored);
}

bool isMisaligned(const void *data, uint32_t dtype) {
  return reinterpret_cast<uintptr_t>(data) % dtypeBytes(dtype) != 0;
}

dlc_status checkInputs(dlc_instance &instance, const void *const *inputs, Inputs wanted) {
  const dlc_model &model = *instance.model;
  if (!inputs && model.input_count)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "%s: no inputs", model.name);
  for (uint32_t i = 0; i < model.input_count; ++i) {
    const dlc_input &input = model.inputs[i];
    if (input.is_target && wanted == Inputs::WithoutTargets)
      continue;
    const void *data = inputs[i];
    if (!data)
      return instance.error.fail(DLC_INVALID_ARGUMENT, "input '%s' is NULL", input.name);
    if (isMisaligned(data, input.dtype))
      return instance.error.fail(DLC_INVALID_ARGUMENT, "input '%s' is not aligned to its elements' %zu bytes",
                                 input.name, dtypeBytes(input.dtype));
    if (!input.is_index)
      continue;
    dlc_status status = input.dtype == DLC_I32
                            ? checkIndices(instance, input, static_cast<const int32_t *>(data))
                            : checkIndices(instance, input, static_cast<const int64_t *>(data));
    if (status != DLC_OK)
      return status;
  }
  return DLC_OK;
}

/// Memory of the caller, or the arena.
struct Block {
  const char *what, *name;
  const void *data;
  size_t bytes;

  bool overlaps(const Block &other) const {
    const uintptr_t begin = reinterpret_cast<uintptr_t>(data), from = reinterpret_cast<uintptr_t>(other.data);
    return bytes > 0 && other.bytes > 0 && begin < from + other.bytes && from < begin + bytes;
  }
};

template <typename Tensor>
Block blockOf(const dlc_instance &instance, const char *what, const Tensor &tensor, const void *data) {
  return {what, tensor.name, data,
          static_cast<size_t>(elementsOf(instance, tensor)) * dtypeBytes(tensor.dtype)};
}

dlc_status refuseOverlap(dlc_instance &instance, const Block &output, const Block &other) {
  if (!output.overlaps(other))
    return DLC_OK;
  return instance.error.fail(DLC_INVALID_ARGUMENT, "the memory of output '%s' overlaps that of %s '%s'",
                             output.name, other.what, other.name);
}

/// Predictions go to memory that nothing else of the call uses: a kernel writes one output while another
/// still reads an input.
dlc_status checkOutputs(dlc_instance &instance, const void *const *inputs, void *const *outputs) {
  const dlc_model &model = *instance.model;
  const Block arena = {"the model", model.name, instance.device->arena, instance.target->arena_bytes};
  for (uint32_t i = 0; i < model.output_count; ++i) {
    const dlc_output &output = model.outputs[i];
    if (output.role != DLC_OUTPUT_PREDICTION)
      continue;
    if (!outputs || !outputs[i])
      return instance.error.fail(DLC_INVALID_ARGUMENT, "output '%s' is NULL", output.name);
    if (isMisaligned(outputs[i], output.dtype))
      return instance.error.fail(DLC_INVALID_ARGUMENT,
                                 "output '%s' is not aligned to its elements' %zu bytes", output.name,
                                 dtypeBytes(output.dtype));
    const Block written = blockOf(instance, "output", output, outputs[i]);
    if (dlc_status status = refuseOverlap(instance, written, arena))
      return status;
    for (uint32_t k = 0; k < model.input_count; ++k)
      if (!model.inputs[k].is_target)
        if (dlc_status status =
                refuseOverlap(instance, written, blockOf(instance, "input", model.inputs[k], inputs[k])))
          return status;
    for (uint32_t k = 0; k < i; ++k)
      if (model.outputs[k].role == DLC_OUTPUT_PREDICTION)
        if (dlc_status status =
                refuseOverlap(instance, written, blockOf(instance, "output", model.outputs[k], outputs[k])))
          return status;
  }
  return DLC_OK;
}

dlc_status checkFunction(dlc_instance &instance, dlc_function_kind function, const char *name) {
  if (instance.model->functions >> function & 1)
    return DLC_OK;
  return instance.error.fail(DLC_UNAVAILABLE, "%s was compiled without %s", instance.model->name, name);
}

void start(dlc_instance &instance, dlc_function_kind function, const void *const *inputs) {
  const CallMemory call = {inputs, instance.outputs.data(), instance.dims.data()};
  instance.backend->run(*instance.device, function, call);
  instance.running = true;
}

dlc_status run(dlc_instance &instance, dlc_function_kind function, const void *const *inputs) {
  start(instance, function, inputs);
  return settle(instance);
}

bool isAtBounds(const dlc_instance &instance) {
  const dlc_model &model = *instance.model;
  for (uint32_t i = 0; i < model.dim_count; ++i)
    if (instance.dims[i] != model.dims[i].bound)
      return false;
  return true;
}

/// The sizes of a call that trains.
struct Sizes {
  bool atBounds;
  int64_t rows;
  const int64_t *others;
};
constexpr Sizes bounds = {true, 0, nullptr};

dlc_status setTrainingSizes(dlc_instance &instance, const Sizes &sizes) {
  const dlc_model &model = *instance.model;
  if (sizes.atBounds)
    return setSizes(instance, model.batch > 0 ? model.batch : 1);
  if (model.fixed_batch && sizes.rows != model.batch)
    return instance.error.fail(DLC_INVALID_ARGUMENT,
                               "%s: %" PRId64 " rows, expected %" PRId64
                               ", the only batch that training was compiled for",
                               model.name, sizes.rows, model.batch);
  return setSizes(instance, sizes.rows, sizes.others);
}

/// The function for any sizes.
constexpr dlc_function_kind openOf(dlc_function_kind function) {
  return static_cast<dlc_function_kind>(DLC_TRAIN_STEP_N + (function - DLC_TRAIN_STEP));
}
static_assert(openOf(DLC_GRAD_STEP) == DLC_GRAD_STEP_N && openOf(DLC_ACCUMULATE) == DLC_ACCUMULATE_N,
              "dlc_function_kind has both in the same order");

dlc_status runTraining(dlc_instance *handle, dlc_function_kind function, const char *name, const Sizes &sizes,
                       const void *const *inputs, float *loss) {
  if (loss)
    *loss = 0;
  Call call(handle);
  if (call.refused())
    return call.status();
  dlc_instance &instance = *handle;
  if (dlc_status status = checkFunction(instance, sizes.atBounds ? function : openOf(function), name))
    return status;
  if (dlc_status status = refuseAverage(instance))
    return status;
  if (dlc_status status = setTrainingSizes(instance, sizes))
    return status;
  if (dlc_status status = checkInputs(instance, inputs, Inputs::All))
    return status;
  if (dlc_status status = keepState(instance))
    return status;
  start(instance, isAtBounds(instance) ? function : openOf(function), inputs);
  if (dlc_status status = checkStep(instance, &instance.stepLoss))
    return status;
  instance.hasLoss = instance.newLoss = true;
  if (function != DLC_TRAIN_STEP)
    instance.hasGradients = true;
  else
    instance.hasGradNorm = instance.newNorm = true;
  if (!loss && instance.running) // who does not ask for it need not wait
    return instance.deviceStatus();
  dlc_status status = settle(instance);
  if (loss && status == DLC_OK)
    *loss = instance.loss;
  return status;
}

} // namespace
} // namespace dlc::runtime

using dlc::runtime::bounds;
using dlc::runtime::Call;
using dlc::runtime::Inputs;

extern "C" {

dlc_status dlc_instance_train_step(dlc_instance *instance, const void *const *inputs, float *loss) {
  return dlc::runtime::runTraining(instance, DLC_TRAIN_STEP, "a training step", bounds, inputs, loss);
}

dlc_status dlc_instance_train_step_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                     const void *const *inputs, float *loss) {
  return dlc::runtime::runTraining(instance, DLC_TRAIN_STEP, "training steps of any size",
                                   {false, rows, sizes}, inputs, loss);
}

dlc_status dlc_instance_grad_step(dlc_instance *instance, const void *const *inputs, float *loss) {
  return dlc::runtime::runTraining(instance, DLC_GRAD_STEP, "a gradient step", bounds, inputs, loss);
}

dlc_status dlc_instance_grad_step_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                    const void *const *inputs, float *loss) {
  return dlc::runtime::runTraining(instance, DLC_GRAD_STEP, "gradient steps of any size",
                                   {false, rows, sizes}, inputs, loss);
}

dlc_status dlc_instance_accumulate(dlc_instance *instance, const void *const *inputs, float *loss) {
  return dlc::runtime::runTraining(instance, DLC_ACCUMULATE, "gradient accumulation", bounds, inputs, loss);
}

dlc_status dlc_instance_accumulate_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                     const void *const *inputs, float *loss) {
  return dlc::runtime::runTraining(instance, DLC_ACCUMULATE, "gradient accumulation of any size",
                                   {false, rows, sizes}, inputs, loss);
}

dlc_status dlc_instance_apply(dlc_instance *instance) {
  Call call(instance);
  if (call.refused())
    return call.status();
  if (dlc_status status = dlc::runtime::checkFunction(*instance, DLC_APPLY, "a separate update"))
    return status;
  if (dlc_status status = dlc::runtime::refuseAverage(*instance))
    return status;
  if (!instance->hasGradients)
    return instance->error.fail(DLC_UNAVAILABLE, "%s: no gradients to apply, call grad_step first",
                                instance->model->name);
  if (dlc_status status = dlc::runtime::keepState(*instance))
    return status;
  dlc::runtime::start(*instance, DLC_APPLY, nullptr);
  if (dlc_status status = dlc::runtime::checkStep(*instance, /*loss=*/nullptr))
    return status;
  instance->hasGradNorm = instance->newNorm = true;
  return instance->deviceStatus();
}

dlc_status dlc_instance_sync(dlc_instance *instance, float *loss) {
  if (loss)
    *loss = 0;
  Call call(instance);
  if (call.refused())
    return call.status();
  if (!instance->hasLoss)
    return instance->error.fail(DLC_UNAVAILABLE, "%s: no training step has run yet", instance->model->name);
  if (dlc_status status = dlc::runtime::settle(*instance))
    return status;
  if (loss)
    *loss = instance->loss;
  return DLC_OK;
}

dlc_status dlc_instance_eval_step(dlc_instance *instance, int64_t rows, const void *const *inputs,
                                  dlc_metrics *metrics) {
  return dlc_instance_eval_step_n(instance, rows, nullptr, inputs, metrics);
}

dlc_status dlc_instance_eval_step_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                    const void *const *inputs, dlc_metrics *metrics) {
  if (metrics)
    *metrics = dlc_metrics{};
  Call call(instance);
  if (call.refused())
    return call.status();
  if (!metrics)
    return instance->error.fail(DLC_INVALID_ARGUMENT, "%s: metrics is NULL", instance->model->name);
  if (dlc_status status = dlc::runtime::checkFunction(*instance, DLC_EVAL_STEP, "a loss to evaluate"))
    return status;
  if (dlc_status status = dlc::runtime::setSizes(*instance, rows, sizes))
    return status;
  if (dlc_status status = dlc::runtime::checkInputs(*instance, inputs, Inputs::All))
    return status;
  instance->lossSum = instance->lossWeight = 0;
  instance->correct = 0;
  dlc::runtime::clearIndexRanges(*instance);
  if (dlc_status status = dlc::runtime::run(*instance, DLC_EVAL_STEP, inputs))
    return status;
  if (dlc_status status = dlc::runtime::checkIndexRanges(*instance))
    return status;
  *metrics = dlc_metrics{instance->lossSum, instance->lossWeight, instance->correct,
                         dlc::runtime::countOf(*instance, rows)};
  return DLC_OK;
}

dlc_status dlc_instance_predict(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                const void *const *inputs, void *const *outputs) {
  Call call(instance);
  if (call.refused())
    return call.status();
  const dlc_model &model = *instance->model;
  if (dlc_status status = dlc::runtime::checkFunction(*instance, DLC_PREDICT, "prediction"))
    return status;
  if (dlc_status status = dlc::runtime::setSizes(*instance, rows, sizes))
    return status;
  if (dlc_status status = dlc::runtime::checkInputs(*instance, inputs, Inputs::WithoutTargets))
    return status;
  if (dlc_status status = dlc::runtime::checkOutputs(*instance, inputs, outputs))
    return status;
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (model.outputs[i].role == DLC_OUTPUT_PREDICTION)
      instance->outputs[i] = outputs[i];
  dlc::runtime::clearIndexRanges(*instance);
  const dlc_status status = dlc::runtime::run(*instance, DLC_PREDICT, inputs);
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (model.outputs[i].role == DLC_OUTPUT_PREDICTION)
      instance->outputs[i] = nullptr;
  return status == DLC_OK ? dlc::runtime::checkIndexRanges(*instance) : status;
}

} // extern "C"
