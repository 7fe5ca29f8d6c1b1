//===- CpuCosts.cpp - what is fast on a CPU --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/machine/CpuCosts.h"
#include "llvm/ADT/STLExtras.h"

namespace dlc {

// Two ports do everything that is 512 bits wide, and the clock falls with the loads beside each multiply-add:
// a tile must have few. Fetching ahead counts as loads and gains nothing.
static constexpr llvm::StringLiteral intelAvx512[] = {
    "skylake-avx512",  "skx",          "cascadelake", "cooperlake",     "cannonlake",    "icelake-client",
    "icelake-server",  "tigerlake",    "rocketlake",  "sapphirerapids", "emeraldrapids", "graniterapids",
    "graniterapids-d", "diamondrapids"};

// Server cores since Golden Cove, whose second-level cache is twice as large.
static constexpr llvm::StringLiteral largeL2[] = {"sapphirerapids", "emeraldrapids", "graniterapids",
                                                  "graniterapids-d", "diamondrapids"};

// And those before Ice Lake, whose first-level cache is smaller.
static constexpr llvm::StringLiteral smallL1[] = {"skylake-avx512", "skx", "cascadelake", "cooperlake",
                                                  "cannonlake"};

CpuCosts costsOf(llvm::StringRef cpu, int64_t lanes, int64_t registers) {
  CpuCosts costs;
  if (registers >= 32) // sixteen sums, two columns and a row's element leave room
    costs.tileRows = costs.narrowTileRows = 8;
  if (lanes == 16 && llvm::is_contained(intelAvx512, cpu)) {
    costs.kind = "intel-avx512";
    costs.tileRows = 6;
    costs.tileVectors = 4;
    costs.fetchRows = false;
    costs.updateStages = 2;
    costs.updateShare = 1;
    costs.updateTiles = 2;
    costs.sideBySide = true;
    costs.halfVectors = true;
    costs.masksFirst = true;
    costs.unrolledSteps = 2;
    costs.farRowBytes = 128;
    costs.fetchCopied = true;
    if (!llvm::is_contained(smallL1, cpu))
      costs.l1Bytes = 48 << 10;
    if (llvm::is_contained(largeL2, cpu))
      costs.l2Bytes = 2 << 20;
  } else if (lanes == 16) {
    // The two multiply-add ports of a Zen 4 or 5 have loads beside them; others with 512 bits are not
    // measured.
    costs.halfVectors = costs.pairs = cpu.starts_with("znver");
    costs.kind = costs.halfVectors ? "amd-avx512" : "x86-avx512";
  } else if (lanes == 8) {
    costs.kind = cpu.starts_with("znver") ? "amd-avx2" : "x86-avx2";
  } else {
    costs.kind = registers >= 32 ? "arm-neon" : "generic";
  }
  return costs;
}

} // namespace dlc
