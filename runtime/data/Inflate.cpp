//===- Inflate.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/data/Inflate.h"

#include <cstring>

namespace dlc::runtime {
namespace {

/// What the symbols of lengths (257 and on) and of distances mean: a smallest value, and bits to add.
struct Range {
  uint16_t first;
  uint8_t bits;
};
constexpr Range lengthRanges[] = {{3, 0},   {4, 0},   {5, 0},   {6, 0},   {7, 0},  {8, 0},  {9, 0},  {10, 0},
                                  {11, 1},  {13, 1},  {15, 1},  {17, 1},  {19, 2}, {23, 2}, {27, 2}, {31, 2},
                                  {35, 3},  {43, 3},  {51, 3},  {59, 3},  {67, 4}, {83, 4}, {99, 4}, {115, 4},
                                  {131, 5}, {163, 5}, {195, 5}, {227, 5}, {258, 0}};
constexpr Range distanceRanges[] = {
    {1, 0},     {2, 0},     {3, 0},     {4, 0},      {5, 1},      {7, 1},     {9, 2},     {13, 2},
    {17, 3},    {25, 3},    {33, 4},    {49, 4},     {65, 5},     {97, 5},    {129, 6},   {193, 6},
    {257, 7},   {385, 7},   {513, 8},   {769, 8},    {1025, 9},   {1537, 9},  {2049, 10}, {3073, 10},
    {4097, 11}, {6145, 11}, {8193, 12}, {12289, 12}, {16385, 13}, {24577, 13}};
constexpr int endOfBlock = 256, firstLength = 257;
constexpr int lengthSymbols = static_cast<int>(sizeof lengthRanges / sizeof *lengthRanges);
constexpr int distanceSymbols = static_cast<int>(sizeof distanceRanges / sizeof *distanceRanges);

/// The table of CRC-32, for each value of a byte.
struct SumTable {
  uint32_t of[256] = {};
  constexpr SumTable() {
    for (uint32_t byte = 0; byte < 256; ++byte) {
      uint32_t value = byte;
      for (int bit = 0; bit < 8; ++bit)
        value = value & 1 ? value >> 1 ^ 0xedb88320u : value >> 1;
      of[byte] = value;
    }
  }
};
constexpr SumTable sums;

} // namespace

uint32_t checksumOf(const unsigned char *bytes, size_t count, uint32_t before) {
  uint32_t value = ~before;
  for (size_t i = 0; i < count; ++i)
    value = value >> 8 ^ sums.of[(value ^ bytes[i]) & 0xff];
  return ~value;
}

#define DLC_TRY(call)                                                                                        \
  if (Result result = (call); result != Result::Ok)                                                          \
  return result

Inflater::Result Inflater::damaged(const char *what) {
  text = what;
  return Result::Damaged;
}

bool Inflater::fill(int count) {
  while (bitCount < count) {
    if (inputBytes == 0 && (inputBytes = refill(context, input)) == 0)
      return false;
    bits |= static_cast<uint64_t>(*input++) << bitCount;
    --inputBytes;
    bitCount += 8;
  }
  return true;
}

uint32_t Inflater::take(int count) {
  const uint32_t value = static_cast<uint32_t>(bits & ((uint64_t{1} << count) - 1));
  bits >>= count;
  bitCount -= count;
  return value;
}

Inflater::Result Inflater::number(int count, uint32_t &value) {
  if (!fill(count))
    return Result::Truncated;
  value = take(count);
  return Result::Ok;
}

Inflater::Result Inflater::word(const HuffmanCode &code, int &symbol) {
  // Near the end there may be fewer bits than the longest word has, and enough for this one.
  const bool isWhole = fill(HuffmanCode::mostBits);
  const HuffmanCode::Word found = code.find(static_cast<uint32_t>(bits));
  if (found.length > bitCount || (found.length == 0 && !isWhole))
    return Result::Truncated;
  if (found.length == 0)
    return damaged("a word that its code does not have");
  take(found.length);
  symbol = found.symbol;
  return Result::Ok;
}

void Inflater::put(unsigned char byte, unsigned char *buffer, size_t &got) {
  window[written++ % windowBytes] = byte;
  buffer[got++] = byte;
}

void Inflater::sum(const unsigned char *bytes, size_t count) {
  checksum = checksumOf(bytes, count, checksum);
}

Inflater::Result Inflater::skip(size_t count) {
  uint32_t byte;
  for (; count > 0; --count)
    DLC_TRY(number(8, byte));
  return Result::Ok;
}

Inflater::Result Inflater::skipString() {
  uint32_t byte;
  do
    DLC_TRY(number(8, byte));
  while (byte != 0);
  return Result::Ok;
}

/// Reads the header of a member; the file may also end here, except before the first one.
Inflater::Result Inflater::header() {
  if (!isFirstMember && !fill(8)) {
    state = State::End;
    return Result::Ok;
  }
  uint32_t magic, method, flags, extra;
  DLC_TRY(number(16, magic));
  if (magic != 0x8b1f)
    return damaged(isFirstMember ? "it does not begin as gzip does" : "what follows its end is no gzip data");
  DLC_TRY(number(8, method));
  DLC_TRY(number(8, flags));
  if (method != 8)
    return damaged("its method of compression is not deflate");
  constexpr uint32_t hasSum = 2, hasExtra = 4, hasName = 8, hasComment = 16, reserved = 0xe0;
  if (flags & reserved)
    return damaged("its header has unknown flags");
  DLC_TRY(skip(6)); // time, level, system
  if (flags & hasExtra) {
    DLC_TRY(number(16, extra));
    DLC_TRY(skip(extra));
  }
  if (flags & hasName)
    DLC_TRY(skipString());
  if (flags & hasComment)
    DLC_TRY(skipString());
  if (flags & hasSum)
    DLC_TRY(skip(2));
  isFirstMember = false;
  written = 0;
  checksum = 0;
  state = State::Block;
  return Result::Ok;
}

Inflater::Result Inflater::block() {
  uint32_t isLast, kind;
  DLC_TRY(number(1, isLast));
  DLC_TRY(number(2, kind));
  isLastBlock = isLast != 0;
  state = State::Codes;
  if (kind == 0)
    return stored();
  if (kind == 2)
    return dynamicCodes();
  if (kind == 3)
    return damaged("a block of an unknown kind");
  uint8_t lengths[HuffmanCode::mostSymbols];
  for (int symbol = 0; symbol < HuffmanCode::mostSymbols; ++symbol)
    lengths[symbol] = symbol < 144 ? 8 : symbol < 256 ? 9 : symbol < 280 ? 7 : 8;
  literals.build(lengths, HuffmanCode::mostSymbols);
  // 32 words of five bits, of which two mean nothing.
  memset(lengths, 5, 32);
  distances.build(lengths, 32);
  return Result::Ok;
}

Inflater::Result Inflater::stored() {
  take(bitCount % 8);
  uint32_t length, complement;
  DLC_TRY(number(16, length));
  DLC_TRY(number(16, complement));
  if (length != (~complement & 0xffff))
    return damaged("the length of a stored block");
  left = length;
  state = State::Stored;
  return Result::Ok;
}

Inflater::Result Inflater::readLengths(const HuffmanCode &code, uint8_t *lengths, int count) {
  for (int at = 0; at < count;) {
    int symbol;
    DLC_TRY(word(code, symbol));
    if (symbol < 16) {
      lengths[at++] = static_cast<uint8_t>(symbol);
      continue;
    }
    if (symbol == 16 && at == 0)
      return damaged("a repetition of a length that is not there");
    const uint8_t repeated = symbol == 16 ? lengths[at - 1] : 0;
    uint32_t times;
    DLC_TRY(number(symbol == 16 ? 2 : symbol == 17 ? 3 : 7, times));
    times += symbol == 18 ? 11 : 3;
    if (times > static_cast<uint32_t>(count - at))
      return damaged("more lengths than a code has words");
    memset(lengths + at, repeated, times);
    at += static_cast<int>(times);
  }
  return Result::Ok;
}

Inflater::Result Inflater::dynamicCodes() {
  uint32_t literalCount, distanceCount, codeCount;
  DLC_TRY(number(5, literalCount));
  DLC_TRY(number(5, distanceCount));
  DLC_TRY(number(4, codeCount));
  literalCount += 257, distanceCount += 1, codeCount += 4;
  if (literalCount > firstLength + lengthSymbols || distanceCount > distanceSymbols)
    return damaged("too many words of a code");

  static constexpr uint8_t order[19] = {16, 17, 18, 0, 8, 7, 9, 6, 10, 5, 11, 4, 12, 3, 13, 2, 14, 1, 15};
  uint8_t codeLengths[19] = {};
  for (uint32_t i = 0; i < codeCount; ++i) {
    uint32_t length;
    DLC_TRY(number(3, length));
    codeLengths[order[i]] = static_cast<uint8_t>(length);
  }
  if (!literals.build(codeLengths, 19))
    return damaged("the code of the lengths");
  uint8_t lengths[firstLength + lengthSymbols + distanceSymbols];
  DLC_TRY(readLengths(literals, lengths, static_cast<int>(literalCount + distanceCount)));
  if (lengths[endOfBlock] == 0)
    return damaged("a block that has no word for its end");
  if (!literals.build(lengths, static_cast<int>(literalCount)))
    return damaged("the code of the literals");
  if (!distances.build(lengths + literalCount, static_cast<int>(distanceCount)))
    return damaged("the code of the distances");
  return Result::Ok;
}

Inflater::Result Inflater::symbol(unsigned char *buffer, size_t &got) {
  int symbol;
  DLC_TRY(word(literals, symbol));
  if (symbol < endOfBlock) {
    put(static_cast<unsigned char>(symbol), buffer, got);
    return Result::Ok;
  }
  if (symbol == endOfBlock) {
    state = isLastBlock ? State::Trailer : State::Block;
    return Result::Ok;
  }
  return copies(symbol - firstLength);
}

/// A match: bytes that were there before.
Inflater::Result Inflater::copies(int lengthSymbol) {
  int distanceSymbol;
  uint32_t more, further;
  if (lengthSymbol >= lengthSymbols)
    return damaged("a length that deflate does not have");
  DLC_TRY(number(lengthRanges[lengthSymbol].bits, more));
  DLC_TRY(word(distances, distanceSymbol));
  if (distanceSymbol >= distanceSymbols)
    return damaged("a distance that deflate does not have");
  DLC_TRY(number(distanceRanges[distanceSymbol].bits, further));
  left = lengthRanges[lengthSymbol].first + more;
  distance = distanceRanges[distanceSymbol].first + further;
  if (distance > written)
    return damaged("a distance that is too far back");
  state = State::Match;
  return Result::Ok;
}

Inflater::Result Inflater::trailer() {
  if (blocksOnly) {
    state = State::End;
    return Result::Ok;
  }
  take(bitCount % 8);
  uint32_t expected, length;
  DLC_TRY(number(32, expected));
  DLC_TRY(number(32, length));
  if (expected != checksum)
    return damaged("the checksum differs");
  if (length != static_cast<uint32_t>(written))
    return damaged("the length differs");
  state = State::Member;
  return Result::Ok;
}

Inflater::Result Inflater::step(unsigned char *buffer, size_t count, size_t &got) {
  switch (state) {
  case State::Member:
    return header();
  case State::Block:
    return block();
  case State::Codes:
    return symbol(buffer, got);
  case State::Match:
    for (; left > 0 && got < count; --left)
      put(window[(written - distance) % windowBytes], buffer, got);
    state = left > 0 ? State::Match : State::Codes;
    return Result::Ok;
  case State::Stored:
    for (uint32_t byte; left > 0 && got < count; --left) {
      DLC_TRY(number(8, byte));
      put(static_cast<unsigned char>(byte), buffer, got);
    }
    state = left > 0 ? State::Stored : isLastBlock ? State::Trailer : State::Block;
    return Result::Ok;
  case State::Trailer:
    return trailer();
  case State::End:
    break;
  }
  return Result::Ok;
}

Inflater::Result Inflater::read(unsigned char *buffer, size_t count, size_t &got) {
  got = 0;
  size_t summed = 0;
  while (got < count && state != State::End) {
    const State before = state;
    if (before == State::Trailer) {
      sum(buffer + summed, got - summed);
      summed = got;
    }
    DLC_TRY(step(buffer, count, got));
  }
  sum(buffer + summed, got - summed);
  return Result::Ok;
}

} // namespace dlc::runtime
