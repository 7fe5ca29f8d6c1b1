//===- Guard.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/core/Guard.h"
#include "runtime/core/DType.h"

#include <cinttypes>
#include <cmath>

namespace dlc::runtime {

namespace {

/// What an output of the role DLC_OUTPUT_INDEX_RANGE holds.
enum IndexRange { Smallest, Largest, Low, Limit, rangeNumbers };

/// Copies all state that a step may change, or puts it back.
void copyState(dlc_instance &instance, bool restore) {
  unsigned char *saved = static_cast<unsigned char *>(instance.backup);
  for (uint32_t i = 0; i < instance.model->symbol_count; ++i) {
    const dlc_symbol &symbol = instance.model->symbols[i];
    if (!isChangedBySteps(symbol))
      continue;
    const dlc_placement &placement = instance.placementOf(symbol);
    void *memory = instance.device->arena + placement.offset;
    instance.backend->copy(*instance.device, restore ? memory : saved, restore ? saved : memory,
                           placement.bytes);
    saved += placement.bytes;
  }
}

bool keepsState(const dlc_instance &instance) {
  return instance.checkFinite || instance.indexRanges.size() != 0;
}

/// Gradients, parameters and what else a step has changed. The sentence names the parameter.
dlc_status checkStateFinite(dlc_instance &instance) {
  const dlc_model &model = *instance.model;
  for (uint32_t i = 0; i < model.symbol_count; ++i) {
    const dlc_symbol &symbol = model.symbols[i];
    if (!isChangedBySteps(symbol))
      continue;
    const dlc_placement &placement = instance.placementOf(symbol);
    if (instance.backend->allFinite(*instance.device, symbol.dtype, instance.device->arena + placement.offset,
                                    placement.bytes / dtypeBytes(symbol.dtype)))
      continue;
    if (dlc_status status = instance.deviceStatus())
      return status;
    // A gradient's own name is that of its parameter and ".grad".
    return instance.error.fail(DLC_NOT_FINITE,
                               "%s: the call would leave a NaN or infinite value in %s'%s'; the state is as "
                               "before the call",
                               model.name, symbol.kind == DLC_GRADIENT ? "the gradient " : "", symbol.name);
  }
  return DLC_OK;
}

} // namespace

bool checksIndices(const dlc_model &model) {
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (model.outputs[i].role == DLC_OUTPUT_INDEX_RANGE)
      return true;
  return false;
}

dlc_status prepareBackup(dlc_instance &instance, Error &error) {
  if (!instance.checkFinite && !checksIndices(*instance.model))
    return DLC_OK;
  uint64_t bytes = 0;
  for (uint32_t i = 0; i < instance.model->symbol_count; ++i)
    if (isChangedBySteps(instance.model->symbols[i]))
      bytes += instance.target->placements[i].bytes;
  instance.backup = instance.backend->allocate(*instance.device, bytes);
  return instance.backup
             ? DLC_OK
             : error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", instance.model->name);
}

dlc_status prepareIndexRanges(dlc_instance &instance, Error &error) {
  const dlc_model &model = *instance.model;
  size_t count = 0;
  for (uint32_t i = 0; i < model.output_count; ++i)
    count += model.outputs[i].role == DLC_OUTPUT_INDEX_RANGE;
  if (!count)
    return DLC_OK;
  if (!instance.indexRanges.allocate(count * rangeNumbers))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", model.name);
  int64_t *next = instance.indexRanges.data();
  for (uint32_t i = 0; i < model.output_count; ++i)
    if (model.outputs[i].role == DLC_OUTPUT_INDEX_RANGE) {
      instance.outputs[i] = next;
      next += rangeNumbers;
    }
  clearIndexRanges(instance);
  return DLC_OK;
}

void clearIndexRanges(dlc_instance &instance) {
  // The range of no indices at all, which a function that does not write the range leaves.
  for (size_t i = 0; i < instance.indexRanges.size(); ++i)
    instance.indexRanges[i] = i % rangeNumbers == Largest ? -1 : 0;
}

dlc_status checkIndexRanges(dlc_instance &instance) {
  const dlc_model &model = *instance.model;
  for (uint32_t i = 0; i < model.output_count; ++i) {
    if (model.outputs[i].role != DLC_OUTPUT_INDEX_RANGE)
      continue;
    const int64_t *range = static_cast<const int64_t *>(instance.outputs[i]);
    if (range[Smallest] >= range[Low] && range[Largest] < range[Limit])
      continue;
    return instance.error.fail(DLC_INDEX_OUT_OF_RANGE,
                               "%s: the computed indices '%s' reach from %" PRId64 " to %" PRId64
                               ", expected %" PRId64 " to %" PRId64,
                               model.name, model.outputs[i].name, range[Smallest], range[Largest], range[Low],
                               range[Limit] - 1);
  }
  return DLC_OK;
}

dlc_status keepState(dlc_instance &instance) {
  clearIndexRanges(instance);
  if (!keepsState(instance))
    return DLC_OK;
  copyState(instance, /*restore=*/false);
  return instance.deviceStatus();
}

void restoreState(dlc_instance &instance) {
  if (keepsState(instance))
    copyState(instance, /*restore=*/true);
}

dlc_status checkStep(dlc_instance &instance, const float *loss) {
  if (!keepsState(instance))
    return DLC_OK;
  if (dlc_status status = settle(instance))
    return status;
  dlc_status status = checkIndexRanges(instance);
  if (status == DLC_OK && instance.checkFinite && loss && !std::isfinite(*loss))
    status = instance.error.fail(DLC_NOT_FINITE, "%s: the loss is %s; the state is as before the call",
                                 instance.model->name, std::isnan(*loss) ? "NaN" : "infinite");
  if (status == DLC_OK && instance.checkFinite)
    status = checkStateFinite(instance);
  if (status != DLC_OK)
    copyState(instance, /*restore=*/true);
  return status;
}

} // namespace dlc::runtime
