//===- Tuning.h - what was measured to be fast on one machine --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The file that `dlc tune` writes and `--tune` reads (docs/tuning.md): numbers of the table of costs, and for
// which instruction sets they hold. It is used only where it is named, so that equal options give equal code.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_MACHINE_TUNING_H
#define DLC_COMPILER_MACHINE_TUNING_H

#include "compiler/machine/CpuTarget.h"
#include <vector>

namespace dlc {

/// What is chosen by measuring: the numbers of CpuCosts of these names.
struct TileChoice {
  int64_t tileRows, tileVectors;
  bool fetchRows;
};

struct Measurement {
  TileChoice choice;
  std::vector<int64_t> nanoseconds; ///< of a step of each model that was timed
};

struct Tuning {
  std::string cpu;                   ///< the processor's brand, for people
  std::string architecture;          ///< of the triple
  std::vector<std::string> features; ///< that code for the target may use, sorted
  TileChoice choice;
  std::vector<Measurement> measured; ///< written for people, not read
};

/// Whether the sums of a tile, a row of columns and a row's element fit the registers, and dlc has such
/// tiles.
bool isPossible(const CpuTarget &target, const TileChoice &choice);
/// The tuning of a target that has this choice.
Tuning tuningOf(const CpuTarget &target, const TileChoice &choice);

std::string toText(const Tuning &tuning);
/// Takes the choice of a file over into the target. An error names the file, what was expected and what it
/// has.
llvm::Error useTuning(llvm::StringRef file, CpuTarget &target);

} // namespace dlc

#endif // DLC_COMPILER_MACHINE_TUNING_H
