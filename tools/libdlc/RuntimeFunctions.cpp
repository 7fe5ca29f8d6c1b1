//===- RuntimeFunctions.cpp - functions of the runtime, by name -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The runtime is inside of libdlc and not shown: a model's own copy of it may be in the same process, of
// another version. What programs need of it beside a model is handed out here.
//===----------------------------------------------------------------------===//
#include "dlc/compiler.h"
#include "dlc/gpu.h"
#include "dlc/logs.h"
#include "dlc/metrics.h"
#include "dlc/runtime.h"
#include "llvm/ADT/StringRef.h"

namespace {

struct Entry {
  const char *name;
  const void *address;
};

template <typename Function> const void *addressOf(Function *function) {
  return reinterpret_cast<const void *>(function);
}

#define DLC_ENTRY(NAME) {#NAME, addressOf(&NAME)}
const Entry entries[] = {
    DLC_ENTRY(dlc_status_string),
    // dlc/runtime.h: shuffled batches
    DLC_ENTRY(dlc_loader_create),
    DLC_ENTRY(dlc_loader_start),
    DLC_ENTRY(dlc_loader_start_at),
    DLC_ENTRY(dlc_loader_next),
    DLC_ENTRY(dlc_loader_batches),
    DLC_ENTRY(dlc_loader_destroy),
    // dlc/gpu.h
    DLC_ENTRY(dlc_gpu_count),
    DLC_ENTRY(dlc_gpu_best),
    DLC_ENTRY(dlc_gpu_describe),
    DLC_ENTRY(dlc_gpu_memory),
    // dlc/metrics.h
    DLC_ENTRY(dlc_top_k_accuracy),
    DLC_ENTRY(dlc_confusion_add),
    DLC_ENTRY(dlc_confusion_add_binary),
    DLC_ENTRY(dlc_report_class),
    DLC_ENTRY(dlc_report_mean),
    DLC_ENTRY(dlc_report_accuracy),
    DLC_ENTRY(dlc_auc),
    DLC_ENTRY(dlc_mean_absolute_error),
    DLC_ENTRY(dlc_r2),
    DLC_ENTRY(dlc_statistics_of),
    DLC_ENTRY(dlc_early_stop_step),
    DLC_ENTRY(dlc_rate_finder_rate),
    DLC_ENTRY(dlc_rate_finder_add),
    DLC_ENTRY(dlc_rate_finder_suggestion),
    // dlc/logs.h
    DLC_ENTRY(dlc_csv_open),
    DLC_ENTRY(dlc_csv_row),
    DLC_ENTRY(dlc_csv_cut),
    DLC_ENTRY(dlc_csv_close),
    DLC_ENTRY(dlc_events_open),
    DLC_ENTRY(dlc_events_scalar),
    DLC_ENTRY(dlc_events_histogram),
    DLC_ENTRY(dlc_events_image),
    DLC_ENTRY(dlc_events_hyperparameters),
    DLC_ENTRY(dlc_events_close),
};
#undef DLC_ENTRY

} // namespace

const void *dlc_runtime_function(const char *name) {
  if (name)
    for (const Entry &entry : entries)
      if (llvm::StringRef(entry.name) == name)
        return entry.address;
  return nullptr;
}
