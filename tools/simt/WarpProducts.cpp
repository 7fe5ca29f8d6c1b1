//===- WarpProducts.cpp - products of one warp -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PTX's mma.sync. Which elements of the matrices a lane's words and sums are, the PTX ISA says ("Matrix
// Fragments for mma"): lanes in groups of four have the same two rows of the left operand and the same column
// of the right one, of which each has its steps.
//===----------------------------------------------------------------------===//
#include "tools/simt/Launch.h"
#include "tools/simt/Numbers.h"

namespace dlc::simt {

// A machine without the instruction calls a function for each product, which takes ten times as long.
#if defined(__x86_64__)
__attribute__((target_clones("fma", "default")))
#endif
static void addAll(const float *left, const float *right, uint32_t steps, uint32_t stride, float *sums,
                   uint32_t columns) {
  for (uint32_t first = 0; first < columns; first += columnsAtOnce) {
    float block[columnsAtOnce];
    memcpy(block, sums + first, sizeof block);
    for (uint32_t step = 0; step < steps; ++step)
      for (uint32_t i = 0; i < columnsAtOnce; ++i)
        block[i] = __builtin_fmaf(left[step], right[step * stride + first + i], block[i]);
    memcpy(sums + first, block, sizeof block);
  }
}

void addProducts(const float *left, const float *right, uint32_t steps, uint32_t stride, float *sums,
                 uint32_t columns) {
  addAll(left, right, steps, stride, sums, columns);
}

void Machine::multiplyInWarp(const dlc_simt *calls, uint32_t dtype, const uint32_t *words, float *sums,
                             uint32_t site) {
  Thread &thread = threadOf(calls);
  thread.mask = UINT32_MAX;
  thread.site = site;
  thread.kind = dtype;
  thread.operands = words;
  thread.results = sums;
  thread.machine->wait(thread, Waits::warpProduct);
}

/// All lanes have come: their words are on their stacks.
void Machine::multiplyWarp(uint32_t first) {
  constexpr uint32_t rowCount = 16, mostSteps = 16, columnCount = 8, inGroup = 4;
  const uint32_t dtype = threads[first].kind;
  const uint32_t inWord = dtype == DLC_F32 ? 1 : 2, steps = 2 * inGroup * inWord; // numbers
  float left[rowCount][mostSteps], right[mostSteps][columnCount], sums[rowCount][columnCount];
  auto numberIn = [&](uint32_t word, uint32_t which) {
    return dtype == DLC_F32 ? fromBits(word) : numberOf(dtype, static_cast<uint16_t>(word >> 16 * which));
  };
  auto forSums = [&](auto change) {
    for (uint32_t lane = 0; lane < warpSize; ++lane)
      for (uint32_t i = 0; i < 4; ++i)
        change(threads[first + lane].results[i],
               sums[lane / inGroup + i / 2 * 8][lane % inGroup * 2 + i % 2]);
  };
  for (uint32_t lane = 0; lane < warpSize; ++lane)
    for (uint32_t word = 0; word < 2; ++word)
      for (uint32_t which = 0; which < inWord; ++which) {
        const uint32_t step = (word * inGroup + lane % inGroup) * inWord + which, place = lane / inGroup;
        const uint32_t *words = threads[first + lane].operands;
        left[place][step] = numberIn(words[2 * word], which);
        left[place + 8][step] = numberIn(words[2 * word + 1], which);
        right[step][place] = numberIn(words[4 + word], which);
      }
  forSums([](float of, float &sum) { sum = of; });
  for (uint32_t row = 0; row < rowCount; ++row)
    addProducts(left[row], right[0], steps, columnCount, sums[row], columnCount);
  forSums([](float &of, float sum) { of = sum; });
}

} // namespace dlc::simt
