//===- FmaLoops.h - loops of multiply-adds in registers --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What measures a core's fp32 peak: in registers alone, and fed from the first-level cache as a matrix
// product's tile is. Each function returns the number of floating-point operations done; a multiply-add
// counts as two.
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

// A tile of `Rows` rows and two vectors, as dlc's products have: each step loads two vectors of columns and
// an element of each row, which lie in lines of their own. Both operands together take 20 KB.
inline constexpr long fedSteps = 128, fedRepeats = 512;
#define DLC_FED_LOOP(Vector, Rows)                                                                           \
  Vector columns[2 * fedSteps];                                                                              \
  float rows[8][fedSteps];                                                                                   \
  for (long step = 0; step < fedSteps; ++step) {                                                             \
    columns[2 * step] = columns[2 * step + 1] = Vector{} + 0.3f;                                             \
    for (int row = 0; row < 8; ++row)                                                                        \
      rows[row][step] = 0.9f;                                                                                \
  }                                                                                                          \
  Vector left[Rows] = {}, right[Rows] = {};                                                                  \
  for (long repeat = 0; repeat < fedRepeats; ++repeat) {                                                     \
    asm volatile("" : : "r"(columns), "r"(rows) : "memory"); /* the numbers stay in memory */                \
    for (long step = 0; step < fedSteps; ++step) {                                                           \
      const Vector first = columns[2 * step], second = columns[2 * step + 1];                                \
      _Pragma("GCC unroll 8") for (int row = 0; row < Rows; ++row) {                                         \
        left[row] += rows[row][step] * first;                                                                \
        right[row] += rows[row][step] * second;                                                              \
        DLC_KEEP(left[row]);                                                                                 \
        DLC_KEEP(right[row]);                                                                                \
      }                                                                                                      \
    }                                                                                                        \
  }                                                                                                          \
  return double(fedRepeats) * fedSteps * Rows * 2 * 2 * sizeof(Vector) / sizeof(float)

// NOLINTEND(bugprone-macro-parentheses)

// Two products of bf16 for each lane: x = x + 0.5 * 0.5 - 0.5 * 0.5.
#define DLC_PAIRS_LOOP                                                                                       \
  typedef unsigned Words __attribute__((vector_size(64)));                                                   \
  Vector16 chain[chains];                                                                                    \
  for (Vector16 &sum : chain)                                                                                \
    sum = Vector16{} + 1.0f;                                                                                 \
  const Words left = Words{} + 0x3f003f00u, right = Words{} + 0xbf003f00u;                                   \
  for (long step = 0; step < unrolledSteps; ++step)                                                          \
    _Pragma("GCC unroll 14") for (int i = 0; i < chains; ++i) asm volatile(                                  \
        "vdpbf16ps %1, %2, %0" : "+v"(chain[i]) : "v"(left), "v"(right));                                    \
  return double(unrolledSteps) * chains * 4 * sizeof(Vector16) / sizeof(float)

// Compilers contract a * b + c within an expression (-ffp-contract=on or fast).
#if defined(__x86_64__)
__attribute__((target("avx512f,fma"), noinline)) inline double run512() { DLC_FMA_LOOP(Vector16); }
__attribute__((target("avx2,fma"), noinline)) inline double run256() { DLC_FMA_LOOP(Vector8); }
__attribute__((target("avx512f,fma"), noinline)) inline double fed512() { DLC_FED_LOOP(Vector16, 8); }
__attribute__((target("avx512f,avx512bf16"), noinline)) inline double pairs512() { DLC_PAIRS_LOOP; }
__attribute__((target("avx2,fma"), noinline)) inline double fed256() { DLC_FED_LOOP(Vector8, 6); }
#endif
__attribute__((noinline)) inline double run128() { DLC_FMA_LOOP(Vector4); }
__attribute__((noinline)) inline double fed128() { DLC_FED_LOOP(Vector4, 6); }

struct Kernel {
  double (*run)(); ///< in registers
  double (*fed)(); ///< from the first-level cache
  const char *name;
  double (*pairs)() = nullptr; ///< of bf16, in registers; null where the CPU has no instruction for it
};

inline Kernel widest() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f"))
    return {run512, fed512, "512-bit", __builtin_cpu_supports("avx512bf16") ? pairs512 : nullptr};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
    return {run256, fed256, "256-bit"};
#endif
  return {run128, fed128, "128-bit"};
}

} // namespace dlc::bench

#endif // DLC_TOOLS_BENCH_FMALOOPS_H
