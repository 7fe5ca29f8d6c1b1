//===- Instance.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/core/Instance.h"

dlc_status dlc_instance::deviceStatus(dlc::runtime::Error &sentence) const {
  return device->failure ? sentence.fail(DLC_DEVICE_FAILED, "%s: %s", model->name, device->failure) : DLC_OK;
}

namespace dlc::runtime {

Call::Call(dlc_instance *handle, Kind kind) {
  if (!handle) {
    refusal = DLC_INVALID_ARGUMENT;
  } else if (handle->busy.exchange(true, std::memory_order_acquire)) {
    refusal = DLC_BUSY;
  } else {
    instance = handle;
    refusal = handle->deviceStatus();
    if (refusal == DLC_OK && handle->isInSlices && kind == Kind::Whole)
      refusal = DLC_BUSY;
  }
}

dlc_status settle(dlc_instance &instance) {
  if (instance.running)
    instance.backend->synchronize(*instance.device);
  instance.running = false;
  if (dlc_status status = instance.deviceStatus())
    return status;
  if (instance.newLoss)
    instance.loss = instance.stepLoss;
  if (instance.newNorm)
    instance.gradNorm = instance.stepGradNorm;
  if (instance.newMetrics)
    instance.metrics = instance.stepMetrics;
  instance.newLoss = instance.newNorm = instance.newMetrics = false;
  return DLC_OK;
}

} // namespace dlc::runtime
