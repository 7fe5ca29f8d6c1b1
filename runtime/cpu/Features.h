//===- Features.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which of the instruction sets that generated code may use this CPU (and its operating system) has.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CPU_FEATURES_H
#define DLC_RUNTIME_CPU_FEATURES_H

#include "dlc/abi.h"

namespace dlc::runtime {

/// Bits of dlc_cpu_feature, or on AArch64 of dlc_cpu_feature_aarch64.
uint32_t cpuFeatures();

/// Asks the system to let this process use the registers of AMX, which it does not save unasked. Whether it
/// does, now and for threads that there will be.
bool permitMatrixUnit();

struct NamedFeature {
  uint32_t bit = 0;
  const char *name = nullptr;
};
/// The features that this runtime knows, in the order in which they are listed; no name after the last.
NamedFeature knownFeature(size_t index);

/// Writes the names of the bits of `features`, "AVX-512F, AVX-512BW".
void describeFeatures(uint32_t features, char *text, size_t bytes);

} // namespace dlc::runtime

#endif
