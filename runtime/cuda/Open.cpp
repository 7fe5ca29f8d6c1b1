//===- Open.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/cuda/Open.h"

#include "runtime/core/Layout.h"
#include "runtime/cuda/Images.h"
#include "runtime/cuda/Programs.h"

#include <cinttypes>
#include <initializer_list>

namespace dlc::runtime::cuda {

namespace {

constexpr uint64_t roundUp(uint64_t bytes) { return (bytes + alignment - 1) / alignment * alignment; }

/// Makes everything; what there is when something fails, `close` takes down.
class Opening {
public:
  Opening(CudaDevice &device, Error &error)
      : d(device), api(device.gpu.api), model(*device.model), error(error) {}

  dlc_status run() {
    if (dlc_status status = layOut())
      return status;
    if (Status status = api.cuDevicePrimaryCtxRetain(&d.context, d.gpu.ordinal))
      return fail(status, "cuDevicePrimaryCtxRetain");
    Current current(d);
    if (!current.usable())
      return error.fail(DLC_DEVICE_FAILED, "%s: %s", model.name, d.failure);
    if (dlc_status status = allocate())
      return status;
    if (dlc_status status = makeQueues())
      return status;
    if (dlc_status status = loadImage(model, *d.target, d.gpu, d.module, error))
      return status;
    if (dlc_status status = findKernels())
      return status;
    return makePrograms(d, error);
  }

private:
  dlc_status fail(Status status, const char *what) {
    return error.fail(status == outOfMemory ? DLC_OUT_OF_MEMORY : DLC_DEVICE_FAILED,
                      "%s: the GPU %s cannot be used: %s: %s", model.name, d.gpu.name, what,
                      Gpu::Answer(d.gpu, status).text);
  }
  dlc_status noHostMemory() {
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", model.name);
  }

  dlc_status layOut() {
    if (!d.inputAt.allocate(model.input_count) || !d.outputAt.allocate(model.output_count) ||
        !d.pending.allocate(model.output_count))
      return noHostMemory();
    uint64_t at = roundUp(model.dim_count * sizeof(int64_t));
    for (uint32_t i = 0; i < model.input_count; ++i) {
      d.inputAt[i] = at;
      at += roundUp(bytesAtBounds(model.inputs[i]));
    }
    d.slotBytes = at + alignment; // what has no bytes has an address, too
    at = 0;
    for (uint32_t i = 0; i < model.output_count; ++i) {
      d.outputAt[i] = at;
      at += roundUp(bytesAtBounds(model.outputs[i]));
    }
    d.outputBytes = at + alignment;
    uint64_t largest = 0;
    for (uint32_t i = 0; i < model.symbol_count; ++i)
      if (const dlc_placement &placement = d.target->placements[i];
          !isRowMajor(model.symbols[i], placement) && placement.bytes > largest)
        largest = placement.bytes;
    return d.form.allocate(largest) ? DLC_OK : noHostMemory();
  }

  dlc_status allocate() {
    const uint64_t bytes = roundUp(d.target->arena_bytes) + slotCount * d.slotBytes + d.outputBytes;
    size_t free = 0, total = 0;
    if (Status status = api.cuMemGetInfo_v2(&free, &total))
      return fail(status, "cuMemGetInfo");
    if (bytes > free)
      return error.fail(DLC_OUT_OF_MEMORY,
                        "%s needs %" PRIu64 " bytes on the GPU %s, of whose %zu bytes %zu are free",
                        model.name, bytes, d.gpu.name, total, free);
    if (Status status = api.cuMemAlloc_v2(&d.memory, bytes)) {
      d.memory = 0;
      return error.fail(status == outOfMemory ? DLC_OUT_OF_MEMORY : DLC_DEVICE_FAILED,
                        "%s: the GPU %s gives no memory of %" PRIu64 " bytes: %s", model.name, d.gpu.name,
                        bytes, Gpu::Answer(d.gpu, status).text);
    }
    d.arena = reinterpret_cast<unsigned char *>(d.memory);
    void *pinned = nullptr;
    if (Status status = api.cuMemHostAlloc(&pinned, slotCount * d.slotBytes + d.outputBytes + windowBytes,
                                           hostAllocPortable))
      return fail(status, "cuMemHostAlloc");
    d.pinned = static_cast<unsigned char *>(pinned);
    return DLC_OK;
  }

  dlc_status makeQueues() {
    for (Stream *stream : {&d.compute, &d.copies})
      if (Status status = api.cuStreamCreate(stream, streamNonBlocking)) {
        *stream = nullptr;
        return fail(status, "cuStreamCreate");
      }
    for (CudaDevice::Slot &slot : d.slots)
      for (Event *event : {&slot.copied, &slot.done})
        if (Status status = api.cuEventCreate(event, eventDisableTiming)) {
          *event = nullptr;
          return fail(status, "cuEventCreate");
        }
    return DLC_OK;
  }

  dlc_status findKernels() {
    if (!d.kernels.allocate(d.target->kernel_count))
      return noHostMemory();
    int most = 0, usual = 0;
    if (Status status = api.cuDeviceGetAttribute(&most, sharedBytesPerBlockOptIn, d.gpu.ordinal))
      return fail(status, "cuDeviceGetAttribute");
    if (Status status = api.cuDeviceGetAttribute(&usual, sharedBytesPerBlock, d.gpu.ordinal))
      return fail(status, "cuDeviceGetAttribute");
    for (uint32_t i = 0; i < d.target->kernel_count; ++i) {
      const dlc_device_kernel &kernel = d.target->device_kernels[i];
      if (kernel.shared_bytes > static_cast<uint32_t>(most))
        return error.fail(DLC_UNSUPPORTED_DEVICE,
                          "%s: kernel %s needs %u bytes of shared memory, the GPU %s has %d", model.name,
                          kernel.name, kernel.shared_bytes, d.gpu.name, most);
      if (Status status = api.cuModuleGetFunction(&d.kernels[i], d.module, kernel.entry))
        return error.fail(DLC_DEVICE_FAILED, "%s: the GPU's code has no kernel %s: %s", model.name,
                          kernel.entry, Gpu::Answer(d.gpu, status).text);
      if (kernel.shared_bytes > static_cast<uint32_t>(usual))
        if (Status status = api.cuFuncSetAttribute(d.kernels[i], maxDynamicSharedBytes,
                                                   static_cast<int>(kernel.shared_bytes)))
          return fail(status, "cuFuncSetAttribute");
    }
    return DLC_OK;
  }

  CudaDevice &d;
  const Api &api;
  const dlc_model &model;
  Error &error;
};

/// Whatever the driver answers: after a failure it has nothing else to say.
void giveBack(CudaDevice &d) {
  const Api &api = d.gpu.api;
  for (Stream stream : {d.copies, d.compute})
    if (stream)
      api.cuStreamSynchronize(stream);
  destroyPrograms(d);
  for (CudaDevice::Slot &slot : d.slots)
    for (Event event : {slot.copied, slot.done})
      if (event)
        api.cuEventDestroy_v2(event);
  for (Stream stream : {d.compute, d.copies})
    if (stream)
      api.cuStreamDestroy_v2(stream);
  if (d.module)
    api.cuModuleUnload(d.module);
  if (d.pinned)
    api.cuMemFreeHost(d.pinned);
  if (d.memory)
    api.cuMemFree_v2(d.memory);
}

} // namespace

dlc_status open(const dlc_model &model, const dlc_target &target, const dlc_create_options &options,
                Device *&result, Error &error) {
  CudaDevice *device = createObjects<CudaDevice>(1);
  if (!device)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for an instance", model.name);
  result = device; // closed by the caller, also where something below fails
  device->model = &model;
  device->target = &target;
  if (dlc_status status = device->gpu.open(options.device, model.name, error))
    return status;
  return Opening(*device, error).run();
}

void close(Device *device) {
  if (!device)
    return;
  CudaDevice &d = cuda(*device);
  if (d.context) {
    if (Current current(d); current.isSet())
      giveBack(d);
    d.gpu.api.cuDevicePrimaryCtxRelease_v2(d.gpu.ordinal); // the last one ends what may be left
  }
  destroyObjects(&d, 1);
}

} // namespace dlc::runtime::cuda
