//===- CudaBackend.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Calls on an NVIDIA GPU: inputs go into a pinned slot and from there, on a stream of their own, to the
// device, while the call before may still run; then the function's graph follows.
//===----------------------------------------------------------------------===//
#include "runtime/core/DType.h"
#include "runtime/cuda/Open.h"
#include "runtime/cuda/Transfers.h"

#include <cstring>

namespace dlc::runtime::cuda {

namespace {

/// Bytes of an input or output at the actual sizes.
template <typename Tensor> uint64_t actualBytes(const Tensor &tensor, const int64_t *dims) {
  uint64_t bytes = dtypeBytes(tensor.dtype);
  for (uint32_t i = 0; i < tensor.rank; ++i) {
    if (!tensor.axes) {
      bytes *= static_cast<uint64_t>(tensor.shape[i]);
      continue;
    }
    bytes *= static_cast<uint64_t>(tensor.axes[i].factor);
    for (uint32_t k = 0; k < tensor.axes[i].dim_count; ++k)
      bytes *= static_cast<uint64_t>(dims[tensor.axes[i].dims[k]]);
  }
  return bytes;
}

/// Fills the next slot, once the call that used it last is done, and sends it off.
bool sendInputs(CudaDevice &d, const Program &program, const CallMemory &call) {
  const Api &api = d.gpu.api;
  CudaDevice::Slot &slot = d.slots[d.nextSlot];
  if (slot.used && !d.succeeded(api.cuEventSynchronize(slot.done), "waiting for an earlier call"))
    return false;
  unsigned char *pinned = d.pinnedSlot(d.nextSlot);
  memcpy(pinned, call.dims, d.model->dim_count * sizeof *call.dims);
  for (uint32_t i = 0; i < d.model->input_count; ++i)
    if (program.inputs[i])
      memcpy(pinned + d.inputAt[i], call.inputs[i], actualBytes(d.model->inputs[i], call.dims));
  return d.succeeded(api.cuMemcpyHtoDAsync_v2(d.slotAddress(d.nextSlot), pinned, program.slotBytes, d.copies),
                     "copying inputs to the GPU") &&
         d.succeeded(api.cuEventRecord(slot.copied, d.copies), "marking the copy of inputs") &&
         d.succeeded(api.cuStreamWaitEvent(d.compute, slot.copied, 0), "ordering the copy of inputs");
}

void run(Device &device, dlc_function_kind function, const CallMemory &call) {
  CudaDevice &d = cuda(device);
  Current current(d);
  if (!current.usable())
    return;
  const Program &program = d.programs[function];
  const uint32_t slot = program.usesSlot ? d.nextSlot : 0;
  if (program.usesSlot && !sendInputs(d, program, call))
    return;
  if (!d.succeeded(d.gpu.api.cuGraphLaunch(program.graphs[slot], d.compute), "starting a function"))
    return;
  for (uint32_t i = 0; i < d.model->output_count; ++i)
    if (program.outputs[i])
      d.pending[i] = {call.outputs[i], actualBytes(d.model->outputs[i], call.dims)};
  if (!program.usesSlot)
    return;
  d.succeeded(d.gpu.api.cuEventRecord(d.slots[slot].done, d.compute), "marking the end of a function");
  d.slots[slot].used = true;
  d.nextSlot = (slot + 1) % slotCount;
}

void synchronize(Device &device) {
  CudaDevice &d = cuda(device);
  Current current(d);
  if (!current.usable() || !d.succeeded(d.gpu.api.cuStreamSynchronize(d.compute), "waiting for a function"))
    return;
  for (uint32_t i = 0; i < d.model->output_count; ++i) {
    if (d.pending[i].bytes)
      memcpy(d.pending[i].to, d.pinnedOutputs() + d.outputAt[i], d.pending[i].bytes);
    d.pending[i].bytes = 0;
  }
}

void *view(Device &, const dlc_symbol &, const dlc_placement &) {
  return nullptr;
} // it is the device's memory

// A graph runs as a whole.
constexpr Backend backend = {DLC_TARGET_CUDA, "gpu",   isSound,     check,    open,    close, run,
                             nullptr,         nullptr, synchronize, allocate, release, copy,  exchange,
                             areAllFinite,    store,   fetch,       view};

} // namespace
} // namespace dlc::runtime::cuda

const dlc_backend dlc_cuda_backend = dlc::runtime::cuda::backend;
