//===- LaunchTable.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cpu/LaunchTable.h"

#include "runtime/core/Collective.h"
#include "runtime/core/DType.h"
#include "runtime/core/Target.h"

namespace dlc::runtime {

bool LaunchTable::resolve(const dlc_target &target, const dlc_function &function, unsigned char *arena) {
  if (!launches.allocate(function.launch_count) || !addresses.allocate(function.place_count))
    return false;
  for (uint32_t i = 0; i < function.place_count; ++i) {
    const uint32_t number = placeNumber(function.places[i]);
    const uint64_t offset = placeOffset(function.places[i]);
    switch (const uint32_t kind = placeKind(function.places[i])) {
    case DLC_PLACE_WORKING:
      addresses[i] = arena + offset;
      break;
    case DLC_PLACE_STATE:
      addresses[i] = arena + target.placements[number].offset + offset;
      break;
    case DLC_PLACE_INPUT:
    case DLC_PLACE_OUTPUT:
      if (!(kind == DLC_PLACE_INPUT ? inputs : outputs).append({i, number, offset}))
        return false;
      break;
    }
  }
  for (uint32_t i = 0; i < function.launch_count; ++i) {
    const dlc_launch &launch = function.launches[i];
    void **buffers = addresses.data() + launch.first_place;
    if (launch.kernel == DLC_COPY)
      launches[i] = {nullptr, buffers, 0, &function.copy_sizes[launch.copy_size], nullptr, 0};
    else
      launches[i] = {target.kernels[launch.kernel].function, buffers, target.kernels[launch.kernel].chunks,
                     nullptr, nullptr, 0};
    if (isSummed(launch)) {
      launches[i].bytes = &function.copy_sizes[sizeOfSum(launch)];
      launches[i].summed = buffers + launch.place_count - 1;
      launches[i].dtype = dtypeOfSum(launch);
    }
  }
  return true;
}

/// A launch is cut into at most so many pieces, each of which has a chunk for each thread at least.
static constexpr int64_t piecesOfLaunch = 16;

void LaunchTable::take(const CallMemory &call) {
  for (const CallerPlace &place : inputs)
    addresses[place.entry] = static_cast<char *>(const_cast<void *>(call.inputs[place.index])) + place.offset;
  for (const CallerPlace &place : outputs)
    addresses[place.entry] = static_cast<char *>(call.outputs[place.index]) + place.offset;
}

static int64_t bytesOf(const dlc_axis &axis, const int64_t *dims) {
  int64_t bytes = axis.factor;
  for (uint32_t d = 0; d < axis.dim_count; ++d)
    bytes *= dims[axis.dims[d]];
  return bytes;
}

void LaunchTable::copy(const Launch &launch, const int64_t *dims) {
  memcpy(launch.buffers[1], launch.buffers[0], static_cast<size_t>(bytesOf(*launch.bytes, dims)));
}

/// A rank without rows brings zeros.
dlc_status LaunchTable::sum(const Launch &launch, const CallMemory &call) {
  const int64_t bytes = bytesOf(*launch.bytes, call.dims);
  if (!call.hasRows)
    memset(*launch.summed, 0, static_cast<size_t>(bytes));
  return call.ranks->allReduce(launch.dtype, *launch.summed,
                               bytes / dtypeBytes(static_cast<uint32_t>(launch.dtype)));
}

void LaunchTable::run(ThreadPool &pool, const CallMemory &call) {
  if (call.hasRows)
    take(call);
  for (const Launch &launch : launches) {
    if (call.hasRows && launch.kernel)
      pool.run(launch.kernel, launch.buffers, call.dims, launch.chunks);
    else if (call.hasRows)
      copy(launch, call.dims);
    if (launch.summed && call.ranks && sum(launch, call) != DLC_OK)
      return;
  }
}

void LaunchTable::begin(const CallMemory &call) {
  take(call);
  next = {0, 0, call.dims};
}

bool LaunchTable::advance(ThreadPool &pool, int64_t until) {
  while (next.launch < launches.size()) {
    const Launch &launch = launches[next.launch];
    if (launch.kernel) {
      const int64_t least = (launch.chunks + piecesOfLaunch - 1) / piecesOfLaunch,
                    piece = least < pool.threads ? pool.threads : least, left = launch.chunks - next.chunk,
                    chunks = piece < left ? piece : left;
      pool.runPart(launch.kernel, launch.buffers, next.dims, next.chunk, chunks);
      next.chunk += chunks;
    } else {
      copy(launch, next.dims);
    }
    if (!launch.kernel || next.chunk == launch.chunks) {
      ++next.launch;
      next.chunk = 0;
    }
    if (next.launch < launches.size() && nowNanoseconds() >= until)
      return false;
  }
  return true;
}

} // namespace dlc::runtime
