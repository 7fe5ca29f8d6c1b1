//===- Sampler.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which samples an epoch has, and in which order.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_SAMPLER_H
#define DLC_RUNTIME_DATA_SAMPLER_H

#include "runtime/core/Error.h"
#include "runtime/core/Memory.h"

namespace dlc::runtime {

class Sampler {
public:
  /// Copies what the options point to; `all` is the number of samples that there are.
  dlc_status prepare(const dlc_loader_options &options, int64_t all, Error &error);

  /// Samples of an epoch.
  int64_t count() const { return samples; }

  /// After the epoch has been started: the sample at a place.
  int64_t operator[](int64_t place) const {
    return order.size()  ? order[static_cast<size_t>(place)]
           : part.size() ? part[static_cast<size_t>(place)]
                         : place;
  }

  void start(uint64_t seed, uint64_t epoch);

private:
  dlc_status takePart(const int64_t *given, int64_t all, Error &error);
  dlc_status takeWeights(const double *weights, Error &error);
  dlc_status takeLengths(const dlc_loader_options &options, int64_t all, Error &error);
  void sortByLength(uint64_t seed, uint64_t epoch);

  int64_t samples = 0;
  Array<int64_t> part;  ///< the samples that there are; empty: all
  Array<double> sums;   ///< of the weights up to each sample; empty: each is drawn once
  Array<int64_t> order; ///< empty: not shuffled

  struct Sized {
    int64_t length, place, sample;
    static int compare(const void *left, const void *right);
  };
  Array<int64_t> lengths; ///< of all samples; empty: they do not count
  Array<Sized> pool;      ///< those that are sorted together
  Array<int64_t> moved;   ///< room for a batch
};

} // namespace dlc::runtime

#endif
