//===- Huffman.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_HUFFMAN_H
#define DLC_RUNTIME_DATA_HUFFMAN_H

#include <cstdint>

namespace dlc::runtime {

/// A Huffman code of deflate (RFC 1951, section 3.2.2), which the lengths of its words describe.
class HuffmanCode {
public:
  static constexpr int mostBits = 15, mostSymbols = 288;

  /// Symbols with length 0 have no word. False where no code has these lengths: there would be too many
  /// words, or bits that begin none, which is allowed only where there is one word at most.
  bool build(const uint8_t *lengths, int symbols);

  struct Word {
    int symbol, length; ///< length 0: none
  };
  /// The word that the bits begin with, of which the first is the lowest.
  Word find(uint32_t bits) const;

private:
  static constexpr int tableBits = 10; // longer words are rare, and found bit by bit
  struct Entry {
    uint16_t symbol;
    uint8_t length; ///< 0: see above, or none
  };
  Entry table[1 << tableBits];
  uint16_t counts[mostBits + 1]; ///< words of each length
  uint16_t symbols[mostSymbols]; ///< in the order of their words
};

} // namespace dlc::runtime

#endif
