//===- Backends.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The list of backends: the only place that knows both the core and all kinds of machines.
//===----------------------------------------------------------------------===//
#include "runtime/cpu/CpuBackend.h"

namespace dlc::runtime {

const Backend *const backends[] = {&cpuBackend};
const size_t backendCount = sizeof backends / sizeof *backends;

} // namespace dlc::runtime
