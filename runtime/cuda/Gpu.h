//===- Gpu.h --------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The driver, found at run time, and the GPU that a program asks for.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CUDA_GPU_H
#define DLC_RUNTIME_CUDA_GPU_H

#include "runtime/core/Error.h"
#include "runtime/cuda/driver.h"

namespace dlc::runtime::cuda {

struct Gpu {
  Api api;
  bool standIn = false; ///< not a GPU: tools/simt runs code of this machine
  Ordinal ordinal = 0;
  uint32_t sm = 0; ///< compute capability, 80 is 8.0
  int driverVersion = 0;
  char name[96] = "";

  /// Opens the driver and finds the device that the option names, NULL: the first. What has been loaded stays
  /// in the process: a driver has threads of its own.
  dlc_status open(const char *device, const char *model, Error &error);

  // The parts of it. Messages begin with `model`.
  /// Opens the driver; how many devices it has.
  dlc_status start(const char *model, int &count, Error &error);
  /// The device of this number, from 0, among `count`.
  dlc_status select(int number, int count, const char *model, Error &error);

  /// A driver's answer for messages: "CUDA_ERROR_OUT_OF_MEMORY (out of memory)".
  struct Answer {
    char text[192];
    Answer(const Gpu &gpu, Status status);
  };

private:
  dlc_status load(const char *model, Error &error);
  dlc_status refuse(const char *model, const char *function, Status status, Error &error) const;
};

} // namespace dlc::runtime::cuda

#endif
