//===- CpuFeatures.h - instruction sets as bits of the description ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_CPUFEATURES_H
#define DLC_COMPILER_MACHINE_CPUFEATURES_H

#include "dlc/abi.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/TargetParser/Triple.h"
#include <string>
#include <vector>

namespace dlc {

/// What code for this CPU may use, as the runtime's `create` will ask for it: dlc_cpu_feature bits for
/// x86_64, dlc_cpu_feature_aarch64 bits for aarch64.
uint32_t featureBitsOf(const llvm::MCSubtargetInfo &cpu, const llvm::Triple &triple);
/// What code needs besides that has products by the matrix unit.
constexpr uint32_t amxBits = DLC_CPU_AMX_TILE | DLC_CPU_AMX_BF16;
/// LLVM's names of the instruction sets that bits stand for, sorted.
std::vector<std::string> featureNames(uint32_t bits, const llvm::Triple &triple);

} // namespace dlc

#endif // DLC_COMPILER_MACHINE_CPUFEATURES_H
