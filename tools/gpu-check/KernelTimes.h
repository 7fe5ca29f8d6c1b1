//===- KernelTimes.h ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How long the kernels of a function take on a GPU, each alone. This looks behind the runtime's interface: it
// takes an instance's memory and code, and makes graphs of its own.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_GPUCHECK_KERNELTIMES_H
#define DLC_TOOLS_GPUCHECK_KERNELTIMES_H

#include "dlc/abi.h"
#include "runtime/cuda/Gpu.h"

#include <functional>
#include <string>

namespace dlc::check {

struct KernelTime {
  std::string kernel;
  uint32_t launches = 0;   ///< of the function
  double microseconds = 0; ///< of one
};

/// Measures the time of each kernel of the function, by its first launch, and tells it as soon as it is
/// known. A graph has that launch many times, one after the other: what is left of the time of a long graph
/// when that of a short one is taken off is the kernel's. Operands stay where the launch before has left
/// them, so what fits into the second-level cache is read from there. `milliseconds`: how long a graph may
/// about take; 0: each kernel runs once, for a check that it does. The instance's values are of no use
/// afterwards.
void timeKernels(dlc_instance &instance, dlc_function_kind function, double milliseconds,
                 const std::function<void(const KernelTime &)> &tell);

/// Bytes read and written in a second, in units of 1e9, by copies of so many bytes from one place of the
/// GPU's memory to another.
double copyRate(const char *device, size_t bytes, int count);

} // namespace dlc::check

#endif
