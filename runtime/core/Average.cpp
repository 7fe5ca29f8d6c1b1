//===- Average.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Parameters and their moving averages change places, and back.
//===----------------------------------------------------------------------===//
#include "runtime/core/Instance.h"

namespace dlc::runtime {

namespace {

/// Both lie alike, which checkModel has seen to.
void exchange(dlc_instance &instance, const dlc_symbol &average, const dlc_symbol &parameter) {
  const dlc_placement &placement = instance.placementOf(average);
  instance.backend->exchange(*instance.device, instance.device->arena + placement.offset,
                             instance.device->arena + instance.placementOf(parameter).offset,
                             placement.bytes);
}

bool hasAverages(const dlc_model &model) {
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (model.symbols[i].average_of)
      return true;
  return false;
}

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_instance_use_average(dlc_instance *instance, int32_t use) {
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  const dlc_model &model = *instance->model;
  if (!dlc::runtime::hasAverages(model))
    return instance->error.fail(DLC_UNAVAILABLE, "%s was compiled without averages (--ema-decay)",
                                model.name);
  if (use && dlc_instance_step_count(instance) == 0)
    return instance->error.fail(DLC_UNAVAILABLE, "%s: no step has been made that could be averaged",
                                model.name);
  if (instance->usesAverage == (use != 0))
    return DLC_OK;
  for (uint32_t i = 0; i < model.symbol_count; ++i)
    if (model.symbols[i].average_of)
      dlc::runtime::exchange(*instance, model.symbols[i], model.symbols[model.symbols[i].average_of - 1]);
  instance->usesAverage = use != 0;
  return instance->deviceStatus();
}
