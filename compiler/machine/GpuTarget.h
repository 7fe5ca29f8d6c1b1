//===- GpuTarget.h - what the compiler knows of NVIDIA GPUs ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Made once from --gpu and handed down, as CpuTarget is. One schedule serves all GPUs of a library: its
// numbers are limits that each GPU since compute capability 8.0 has, so results do not depend on which one is
// at hand. Only where all of them multiply in groups of warps, these have more shared memory.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_GPUTARGET_H
#define DLC_COMPILER_MACHINE_GPUTARGET_H

#include "compiler/machine/CpuTarget.h"
#include <utility>
#include <vector>

namespace dlc {

/// A kind of GPU, by its compute capability.
struct GpuArchitecture {
  unsigned number = 0;  ///< 80 of sm_80
  bool isExact = false; ///< sm_90a: with instructions that no later GPU has, so none runs its code

  std::string name() const;
  /// The architecture's number as images of a library have it (dlc_image::sm).
  uint32_t capability() const;
  /// Whether four warps multiply matrices together, from shared memory (PTX's wgmma).
  bool hasWarpGroups() const { return number == 90 && isExact; }
  bool operator==(const GpuArchitecture &other) const {
    return number == other.number && isExact == other.isExact;
  }
  bool operator<(const GpuArchitecture &other) const {
    return std::pair(number, isExact) < std::pair(other.number, other.isExact);
  }
};

struct GpuTarget {
  std::vector<GpuArchitecture> architectures; ///< that get code of their own, ascending

  static constexpr int64_t multiprocessors = 132;        ///< of the GPU that work is shared for (an H100)
  static constexpr int64_t warp = 32;                    ///< threads that run in step
  static constexpr int64_t warpGroup = 4 * warp;         ///< threads that multiply together where GPUs do so
  static constexpr int64_t blockThreads = 256;           ///< threads of a block, unless a form says otherwise
  static constexpr int64_t mostBlockThreads = 1024;      ///< that a block may have
  static constexpr int64_t sharedBytes = 48 << 10;       ///< shared memory of a block without asking for more
  static constexpr int64_t askedSharedBytes = 128 << 10; ///< that a block of one warp group may ask for
  static constexpr int64_t copyBytes = 16;               ///< the most that a thread copies there at once, and
  static constexpr int64_t leastCopyBytes = 4;      ///< the least; what has a place of its own begins at such
  static constexpr int64_t mostStages = 4;          ///< rounds of a product that are in shared memory
  static constexpr int64_t localBytes = 1 << 10;    ///< what a thread may keep in memory of its own
  static constexpr int64_t mostBlocks = 0x7fffffff; ///< of a launch

  /// `list`: "sm_80" or "sm_80,sm_90"; empty: sm_80; "native" stands for the GPUs of this machine. Names that
  /// dlc has no code for are errors, which say what there is, and so is "native" without a driver or a GPU.
  static llvm::Expected<GpuTarget> get(llvm::StringRef list);
  /// The names of all, in order.
  std::string text() const;
  /// All names that `get` knows, in order.
  static std::string names();
  /// Whether all of them have.
  bool haveWarpGroups() const;
  llvm::Expected<std::unique_ptr<llvm::TargetMachine>>
  createTargetMachine(const GpuArchitecture &architecture, unsigned optLevel) const;
  /// What layout and fuse ask of it. They take it for a machine of vectors: a warp is a vector, and weights
  /// lie as they are.
  MachineModel model() const;
};

} // namespace dlc

#endif // DLC_COMPILER_MACHINE_GPUTARGET_H
