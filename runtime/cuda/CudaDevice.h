//===- CudaDevice.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an instance has on a GPU: one piece of device memory, one of pinned memory of the host, two streams,
// and the functions of the program as graphs. The device memory holds the arena, two slots with the inputs of
// a call, and the outputs; the pinned memory has the same slots and outputs, and a window through which other
// values are moved.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CUDA_CUDADEVICE_H
#define DLC_RUNTIME_CUDA_CUDADEVICE_H

#include "runtime/core/Backend.h"
#include "runtime/core/DType.h"
#include "runtime/core/Memory.h"
#include "runtime/cuda/Gpu.h"

#include <pthread.h>

namespace dlc::runtime::cuda {

constexpr uint64_t alignment = 256; ///< of all that has a place of its own in device memory
constexpr uint64_t windowBytes = 1 << 20;
constexpr uint32_t slotCount = 2; ///< the next call's inputs are copied while a call runs

/// A function of the program, once for each slot whose addresses it has.
struct Program {
  GraphExec graphs[slotCount] = {};
  bool exists = false;
  bool usesSlot = false;       ///< it reads inputs or actual sizes
  uint64_t slotBytes = 0;      ///< what of the slot it reads: up to its last input
  Array<bool> inputs, outputs; ///< those that it uses
};

struct CudaDevice : Device {
  Gpu gpu;
  const dlc_model *model = nullptr;
  const dlc_target *target = nullptr;

  Context context = nullptr;
  Module module = nullptr;
  Stream compute = nullptr, copies = nullptr;
  Address memory = 0;
  unsigned char *pinned = nullptr;

  // Offsets in a slot, which begins with the actual sizes, and in the outputs.
  Array<uint64_t> inputAt, outputAt;
  uint64_t slotBytes = 0, outputBytes = 0;

  Array<Function> kernels;
  Program programs[DLC_FUNCTIONS];

  struct Slot {
    Event copied = nullptr, done = nullptr;
    bool used = false; ///< since create
  } slots[slotCount];
  uint32_t nextSlot = 0;

  /// An output that is to be copied to the caller when all is done.
  struct Pending {
    void *to;
    uint64_t bytes;
  };
  Array<Pending> pending;

  pthread_mutex_t windowMutex = PTHREAD_MUTEX_INITIALIZER; ///< step_count may be asked for by any thread
  Array<unsigned char> form; ///< of a tensor that is not row-major on the device
  char sentence[512] = "";   ///< what `failure` points at

  Address slotAddress(uint32_t slot) const;
  Address outputAddress() const { return slotAddress(slotCount); }
  /// The address of a place that a launch names, where the call's inputs are in `slot`.
  Address addressOf(dlc_place place, uint32_t slot) const;
  /// A launch of a kernel, by its number; `arguments` point at the values.
  KernelNodeParams launchOf(uint32_t kernel, void **arguments) const;
  unsigned char *pinnedSlot(uint32_t slot) const { return pinned + slot * slotBytes; }
  unsigned char *pinnedOutputs() const { return pinned + slotCount * slotBytes; }
  unsigned char *window() const { return pinnedOutputs() + outputBytes; }

  /// Whether a call of the driver succeeded. The first failure stays: `what` says what was done.
  bool succeeded(Status status, const char *what);
};

/// Bytes of an input or output with every named dim at its bound; checkModel has seen to it that they fit.
template <typename Tensor> uint64_t bytesAtBounds(const Tensor &tensor) {
  int64_t count = 0;
  elementCount(tensor.rank, tensor.shape, count); // checkModel has seen to it that it fits
  return static_cast<uint64_t>(count) * dtypeBytes(tensor.dtype);
}

inline CudaDevice &cuda(Device &device) { return static_cast<CudaDevice &>(device); }

/// Makes the device's context that of the calling thread, for as long as this lives. Nothing may be done
/// where it is not `usable`.
class Current {
public:
  explicit Current(CudaDevice &device) : device(device) {
    pushed = device.context && device.gpu.api.cuCtxPushCurrent_v2(device.context) == success;
    if (!pushed)
      device.succeeded(invalidContext, "making its context the current one");
  }
  ~Current() {
    Context popped;
    if (pushed)
      device.gpu.api.cuCtxPopCurrent_v2(&popped);
  }
  Current(const Current &) = delete;
  Current &operator=(const Current &) = delete;

  bool usable() const { return pushed && !device.failure; }
  bool isSet() const { return pushed; }

private:
  CudaDevice &device;
  bool pushed;
};

} // namespace dlc::runtime::cuda

#endif
