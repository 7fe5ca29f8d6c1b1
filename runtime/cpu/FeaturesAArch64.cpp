//===- FeaturesAArch64.cpp ------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Which instruction sets the kernel says that programs may use: it also knows whether it saves their
// registers. The numbers of the bits are Linux's (asm/hwcap.h), of which a C library's headers may know only
// some.
//===----------------------------------------------------------------------===//
#if defined(__aarch64__)
#include "runtime/cpu/Features.h"

#include <sys/auxv.h>

namespace dlc::runtime {

namespace {

struct Feature {
  uint32_t bit;
  const char *name;
  unsigned long where; ///< of the auxiliary vector
  uint64_t needed;     ///< all of these
};
constexpr uint64_t bit(unsigned number) { return uint64_t{1} << number; }

constexpr Feature known[] = {
    {DLC_CPU_AARCH64_LSE, "LSE", AT_HWCAP, bit(8)},
    {DLC_CPU_AARCH64_CRC32, "CRC32", AT_HWCAP, bit(7)},
    {DLC_CPU_AARCH64_RDM, "RDM", AT_HWCAP, bit(12)},
    {DLC_CPU_AARCH64_FP16, "FP16", AT_HWCAP, bit(9) | bit(10)},
    {DLC_CPU_AARCH64_DOTPROD, "DotProd", AT_HWCAP, bit(20)},
    {DLC_CPU_AARCH64_RCPC, "RCpc", AT_HWCAP, bit(15)},
    {DLC_CPU_AARCH64_JSCVT, "JSCVT", AT_HWCAP, bit(13)},
    {DLC_CPU_AARCH64_FCMA, "FCMA", AT_HWCAP, bit(14)},
    {DLC_CPU_AARCH64_SHA3, "SHA3", AT_HWCAP, bit(17) | bit(21)},
    {DLC_CPU_AARCH64_FHM, "FHM", AT_HWCAP, bit(23)},
    {DLC_CPU_AARCH64_FLAGM, "FlagM", AT_HWCAP, bit(27)},
    {DLC_CPU_AARCH64_FRINT, "FRINTTS", AT_HWCAP2, bit(8)},
    {DLC_CPU_AARCH64_I8MM, "I8MM", AT_HWCAP2, bit(13)},
    {DLC_CPU_AARCH64_BF16, "BF16", AT_HWCAP2, bit(14)},
    {DLC_CPU_AARCH64_SVE, "SVE", AT_HWCAP, bit(22)},
    {DLC_CPU_AARCH64_SVE2, "SVE2", AT_HWCAP2, bit(1)},
    {DLC_CPU_AARCH64_SVE2P1, "SVE2.1", AT_HWCAP2, bit(36)},
    {DLC_CPU_AARCH64_F32MM, "F32MM", AT_HWCAP2, bit(10)},
    {DLC_CPU_AARCH64_F64MM, "F64MM", AT_HWCAP2, bit(11)},
    {DLC_CPU_AARCH64_CSSC, "CSSC", AT_HWCAP2, bit(34)},
    {DLC_CPU_AARCH64_MOPS, "MOPS", AT_HWCAP2, bit(43)},
    {DLC_CPU_AARCH64_HBC, "HBC", AT_HWCAP2, bit(44)},
    {DLC_CPU_AARCH64_LUT, "LUT", AT_HWCAP2, bit(49)},
    {DLC_CPU_AARCH64_FAMINMAX, "FAMINMAX", AT_HWCAP2, bit(50)},
    {DLC_CPU_AARCH64_CMPBR, "CMPBR", AT_HWCAP, bit(33)},
    {DLC_CPU_AARCH64_FPRCVT, "FPRCVT", AT_HWCAP, bit(34)},
};

} // namespace

uint32_t cpuFeatures() {
  uint32_t features = 0;
  for (const Feature &feature : known)
    if ((getauxval(feature.where) & feature.needed) == feature.needed)
      features |= feature.bit;
  return features;
}

NamedFeature knownFeature(size_t index) {
  if (index >= sizeof known / sizeof *known)
    return {};
  return {known[index].bit, known[index].name};
}

} // namespace dlc::runtime
#endif
