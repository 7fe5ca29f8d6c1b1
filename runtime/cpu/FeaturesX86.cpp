//===- FeaturesX86.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the CPU for its instruction sets. Not with __builtin_cpu_supports, which knows only some of them
// and needs a constructor of the compiler's own library.
//===----------------------------------------------------------------------===//
#if defined(__x86_64__)
#include "runtime/cpu/Features.h"

#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

namespace dlc::runtime {

namespace {

/// Registers that the operating system must save for an instruction set to be usable (bits of XCR0).
enum State : uint64_t {
  None = 0,
  Ymm = 0x06 /* SSE and AVX */,
  Zmm = 0xe6 /* and masks, upper halves, 16 to 31 */,
  Tiles = 0x60000 /* of AMX: how they are configured, and what is in them */
};

/// Where CPUID says that there is an instruction set.
struct Feature {
  uint32_t bit;
  const char *name;
  uint32_t leaf, subleaf;
  unsigned answer; ///< eax, ebx, ecx or edx
  unsigned answerBit;
  State state;
};
enum { Eax, Ebx, Ecx, Edx };
constexpr uint32_t extended = 0x80000001;

constexpr Feature known[] = {
    {DLC_CPU_SSE42, "SSE4.2", 1, 0, Ecx, 20, None},
    {DLC_CPU_POPCNT, "POPCNT", 1, 0, Ecx, 23, None},
    {DLC_CPU_MOVBE, "MOVBE", 1, 0, Ecx, 22, None},
    {DLC_CPU_LZCNT, "LZCNT", extended, 0, Ecx, 5, None},
    {DLC_CPU_BMI1, "BMI1", 7, 0, Ebx, 3, None},
    {DLC_CPU_BMI2, "BMI2", 7, 0, Ebx, 8, None},
    {DLC_CPU_AVX, "AVX", 1, 0, Ecx, 28, Ymm},
    {DLC_CPU_F16C, "F16C", 1, 0, Ecx, 29, Ymm},
    {DLC_CPU_FMA, "FMA", 1, 0, Ecx, 12, Ymm},
    {DLC_CPU_AVX2, "AVX2", 7, 0, Ebx, 5, Ymm},
    {DLC_CPU_AVXVNNI, "AVX-VNNI", 7, 1, Eax, 4, Ymm},
    {DLC_CPU_GFNI, "GFNI", 7, 0, Ecx, 8, None},
    {DLC_CPU_AVX512F, "AVX-512F", 7, 0, Ebx, 16, Zmm},
    {DLC_CPU_AVX512BW, "AVX-512BW", 7, 0, Ebx, 30, Zmm},
    {DLC_CPU_AVX512CD, "AVX-512CD", 7, 0, Ebx, 28, Zmm},
    {DLC_CPU_AVX512DQ, "AVX-512DQ", 7, 0, Ebx, 17, Zmm},
    {DLC_CPU_AVX512VL, "AVX-512VL", 7, 0, Ebx, 31, Zmm},
    {DLC_CPU_AVX512IFMA, "AVX-512-IFMA", 7, 0, Ebx, 21, Zmm},
    {DLC_CPU_AVX512VBMI, "AVX-512-VBMI", 7, 0, Ecx, 1, Zmm},
    {DLC_CPU_AVX512VBMI2, "AVX-512-VBMI2", 7, 0, Ecx, 6, Zmm},
    {DLC_CPU_AVX512VNNI, "AVX-512-VNNI", 7, 0, Ecx, 11, Zmm},
    {DLC_CPU_AVX512BITALG, "AVX-512-BITALG", 7, 0, Ecx, 12, Zmm},
    {DLC_CPU_AVX512VPOPCNTDQ, "AVX-512-VPOPCNTDQ", 7, 0, Ecx, 14, Zmm},
    {DLC_CPU_AVX512BF16, "AVX-512-BF16", 7, 1, Eax, 5, Zmm},
    {DLC_CPU_AVX512FP16, "AVX-512-FP16", 7, 0, Edx, 23, Zmm},
    {DLC_CPU_AMX_TILE, "AMX-TILE", 7, 0, Edx, 24, Tiles},
    {DLC_CPU_AMX_BF16, "AMX-BF16", 7, 0, Edx, 22, Tiles},
};

struct Answers {
  unsigned registers[4] = {}; ///< zeros where the CPU has no such leaf
};
Answers askCpu(uint32_t leaf, uint32_t subleaf) {
  Answers answers;
  auto &[a, b, c, d] = answers.registers;
  // Subleaf 0 of leaf 7 says how many there are.
  if (subleaf && askCpu(leaf, 0).registers[Eax] < subleaf)
    return answers;
  if (!__get_cpuid_count(leaf, subleaf, &a, &b, &c, &d))
    return {};
  return answers;
}

uint64_t stateThatIsSaved() {
  if (!(askCpu(1, 0).registers[Ecx] & 1u << 27 /* OSXSAVE */))
    return 0;
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}
} // namespace

uint32_t cpuFeatures() {
  uint32_t features = 0;
  uint64_t saved = stateThatIsSaved();
  for (const Feature &feature : known) {
    unsigned answer = askCpu(feature.leaf, feature.subleaf).registers[feature.answer];
    if (answer >> feature.answerBit & 1 && (saved & feature.state) == feature.state)
      features |= feature.bit;
  }
  return features;
}

bool permitMatrixUnit() {
#if defined(__linux__)
  constexpr long requestPermission = 0x1023, tileData = 18; // ARCH_REQ_XCOMP_PERM, the state's number in XCR0
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

NamedFeature knownFeature(size_t index) {
  if (index >= sizeof known / sizeof *known)
    return {};
  return {known[index].bit, known[index].name};
}

} // namespace dlc::runtime
#endif
