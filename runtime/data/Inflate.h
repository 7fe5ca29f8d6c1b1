//===- Inflate.h ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Decompresses gzip files (RFC 1952; deflate is RFC 1951) and members of ZIP archives, so that the runtime
// needs no library for it.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_INFLATE_H
#define DLC_RUNTIME_DATA_INFLATE_H

#include "runtime/data/Huffman.h"

#include <cstddef>

namespace dlc::runtime {

/// The CRC-32 of some bytes and of those that `before` is that of; 0: of none.
uint32_t checksumOf(const unsigned char *bytes, size_t count, uint32_t before);

/// The bytes that a gzip file of one or more members decompresses to, in pieces as a caller asks for them.
class Inflater {
public:
  /// Sets `bytes` to the next ones of the file, which stay until the next call, and returns how many; 0: none
  /// follow.
  using Refill = size_t (*)(void *context, const unsigned char *&bytes);
  void readFrom(Refill function, void *ofFunction) {
    refill = function;
    context = ofFunction;
  }
  /// There are deflate's blocks alone, as in an archive: the first one begins the data, and the last one ends
  /// it.
  void expectBlocksOnly() {
    blocksOnly = true;
    state = State::Block;
  }

  enum class Result { Ok, Truncated, Damaged };
  /// Writes up to `count` bytes, and says in `got` how many; fewer only where the file ends.
  Result read(unsigned char *buffer, size_t count, size_t &got);
  /// After Result::Damaged, what is wrong.
  const char *problem() const { return text; }
  /// The checksum of the bytes of this member until now.
  uint32_t sumOfBytes() const { return checksum; }

private:
  enum class State { Member, Block, Stored, Codes, Match, Trailer, End };
  static constexpr size_t windowBytes = 32768; // a power of two

  Result step(unsigned char *buffer, size_t count, size_t &got);
  Result header();
  Result skip(size_t count);
  Result skipString();
  Result block();
  Result stored();
  Result dynamicCodes();
  Result readLengths(const HuffmanCode &code, uint8_t *lengths, int count);
  Result symbol(unsigned char *buffer, size_t &got);
  Result copies(int symbol);
  Result trailer();
  Result damaged(const char *what);

  bool fill(int count); ///< false: the file has fewer bits
  uint32_t take(int count);
  Result number(int count, uint32_t &value);
  Result word(const HuffmanCode &code, int &symbol);
  void put(unsigned char byte, unsigned char *buffer, size_t &got);
  void sum(const unsigned char *bytes, size_t count);

  Refill refill = nullptr;
  void *context = nullptr;
  const unsigned char *input = nullptr;
  size_t inputBytes = 0;
  uint64_t bits = 0; ///< those that have been read and not used, the next one lowest
  int bitCount = 0;

  State state = State::Member;
  bool isFirstMember = true, isLastBlock = false, blocksOnly = false;
  size_t left = 0; ///< bytes of a stored block or of a match
  size_t distance = 0;
  HuffmanCode literals, distances;
  unsigned char window[windowBytes];
  uint64_t written = 0; ///< bytes of this member
  uint32_t checksum = 0;
  const char *text = nullptr;
};

} // namespace dlc::runtime

#endif
