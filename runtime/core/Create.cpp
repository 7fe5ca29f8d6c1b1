//===- Create.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates and destroys instances.
//===----------------------------------------------------------------------===//
#include "runtime/core/Guard.h"
#include "runtime/core/Options.h"
#include "runtime/core/Target.h"

#include <cinttypes>
#include <cstdio>

namespace dlc::runtime {

namespace {

dlc_status checkVersions(const dlc_model &model, uint32_t headerAbi, uint64_t headerFingerprint,
                         Error &error) {
  if (model.abi_version != DLC_ABI_VERSION)
    return error.fail(
        DLC_ABI_MISMATCH,
        "the model library has ABI version %u, this runtime expects %u: compile the model again "
        "with the dlc that the runtime belongs to",
        model.abi_version, DLC_ABI_VERSION);
  if (headerAbi != model.abi_version)
    return error.fail(DLC_ABI_MISMATCH,
                      "the model's header has ABI version %u, its library %u: use the header "
                      "that was written with the library",
                      headerAbi, model.abi_version);
  if (headerFingerprint != model.fingerprint)
    return error.fail(DLC_ABI_MISMATCH,
                      "the model's header has fingerprint %016" PRIx64 ", its library %016" PRIx64
                      ": use the header that was written with the library",
                      headerFingerprint, model.fingerprint);
  return DLC_OK;
}

/// "gpu" and "gpu:1" are a "gpu".
bool isOf(const char *device, const char *kind) {
  const size_t length = strlen(kind);
  return strncmp(device, kind, length) == 0 && (!device[length] || device[length] == ':');
}

/// Whether the option names this kind of machine. "cuda" is what PyTorch calls a "gpu".
bool isNamed(const char *device, const Backend &backend) {
  return !device || isOf(device, backend.device) || (isOf("gpu", backend.device) && isOf(device, "cuda"));
}

/// The first target of the model that this machine can run. Where there is none, the status is that of the
/// first one that may be, and each says why.
dlc_status chooseTarget(dlc_instance &instance, const dlc_create_options &options, Error &error) {
  const dlc_model &model = *instance.model;
  dlc_status status = DLC_OK;
  Error devices;
  for (uint32_t i = 0; i < model.target_count; ++i) {
    const Backend &backend = backendOf(model.targets[i]);
    devices.append(" and ", backend.device);
    if (!isNamed(options.device, backend))
      continue;
    Error reason;
    const dlc_status answer = backend.check(model, model.targets[i], options, reason);
    if (answer == DLC_OK) {
      instance.target = &model.targets[i];
      instance.backend = &backend;
      error.text[0] = '\0';
      return DLC_OK;
    }
    status = status == DLC_OK ? answer : status;
    error.append("; ", reason.text);
  }
  if (status != DLC_OK)
    return status;
  if (!model.target_count)
    return error.fail(DLC_ABI_MISMATCH, "%s: the library has code for no machine", model.name);
  return error.fail(DLC_UNSUPPORTED_DEVICE,
                    "%s: device '%s' is asked for, and the library has code for %s only", model.name,
                    Printable(options.device).text, devices.text);
}

/// The constants of a call: sizes at their bounds, scalar results in the instance itself.
dlc_status prepareCalls(dlc_instance &instance, Error &error) {
  const dlc_model &model = *instance.model;
  if (!instance.dims.allocate(model.dim_count) || !instance.outputs.allocate(model.output_count))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", model.name);
  if (dlc_status status = prepareBackup(instance, error))
    return status;
  for (uint32_t i = 0; i < model.dim_count; ++i)
    instance.dims[i] = model.dims[i].bound;
  for (uint32_t i = 0; i < model.output_count; ++i)
    switch (model.outputs[i].role) {
    case DLC_OUTPUT_LOSS:
      instance.outputs[i] = &instance.stepLoss;
      break;
    case DLC_OUTPUT_GRAD_NORM:
      instance.outputs[i] = &instance.stepGradNorm;
      break;
    case DLC_OUTPUT_LOSS_SUM:
      instance.outputs[i] = &instance.lossSum;
      break;
    case DLC_OUTPUT_LOSS_WEIGHT:
      instance.outputs[i] = &instance.lossWeight;
      break;
    case DLC_OUTPUT_CORRECT:
      instance.outputs[i] = &instance.correct;
      break;
    case DLC_OUTPUT_STEP_LOSS_SUM:
      instance.outputs[i] = &instance.stepMetrics.loss_sum;
      break;
    case DLC_OUTPUT_STEP_LOSS_WEIGHT:
      instance.outputs[i] = &instance.stepMetrics.loss_weight;
      break;
    case DLC_OUTPUT_STEP_CORRECT:
      instance.outputs[i] = &instance.stepMetrics.correct;
      instance.tellsMetrics = true;
      break;
    }
  return prepareIndexRanges(instance, error);
}

dlc_status initializeState(dlc_instance &instance, const dlc_create_options &options, Error &error) {
  const dlc_model &model = *instance.model;
  bool needsFile = false;
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    initializeSymbol(instance, model.symbols[i]);
    needsFile |= model.symbols[i].in_weights_file != 0;
  }
  const char *path = options.weights_path ? options.weights_path : needsFile ? model.weights_file : nullptr;
  if (!path && needsFile)
    return error.fail(DLC_INVALID_ARGUMENT, "%s needs a weights file: set weights_path", model.name);
  if (path)
    if (dlc_status status = readInitialWeights(instance, path, error))
      return status;
  if (options.use_seed)
    dlc_instance_set_seed(&instance, options.seed);
  return instance.deviceStatus(error);
}

dlc_status fillInstance(dlc_instance &instance, const dlc_create_options &options, Error &error) {
  instance.checkFinite = options.check_finite != 0;
  if (dlc_status status = chooseTarget(instance, options, error))
    return status;
  if (dlc_status status =
          instance.backend->open(*instance.model, *instance.target, options, instance.device, error))
    return status;
  if (dlc_status status = prepareCalls(instance, error))
    return status;
  return initializeState(instance, options, error);
}

dlc_status createInstance(const dlc_model &model, uint32_t headerAbi, uint64_t headerFingerprint,
                          const dlc_create_options &options, dlc_instance **out, Error &error) {
  if (dlc_status status = checkVersions(model, headerAbi, headerFingerprint, error))
    return status;
  if (dlc_status status = checkModel(model, error))
    return status;
  dlc_instance *instance = createObjects<dlc_instance>(1);
  if (!instance)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", model.name);
  instance->model = &model;
  dlc_status status = fillInstance(*instance, options, error);
  if (status != DLC_OK)
    dlc_instance_destroy(instance);
  else
    *out = instance;
  return status;
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_instance_create(const dlc_model *model, uint32_t header_abi,
                                          uint64_t header_fingerprint, const dlc_create_options *options,
                                          dlc_instance **out) {
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  if (!model)
    return DLC_INVALID_ARGUMENT;
  dlc_create_options known = {};
  dlc::runtime::Error error;
  dlc_status status = options ? dlc::runtime::copyOptions(*options, known, error) : DLC_OK;
  if (status == DLC_OK)
    status = dlc::runtime::createInstance(*model, header_abi, header_fingerprint, known, out, error);
  error.copyTo(known.error, known.error_bytes);
  return status;
}

extern "C" void dlc_instance_destroy(dlc_instance *instance) {
  if (!instance)
    return;
  if (instance->device) {
    instance->backend->release(*instance->device, instance->backup);
    instance->backend->close(instance->device);
  }
  dlc::runtime::destroyObjects(instance, 1);
}

extern "C" const char *dlc_instance_last_remark(const dlc_instance *instance) {
  return instance ? instance->remark.text : "";
}

extern "C" const char *dlc_instance_last_error(const dlc_instance *instance) {
  return instance ? instance->error.text : "the handle is NULL";
}
