//===- Adopt.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instance of one model has learned goes on in an instance of another one, such as the same model
// after a change.
//===----------------------------------------------------------------------===//
#include "runtime/core/Instance.h"
#include "runtime/core/Layout.h"

namespace dlc::runtime {

namespace {

constexpr uint32_t learned = 1u << DLC_PARAMETER | 1u << DLC_BUFFER | 1u << DLC_OPTIMIZER_STATE;

class Adoption {
public:
  Adoption(dlc_instance &to, dlc_instance &from) : to(to), from(from) {}

  dlc_status run(void (*visit)(void *, const dlc_symbol *, int32_t), void *context) {
    if (dlc_status status = prepare())
      return status;
    if (!to.extras.copy(from.extras))
      return to.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the entries of its checkpoints", to.model->name);
    bool hasSlots = false, keepsSlots = false;
    for (uint32_t i = 0; i < to.model->symbol_count; ++i) {
      const dlc_symbol &symbol = to.model->symbols[i];
      if (!(learned >> symbol.kind & 1))
        continue;
      const bool taken = take(symbol);
      hasSlots |= symbol.kind == DLC_OPTIMIZER_STATE;
      keepsSlots |= symbol.kind == DLC_OPTIMIZER_STATE && taken;
      if (visit)
        visit(context, &symbol, taken);
    }
    // A count of steps that belongs to other slots would make the first updates of these too large.
    for (uint32_t i = 0; i < to.model->symbol_count; ++i)
      if (const dlc_symbol &symbol = to.model->symbols[i];
          symbol.kind == DLC_RNG || (symbol.kind == DLC_STEP_COUNT && (keepsSlots || !hasSlots)))
        take(symbol);
    if (dlc_status status = to.deviceStatus())
      return status;
    return from.deviceStatus(to.error);
  }

private:
  const dlc_symbol *sourceOf(const dlc_symbol &symbol) const {
    const dlc_symbol *source = findSymbol(*from.model, symbol.name, 1u << symbol.kind);
    bool same = source && source->dtype == symbol.dtype && source->rank == symbol.rank;
    for (uint32_t i = 0; same && i < symbol.rank; ++i)
      same = source->shape[i] == symbol.shape[i];
    return same ? source : nullptr;
  }

  /// All memory first: nothing has changed when there is none.
  dlc_status prepare() {
    size_t largest = 0;
    for (uint32_t i = 0; i < to.model->symbol_count; ++i)
      if (size_t bytes = logicalBytes(to.model->symbols[i]); bytes > largest)
        largest = bytes;
    return values.allocate(largest)
               ? DLC_OK
               : to.error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to take over values", to.model->name);
  }

  bool take(const dlc_symbol &symbol) {
    const dlc_symbol *source = sourceOf(symbol);
    if (!source)
      return false;
    from.fetch(*source, values.data());
    to.store(symbol, values.data());
    return true;
  }

  dlc_instance &to, &from;
  Array<unsigned char> values;
};

} // namespace
} // namespace dlc::runtime

extern "C" dlc_status
dlc_instance_adopt(dlc_instance *instance, dlc_instance *from,
                   void (*visit)(void *context, const dlc_symbol *symbol, int32_t taken), void *context) {
  dlc::runtime::Call call(instance), other(from);
  if (call.refused() || other.refused())
    return call.refused() ? call.status() : other.status();
  if (dlc_status status = dlc::runtime::refuseAverage(*from))
    return status;
  return dlc::runtime::Adoption(*instance, *from).run(visit, context);
}
