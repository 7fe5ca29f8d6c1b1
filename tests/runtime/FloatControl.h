//===- FloatControl.h - the CPU's floating-point mode, looked at ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_RUNTIME_FLOATCONTROL_H
#define DLC_TESTS_RUNTIME_FLOATCONTROL_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

/// The register, which bits of it flush denormals to zero, and which choose the rounding (0: nearest).
#if defined(__x86_64__)
inline uint64_t floatControl() { return _mm_getcsr(); }
inline void setFloatControl(uint64_t value) { _mm_setcsr(static_cast<unsigned>(value)); }
constexpr uint64_t flushBits = 0x8040, roundingBits = 0x6000;
#elif defined(__aarch64__)
inline uint64_t floatControl() {
  uint64_t value;
  __asm__ volatile("mrs %0, fpcr" : "=r"(value));
  return value;
}
inline void setFloatControl(uint64_t value) { __asm__ volatile("msr fpcr, %0" ::"r"(value)); }
constexpr uint64_t flushBits = 1u << 24, roundingBits = 3u << 22;
#endif

#endif
