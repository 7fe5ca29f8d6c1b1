//===- FloatMode.h --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The floating-point mode of a step: round to nearest, no traps, denormals flushed to zero (a decaying
// optimizer state becomes denormal after some thousand steps, and every use of it then costs a hundred
// cycles). The caller's mode comes back afterwards; what it had set cannot change a step's bits.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CPU_FLOATMODE_H
#define DLC_RUNTIME_CPU_FLOATMODE_H

#include <cstdint>

#if defined(__x86_64__)
#include <xmmintrin.h>
#endif

namespace dlc::runtime {

class FloatMode {
public:
  FloatMode() { enter(); }
  ~FloatMode() {
#if defined(__x86_64__)
    _mm_setcsr(static_cast<unsigned>(saved));
#elif defined(__aarch64__)
    __asm__ volatile("msr fpcr, %0" ::"r"(saved));
#endif
  }
  FloatMode(const FloatMode &) = delete;
  FloatMode &operator=(const FloatMode &) = delete;

private:
  void enter() {
#if defined(__x86_64__)
    saved = _mm_getcsr();
    _mm_setcsr(0x9fc0); // FTZ and DAZ on, all exceptions masked, round to nearest
#elif defined(__aarch64__)
    __asm__ volatile("mrs %0, fpcr" : "=r"(saved));
    __asm__ volatile("msr fpcr, %0" ::"r"(uint64_t{1} << 24)); // FZ: operands and results; nearest, no traps
#endif
  }

  [[maybe_unused]] uint64_t saved = 0;
};

} // namespace dlc::runtime

#endif
