//===- Ranks.h - a batch, cut into a part for each process ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Batches are those of one process, whatever the number of ranks, and nothing is added or left out: so a rank
// has a row more than another, or, of a batch of fewer rows than ranks, none.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_RANKS_H
#define DLC_RUNTIME_DATA_RANKS_H

#include "runtime/core/Error.h"

namespace dlc::runtime {

struct Ranks {
  int64_t rank = 0, count = 1;

  /// Takes those of options, of which 0 ranks are one process.
  dlc_status take(int32_t given, int32_t ranks, Error &error) {
    if (ranks < 0 || given < 0 || given >= (ranks ? ranks : 1))
      return error.fail(DLC_INVALID_ARGUMENT,
                        "rank %d of %d ranks: expected a number from 0, below the number of ranks", given,
                        ranks);
    rank = given;
    count = ranks ? ranks : 1;
    return DLC_OK;
  }

  /// The first row of this rank in a batch of `whole` rows, and that of the next rank: whole * rank / count,
  /// whose product 64 bits may not hold.
  int64_t begin(int64_t whole) const { return cut(whole, rank); }
  int64_t end(int64_t whole) const { return cut(whole, rank + 1); }

  /// The most rows that any rank has of such a batch, or of a smaller one.
  int64_t most(int64_t whole) const { return whole / count + (whole % count != 0); }

private:
  int64_t cut(int64_t whole, int64_t before) const {
    return whole / count * before + whole % count * before / count;
  }
};

} // namespace dlc::runtime

#endif
