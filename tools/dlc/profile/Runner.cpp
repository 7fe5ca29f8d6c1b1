//===- Runner.cpp - calls of a compiled model's functions --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Runner.h"
#include "tools/dlc/profile/Stamps.h"
#include <stdexcept>

namespace dlc::tool {

Runner::Runner(const dlc_model &model, dlc_function_kind function, Tensors &tensors,
               const std::string &weights, const std::string &checkpoint, int threads)
    : model(model), function(function), tensors(tensors) {
  char error[512] = "";
  dlc_create_options options = {};
  options.struct_size = sizeof options;
  options.threads = threads;
  options.weights_path = weights.empty() ? nullptr : weights.c_str();
  options.error = error;
  options.error_bytes = sizeof error;
  if (dlc_instance_create(&model, DLC_ABI_VERSION, model.fingerprint, &options, &instance) != DLC_OK)
    throw std::runtime_error(std::string("dlc: error: ") + error);
  if (!checkpoint.empty())
    check(dlc_instance_load(instance, checkpoint.c_str()));
  if (function == DLC_APPLY)
    check(dlc_instance_grad_step(instance, tensors.inputs(), nullptr));
}

Runner::~Runner() { dlc_instance_destroy(instance); }

double Runner::call() {
  const int64_t begin = nanoseconds();
  const dlc_status status = callFunction();
  const int64_t end = nanoseconds();
  check(status);
  return double(end - begin);
}

dlc_status Runner::callFunction() {
  const int64_t rows = model.batch > 0 ? model.batch : 1;
  dlc_metrics metrics;
  switch (function) {
  case DLC_TRAIN_STEP:
    return dlc_instance_train_step(instance, tensors.inputs(), nullptr);
  case DLC_GRAD_STEP:
    return dlc_instance_grad_step(instance, tensors.inputs(), nullptr);
  case DLC_ACCUMULATE:
    return dlc_instance_accumulate(instance, tensors.inputs(), nullptr);
  case DLC_APPLY:
    return dlc_instance_apply(instance);
  case DLC_EVAL_STEP:
    return dlc_instance_eval_step(instance, rows, tensors.inputs(), &metrics);
  case DLC_PREDICT:
    return dlc_instance_predict(instance, rows, nullptr, tensors.inputs(), tensors.outputs());
  case DLC_VJP:
    return dlc_instance_vjp(instance, rows, nullptr, tensors.inputs(), tensors.outputs());
  case DLC_JVP:
    return dlc_instance_jvp(instance, rows, nullptr, tensors.inputs(), tensors.outputs());
  case DLC_HVP:
    return dlc_instance_hvp(instance, rows, nullptr, tensors.inputs(), tensors.outputs());
  default: // for any sizes: not measured
    break;
  }
  return DLC_UNAVAILABLE;
}

void Runner::check(dlc_status status) {
  if (status != DLC_OK)
    throw std::runtime_error(std::string("dlc: error: ") + dlc_instance_last_error(instance));
}

} // namespace dlc::tool
