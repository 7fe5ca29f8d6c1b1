//===- CpuTarget.h - what the compiler knows of a CPU ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The description that layout, fuse, schedule and codegen share. It is made once and handed down. LLVM knows
// the instruction sets; what is fast comes from a table that the CPU's name chooses. Nothing is asked of the
// machine that compiles but its name and its features, so that native gives the code that the name gives with
// them.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_CPUTARGET_H
#define DLC_COMPILER_MACHINE_CPUTARGET_H

#include "compiler/machine/CpuCosts.h"
#include "llvm/Support/Error.h"
#include "llvm/Target/TargetMachine.h"
#include <memory>
#include <string>

namespace dlc {

struct MachineModel;

struct CpuTarget {
  std::string triple;
  std::string cpu;          ///< LLVM's name: "znver5", "x86-64-v3", "neoverse-n1" ...
  std::string features;     ///< LLVM's feature string; empty where the cpu's name says all
  int64_t lanes = 4;        ///< f32 elements of the widest vector
  int64_t registers = 16;   ///< vector registers
  uint32_t featureBits = 0; ///< bits of dlc/abi.h: dlc_cpu_feature, or dlc_cpu_feature_aarch64
  bool amx = false;         ///< it has a unit that multiplies matrices of bf16, and the bits of it (amxBits)
  bool amxCalls = false;    ///< calls in the place of its instructions (codegen/cpu/TileCalls.h)
  CpuCosts costs;

  /// Elements of a row of a whole register tile, and of a panel.
  int64_t panelWidth() const { return costs.tileVectors * lanes; }
  /// Lanes of vectors along so many elements.
  int64_t lanesFor(int64_t elements) const {
    return costs.halfVectors && lanes == 16 && elements <= lanes / 2 ? lanes / 2 : lanes;
  }

  /// Whether products of bf16 are best added pair by pair, by the instructions that the CPU has for it.
  bool addsPairs() const;
  /// Whether the CPU has instructions that round f32 to f16 and widen it again.
  bool convertsHalves() const;

  /// An empty `triple` is that of the machine that compiles, and `cpu` "native" its CPU. An empty `cpu` is
  /// native where the triple is of this machine's architecture, and generic where it is of another. Triples
  /// and CPUs that dlc has no code for are errors, which say what there is.
  static llvm::Expected<CpuTarget> get(llvm::StringRef triple, llvm::StringRef cpu);
  /// What layout and fuse ask of it.
  MachineModel model() const;
  /// Whether what is compiled can be linked with this machine's compiler and libraries.
  bool isThisMachine() const;
  /// A target machine for position-independent code; `optLevel` 0 to 3.
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(unsigned optLevel) const;
};

} // namespace dlc

#endif // DLC_COMPILER_MACHINE_CPUTARGET_H
