//===- Collective.h - answers that all ranks give ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_COLLECTIVE_H
#define DLC_RUNTIME_CORE_COLLECTIVE_H

#include "dlc/collectives.h"
#include "runtime/core/Error.h"

namespace dlc::runtime {

/// The ranks, as a call on one of them sees them. What fails is in `error`, on all of them alike.
class Collective {
public:
  Collective(const dlc_collectives &table, Error &error) : table(table), error(error) {}

  /// Adds up numbers of all ranks; `before` receives the first one's sum over the ranks before this one.
  /// Where a rank's own status is not DLC_OK, all get the first of the worst ones, with that rank's sentence.
  dlc_status agree(dlc_status own, double *sums = nullptr, int32_t count = 0, double *before = nullptr) {
    int32_t worst = own, of = 0;
    double none = 0, ignored = 0;
    if (table.agree(table.context, sums ? sums : &none, count, before ? before : &ignored, &worst, &of) !=
        DLC_OK)
      return lose();
    if (worst == DLC_OK)
      return DLC_OK;
    Error theirs = error;
    if (dlc_status status = broadcast(theirs.text, sizeof theirs.text, of))
      return status;
    theirs.text[sizeof theirs.text - 1] = 0;
    return error.fail(static_cast<dlc_status>(worst), "rank %d: %.1000s", of, theirs.text);
  }

  dlc_status broadcast(void *data, size_t bytes, int32_t from) {
    return table.broadcast(table.context, data, bytes, from) == DLC_OK ? DLC_OK : lose();
  }

  dlc_status allReduce(int32_t dtype, void *values, int64_t count) {
    return table.all_reduce(table.context, dtype, values, count) == DLC_OK ? DLC_OK : lose();
  }

  int32_t count() const { return table.ranks; }
  /// Whether the ranks have lost each other: nothing collective may follow.
  bool isLost() const { return hasLost; }

private:
  dlc_status lose() {
    const char *sentence = table.failure(table.context);
    hasLost = true;
    return error.fail(DLC_DEVICE_FAILED, "%s", sentence ? sentence : "the other ranks cannot be reached");
  }

  const dlc_collectives &table;
  Error &error;
  bool hasLost = false;
};

} // namespace dlc::runtime

#endif
