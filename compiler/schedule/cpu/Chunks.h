//===- Chunks.h - how much work is shared, and among how many --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SCHEDULE_CPU_CHUNKS_H
#define DLC_COMPILER_SCHEDULE_CPU_CHUNKS_H

#include <algorithm>
#include <cstdint>

namespace dlc::schedule {

// Below this many elements, or multiply-adds, waking a second thread costs more than it saves: a barrier
// takes about 0.2 us, in which one core does some ten thousand multiply-adds.
constexpr int64_t parallelElements = 1 << 14, parallelProducts = 1 << 18;
// From so many chunks on, one thread has at most an eighth more to do than another; more than `manyChunks`
// balance nothing better for some dozens of threads.
constexpr int64_t enoughChunks = 16, manyChunks = 64;
// What a kernel needs for itself lies on the stack if it has at most this many bytes, else in the arena.
constexpr int64_t stackBytes = 64 << 10;

/// The most chunks of so many multiply-adds, where `usual` chunks are enough for most machines. A chunk that
/// would take a core tens of milliseconds is cut further: large kernels are for machines of hundreds of
/// threads, too.
constexpr int64_t mostChunks(int64_t products, int64_t usual) { return std::max(usual, products >> 31); }
/// The most chunks of so many elements that are loaded but not multiplied, of which memory delivers fewer in
/// that time.
constexpr int64_t mostChunksOfElements(int64_t elements) { return std::max(manyChunks, elements >> 24); }

} // namespace dlc::schedule

#endif // DLC_COMPILER_SCHEDULE_CPU_CHUNKS_H
