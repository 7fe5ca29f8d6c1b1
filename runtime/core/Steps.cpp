//===- Steps.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The calls that run compiled code: training, evaluation, prediction. All checks come first (CallChecks.cpp),
// so that a refused call leaves the state as it was.
//===----------------------------------------------------------------------===//
#include "runtime/core/CallChecks.h"
#include "runtime/core/Guard.h"

#include <cinttypes>

namespace dlc::runtime {

namespace {

dlc_status checkFunction(dlc_instance &instance, dlc_function_kind function, const char *name) {
  if (instance.model->functions >> function & 1)
    return DLC_OK;
  return instance.error.fail(DLC_UNAVAILABLE, "%s was compiled without %s", instance.model->name, name);
}

void start(dlc_instance &instance, dlc_function_kind function, const void *const *inputs) {
  const CallMemory call = {inputs, instance.outputs.data(), instance.dims.data(), instance.ranks};
  instance.backend->run(*instance.device, function, call);
  instance.running = true;
}

dlc_status run(dlc_instance &instance, dlc_function_kind function, const void *const *inputs) {
  start(instance, function, inputs);
  return settle(instance);
}

bool isAtBounds(const dlc_instance &instance) {
  const dlc_model &model = *instance.model;
  if (instance.takesOpenForms)
    return false;
  for (uint32_t i = 0; i < model.dim_count; ++i)
    if (instance.dims[i] != model.dims[i].bound)
      return false;
  return true;
}

} // namespace

dlc_status checkLeast(dlc_instance &instance, uint32_t dim, int64_t size, int64_t bound) {
  const dlc_dim &named = instance.model->dims[dim];
  if (size >= named.least)
    return DLC_OK;
  return instance.error.fail(DLC_INVALID_ARGUMENT,
                             "%s: size %" PRId64 " of '%s', expected %" PRId64 " to %" PRId64
                             " in a training step: batch normalization has one value of each channel, so that "
                             "the normalized one is 0 whatever it was",
                             instance.model->name, size, named.name, named.least, bound);
}

namespace {

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
  if (dlc_status status = setSizes(instance, sizes.rows, sizes.others))
    return status;
  for (uint32_t i = instance.ranks ? 1 : 0; i < model.dim_count; ++i) // ranks look at the rows of all
    if (dlc_status status = checkLeast(instance, i, instance.dims[i], model.dims[i].bound))
      return status;
  return DLC_OK;
}

/// The function for any sizes.
constexpr dlc_function_kind openOf(dlc_function_kind function) {
  return static_cast<dlc_function_kind>(DLC_TRAIN_STEP_N + (function - DLC_TRAIN_STEP));
}
static_assert(openOf(DLC_GRAD_STEP) == DLC_GRAD_STEP_N && openOf(DLC_ACCUMULATE) == DLC_ACCUMULATE_N,
              "dlc_function_kind has both in the same order");

/// The rows of the call whose sizes are set.
int64_t rowsOf(const dlc_instance &instance) {
  const dlc_model &model = *instance.model;
  return model.batch <= 0 ? 1 : model.dim_count ? instance.dims[0] : model.batch;
}

/// What comes before the first launch.
dlc_status prepareTraining(dlc_instance &instance, dlc_function_kind function, const char *name,
                           const Sizes &sizes, const void *const *inputs) {
  if (dlc_status status = checkFunction(instance, sizes.atBounds ? function : openOf(function), name))
    return status;
  if (dlc_status status = refuseAverage(instance))
    return status;
  if (dlc_status status = setTrainingSizes(instance, sizes))
    return status;
  if (dlc_status status = checkInputs(instance, function, inputs))
    return status;
  if (dlc_status status = keepState(instance))
    return status;
  if (instance.tellsMetrics) // while the labels are there
    instance.stepMetrics.count = countOf(instance, rowsOf(instance), inputs);
  return DLC_OK;
}

/// What comes after the last one was started. Without `loss` it need not be waited for.
dlc_status finishTraining(dlc_instance &instance, dlc_function_kind function, float *loss) {
  if (dlc_status status = checkStep(instance, &instance.stepLoss))
    return status;
  instance.hasLoss = instance.newLoss = true;
  instance.hasMetrics = instance.newMetrics = instance.tellsMetrics;
  if (function != DLC_TRAIN_STEP)
    instance.hasGradients = true;
  else
    instance.hasGradNorm = instance.newNorm = true;
  instance.keepsGradients = function != DLC_TRAIN_STEP;
  if (!loss && instance.running)
    return instance.deviceStatus();
  dlc_status status = settle(instance);
  if (loss && status == DLC_OK)
    *loss = instance.loss;
  return status;
}

dlc_status runTraining(dlc_instance *handle, dlc_function_kind function, const char *name, const Sizes &sizes,
                       const void *const *inputs, float *loss) {
  if (loss)
    *loss = 0;
  Call call(handle);
  if (call.refused())
    return call.status();
  dlc_instance &instance = *handle;
  if (dlc_status status = prepareTraining(instance, function, name, sizes, inputs))
    return status;
  start(instance, isAtBounds(instance) ? function : openOf(function), inputs);
  return finishTraining(instance, function, loss);
}

dlc_status beginSlices(dlc_instance *handle, const char *name, const Sizes &sizes,
                       const void *const *inputs) {
  Call call(handle);
  if (call.refused())
    return call.status();
  dlc_instance &instance = *handle;
  const int64_t steps = dlc_instance_step_count(handle);
  if (dlc_status status = prepareTraining(instance, DLC_TRAIN_STEP, name, sizes, inputs))
    return status;
  instance.sliced = isAtBounds(instance) ? DLC_TRAIN_STEP : openOf(DLC_TRAIN_STEP);
  instance.stepsBefore = steps;
  if (instance.backend->begin)
    instance.backend->begin(*instance.device, instance.sliced,
                            {inputs, instance.outputs.data(), instance.dims.data()});
  else
    start(instance, instance.sliced, inputs);
  instance.isInSlices = true;
  return instance.deviceStatus();
}

dlc_status runSlice(dlc_instance *handle, int64_t microseconds, int32_t *done) {
  if (done)
    *done = 0;
  Call call(handle, Call::Kind::Slice);
  if (call.refused())
    return call.status();
  dlc_instance &instance = *handle;
  if (!done)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "where to write whether the step is done is NULL");
  if (!instance.isInSlices)
    return instance.error.fail(DLC_UNAVAILABLE, "%s: no training step has begun, call train_step_begin first",
                               instance.model->name);
  if (instance.backend->advance &&
      !instance.backend->advance(*instance.device, instance.sliced, microseconds))
    return DLC_OK;
  instance.running = true;
  instance.isInSlices = false;
  *done = 1;
  float loss;
  return finishTraining(instance, DLC_TRAIN_STEP, &loss);
}

/// Runs predict or a derivative, which differ in what they take and give.
dlc_status runPrediction(dlc_instance *handle, dlc_function_kind function, const char *name, int64_t rows,
                         const int64_t *sizes, const void *const *inputs, void *const *outputs) {
  Call call(handle);
  if (call.refused())
    return call.status();
  dlc_instance &instance = *handle;
  const dlc_model &model = *instance.model;
  if (dlc_status status = checkFunction(instance, function, name))
    return status;
  if (dlc_status status = setSizes(instance, rows, sizes))
    return status;
  if (dlc_status status = checkInputs(instance, function, inputs))
    return status;
  if (dlc_status status = checkOutputs(instance, function, inputs, outputs))
    return status;
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (gives(function, model.outputs[i]))
      instance.outputs[i] = outputs[i];
  clearIndexRanges(instance);
  const dlc_status status = run(instance, function, inputs);
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (gives(function, model.outputs[i]))
      instance.outputs[i] = nullptr;
  return status == DLC_OK ? checkIndexRanges(instance) : status;
}

} // namespace

dlc_status prepareShare(dlc_instance &instance, bool takesAnyRows, int64_t rows, const void *const *inputs) {
  const Sizes sizes = takesAnyRows ? Sizes{false, rows, nullptr} : bounds;
  return prepareTraining(instance, DLC_ACCUMULATE, "a training step of ranks", sizes, inputs);
}

} // namespace dlc::runtime

using dlc::runtime::bounds;
using dlc::runtime::Call;

extern "C" {

dlc_status dlc_instance_train_step(dlc_instance *instance, const void *const *inputs, float *loss) {
  return dlc::runtime::runTraining(instance, DLC_TRAIN_STEP, "a training step", bounds, inputs, loss);
}

dlc_status dlc_instance_train_step_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                     const void *const *inputs, float *loss) {
  return dlc::runtime::runTraining(instance, DLC_TRAIN_STEP, "training steps of any size",
                                   {false, rows, sizes}, inputs, loss);
}

dlc_status dlc_instance_train_step_begin(dlc_instance *instance, const void *const *inputs) {
  return dlc::runtime::beginSlices(instance, "a training step", bounds, inputs);
}

dlc_status dlc_instance_train_step_begin_n(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                           const void *const *inputs) {
  return dlc::runtime::beginSlices(instance, "training steps of any size", {false, rows, sizes}, inputs);
}

dlc_status dlc_instance_train_step_continue(dlc_instance *instance, int64_t microseconds, int32_t *done) {
  return dlc::runtime::runSlice(instance, microseconds, done);
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

dlc_status dlc_instance_step_metrics(dlc_instance *instance, dlc_metrics *metrics) {
  if (!metrics)
    return DLC_INVALID_ARGUMENT;
  *metrics = dlc_metrics{};
  Call call(instance);
  if (call.refused())
    return call.status();
  if (!instance->tellsMetrics)
    return instance->error.fail(DLC_UNAVAILABLE,
                                "%s: its training steps do not count what they predict right: compile with "
                                "--step-metrics (a session: with its option step_metrics)",
                                instance->model->name);
  if (dlc_status status = dlc::runtime::settle(*instance))
    return status;
  if (!instance->hasMetrics)
    return instance->error.fail(DLC_UNAVAILABLE, "%s: no training step has run yet", instance->model->name);
  *metrics = instance->metrics;
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
  if (dlc_status status = dlc::runtime::checkInputs(*instance, DLC_EVAL_STEP, inputs))
    return status;
  instance->lossSum = instance->lossWeight = 0;
  instance->correct = 0;
  dlc::runtime::clearIndexRanges(*instance);
  if (dlc_status status = dlc::runtime::run(*instance, DLC_EVAL_STEP, inputs))
    return status;
  if (dlc_status status = dlc::runtime::checkIndexRanges(*instance))
    return status;
  *metrics = dlc_metrics{instance->lossSum, instance->lossWeight, instance->correct,
                         dlc::runtime::countOf(*instance, rows, inputs)};
  return DLC_OK;
}

dlc_status dlc_instance_predict(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                                const void *const *inputs, void *const *outputs) {
  return dlc::runtime::runPrediction(instance, DLC_PREDICT, "prediction", rows, sizes, inputs, outputs);
}

dlc_status dlc_instance_vjp(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                            const void *const *inputs, void *const *outputs) {
  return dlc::runtime::runPrediction(instance, DLC_VJP, "vjp", rows, sizes, inputs, outputs);
}

dlc_status dlc_instance_jvp(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                            const void *const *inputs, void *const *outputs) {
  return dlc::runtime::runPrediction(instance, DLC_JVP, "jvp", rows, sizes, inputs, outputs);
}

dlc_status dlc_instance_hvp(dlc_instance *instance, int64_t rows, const int64_t *sizes,
                            const void *const *inputs, void *const *outputs) {
  return dlc::runtime::runPrediction(instance, DLC_HVP, "hvp", rows, sizes, inputs, outputs);
}

} // extern "C"
