//===- CpuTarget.h - what the compiler knows of a CPU ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The description that schedule and codegen share. LLVM knows the instruction sets; what it does not
// know (cache sizes) has one conservative value for all, so that equal options give equal code.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_TARGET_CPUTARGET_H
#define DLC_COMPILER_TARGET_CPUTARGET_H

#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace dlc {

struct CpuTarget {
  std::string triple;
  std::string cpu;            ///< LLVM's name: "znver5", "x86-64-v3", "neoverse-n1" ...
  std::string features;       ///< LLVM's feature string; empty where the cpu's name says all
  int64_t lanes = 4;          ///< f32 elements of the widest vector
  int64_t registers = 16;     ///< vector registers
  int64_t l1Bytes = 32 << 10; ///< data cache of a core
  int64_t l2Bytes = 1 << 20;
  uint32_t featureBits = 0; ///< bits of dlc/abi.h: dlc_cpu_feature, or dlc_cpu_feature_aarch64

  /// A reduction of more steps does not run from the first-level cache. Operands are then copied into panels, and
  /// transposed on the way, if so many tiles read them.
  static constexpr int64_t smallSteps = 512, copiedForTiles = 16;

  /// An empty `triple` is that of the machine that compiles, and `cpu` "native" its CPU. An empty `cpu` is
  /// native where the triple is of this machine's architecture, and generic where it is of another. Triples
  /// and CPUs that dlc has no code for are errors, which say what there is.
  static llvm::Expected<CpuTarget> get(llvm::StringRef triple, llvm::StringRef cpu);
  /// Whether what is compiled can be linked with this machine's compiler and libraries.
  bool isThisMachine() const;
  /// A target machine for position-independent code; `optLevel` 0 to 3.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(unsigned optLevel) const;
};

} // namespace dlc

#endif // DLC_COMPILER_TARGET_CPUTARGET_H
