//===- CopyState.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The state of one instance to another one of the same model, such as from the one that trains to the one
// that serves.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/Instance.h"
#include "runtime/core/Layout.h"

namespace dlc::runtime {

namespace {

/// What save writes.
bool isState(const dlc_symbol &symbol) { return symbol.kind != DLC_GRADIENT && symbol.kind != DLC_CONSTANT; }

bool isSame(const dlc_symbol &one, const dlc_symbol &other) {
  bool same = one.kind == other.kind && one.dtype == other.dtype && one.rank == other.rank &&
              strcmp(one.name, other.name) == 0;
  for (uint32_t i = 0; same && i < one.rank; ++i)
    same = one.shape[i] == other.shape[i];
  return same;
}

/// Compiled for other machines, or in another way, a model has the same tensors in other places.
bool isSame(const dlc_model &one, const dlc_model &other) {
  if (&one == &other)
    return true;
  bool same = one.fingerprint == other.fingerprint && one.symbol_count == other.symbol_count;
  for (uint32_t i = 0; same && i < one.symbol_count; ++i)
    same = isSame(one.symbols[i], other.symbols[i]);
  return same;
}

class StateCopy {
public:
  StateCopy(dlc_instance &to, dlc_instance &from) : to(to), from(from), model(*to.model) {}

  dlc_status run() {
    if (dlc_status status = check())
      return status;
    const bool isDirect = to.target == from.target && to.backend->kind == DLC_TARGET_CPU;
    if (dlc_status status = isDirect ? DLC_OK : stage())
      return status;
    if (!extras.copy(from.extras))
      return to.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to copy a state", model.name);
    forgetSteps();
    to.extras.swap(extras);
    isDirect ? copyPlaces() : storeStaged();
    return to.deviceStatus();
  }

private:
  static unsigned char *memoryIn(dlc_instance &instance, uint32_t symbol) {
    return instance.device->arena + instance.target->placements[symbol].offset;
  }

  dlc_status check() {
    if (!isSame(model, *from.model))
      return to.error.fail(DLC_INVALID_ARGUMENT,
                           "%s: cannot take the state of an instance of another model, %s: names, shapes or "
                           "dtypes of the two differ",
                           model.name, from.model->name);
    if (to.usesAverage || from.usesAverage)
      return to.error.fail(DLC_UNAVAILABLE,
                           "%s: the averages are in the places of the parameters of the instance that is "
                           "copied %s; call use_average with 0 there first",
                           model.name, to.usesAverage ? "to" : "from");
    return to.checkFinite ? checkFinite() : DLC_OK;
  }

  dlc_status checkFinite() {
    for (uint32_t i = 0; i < model.symbol_count; ++i) {
      const dlc_symbol &symbol = from.model->symbols[i];
      const uint64_t count = from.target->placements[i].bytes / dtypeBytes(symbol.dtype);
      if (isState(symbol) && !from.backend->allFinite(*from.device, symbol.dtype, memoryIn(from, i), count)) {
        if (dlc_status status = from.deviceStatus(to.error))
          return status;
        return to.error.fail(DLC_NOT_FINITE,
                             "%s: the state to be copied has a NaN or infinite value in '%s'; the state is "
                             "as before the call",
                             model.name, symbol.name);
      }
    }
    return DLC_OK;
  }

  static size_t stagedBytes(const dlc_symbol &symbol) { return (logicalBytes(symbol) + 7) / 8 * 8; }

  /// All values first: nothing has changed where there is no memory, or where the other machine fails.
  dlc_status stage() {
    size_t total = 0;
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      total += isState(model.symbols[i]) ? stagedBytes(model.symbols[i]) : 0;
    if (!staged.allocate(total))
      return to.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to copy a state", model.name);
    unsigned char *next = staged.data();
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (isState(model.symbols[i])) {
        from.fetch(from.model->symbols[i], next);
        next += stagedBytes(model.symbols[i]);
      }
    return from.deviceStatus(to.error);
  }

  void storeStaged() {
    const unsigned char *next = staged.data();
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (isState(model.symbols[i])) {
        to.store(model.symbols[i], next);
        next += stagedBytes(model.symbols[i]);
      }
  }

  /// Where both instances lie alike in the memory of one process.
  void copyPlaces() {
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (isState(model.symbols[i]))
        to.backend->copy(*to.device, memoryIn(to, i), memoryIn(from, i), to.target->placements[i].bytes);
  }

  /// Loss and gradients belong to the state that goes.
  void forgetSteps() {
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (model.symbols[i].kind == DLC_GRADIENT)
        initializeSymbol(to, model.symbols[i]);
    to.hasGradients = to.keepsGradients = to.hasLoss = to.hasGradNorm = to.hasMetrics = false;
    to.newLoss = to.newNorm = to.newMetrics = false;
  }

  dlc_instance &to, &from;
  const dlc_model &model;
  Array<unsigned char> staged;
  Extras extras;
};

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status dlc_instance_copy_state(dlc_instance *instance, dlc_instance *from) {
  dlc::runtime::Call call(instance);
  if (call.refused())
    return call.status();
  if (!from || from == instance)
    return instance->error.fail(DLC_INVALID_ARGUMENT, "%s: the instance to copy from is %s",
                                instance->model->name, from ? "the one to copy to" : "NULL");
  dlc::runtime::Call other(from);
  if (other.refused())
    return other.status() == DLC_DEVICE_FAILED ? from->deviceStatus(instance->error) : other.status();
  return dlc::runtime::StateCopy(*instance, *from).run();
}
