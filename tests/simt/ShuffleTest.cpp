//===- ShuffleTest.cpp ----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a correct kernel may do, and what lanes get of each other, as the PTX manual describes shfl.sync and
// mma.sync.
//===----------------------------------------------------------------------===//
#include "tests/simt/TinyGpu.h"

#include <cstring>
#include <gtest/gtest.h>

namespace {

using tiny::argument;
using tiny::get;
using tiny::put;
using tiny::standIn;

/// Runs code in place of the forward kernel, with one block of 32 threads: `scores` has room for 8 numbers.
std::vector<float> predict(tiny::GpuTables::Code code) {
  standIn().reset();
  tiny::GpuTables gpu;
  gpu.replace(tiny::Forward, code);
  gpu.kernels[tiny::Forward].grid = 1;
  gpu.kernels[tiny::Forward].block = 32;
  tiny::Instance device({1, false, nullptr, &gpu.model});
  tiny::Batch data(0);
  std::vector<float> scores(tiny::batch * tiny::outputs, -1);
  void *to[] = {nullptr, scores.data(), nullptr, nullptr, nullptr};
  EXPECT_EQ(dlc_instance_predict(device, tiny::batch, nullptr, data.pointers, to), DLC_OK)
      << device.lastError();
  EXPECT_STREQ(standIn().findings(), "");
  return scores;
}

/// Each lane gives its number; lane `8 i + 3` writes what it gets.
template <uint32_t kind, uint32_t by, uint32_t clamp> void shuffles(const dlc_simt *simt, void *const *p) {
  const uint32_t lane = simt->sreg(simt, DLC_SIMT_LANE);
  const uint32_t got = simt->shuffle(simt, kind, UINT32_MAX, lane, by, clamp, 0);
  if (lane % 8 == 3)
    put(simt, argument<float>(p, 3) + lane / 8, static_cast<float>(got), 1);
  else if (lane % 8 == 4)
    put(simt, argument<float>(p, 3) + 4 + lane / 8, 0.0f, 1);
}

std::vector<float> firstFour(std::vector<float> values) { return {values.begin(), values.begin() + 4}; }

TEST(Shuffle, GivesTheValuesOfOtherLanes) {
  EXPECT_EQ(firstFour(predict(shuffles<DLC_SIMT_XOR, 16, 31>)), (std::vector<float>{19, 27, 3, 11}));
  EXPECT_EQ(firstFour(predict(shuffles<DLC_SIMT_DOWN, 8, 31>)), (std::vector<float>{11, 19, 27, 27}));
  EXPECT_EQ(firstFour(predict(shuffles<DLC_SIMT_UP, 8, 0>)), (std::vector<float>{3, 3, 11, 19}));
  EXPECT_EQ(firstFour(predict(shuffles<DLC_SIMT_INDEX, 5, 31>)), (std::vector<float>{5, 5, 5, 5}));
}

// The bits 8 to 12 of the last operand cut a warp into parts, here of 8 lanes.
TEST(Shuffle, StaysInAPartOfTheWarp) {
  constexpr uint32_t parts = 24 << 8;
  EXPECT_EQ(firstFour(predict(shuffles<DLC_SIMT_INDEX, 5, parts | 31>)), (std::vector<float>{5, 13, 21, 29}));
  EXPECT_EQ(firstFour(predict(shuffles<DLC_SIMT_DOWN, 5, parts | 31>)), (std::vector<float>{3, 11, 19, 27}));
  EXPECT_EQ(firstFour(predict(shuffles<DLC_SIMT_UP, 2, parts>)), (std::vector<float>{1, 9, 17, 25}));
  EXPECT_EQ(firstFour(predict(shuffles<DLC_SIMT_XOR, 4, parts | 31>)), (std::vector<float>{7, 15, 23, 31}));
}

TEST(Shuffle, ThreadsMeetAtBarriers) {
  const std::vector<float> sums = predict([](const dlc_simt *simt, void *const *p) {
    const uint32_t lane = simt->sreg(simt, DLC_SIMT_LANE);
    float *shared = static_cast<float *>(simt->shared(simt));
    if (lane < 24)
      put(simt, shared + lane, static_cast<float>(lane), 0);
    simt->warp_barrier(simt, UINT32_MAX, 0);
    const float other = get(simt, shared + (lane + 1) % 24, 1);
    simt->barrier(simt, 1);
    if (lane < 24)
      put(simt, shared + lane, other, 2);
    simt->barrier(simt, 2);
    if (lane < 8)
      put(simt, argument<float>(p, 3) + lane, get(simt, shared + (lane + 1) % 24, 3), 4);
  });
  EXPECT_EQ(sums, (std::vector<float>{2, 3, 4, 5, 6, 7, 8, 9}));
}

/// Numbers of both operands, small and without a pattern.
int valueOf(uint32_t row, uint32_t column) {
  return static_cast<int>((row * 5 + column * 3 + row * column) % 5) - 2;
}

uint32_t bitsOf(uint32_t dtype, int value) {
  static const uint16_t halves[] = {0xc000, 0xbc00, 0, 0x3c00, 0x4000},
                        shorts[] = {0xc000, 0xbf80, 0, 0x3f80, 0x4000};
  if (dtype != DLC_F32)
    return (dtype == DLC_F16 ? halves : shorts)[value + 2];
  const float number = static_cast<float>(value);
  uint32_t bits;
  memcpy(&bits, &number, sizeof bits);
  return bits;
}

float products[16][8];

/// As the PTX ISA has it ("Matrix Fragments for mma.m16n8k16" and "m16n8k8"): the lane's group gives the row
/// of the left operand and of the sums, and the column of the right one; its number in the group the steps
/// and the sums' columns.
template <uint32_t dtype> void multiplies(const dlc_simt *simt, void *const *p) {
  const uint32_t lane = simt->sreg(simt, DLC_SIMT_LANE), group = lane / 4, number = lane % 4;
  const uint32_t inWord = dtype == DLC_F32 ? 1 : 2;
  uint32_t words[6] = {};
  for (uint32_t i = 0; i < inWord; ++i) {
    const uint32_t step = number * inWord + i, later = step + 4 * inWord, shift = 16 * i;
    words[0] |= bitsOf(dtype, valueOf(group, step)) << shift;
    words[1] |= bitsOf(dtype, valueOf(group + 8, step)) << shift;
    words[2] |= bitsOf(dtype, valueOf(group, later)) << shift;
    words[3] |= bitsOf(dtype, valueOf(group + 8, later)) << shift;
    words[4] |= bitsOf(dtype, valueOf(step + 1, group + 2)) << shift;
    words[5] |= bitsOf(dtype, valueOf(later + 1, group + 2)) << shift;
  }
  float sums[4] = {1, 2, 3, 4};
  simt->multiply_in_warp(simt, dtype, words, sums, 0);
  for (uint32_t i = 0; i < 4; ++i)
    products[group + i / 2 * 8][number * 2 + i % 2] = sums[i];
  if (lane < 8)
    put(simt, argument<float>(p, 3) + lane, 0.0f, 1);
}

template <uint32_t dtype> void expectProducts() {
  predict(multiplies<dtype>);
  for (uint32_t row = 0; row < 16; ++row)
    for (uint32_t column = 0; column < 8; ++column) {
      int sum = 1 + static_cast<int>(row / 8 * 2 + column % 2);
      for (uint32_t step = 0; step < (dtype == DLC_F32 ? 8 : 16); ++step)
        sum += valueOf(row, step) * valueOf(step + 1, column + 2);
      EXPECT_EQ(products[row][column], static_cast<float>(sum)) << row << ", " << column;
    }
}

TEST(WarpProduct, OfBf16) { expectProducts<DLC_BF16>(); }
TEST(WarpProduct, OfF16) { expectProducts<DLC_F16>(); }
TEST(WarpProduct, OfTf32) { expectProducts<DLC_F32>(); }

} // namespace
