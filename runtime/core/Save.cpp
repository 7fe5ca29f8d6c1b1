//===- Save.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an instance's state as a safetensors file, or as its bytes in memory: parameters, buffers, the
// optimizer's state, hyperparameters, random state and step count, each by its name and in its logical form.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/Instance.h"
#include "runtime/core/Layout.h"
#include "runtime/core/SafetensorsWriter.h"

namespace dlc::runtime {

namespace {

/// Kinds of symbols, as bits: what training needs to go on, and what another program needs to predict.
constexpr uint32_t weightKinds = 1u << DLC_PARAMETER | 1u << DLC_BUFFER;
constexpr uint32_t allKinds = ~(1u << DLC_GRADIENT | 1u << DLC_CONSTANT);

/// The extras of a checkpoint; null for a file of weights, which has weights alone.
const Extras *extrasOf(const dlc_instance &instance, uint32_t kinds) {
  return kinds == allKinds ? &instance.extras : nullptr;
}

/// Calls `visit` for all symbols of these kinds, those with the largest values first: then each tensor begins
/// at a multiple of its value's size, whatever the shapes are.
template <typename Visit> dlc_status forEach(const dlc_model &model, uint32_t kinds, Visit visit) {
  for (size_t size = 8; size > 0; size /= 2)
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (kinds >> model.symbols[i].kind & 1 && dtypeBytes(model.symbols[i].dtype) == size)
        if (dlc_status status = visit(model.symbols[i]))
          return status;
  return DLC_OK;
}

dlc_status describe(const dlc_model &model, uint32_t kinds, SafetensorsWriter &header, Error &error) {
  forEach(model, kinds, [&](const dlc_symbol &symbol) {
    header.add(symbol.name, symbol.dtype, symbol.rank, symbol.shape, logicalBytes(symbol));
    return DLC_OK;
  });
  return header.finish(error);
}

template <typename Output>
dlc_status writeTensors(const dlc_instance &instance, uint32_t kinds, Output &output, Error &error) {
  size_t largest = 0; // of those that have to be put into logical order first
  forEach(*instance.model, kinds, [&](const dlc_symbol &symbol) {
    size_t bytes = logicalBytes(symbol);
    if (!instance.view(symbol) && bytes > largest)
      largest = bytes;
    return DLC_OK;
  });
  Array<unsigned char> logical;
  if (!logical.allocate(largest))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to save it", instance.model->name);
  return forEach(*instance.model, kinds, [&](const dlc_symbol &symbol) {
    const void *values = instance.view(symbol);
    if (!values) {
      instance.fetch(symbol, logical.data());
      if (dlc_status status = instance.deviceStatus(error))
        return status;
      values = logical.data();
    }
    return output.write(values, logicalBytes(symbol), error);
  });
}

dlc_status save(dlc_instance *instance, const char *path, uint32_t kinds) {
  Error &error = instance->error;
  if (!path || !*path)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: no path to save to", instance->model->name);
  SafetensorsWriter header(instance->model->name, extrasOf(*instance, kinds));
  if (dlc_status status = describe(*instance->model, kinds, header, error))
    return status;
  AtomicFile file;
  if (dlc_status status = file.open(path, error))
    return status;
  if (dlc_status status = header.write(file, error))
    return status;
  if (dlc_status status = writeTensors(*instance, kinds, file, error))
    return status;
  return file.commit(error);
}

/// Memory that has been seen to be large enough.
class MemoryOutput {
public:
  explicit MemoryOutput(void *memory) : next(static_cast<unsigned char *>(memory)) {}
  dlc_status write(const void *data, size_t count, Error &) {
    memcpy(next, data, count);
    next += count;
    return DLC_OK;
  }

private:
  unsigned char *next;
};

dlc_status save(dlc_instance *instance, void *buffer, size_t bytes, size_t *needed, uint32_t kinds) {
  Error &error = instance->error;
  const char *name = instance->model->name;
  if (!needed)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: where to write the number of bytes is NULL", name);
  SafetensorsWriter header(name, extrasOf(*instance, kinds));
  if (dlc_status status = describe(*instance->model, kinds, header, error))
    return status;
  *needed = header.fileBytes();
  if (!buffer && bytes == 0)
    return DLC_OK;
  if (!buffer)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: the buffer to save to is NULL", name);
  if (bytes < *needed)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: the buffer to save to has %zu bytes, expected at least %zu",
                      name, bytes, *needed);
  MemoryOutput output(buffer);
  if (dlc_status status = header.write(output, error))
    return status;
  return writeTensors(*instance, kinds, output, error);
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_instance_save(dlc_instance *instance, const char *path) {
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  if (dlc_status status = dlc::runtime::refuseAverage(*instance))
    return status;
  return dlc::runtime::save(instance, path, dlc::runtime::allKinds);
}

extern "C" dlc_status dlc_instance_save_weights(dlc_instance *instance, const char *path) {
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  return dlc::runtime::save(instance, path, dlc::runtime::weightKinds);
}

extern "C" dlc_status dlc_instance_save_to_memory(dlc_instance *instance, void *buffer, size_t bytes,
                                                  size_t *needed) {
  if (needed)
    *needed = 0;
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  if (dlc_status status = dlc::runtime::refuseAverage(*instance))
    return status;
  return dlc::runtime::save(instance, buffer, bytes, needed, dlc::runtime::allKinds);
}

extern "C" dlc_status dlc_instance_save_weights_to_memory(dlc_instance *instance, void *buffer, size_t bytes,
                                                          size_t *needed) {
  if (needed)
    *needed = 0;
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  return dlc::runtime::save(instance, buffer, bytes, needed, dlc::runtime::weightKinds);
}
