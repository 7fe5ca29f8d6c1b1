//===- dlc/device.h - the GPUs of this machine ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What torch.cuda is asked in PyTorch. The NVIDIA driver answers, which is opened at run time; a machine
// without one has no GPU, and that is no error.
//===----------------------------------------------------------------------===//
#ifndef DLC_DEVICE_H
#define DLC_DEVICE_H

#include "dlc/error.h"

namespace dlc {

/// The number of NVIDIA GPUs: "gpu" or "gpu:0", "gpu:1" and so on. 0 where there is none, or no driver.
DLC_API int device_count();
/// Whether there is a GPU.
DLC_API bool is_available();
/// What the driver calls a GPU: "NVIDIA H100 PCIe". Throws where there is none of this number.
DLC_API std::string device_name(int number = 0, Where where = Where::current());

/// Bytes of a GPU's memory.
struct DeviceMemory {
  int64_t free = 0;  ///< what no program uses at the moment
  int64_t total = 0; ///< all of it
};
/// The memory of a GPU. Throws where there is none of this number, or it does not answer.
DLC_API DeviceMemory device_memory(int number = 0, Where where = Where::current());

/// What to set SessionOptions::device to: the first GPU that dlc makes code for, "gpu" or "gpu:1" and so on,
/// else "cpu". Which one it is, and why, is said once on standard error.
DLC_API std::string best_device(Where where = Where::current());

} // namespace dlc

#endif // DLC_DEVICE_H
