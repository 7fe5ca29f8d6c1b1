//===- Create.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Creates and destroys instances.
//===----------------------------------------------------------------------===//
#include "runtime/core/Guard.h"
#include "runtime/cpu/Features.h"

#include <algorithm>
#include <cinttypes>
#include <cstdio>

#if defined(__linux__)
#include <sys/mman.h>
#endif

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
  uint32_t missing = model.cpu_features & ~cpuFeatures();
  if (missing) {
    char names[256];
    describeFeatures(missing, names, sizeof names);
    return error.fail(
        DLC_UNSUPPORTED_CPU,
        "%s was compiled for a CPU with %s, which this one lacks: compile it with a smaller --cpu",
        model.name, names);
  }
  return DLC_OK;
}

dlc_status allocateArena(dlc_instance &instance, const dlc_create_options &options, Error &error) {
  const dlc_model &model = *instance.model;
  if (options.arena) {
    if (reinterpret_cast<uintptr_t>(options.arena) % 64 != 0)
      return error.fail(DLC_INVALID_ARGUMENT, "%s: the arena at %p is not aligned to 64 bytes", model.name,
                        options.arena);
    if (options.arena_bytes < model.arena_bytes)
      return error.fail(DLC_INVALID_ARGUMENT, "%s: the arena has %zu bytes, expected at least %" PRIu64,
                        model.name, options.arena_bytes, model.arena_bytes);
    instance.arena = static_cast<unsigned char *>(options.arena);
    return DLC_OK;
  }
  // Large pages where the arena fills at least half of one: a step walks through the whole arena, and where
  // small pages lie, and with it which of them evict each other from the cache, is chance.
  constexpr uint64_t largePage = 2u << 20;
  const bool large = model.arena_bytes >= largePage / 2;
  const uint64_t unit = large ? largePage : 64;
  const uint64_t bytes = std::max<uint64_t>(1, (model.arena_bytes + unit - 1) / unit) * unit;
  if (posix_memalign(&instance.ownedArena, unit, bytes) != 0) {
    instance.ownedArena = nullptr;
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the arena of %" PRIu64 " bytes", model.name,
                      model.arena_bytes);
  }
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (large)
    madvise(instance.ownedArena, bytes, MADV_HUGEPAGE);
#endif
  instance.arena = static_cast<unsigned char *>(instance.ownedArena);
  return DLC_OK;
}

/// The constants of a call: sizes at their bounds, scalar results in the instance itself.
dlc_status prepareCalls(dlc_instance &instance, Error &error) {
  const dlc_model &model = *instance.model;
  size_t stateBytes = 0;
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (isChangedBySteps(model.symbols[i]))
      stateBytes += model.symbols[i].bytes;
  if (!instance.dims.allocate(model.dim_count) || !instance.outputs.allocate(model.output_count) ||
      ((instance.checkFinite || checksIndices(model)) && !instance.backup.allocate(stateBytes)))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", model.name);
  for (uint32_t i = 0; i < model.dim_count; ++i)
    instance.dims[i] = model.dims[i].bound;
  for (uint32_t i = 0; i < model.output_count; ++i)
    switch (model.outputs[i].role) {
    case DLC_OUTPUT_LOSS:
      instance.outputs[i] = &instance.stepLoss;
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
  return options.use_seed ? dlc_instance_set_seed(&instance, options.seed) : DLC_OK;
}

dlc_status fillInstance(dlc_instance &instance, const dlc_create_options &options, Error &error) {
  instance.checkFinite = options.check_finite != 0;
  if (dlc_status status = allocateArena(instance, options, error))
    return status;
  if (dlc_status status = prepareCalls(instance, error))
    return status;
  if (dlc_status status = initializeState(instance, options, error))
    return status;
  instance.context = createThreadPool(options.threads, error);
  return instance.context ? DLC_OK : DLC_OUT_OF_MEMORY;
}

dlc_status createInstance(const dlc_model &model, uint32_t headerAbi, uint64_t headerFingerprint,
                          const dlc_create_options &options, dlc_instance **out, Error &error) {
  if (dlc_status status = checkVersions(model, headerAbi, headerFingerprint, error))
    return status;
  if (dlc_status status = checkModel(model, error))
    return status;
  if (options.threads < 0 || options.threads > maxThreads)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: threads is %d, expected 0 (one per core) to %d", model.name,
                      options.threads, maxThreads);
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
  dlc_status status =
      options && !dlc::runtime::copyOptions(options, known)
          ? error.fail(DLC_INVALID_ARGUMENT,
                       "struct_size is %zu, expected %zu, or a newer option is not zero",
                       options->struct_size, sizeof known)
          : dlc::runtime::createInstance(*model, header_abi, header_fingerprint, known, out, error);
  error.copyTo(known.error, known.error_bytes);
  return status;
}

extern "C" void dlc_instance_destroy(dlc_instance *instance) {
  if (!instance)
    return;
  dlc::runtime::destroyThreadPool(instance->context);
  free(instance->ownedArena);
  dlc::runtime::destroyObjects(instance, 1);
}

extern "C" const char *dlc_instance_last_remark(const dlc_instance *instance) {
  return instance ? instance->remark.text : "";
}

extern "C" const char *dlc_instance_last_error(const dlc_instance *instance) {
  return instance ? instance->error.text : "the handle is NULL";
}
