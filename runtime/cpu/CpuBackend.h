//===- CpuBackend.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CPU_CPUBACKEND_H
#define DLC_RUNTIME_CPU_CPUBACKEND_H

#include "runtime/core/Backend.h"

namespace dlc::runtime {

/// This machine's CPU, with the threads of an instance.
extern const Backend cpuBackend;

} // namespace dlc::runtime

#endif
