//===- Rates.h - what this machine can do ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PROFILE_RATES_H
#define DLC_TOOLS_DLC_PROFILE_RATES_H

#include <cstddef>

namespace dlc::tool {

struct Rates {
  double operations = 0; ///< fp32 multiply-adds in registers, each counted as two, per nanosecond
  double pairs = 0;      ///< the same of products of bf16, added in pairs; 0: not measured
  double bytes = 0;      ///< read and written, per nanosecond
};

/// Measures these with that many threads, pairs only where `withPairs`. Bytes: every second number of a block
/// of `blockBytes` is read, changed and written to the other half, again and again. A block as large as what
/// a step touches is in the same caches.
Rates measureRates(int threads, size_t blockBytes, bool withPairs);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PROFILE_RATES_H
