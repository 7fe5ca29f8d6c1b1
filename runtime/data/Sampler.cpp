//===- Sampler.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// All samples or some of them, in order, shuffled, or drawn by weight. The order follows from seed and epoch
// alone.
//===----------------------------------------------------------------------===//
#include "runtime/data/Sampler.h"
#include "runtime/data/Random.h"

#include <cinttypes>
#include <cmath>

namespace dlc::runtime {

dlc_status Sampler::takePart(const int64_t *given, int64_t all, Error &error) {
  if (samples < 1 || !part.allocate(static_cast<size_t>(samples)))
    return samples < 1 ? error.fail(DLC_INVALID_ARGUMENT,
                                    "%" PRId64 " samples are chosen, expected at least one", samples)
                       : error.fail(DLC_OUT_OF_MEMORY, "no memory for a loader");
  for (int64_t i = 0; i < samples; ++i) {
    if (given[i] < 0 || given[i] >= all)
      return error.fail(DLC_INVALID_ARGUMENT, "samples[%" PRId64 "] is %" PRId64 ", expected 0 to %" PRId64,
                        i, given[i], all - 1);
    part[static_cast<size_t>(i)] = given[i];
  }
  return DLC_OK;
}

dlc_status Sampler::takeWeights(const double *weights, Error &error) {
  if (!sums.allocate(static_cast<size_t>(samples)))
    return error.fail(DLC_OUT_OF_MEMORY, "no memory for a loader");
  double sum = 0;
  for (size_t i = 0; i < sums.size(); ++i) {
    if (!std::isfinite(weights[i]) || weights[i] < 0)
      return error.fail(DLC_INVALID_ARGUMENT, "weights[%zu] is %g, expected a finite number of at least 0", i,
                        weights[i]);
    sums[i] = sum += weights[i];
  }
  if (!(sum > 0) || !std::isfinite(sum))
    return error.fail(DLC_INVALID_ARGUMENT, "the sum of the weights is %g, expected a finite number above 0",
                      sum);
  return DLC_OK;
}

dlc_status Sampler::takeLengths(const dlc_loader_options &options, int64_t all, Error &error) {
  if (!options.lengths || options.bucket < 1 || !options.shuffle)
    return error.fail(DLC_INVALID_ARGUMENT,
                      "batches by length need lengths, shuffle, and a bucket of at least 1, which is %d",
                      options.bucket);
  int64_t together = 0;
  if (__builtin_mul_overflow(options.batch, static_cast<int64_t>(options.bucket), &together) ||
      together > samples)
    together = samples;
  const int64_t batch = options.batch < samples ? options.batch : samples;
  if (!lengths.allocate(static_cast<size_t>(all)) || !pool.allocate(static_cast<size_t>(together)) ||
      !moved.allocate(static_cast<size_t>(batch)))
    return error.fail(DLC_OUT_OF_MEMORY, "no memory for the lengths of %" PRId64 " samples", all);
  for (int64_t i = 0; i < all; ++i) {
    if (options.lengths[i] < 0)
      return error.fail(DLC_INVALID_ARGUMENT, "lengths[%" PRId64 "] is %" PRId64 ", expected at least 0", i,
                        options.lengths[i]);
    lengths[static_cast<size_t>(i)] = options.lengths[i];
  }
  return DLC_OK;
}

int Sampler::Sized::compare(const void *left, const void *right) {
  const auto &a = *static_cast<const Sized *>(left), &b = *static_cast<const Sized *>(right);
  if (a.length != b.length)
    return a.length < b.length ? -1 : 1;
  return a.place < b.place ? -1 : a.place > b.place; // the order is the same with each C library
}

void Sampler::sortByLength(uint64_t seed, uint64_t epoch) {
  for (size_t first = 0; first < order.size(); first += pool.size()) {
    const size_t count = order.size() - first < pool.size() ? order.size() - first : pool.size();
    for (size_t i = 0; i < count; ++i) {
      const int64_t sample = order[first + i];
      pool[i] = {lengths[static_cast<size_t>(sample)], static_cast<int64_t>(i), sample};
    }
    qsort(pool.data(), count, sizeof(Sized), Sized::compare);
    for (size_t i = 0; i < count; ++i)
      order[first + i] = pool[i].sample;
  }
  // An incomplete batch stays the last one. Its order has a stream of its own.
  constexpr uint64_t ofBatches = 0xe7037ed1a0b428dbu;
  Random random(seed ^ ofBatches, epoch);
  const size_t batch = moved.size(), bytes = batch * sizeof(int64_t);
  for (size_t i = order.size() / batch; i > 1; --i) {
    int64_t *last = order.data() + (i - 1) * batch, *other = order.data() + random.below(i) * batch;
    if (last == other)
      continue;
    memcpy(moved.data(), last, bytes);
    memcpy(last, other, bytes);
    memcpy(other, moved.data(), bytes);
  }
}

dlc_status Sampler::prepare(const dlc_loader_options &options, int64_t all, Error &error) {
  samples = options.samples ? options.sample_count : all;
  if (!options.samples && options.sample_count != 0)
    return error.fail(DLC_INVALID_ARGUMENT, "sample_count is %" PRId64 ", but samples is NULL",
                      options.sample_count);
  if (options.samples)
    if (dlc_status status = takePart(options.samples, all, error))
      return status;
  if (options.weights && !options.shuffle)
    return error.fail(DLC_INVALID_ARGUMENT, "weights need shuffle: samples that are drawn have no order");
  if (options.weights)
    if (dlc_status status = takeWeights(options.weights, error))
      return status;
  if (options.lengths || options.bucket)
    if (dlc_status status = takeLengths(options, all, error))
      return status;
  if (options.shuffle && !order.allocate(static_cast<size_t>(samples)))
    return error.fail(DLC_OUT_OF_MEMORY, "no memory for the order of %" PRId64 " samples", samples);
  return DLC_OK;
}

void Sampler::start(uint64_t seed, uint64_t epoch) {
  if (order.size() == 0)
    return;
  if (sums.size() == 0) {
    shuffledOrder(seed, epoch, samples, order.data());
  } else {
    Random random(seed, epoch);
    const double sum = sums[sums.size() - 1];
    for (int64_t &place : order) {
      // The first sample whose sum is above a number from 0 to the whole sum, which a weight of 0 never is.
      const double drawn = static_cast<double>(random.next() >> 11) * 0x1p-53 * sum;
      size_t low = 0, high = sums.size() - 1;
      while (low < high) {
        const size_t middle = low + (high - low) / 2;
        if (sums[middle] > drawn)
          high = middle;
        else
          low = middle + 1;
      }
      place = static_cast<int64_t>(low);
    }
  }
  if (part.size())
    for (int64_t &place : order)
      place = part[static_cast<size_t>(place)];
  if (lengths.size())
    sortByLength(seed, epoch);
}

} // namespace dlc::runtime

extern "C" dlc_status dlc_split(int64_t samples, uint64_t seed, int64_t *order) {
  if (samples < 0 || !order)
    return DLC_INVALID_ARGUMENT;
  // A stream of its own: no epoch has this order.
  dlc::runtime::shuffledOrder(seed, UINT64_MAX, samples, order);
  return DLC_OK;
}
