//===- Instance.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a handle holds, and the guard that every call on it takes.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_INSTANCE_H
#define DLC_RUNTIME_CORE_INSTANCE_H

#include "dlc/abi.h"
#include "runtime/core/Backend.h"
#include "runtime/core/Extras.h"
#include "runtime/core/Memory.h"

#include <atomic>

struct dlc_instance {
  const dlc_model *model = nullptr;
  const dlc_target *target = nullptr;
  const dlc::runtime::Backend *backend = nullptr; ///< of the target's kind
  dlc::runtime::Device *device = nullptr;
  std::atomic<bool> busy{false};
  bool checkFinite = false;
  bool hasLoss = false;      ///< a training step has run: `loss` is its result
  bool hasGradients = false; ///< grad_step or accumulate has run since create or load
  float loss = 0;

  bool keepsGradients = false; ///< hasGradients, and no train_step has run since
  bool hasGradNorm = false;    ///< the last step has given `gradNorm`
  bool tellsMetrics = false;   ///< steps that train write `stepMetrics`
  bool hasMetrics = false;     ///< the last step has given `metrics`
  /// While a step of several ranks runs: who they are, and whether this one's calls are those for any sizes, also at
  /// the bounds, as sums over ranks are in the order of a function's launches.
  dlc::runtime::Collective *ranks = nullptr;
  bool takesOpenForms = false;
  bool hasShare = false;       ///< the gradients are those of a rank's own rows
  bool usesAverage = false;    ///< parameters and their averages have changed places
  double gradNorm = 0;
  dlc_metrics metrics = {};

  // Where the entry functions put their scalars; `outputs` points at them.
  bool running = false;                      ///< a call has been started and not been waited for
  bool isInSlices = false;                   ///< a training step has begun that goes on in slices
  dlc_function_kind sliced = DLC_TRAIN_STEP; ///< ... by this function
  int64_t stepsBefore = 0;                   ///< ... after so many steps
  bool newLoss = false, newNorm = false;     ///< of a step that counts: not yet in `loss`, `gradNorm`
  bool newMetrics = false;                   ///< ... `metrics`
  float stepLoss = 0;
  double stepGradNorm = 0;
  dlc_metrics stepMetrics = {}; ///< its count is of the host
  double lossSum = 0, lossWeight = 0;
  int64_t correct = 0;
  dlc::runtime::Array<void *> outputs;

  dlc::runtime::Array<int64_t> dims;        ///< actual sizes of the named dims, set before each call
  dlc::runtime::Array<int64_t> indexRanges; ///< where DLC_OUTPUT_INDEX_RANGE outputs are written
  void *backup = nullptr;      ///< of the state on the device, while a call runs that a check can undo
  dlc::runtime::Extras extras; ///< of the caller's
  dlc::runtime::Error error;
  dlc::runtime::Remark remark; ///< about the file that was read last

  /// Fails where the machine has: all that has been asked of it since then has not been done.
  dlc_status deviceStatus(dlc::runtime::Error &sentence) const;
  dlc_status deviceStatus() { return deviceStatus(error); }

  const dlc_placement &placementOf(const dlc_symbol &symbol) const {
    return target->placements[&symbol - model->symbols];
  }
  /// Logical values on the host to a symbol, NULL for zeros; and back.
  void store(const dlc_symbol &symbol, const void *logical) {
    backend->store(*device, symbol, placementOf(symbol), logical);
  }
  void fetch(const dlc_symbol &symbol, void *logical) const {
    backend->fetch(*device, symbol, placementOf(symbol), logical);
  }
  /// The symbol's own memory where the host can read logical values there, else NULL.
  void *view(const dlc_symbol &symbol) const { return backend->view(*device, symbol, placementOf(symbol)); }
};

namespace dlc::runtime {

/// Held during a call on a handle: a second thread gets DLC_BUSY and touches nothing, not even the
/// error sentence. While a step goes on in slices, so does everything that is no slice. Where the machine has
/// failed all calls are refused.
class Call {
public:
  enum class Kind { Whole, Slice };
  explicit Call(dlc_instance *handle, Kind kind = Kind::Whole);
  ~Call() {
    if (instance)
      instance->busy.store(false, std::memory_order_release);
  }
  Call(const Call &) = delete;
  Call &operator=(const Call &) = delete;

  bool refused() const { return refusal != DLC_OK; }
  dlc_status status() const { return refusal; }

private:
  dlc_instance *instance = nullptr; ///< held
  dlc_status refusal = DLC_OK;
};

/// Steps and files are of the parameters themselves.
inline dlc_status refuseAverage(dlc_instance &instance) {
  return instance.usesAverage
             ? instance.error.fail(DLC_UNAVAILABLE,
                                   "%s: the averages are in the places of the parameters; call "
                                   "use_average with 0 first",
                                   instance.model->name)
             : DLC_OK;
}

/// Whether a step can write this symbol: what a check that can fail after the step keeps a copy of. Of the
/// hyperparameters, the scale of the loss may be changed.
inline bool isChangedBySteps(const dlc_symbol &symbol) {
  return symbol.kind != DLC_CONSTANT && (symbol.kind != DLC_PARAMETER || symbol.trainable);
}

/// Waits until what was started is done, and takes over its loss and norm.
dlc_status settle(dlc_instance &instance);

/// Sets a symbol to its initial value: the one in the library, or zero.
void initializeSymbol(dlc_instance &instance, const dlc_symbol &symbol);

/// The symbol of that name if its kind is in the mask `1 << kind | ...`, else NULL.
const dlc_symbol *findSymbol(const dlc_model &model, const char *name, uint32_t kinds);

/// Whether the description can be trusted: places, sizes and permutations fit. Fails with
/// DLC_ABI_MISMATCH.
dlc_status checkModel(const dlc_model &model, Error &error);

/// Whether the hyperparameter may have this value.
bool isAllowed(const dlc_symbol &hyperparameter, double value);

/// Parameters, buffers (and constants of the program) from a weights file or a checkpoint, into a new
/// instance.
dlc_status readInitialWeights(dlc_instance &instance, const char *path, Error &error);

} // namespace dlc::runtime

#endif
