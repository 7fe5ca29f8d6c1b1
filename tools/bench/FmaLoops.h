//===- FmaLoops.h - loops of multiply-adds in registers --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What measures a core's fp32 peak. Each function returns the number of floating-point operations done; a
// multiply-add counts as two.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_BENCH_FMALOOPS_H
#define DLC_TOOLS_BENCH_FMALOOPS_H

namespace dlc::bench {

// 4 or 5 cycles of latency, 2 units: 10 chains suffice; 14 leave two of 16 registers for the constants.
inline constexpr int chains = 14;
inline constexpr long unrolledSteps = 1 << 16;

typedef float Vector16 __attribute__((vector_size(64)));
typedef float Vector8 __attribute__((vector_size(32)));
typedef float Vector4 __attribute__((vector_size(16)));

// x = 0.9 x + 0.3 goes to 3: ordinary numbers (zeros would save power and raise the clock). The empty asm
// hides the values from the optimizer and keeps every chain in its register.
#if defined(__x86_64__)
#define DLC_KEEP(x) asm volatile("" : "+v"(x))
#elif defined(__aarch64__)
#define DLC_KEEP(x) asm volatile("" : "+w"(x))
#else
#define DLC_KEEP(x) asm volatile("" : "+m"(x))
#endif

// NOLINTBEGIN(bugprone-macro-parentheses): Vector is a type.
#define DLC_FMA_LOOP(Vector)                                                                                 \
  Vector chain[chains] = {};                                                                                 \
  Vector scale = Vector{} + 0.9f, shift = Vector{} + 0.3f;                                                   \
  DLC_KEEP(scale);                                                                                           \
  DLC_KEEP(shift);                                                                                           \
  for (long step = 0; step < unrolledSteps; ++step)                                                          \
    _Pragma("GCC unroll 14") for (int i = 0; i < chains; ++i) {                                              \
      chain[i] = chain[i] * scale + shift;                                                                   \
      DLC_KEEP(chain[i]);                                                                                    \
    }                                                                                                        \
  return double(unrolledSteps) * chains * 2 * sizeof(Vector) / sizeof(float)

// NOLINTEND(bugprone-macro-parentheses)

// Compilers contract a * b + c within an expression (-ffp-contract=on or fast).
#if defined(__x86_64__)
__attribute__((target("avx512f,fma"), noinline)) inline double run512() { DLC_FMA_LOOP(Vector16); }
__attribute__((target("avx2,fma"), noinline)) inline double run256() { DLC_FMA_LOOP(Vector8); }
#endif
__attribute__((noinline)) inline double run128() { DLC_FMA_LOOP(Vector4); }

struct Kernel {
  double (*run)();
  const char *name;
};

inline Kernel widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {run512, "512-bit"};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {run256, "256-bit"};
#endif
  return {run128, "128-bit"};
}

} // namespace dlc::bench

#endif // DLC_TOOLS_BENCH_FMALOOPS_H
