//===- Parameters.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Access to parameters, hyperparameters and random state by name.
//===----------------------------------------------------------------------===//
#include "runtime/core/Access.h"
#include "runtime/core/DType.h"
#include "runtime/core/Layout.h"

namespace dlc::runtime {

namespace {

constexpr uint32_t parameterKinds = 1u << DLC_PARAMETER | 1u << DLC_BUFFER;
/// read and write also reach the optimizer's state: tests and tools compare it.
constexpr uint32_t accessibleKinds = parameterKinds | 1u << DLC_OPTIMIZER_STATE;

bool isParameter(const dlc_symbol &symbol) { return parameterKinds >> symbol.kind & 1; }

} // namespace

dlc_status find(dlc_instance &instance, const char *name, uint32_t kinds, const char *what,
                const dlc_symbol *&symbol) {
  if (!name)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "the name of the %s is NULL", what);
  symbol = findSymbol(*instance.model, name, kinds);
  if (!symbol)
    return instance.error.fail(DLC_NOT_FOUND, "%s has no %s '%s'", instance.model->name, what,
                               Printable(name).text);
  return DLC_OK;
}

static dlc_status checkBuffer(dlc_instance &instance, const dlc_symbol &symbol, const void *buffer,
                              size_t bytes) {
  size_t expected = logicalBytes(symbol);
  if (bytes != expected)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "'%s' is %s %s, %zu bytes; the buffer has %zu",
                               symbol.name, dtypeName(symbol.dtype),
                               ShapeText(symbol.rank, symbol.shape).text, expected, bytes);
  if (!buffer && bytes)
    return instance.error.fail(DLC_INVALID_ARGUMENT, "the buffer for '%s' is NULL", symbol.name);
  return DLC_OK;
}

dlc_status read(dlc_instance *instance, const char *name, uint32_t kinds, const char *what, void *buffer,
                size_t bytes) {
  const dlc_symbol *symbol = nullptr;
  if (dlc_status status = find(*instance, name, kinds, what, symbol))
    return status;
  if (dlc_status status = checkBuffer(*instance, *symbol, buffer, bytes))
    return status;
  instance->fetch(*symbol, buffer);
  return instance->deviceStatus();
}

dlc_status write(dlc_instance *instance, const char *name, uint32_t kinds, const char *what,
                 const void *buffer, size_t bytes) {
  const dlc_symbol *symbol = nullptr;
  if (dlc_status status = find(*instance, name, kinds, what, symbol))
    return status;
  if (dlc_status status = checkBuffer(*instance, *symbol, buffer, bytes))
    return status;
  if (bytes)
    instance->store(*symbol, buffer);
  return instance->deviceStatus();
}

bool isAllowed(const dlc_symbol &hyperparameter, double value) {
  return hyperparameter.low <= value && value < hyperparameter.limit; // not so for NaN
}

} // namespace dlc::runtime

using dlc::runtime::Call;

extern "C" {

int64_t dlc_instance_parameter_count(const dlc_instance *instance) {
  int64_t count = 0;
  for (uint32_t i = 0; instance && i < instance->model->symbol_count; ++i)
    count += dlc::runtime::isParameter(instance->model->symbols[i]);
  return count;
}

dlc_status dlc_instance_parameter_info(const dlc_instance *instance, int64_t index,
                                       dlc_parameter_info *info) {
  if (!info)
    return DLC_INVALID_ARGUMENT;
  *info = dlc_parameter_info{};
  if (!instance || index < 0)
    return DLC_INVALID_ARGUMENT;
  for (uint32_t i = 0; i < instance->model->symbol_count; ++i) {
    const dlc_symbol &symbol = instance->model->symbols[i];
    if (!dlc::runtime::isParameter(symbol) || index-- > 0)
      continue;
    bool isBuffer = symbol.kind == DLC_BUFFER;
    *info = dlc_parameter_info{
        symbol.name,  static_cast<int32_t>(symbol.dtype), static_cast<int32_t>(symbol.rank),
        symbol.shape, dlc::runtime::logicalBytes(symbol), symbol.trainable && !isBuffer,
        isBuffer};
    return DLC_OK;
  }
  return DLC_INVALID_ARGUMENT;
}

dlc_status dlc_instance_parameter_read(dlc_instance *instance, const char *name, void *buffer, size_t bytes) {
  Call call(instance);
  if (call.refused())
    return call.status();
  return dlc::runtime::read(instance, name, dlc::runtime::accessibleKinds, "parameter", buffer, bytes);
}

dlc_status dlc_instance_parameter_write(dlc_instance *instance, const char *name, const void *buffer,
                                        size_t bytes) {
  Call call(instance);
  if (call.refused())
    return call.status();
  return dlc::runtime::write(instance, name, dlc::runtime::accessibleKinds, "parameter", buffer, bytes);
}

dlc_status dlc_instance_parameter_view(dlc_instance *instance, const char *name, void **data) {
  if (data)
    *data = nullptr;
  Call call(instance);
  if (call.refused())
    return call.status();
  if (!data)
    return instance->error.fail(DLC_INVALID_ARGUMENT, "where to write the address is NULL");
  const dlc_symbol *symbol = nullptr;
  if (dlc_status status =
          dlc::runtime::find(*instance, name, dlc::runtime::accessibleKinds, "parameter", symbol))
    return status;
  *data = instance->view(*symbol);
  if (!*data)
    return instance->error.fail(
        DLC_UNAVAILABLE, "'%s' is stored in another layout or in a device's memory: use read and write",
        name);
  return DLC_OK;
}

dlc_status dlc_instance_set_hyperparameter(dlc_instance *instance, const char *name, double value) {
  Call call(instance);
  if (call.refused())
    return call.status();
  const dlc_symbol *symbol = nullptr;
  if (dlc_status status =
          dlc::runtime::find(*instance, name, 1u << DLC_HYPERPARAMETER, "hyperparameter", symbol))
    return status;
  if (!dlc::runtime::isAllowed(*symbol, value))
    return instance->error.fail(DLC_INVALID_ARGUMENT, "%s is %g, expected at least %g and less than %g", name,
                                value, symbol->low, symbol->limit);
  instance->store(*symbol, &value);
  return instance->deviceStatus();
}

dlc_status dlc_instance_get_hyperparameter(dlc_instance *instance, const char *name, double *value) {
  if (value)
    *value = 0;
  Call call(instance);
  if (call.refused())
    return call.status();
  if (!value)
    return instance->error.fail(DLC_INVALID_ARGUMENT, "where to write the value is NULL");
  const dlc_symbol *symbol = nullptr;
  if (dlc_status status =
          dlc::runtime::find(*instance, name, 1u << DLC_HYPERPARAMETER, "hyperparameter", symbol))
    return status;
  instance->fetch(*symbol, value);
  return instance->deviceStatus();
}

dlc_status dlc_instance_set_seed(dlc_instance *instance, uint64_t seed) {
  Call call(instance);
  if (call.refused())
    return call.status();
  const uint64_t state[2] = {seed, 0};
  for (uint32_t i = 0; i < instance->model->symbol_count; ++i)
    if (instance->model->symbols[i].kind == DLC_RNG)
      instance->store(instance->model->symbols[i], state);
  return instance->deviceStatus(); // a model that draws no random numbers takes any seed
}

int64_t dlc_instance_step_count(const dlc_instance *instance) {
  int64_t count = 0;
  if (instance && instance->isInSlices)
    return instance->stepsBefore;
  for (uint32_t i = 0; instance && i < instance->model->symbol_count; ++i)
    if (instance->model->symbols[i].kind == DLC_STEP_COUNT)
      instance->fetch(instance->model->symbols[i], &count);
  return count;
}

} // extern "C"
