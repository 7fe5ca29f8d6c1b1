//===- Transfers.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cuda/Transfers.h"

#include "runtime/core/DType.h"
#include "runtime/core/Layout.h"

#include <cstring>

namespace dlc::runtime::cuda {

namespace {

Address addressOf(const void *memory) { return reinterpret_cast<Address>(memory); }

/// The window, for as long as this lives. After a failure values that are read are zeros: what the caller
/// does with them before it asks how the device is does no harm.
class Window {
public:
  explicit Window(Device &device) : d(cuda(device)), api(d.gpu.api), current(d) {
    pthread_mutex_lock(&d.windowMutex);
  }
  ~Window() { pthread_mutex_unlock(&d.windowMutex); }
  Window(const Window &) = delete;
  Window &operator=(const Window &) = delete;

  void write(Address to, const void *values, uint64_t bytes) {
    forPieces(bytes, [&](uint64_t done, uint64_t size) {
      memcpy(d.window(), static_cast<const char *>(values) + done, size);
      return d.succeeded(api.cuMemcpyHtoDAsync_v2(to + done, d.window(), size, d.compute),
                         "copying to the GPU") &&
             wait();
    });
  }

  void clear(Address to, uint64_t bytes) {
    if (bytes && current.usable())
      d.succeeded(api.cuMemsetD8Async(to, 0, bytes, d.compute), "clearing the GPU's memory");
  }

  /// Calls `visit(piece, offset, size)` for the values, until it returns false.
  template <typename Visit> void read(Address from, uint64_t bytes, Visit visit) {
    forPieces(bytes, [&](uint64_t done, uint64_t size) {
      return readPiece(from + done, size) && visit(done, size);
    });
  }

  void read(Address from, void *values, uint64_t bytes) {
    uint64_t read = 0;
    this->read(from, bytes, [&](uint64_t done, uint64_t size) {
      memcpy(static_cast<char *>(values) + done, d.window(), size);
      read = done + size;
      return true;
    });
    memset(static_cast<char *>(values) + read, 0, bytes - read);
  }

  void exchange(Address one, Address other, uint64_t bytes) {
    forPieces(bytes, [&](uint64_t done, uint64_t size) {
      return readPiece(one + done, size) &&
             d.succeeded(api.cuMemcpyDtoDAsync_v2(one + done, other + done, size, d.compute),
                         "copying on the GPU") &&
             d.succeeded(api.cuMemcpyHtoDAsync_v2(other + done, d.window(), size, d.compute),
                         "copying to the GPU") &&
             wait();
    });
  }

  CudaDevice &d;
  const Api &api;
  Current current;

private:
  template <typename Move> void forPieces(uint64_t bytes, Move move) {
    for (uint64_t done = 0; done < bytes && current.usable(); done += windowBytes)
      if (!move(done, bytes - done < windowBytes ? bytes - done : windowBytes))
        return;
  }
  bool readPiece(Address from, uint64_t size) {
    return d.succeeded(api.cuMemcpyDtoHAsync_v2(d.window(), from, size, d.compute), "copying from the GPU") &&
           wait();
  }
  bool wait() { return d.succeeded(api.cuStreamSynchronize(d.compute), "waiting for a copy"); }
};

} // namespace

void store(Device &device, const dlc_symbol &symbol, const dlc_placement &placement, const void *logical) {
  Window window(device);
  const Address place = window.d.memory + placement.offset;
  if (!logical)
    return window.clear(place, placement.bytes);
  if (isRowMajor(symbol, placement))
    return window.write(place, logical, logicalBytes(symbol));
  logicalToPhysical(symbol, placement, logical, window.d.form.data());
  window.write(place, window.d.form.data(), logicalBytes(symbol));
}

void fetch(Device &device, const dlc_symbol &symbol, const dlc_placement &placement, void *logical) {
  Window window(device);
  const Address place = window.d.memory + placement.offset;
  if (isRowMajor(symbol, placement))
    return window.read(place, logical, logicalBytes(symbol));
  window.read(place, window.d.form.data(), logicalBytes(symbol));
  physicalToLogical(symbol, placement, window.d.form.data(), logical);
}

void *allocate(Device &device, uint64_t bytes) {
  CudaDevice &d = cuda(device);
  Current current(d);
  Address address = 0;
  if (!current.usable() || d.gpu.api.cuMemAlloc_v2(&address, bytes ? bytes : 1) != success)
    return nullptr;
  return reinterpret_cast<void *>(address);
}

void release(Device &device, void *memory) {
  if (!memory)
    return;
  CudaDevice &d = cuda(device);
  Current current(d);
  if (!current.isSet())
    return;
  // Whatever it answers: also after a failure there is memory to give back.
  d.gpu.api.cuStreamSynchronize(d.compute);
  d.gpu.api.cuMemFree_v2(addressOf(memory));
}

void copy(Device &device, void *to, const void *from, uint64_t bytes) {
  CudaDevice &d = cuda(device);
  Current current(d);
  if (bytes && current.usable())
    d.succeeded(d.gpu.api.cuMemcpyDtoDAsync_v2(addressOf(to), addressOf(from), bytes, d.compute),
                "copying on the GPU");
}

void exchange(Device &device, void *one, void *other, uint64_t bytes) {
  Window(device).exchange(addressOf(one), addressOf(other), bytes);
}

bool areAllFinite(Device &device, uint32_t dtype, const void *values, uint64_t count) {
  Window window(device);
  bool finite = true;
  const uint64_t size = dtypeBytes(dtype);
  window.read(addressOf(values), count * size, [&](uint64_t, uint64_t bytes) {
    size_t firstBad = 0;
    return finite = allFinite(dtype, window.d.window(), bytes / size, firstBad);
  });
  return finite && !window.d.failure;
}

} // namespace dlc::runtime::cuda
