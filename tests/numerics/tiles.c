// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// AMX in plain C, for machines without it: what kernels call that are compiled with calls in the place of its
// instructions. It computes what the unit does, bit for bit, and ends the program where the unit would raise an
// exception: a register that is not configured, or operands whose shapes do not fit.
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { REGISTERS = 8, ROWS = 16, ROW_BYTES = 64 };

static _Thread_local struct {
  int isConfigured;
  int rows[REGISTERS], bytes[REGISTERS];
  unsigned char content[REGISTERS][ROWS][ROW_BYTES];
} unit;

static void require(int isSo, const char *what) {
  if (!isSo) {
    fprintf(stderr, "a tile instruction would raise an exception: %s\n", what);
    abort();
  }
}

static int known(int tile) {
  tile &= 255;
  require(unit.isConfigured && tile < REGISTERS && unit.rows[tile] > 0 && unit.bytes[tile] > 0,
          "the register is not configured");
  return tile;
}

void dlc_ldtilecfg(const unsigned char *from) {
  require(from[0] == 1 && from[1] == 0, "a palette or first row that there is not");
  memset(&unit, 0, sizeof unit);
  for (int tile = 0; tile < REGISTERS; ++tile) {
    unit.bytes[tile] = from[16 + 2 * tile] | from[17 + 2 * tile] << 8;
    unit.rows[tile] = from[48 + tile];
    require(unit.rows[tile] <= ROWS && unit.bytes[tile] <= ROW_BYTES, "a register that is too large");
    require(!unit.rows[tile] == !unit.bytes[tile], "rows of no bytes, or bytes of no row");
  }
  unit.isConfigured = 1;
}

void dlc_tilerelease(void) { memset(&unit, 0, sizeof unit); }

void dlc_tilezero(int tile) {
  tile = known(tile);
  memset(unit.content[tile], 0, sizeof unit.content[tile]);
}

void dlc_tileloadd64(int tile, const unsigned char *from, int64_t stride) {
  tile = known(tile);
  memset(unit.content[tile], 0, sizeof unit.content[tile]);
  for (int row = 0; row < unit.rows[tile]; ++row)
    memcpy(unit.content[tile][row], from + row * stride, (size_t)unit.bytes[tile]);
}

void dlc_tilestored64(int tile, unsigned char *to, int64_t stride) {
  tile = known(tile);
  for (int row = 0; row < unit.rows[tile]; ++row)
    memcpy(to + row * stride, unit.content[tile][row], (size_t)unit.bytes[tile]);
}

static float flushed(float x) { return fabsf(x) < 0x1p-126f ? copysignf(0, x) : x; }

static float widened(const unsigned char *bf16) {
  uint32_t bits = (uint32_t)bf16[0] << 16 | (uint32_t)bf16[1] << 24;
  float result;
  memcpy(&result, &bits, sizeof result);
  return flushed(result);
}

void dlc_tdpbf16ps(int sums, int left, int right) {
  sums = known(sums), left = known(left), right = known(right);
  require(sums != left && sums != right && left != right, "a register twice");
  require(unit.rows[sums] == unit.rows[left] && unit.bytes[sums] == unit.bytes[right] &&
              unit.bytes[left] == 4 * unit.rows[right],
          "shapes that do not fit");
  for (int row = 0; row < unit.rows[sums]; ++row)
    for (int column = 0; column < unit.bytes[sums] / 4; ++column) {
      float parts[2] = {0, 0}, sum; // of even and odd steps
      for (int pair = 0; pair < unit.rows[right]; ++pair)
        for (int half = 0; half < 2; ++half)
          parts[half] = flushed(fmaf(widened(unit.content[left][row] + 4 * pair + 2 * half),
                                     widened(unit.content[right][pair] + 4 * column + 2 * half), parts[half]));
      memcpy(&sum, unit.content[sums][row] + 4 * column, sizeof sum);
      sum = flushed(flushed(sum) + flushed(parts[0] + parts[1]));
      memcpy(unit.content[sums][row] + 4 * column, &sum, sizeof sum);
    }
  for (int row = unit.rows[sums]; row < ROWS; ++row)
    memset(unit.content[sums][row], 0, ROW_BYTES);
}
