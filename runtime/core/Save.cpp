//===- Save.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Writes an instance's state as a safetensors file: parameters, buffers, the optimizer's state,
// hyperparameters, random state and step count, each by its name and in its logical form.
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

dlc_status writeHeader(const dlc_model &model, uint32_t kinds, AtomicFile &file, Error &error) {
  SafetensorsWriter header(model.name);
  forEach(model, kinds, [&](const dlc_symbol &symbol) {
    header.add(symbol.name, symbol.dtype, symbol.rank, symbol.shape, logicalBytes(symbol));
    return DLC_OK;
  });
  return header.write(file, error);
}

dlc_status writeTensors(const dlc_instance &instance, uint32_t kinds, AtomicFile &file, Error &error) {
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
    return file.write(values, logicalBytes(symbol), error);
  });
}

dlc_status save(dlc_instance *instance, const char *path, uint32_t kinds) {
  Error &error = instance->error;
  if (!path || !*path)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: no path to save to", instance->model->name);
  AtomicFile file;
  if (dlc_status status = file.open(path, error))
    return status;
  if (dlc_status status = writeHeader(*instance->model, kinds, file, error))
    return status;
  if (dlc_status status = writeTensors(*instance, kinds, file, error))
    return status;
  return file.commit(error);
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
