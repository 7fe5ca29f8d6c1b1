//===- NativeGpus.h - the GPUs of this machine ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asked of the NVIDIA driver, which is opened at run time as the runtime does it: dlc needs none to compile.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_NATIVEGPUS_H
#define DLC_COMPILER_MACHINE_NATIVEGPUS_H

#include "llvm/Support/Error.h"
#include <vector>

namespace dlc {

struct NativeGpus {
  std::vector<unsigned> capabilities; ///< of each GPU, 80 is 8.0
  int driverVersion = 0;              ///< of CUDA, 12040 is 12.4

  /// An error where there is no driver, or where it has no GPU; it says what is missing.
  static llvm::Expected<NativeGpus> find();
};

} // namespace dlc

#endif // DLC_COMPILER_MACHINE_NATIVEGPUS_H
