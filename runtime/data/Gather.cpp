//===- Gather.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The rows of a batch: copied from arrays, or made by a data set and filled up to the longest.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/data/Loader.h"
#include "runtime/data/Random.h"

#include <cinttypes>
#include <cstdio>

using dlc::runtime::BatchResult;
using dlc::runtime::RankRows;
using dlc::runtime::Source;

namespace {

/// Bytes of one step along the first axis.
size_t stepBytes(const dlc_field &field, const Source &source) {
  return source.rowBytes / static_cast<size_t>(field.shape[0]);
}

void fill(unsigned char *from, size_t bytes, const dlc_field &field) {
  const size_t size = dlc::runtime::dtypeBytes(static_cast<uint32_t>(field.dtype));
  unsigned char value[8] = {};
  const float single = static_cast<float>(field.padding);
  const int32_t whole = static_cast<int32_t>(field.padding);
  const int64_t large = static_cast<int64_t>(field.padding);
  if (field.dtype == DLC_F32)
    memcpy(value, &single, sizeof single);
  else if (field.dtype == DLC_F64)
    memcpy(value, &field.padding, sizeof field.padding);
  else if (field.dtype == DLC_I32)
    memcpy(value, &whole, sizeof whole);
  else if (field.dtype == DLC_I64)
    memcpy(value, &large, sizeof large);
  else if (field.dtype == DLC_U8)
    value[0] = static_cast<unsigned char>(large);
  else // a truth value; half precision is filled with 0
    value[0] = field.dtype == DLC_BOOL && field.padding != 0;
  for (size_t i = 0; i < bytes; i += size)
    memcpy(from + i, value, size);
}

float *valuesOf(dlc_loader &loader, const Source &source, int64_t index) {
  return reinterpret_cast<float *>(loader.slot(index) + source.place);
}

/// The row behind those that are made, for what is done there.
float *rowBehind(dlc_loader &loader, const Source &source, int64_t index, const RankRows &ours) {
  return valuesOf(loader, source, index) + static_cast<size_t>(ours.made) * (source.rowBytes / sizeof(float));
}

} // namespace

/// What happens to a batch as a whole follows from its number; samples have a stream of their own each.
void dlc_loader::mixRows(int64_t index) {
  using Rows = dlc::runtime::Augment::Rows;
  constexpr uint64_t ofBatches = 0xa0761d6478bd642fu;
  Rows images = {}, targets[dlc::runtime::maxLoaderArrays];
  size_t count = 0;
  for (const Source &source : sources) {
    const Rows rows = {valuesOf(*this, source, index), source.rowBytes / sizeof(float)};
    if (source.augment)
      images = rows;
    else if (source.isMixed)
      targets[count++] = rows;
  }
  dlc::runtime::Random random(seed ^ ofBatches,
                              epoch * static_cast<uint64_t>(batches) + static_cast<uint64_t>(index));
  augment.mix(rowsOf(index).rows, mixesAcross, images, targets, count, random);
}

void dlc_loader::copyRows(int64_t index) {
  const RankRows ours = rowsOf(index);
  for (const Source &source : sources) {
    unsigned char *to = slot(index) + source.place;
    for (int64_t i = 0; i < ours.made; ++i) {
      const int64_t sample = sampler[ours.placeOf(i)];
      const unsigned char *from = source.data + static_cast<size_t>(sample) * source.rowBytes;
      if (source.augment)
        source.augment->copy(reinterpret_cast<const float *>(from), reinterpret_cast<float *>(to),
                             rowBehind(*this, source, index, ours), seed, epoch, sample);
      else
        memcpy(to, from, source.rowBytes);
      to += source.rowBytes;
    }
  }
}

/// Each row is made at the place that it has where all are as long as they may be; then padded ones move
/// together. An image that is augmented is made behind the last row. A row of another rank's is of any
/// length.
void dlc_loader::makeRows(int64_t index, BatchResult &result) {
  const RankRows ours = rowsOf(index);
  int64_t *lengths = lengthsOf(index);
  void *places[dlc::runtime::maxLoaderArrays];
  for (int64_t row = 0; row < ours.made; ++row) {
    const int64_t sample = sampler[ours.placeOf(row)];
    int64_t *rowLengths = lengths + static_cast<size_t>(row) * sources.size();
    for (size_t i = 0; i < sources.size(); ++i) {
      const int64_t place = sources[i].augment ? ours.made : row;
      places[i] = slot(index) + sources[i].place + static_cast<size_t>(place) * sources[i].rowBytes;
      rowLengths[i] = fields[i].rank ? fields[i].shape[0] : 1;
    }
    dlc::runtime::Random random(~seed, epoch * static_cast<uint64_t>(all) + static_cast<uint64_t>(sample));
    const dlc_sample to = {places, rowLengths, random.next(), result.error, sizeof result.error};
    result.status = dataset.get(dataset.context, sample, &to);
    for (size_t i = 0; i < sources.size() && result.status == DLC_OK; ++i) {
      const int64_t most = fields[i].rank ? fields[i].shape[0] : 1;
      if (rowLengths[i] < 1 || rowLengths[i] > most || (!fields[i].padded && rowLengths[i] != most)) {
        result.status = DLC_INVALID_ARGUMENT;
        snprintf(result.error, sizeof result.error,
                 "sample %" PRId64 ": field %zu has the length %" PRId64 ", expected %s%" PRId64, sample, i,
                 rowLengths[i], fields[i].padded ? "1 to " : "", most);
      } else if (fields[i].padded && row < ours.rows && rowLengths[i] > result.length) {
        result.length = rowLengths[i];
      }
      if (result.status == DLC_OK && sources[i].augment)
        sources[i].augment->copy(static_cast<const float *>(places[i]),
                                 reinterpret_cast<float *>(slot(index) + sources[i].place) +
                                     static_cast<size_t>(row) * (sources[i].rowBytes / sizeof(float)),
                                 rowBehind(*this, sources[i], index, ours), seed, epoch, sample);
    }
    if (result.status != DLC_OK)
      return;
  }
  for (size_t i = 0; i < sources.size(); ++i) {
    if (!fields[i].padded)
      continue;
    const size_t step = stepBytes(fields[i], sources[i]);
    const int64_t length = result.length;
    unsigned char *begin = slot(index) + sources[i].place;
    for (int64_t row = 0; row < ours.rows; ++row) {
      unsigned char *to = begin + static_cast<size_t>(row * length) * step;
      const auto own = static_cast<size_t>(lengths[static_cast<size_t>(row) * sources.size() + i]);
      memmove(to, begin + static_cast<size_t>(row) * sources[i].rowBytes, own * step);
      fill(to + own * step, (static_cast<size_t>(length) - own) * step, fields[i]);
    }
  }
}

void dlc_loader::gather(int64_t index) {
  BatchResult &result = results[static_cast<size_t>(index % slots)];
  result.status = DLC_OK;
  result.length = 0;
  result.error[0] = 0;
  if (dataset.get)
    makeRows(index, result);
  else
    copyRows(index);
  if (result.status == DLC_OK && augment.all().mixes() && rowsOf(index).rows > 0)
    mixRows(index);
}
