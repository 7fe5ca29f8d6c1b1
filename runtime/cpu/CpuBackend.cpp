//===- CpuBackend.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine's own memory, and a thread pool that walks the tables of launches.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/core/Layout.h"
#include "runtime/core/Target.h"
#include "runtime/cpu/Features.h"
#include "runtime/cpu/FloatMode.h"
#include "runtime/cpu/LaunchTable.h"

#include <algorithm>
#include <cerrno>
#include <cinttypes>

#if defined(__linux__)
#include <sys/mman.h>
#endif

namespace dlc::runtime {

namespace {

struct CpuDevice : Device {
  void *ownedArena = nullptr; ///< the arena where we allocated it
  ThreadPool *pool = nullptr;
  LaunchTable functions[DLC_FUNCTIONS];
};

CpuDevice &cpu(Device &device) { return static_cast<CpuDevice &>(device); }

bool isSound(const dlc_model &, const dlc_target &target) {
  for (uint32_t i = 0; i < target.kernel_count; ++i)
    if (!target.kernels[i].name || !target.kernels[i].function || target.kernels[i].chunks < 1)
      return false;
  return true;
}

dlc_status check(const dlc_model &model, const dlc_target &target, const dlc_create_options &options,
                 Error &error) {
  if (options.device && strcmp(options.device, "cpu") != 0)
    return error.fail(DLC_UNSUPPORTED_DEVICE, "%s: there is no device '%s', only 'cpu'", model.name,
                      Printable(options.device).text);
  uint32_t missing = target.features & ~cpuFeatures();
#if defined(__x86_64__)
  if (!missing && target.features & DLC_CPU_AMX_TILE && !permitMatrixUnit())
    return error.fail(DLC_UNSUPPORTED_CPU,
                      "%s was compiled for a CPU with AMX-TILE, whose registers the system does not let this "
                      "process use (arch_prctl: %s): compile it with a smaller --cpu",
                      model.name, strerror(errno));
#endif
  if (!missing)
    return DLC_OK;
  char names[256];
  describeFeatures(missing, names, sizeof names);
  return error.fail(
      DLC_UNSUPPORTED_CPU,
      "%s was compiled for a CPU with %s, which this one lacks: compile it with a smaller --cpu", model.name,
      names);
}

dlc_status allocateArena(CpuDevice &device, const dlc_model &model, const dlc_target &target,
                         const dlc_create_options &options, Error &error) {
  if (options.arena) {
    if (reinterpret_cast<uintptr_t>(options.arena) % 64 != 0)
      return error.fail(DLC_INVALID_ARGUMENT, "%s: the arena at %p is not aligned to 64 bytes", model.name,
                        options.arena);
    if (options.arena_bytes < target.arena_bytes)
      return error.fail(DLC_INVALID_ARGUMENT, "%s: the arena has %zu bytes, expected at least %" PRIu64,
                        model.name, options.arena_bytes, target.arena_bytes);
    device.arena = static_cast<unsigned char *>(options.arena);
    return DLC_OK;
  }
  // Large pages where the arena fills at least half of one: a step walks through the whole arena, and where
  // small pages lie, and with it which of them evict each other from the cache, is chance.
  constexpr uint64_t largePage = 2u << 20;
  const bool large = target.arena_bytes >= largePage / 2;
  const uint64_t unit = large ? largePage : 64;
  const uint64_t bytes = std::max<uint64_t>(1, (target.arena_bytes + unit - 1) / unit) * unit;
  if (posix_memalign(&device.ownedArena, unit, bytes) != 0) {
    device.ownedArena = nullptr;
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the arena of %" PRIu64 " bytes", model.name,
                      target.arena_bytes);
  }
#if defined(__linux__) && defined(MADV_HUGEPAGE)
  if (large)
    madvise(device.ownedArena, bytes, MADV_HUGEPAGE);
#endif
  device.arena = static_cast<unsigned char *>(device.ownedArena);
  return DLC_OK;
}

dlc_status open(const dlc_model &model, const dlc_target &target, const dlc_create_options &options,
                Device *&result, Error &error) {
  if (options.threads < 0 || options.threads > maxThreads)
    return error.fail(DLC_INVALID_ARGUMENT, "%s: threads is %d, expected 0 (one per core) to %d", model.name,
                      options.threads, maxThreads);
  CpuDevice *device = createObjects<CpuDevice>(1);
  if (!device)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", model.name);
  result = device; // closed by the caller, also where something below fails
  if (dlc_status status = allocateArena(*device, model, target, options, error))
    return status;
  for (uint32_t i = 0; i < functionCount(model); ++i)
    if (!device->functions[i].resolve(target, target.functions[i], device->arena))
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", model.name);
  device->pool = createThreadPool(options.threads, error);
  return device->pool ? DLC_OK : DLC_OUT_OF_MEMORY;
}

void close(Device *device) {
  if (!device)
    return;
  destroyThreadPool(cpu(*device).pool);
  free(cpu(*device).ownedArena);
  destroyObjects(static_cast<CpuDevice *>(device), 1);
}

void run(Device &device, dlc_function_kind function, const CallMemory &call) {
  FloatMode mode;
  cpu(device).functions[function].run(*cpu(device).pool, call);
}

void begin(Device &device, dlc_function_kind function, const CallMemory &call) {
  cpu(device).functions[function].begin(call);
}

bool advance(Device &device, dlc_function_kind function, int64_t microseconds) {
  FloatMode mode;
  constexpr int64_t longest = INT64_MAX / 2000; // in which no sum of times overflows
  const int64_t budget = microseconds < 0 ? 0 : microseconds < longest ? microseconds : longest;
  return cpu(device).functions[function].advance(*cpu(device).pool, nowNanoseconds() + budget * 1000);
}

void synchronize(Device &) {} // `run` returns when all is done

void *allocate(Device &, uint64_t bytes) { return malloc(bytes ? bytes : 1); }

void release(Device &, void *memory) { free(memory); }

void copy(Device &, void *to, const void *from, uint64_t bytes) { memcpy(to, from, bytes); }

void exchange(Device &, void *one, void *other, uint64_t bytes) {
  unsigned char *a = static_cast<unsigned char *>(one), *b = static_cast<unsigned char *>(other);
  unsigned char piece[4096];
  for (uint64_t done = 0; done < bytes; done += sizeof piece) {
    const uint64_t size = bytes - done < sizeof piece ? bytes - done : sizeof piece;
    memcpy(piece, a + done, size);
    memcpy(a + done, b + done, size);
    memcpy(b + done, piece, size);
  }
}

bool areAllFinite(Device &, uint32_t dtype, const void *values, uint64_t count) {
  size_t firstBad = 0;
  return allFinite(dtype, values, count, firstBad);
}

void store(Device &device, const dlc_symbol &symbol, const dlc_placement &placement, const void *logical) {
  void *place = device.arena + placement.offset;
  if (logical)
    logicalToPhysical(symbol, placement, logical, place);
  else
    memset(place, 0, placement.bytes);
}

void fetch(Device &device, const dlc_symbol &symbol, const dlc_placement &placement, void *logical) {
  physicalToLogical(symbol, placement, device.arena + placement.offset, logical);
}

void *view(Device &device, const dlc_symbol &symbol, const dlc_placement &placement) {
  return isRowMajor(symbol, placement) ? device.arena + placement.offset : nullptr;
}

constexpr Backend backend = {DLC_TARGET_CPU, "cpu",   isSound,     check,    open,    close, run,
                             begin,          advance, synchronize, allocate, release, copy,  exchange,
                             areAllFinite,   store,   fetch,       view};

} // namespace
} // namespace dlc::runtime

const dlc_backend dlc_cpu_backend = dlc::runtime::backend;
