//===- Huffman.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/data/Huffman.h"

#include <cstring>

namespace dlc::runtime {

/// Words stand in a file with their highest bit first.
static uint32_t reversed(uint32_t word, int length) {
  uint32_t result = 0;
  for (int bit = 0; bit < length; ++bit)
    result |= (word >> bit & 1) << (length - 1 - bit);
  return result;
}

bool HuffmanCode::build(const uint8_t *lengths, int symbolCount) {
  memset(counts, 0, sizeof counts);
  memset(table, 0, sizeof table);
  for (int symbol = 0; symbol < symbolCount; ++symbol)
    ++counts[lengths[symbol]];
  const int words = symbolCount - counts[0];
  counts[0] = 0;

  // The first word of each length, and where its symbols begin.
  uint32_t first[mostBits + 2] = {};
  uint16_t begin[mostBits + 2] = {};
  for (int length = 1; length <= mostBits; ++length) {
    if (first[length] + counts[length] > 1u << length)
      return false;
    first[length + 1] = (first[length] + counts[length]) << 1;
    begin[length + 1] = static_cast<uint16_t>(begin[length] + counts[length]);
  }
  const bool isComplete = first[mostBits + 1] == 1u << (mostBits + 1);
  if (!isComplete && (words > 1 || words != counts[1]))
    return false;

  for (int symbol = 0; symbol < symbolCount; ++symbol) {
    const int length = lengths[symbol];
    if (length == 0)
      continue;
    symbols[begin[length]++] = static_cast<uint16_t>(symbol);
    const uint32_t word = reversed(first[length]++, length);
    for (uint32_t bits = word; length <= tableBits && bits < 1u << tableBits; bits += 1u << length)
      table[bits] = {static_cast<uint16_t>(symbol), static_cast<uint8_t>(length)};
  }
  return true;
}

HuffmanCode::Word HuffmanCode::find(uint32_t bits) const {
  const Entry entry = table[bits & ((1u << tableBits) - 1)];
  if (entry.length != 0)
    return {entry.symbol, entry.length};
  // Words of one length are numbers that follow each other, after twice those of the length before.
  uint32_t word = 0, first = 0, begin = 0;
  for (int length = 1; length <= mostBits; ++length) {
    word |= bits >> (length - 1) & 1;
    if (word - first < counts[length])
      return {symbols[begin + (word - first)], length};
    begin += counts[length];
    first = (first + counts[length]) << 1;
    word <<= 1;
  }
  return {0, 0};
}

} // namespace dlc::runtime
