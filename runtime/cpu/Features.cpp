//===- Features.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Asks the CPU for its instruction sets. Not with __builtin_cpu_supports, which knows only some of them
// and needs a constructor of the compiler's own library.
//===----------------------------------------------------------------------===//
#include "runtime/cpu/Features.h"

#include <cstdio>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace dlc::runtime {

#if defined(__x86_64__)
namespace {
/// The register state that the operating system saves: without it an instruction set is unusable.
uint64_t enabledState() {
  uint32_t low, high;
  __asm__ volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
  return uint64_t{high} << 32 | low;
}
} // namespace
#endif

uint32_t cpuFeatures() {
  uint32_t features = 0;
#if defined(__x86_64__)
  unsigned a, b, c, d;
  if (!__get_cpuid(1, &a, &b, &c, &d) || !(c & 1u << 27 /* OSXSAVE */))
    return 0;
  uint64_t state = enabledState();
  bool ymm = (state & 0x06) == 0x06; // SSE and AVX state
  bool zmm = (state & 0xe6) == 0xe6; // and masks, upper halves, registers 16 to 31
  auto add = [&](uint32_t present, unsigned bit, uint32_t feature) {
    if (present & 1u << bit)
      features |= feature;
  };
  if (ymm) {
    add(c, 12, DLC_CPU_FMA);
    add(c, 29, DLC_CPU_F16C);
  }
  if (!__get_cpuid_count(7, 0, &a, &b, &c, &d))
    return features;
  unsigned subleaves = a;
  add(b, 8, DLC_CPU_BMI2);
  if (ymm)
    add(b, 5, DLC_CPU_AVX2);
  if (zmm) {
    add(b, 16, DLC_CPU_AVX512F);
    add(b, 17, DLC_CPU_AVX512DQ);
    add(b, 30, DLC_CPU_AVX512BW);
    add(b, 31, DLC_CPU_AVX512VL);
    add(c, 11, DLC_CPU_AVX512VNNI);
    if (subleaves >= 1 && __get_cpuid_count(7, 1, &a, &b, &c, &d))
      add(a, 5, DLC_CPU_AVX512BF16);
  }
#endif
  return features;
}

void describeFeatures(uint32_t features, char *text, size_t bytes) {
  static constexpr struct {
    uint32_t bit;
    const char *name;
  } names[] = {{DLC_CPU_AVX2, "AVX2"},
               {DLC_CPU_FMA, "FMA"},
               {DLC_CPU_AVX512F, "AVX-512F"},
               {DLC_CPU_AVX512BW, "AVX-512BW"},
               {DLC_CPU_AVX512DQ, "AVX-512DQ"},
               {DLC_CPU_AVX512VL, "AVX-512VL"},
               {DLC_CPU_AVX512BF16, "AVX-512-BF16"},
               {DLC_CPU_AVX512VNNI, "AVX-512-VNNI"},
               {DLC_CPU_F16C, "F16C"},
               {DLC_CPU_BMI2, "BMI2"}};
  if (!bytes)
    return;
  text[0] = 0;
  size_t used = 0;
  auto add = [&](const char *name) {
    int length = snprintf(text + used, bytes - used, "%s%s", used ? ", " : "", name);
    used += static_cast<size_t>(length);
    if (used >= bytes)
      used = bytes - 1;
  };
  for (const auto &row : names) {
    if (features & row.bit)
      add(row.name);
    features &= ~row.bit;
  }
  if (features)
    add("an instruction set unknown to this runtime");
}

} // namespace dlc::runtime
