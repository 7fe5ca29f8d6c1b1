//===- InflateTest.cpp - decompression against zlib -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/data/Inflate.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <memory>
#include <random>
#include <string>
#include <zlib.h>

using dlc::runtime::HuffmanCode;
using dlc::runtime::Inflater;
using Result = Inflater::Result;

namespace {

constexpr int gzipFormat = 16;

std::string compressed(const std::string &bytes, int level, int strategy, gz_header *header = nullptr) {
  z_stream stream = {};
  deflateInit2(&stream, level, Z_DEFLATED, gzipFormat + MAX_WBITS, 9, strategy);
  if (header)
    deflateSetHeader(&stream, header);
  std::string result(deflateBound(&stream, bytes.size()) + 1000, 0);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(bytes.data()));
  stream.avail_in = static_cast<uInt>(bytes.size());
  stream.next_out = reinterpret_cast<Bytef *>(result.data());
  stream.avail_out = static_cast<uInt>(result.size());
  EXPECT_EQ(deflate(&stream, Z_FINISH), Z_STREAM_END);
  result.resize(stream.total_out);
  deflateEnd(&stream);
  return result;
}

/// A file that comes in pieces of `piece` bytes.
struct Pieces {
  const std::string &file;
  size_t piece, at = 0;
  static size_t next(void *context, const unsigned char *&bytes) {
    auto &self = *static_cast<Pieces *>(context);
    bytes = reinterpret_cast<const unsigned char *>(self.file.data()) + self.at;
    size_t count = std::min(self.piece, self.file.size() - self.at);
    self.at += count;
    return count;
  }
};

/// All of a file, asked for in pieces of `asked` bytes.
std::string inflated(const std::string &file, Result &result, size_t piece = 4096, size_t asked = 1000) {
  auto inflater = std::make_unique<Inflater>();
  Pieces pieces{file, piece};
  inflater->readFrom(Pieces::next, &pieces);
  std::string all, some(asked, 0);
  size_t got = 0;
  do {
    result = inflater->read(reinterpret_cast<unsigned char *>(some.data()), asked, got);
    all.append(some, 0, got);
  } while (result == Result::Ok && got == asked);
  if (result == Result::Damaged)
    EXPECT_NE(inflater->problem(), nullptr);
  return all;
}

/// Bytes by chance, of few values or of many, with and without repetitions.
std::string sample(unsigned seed) {
  std::mt19937 random(seed);
  const unsigned values = 1u << random() % 9, bytes = random() % 200000;
  std::string text;
  while (text.size() < bytes)
    if (text.size() > 10 && random() % 4 == 0) {
      size_t from = random() % text.size(), count = std::min<size_t>(random() % 400, text.size() - from);
      text += text.substr(from, count);
    } else {
      text += static_cast<char>(random() % values);
    }
  return text;
}

TEST(Inflate, GivesWhatZlibCompressed) {
  unsigned seed = 0;
  for (int strategy : {Z_DEFAULT_STRATEGY, Z_FILTERED, Z_HUFFMAN_ONLY, Z_RLE, Z_FIXED})
    for (int level : {0, 1, 6, 9}) {
      const std::string text = sample(++seed), file = compressed(text, level, strategy);
      for (size_t piece : {1, 7, 4096}) {
        Result result;
        ASSERT_EQ(inflated(file, result, piece, 1 + seed * 997), text) << level << ' ' << strategy;
        ASSERT_EQ(result, Result::Ok);
      }
    }
}

TEST(Inflate, ReadsOptionalPartsOfTheHeader) {
  std::string name = "a name", comment = "a comment", extra = "more than one byte";
  gz_header header = {};
  header.name = reinterpret_cast<Bytef *>(name.data());
  header.comment = reinterpret_cast<Bytef *>(comment.data());
  header.extra = reinterpret_cast<Bytef *>(extra.data());
  header.extra_len = static_cast<uInt>(extra.size());
  header.hcrc = 1;
  const std::string file = compressed("text", 9, Z_DEFAULT_STRATEGY, &header);
  Result result;
  EXPECT_EQ(inflated(file, result), "text");
  EXPECT_EQ(result, Result::Ok);
  for (size_t length = 0; length < file.size(); ++length) {
    inflated(file.substr(0, length), result);
    EXPECT_EQ(result, Result::Truncated) << length;
  }
}

TEST(Inflate, ReadsEmptyFilesAndSeveralMembers) {
  const std::string empty = compressed("", 6, 0), one = compressed("one", 6, 0),
                    two = compressed("two", 0, 0);
  Result result;
  EXPECT_EQ(inflated(empty, result), "");
  EXPECT_EQ(result, Result::Ok);
  EXPECT_EQ(inflated(one + empty + two, result, 1, 1), "onetwo");
  EXPECT_EQ(result, Result::Ok);
  inflated(one + "garbage", result);
  EXPECT_EQ(result, Result::Damaged);
}

/// zlib's opinion of a damaged file, with all that comes before the damage.
bool zlibTakes(const std::string &file, std::string &bytes) {
  z_stream stream = {};
  inflateInit2(&stream, gzipFormat + MAX_WBITS);
  bytes.assign(1 << 20, 0);
  stream.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(file.data()));
  stream.avail_in = static_cast<uInt>(file.size());
  stream.next_out = reinterpret_cast<Bytef *>(bytes.data());
  stream.avail_out = static_cast<uInt>(bytes.size());
  const bool isWhole = inflate(&stream, Z_FINISH) == Z_STREAM_END && stream.avail_in == 0;
  bytes.resize(stream.total_out);
  inflateEnd(&stream);
  return isWhole;
}

TEST(Inflate, TakesAndRefusesWhatZlibDoes) {
  std::mt19937 random(1);
  int taken = 0, refused = 0;
  for (int turn = 0; turn < 4000; ++turn) {
    std::string text = sample(1000 + turn).substr(0, 300);
    std::string file = compressed(text, turn % 4 * 3, turn % 5), expected;
    const size_t flags = 3, at = random() % file.size();
    if (at == flags || (at >= 4 && at < 10)) // flags and what has no meaning
      continue;
    file[at] = static_cast<char>(file[at] ^ 1 << random() % 8);
    const bool isTaken = zlibTakes(file, expected);
    Result result;
    const std::string got = inflated(file, result);
    ASSERT_EQ(result == Result::Ok, isTaken) << turn << " byte " << at;
    if (isTaken)
      ASSERT_EQ(got, expected);
    ++(isTaken ? taken : refused);
  }
  EXPECT_GT(refused, 1000);
}

/// Bits of a gzip file, one after the other.
struct Bits {
  std::string file = std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff", 10);
  int used = 8;
  void number(uint32_t value, int count) {
    for (int bit = 0; bit < count; ++bit, ++used) {
      if (used == 8)
        file += '\0', used = 0;
      file.back() = static_cast<char>(file.back() | (value >> bit & 1) << used);
    }
  }
};

/// An empty block, whose codes have 257 literals and 2 distances; the last lengths are `zeros` times zero.
std::string blockWithLengths(uint32_t zeros) {
  Bits bits;
  bits.number(1, 1), bits.number(2, 2);                     // the last block, with codes of its own
  bits.number(0, 5), bits.number(1, 5), bits.number(14, 4); // 257, 2, and 18 lengths of the code of lengths:
  for (int place = 0; place < 18; ++place)                  // of 17, 18 and 1
    bits.number(place == 1 || place == 17 ? 2 : place == 2 ? 1 : 0, 3);
  bits.number(0, 1), bits.number(127, 7); // 138 zeros
  bits.number(0, 1), bits.number(107, 7); // 118 zeros
  bits.number(1, 2);                      // the end of the block has a word of length 1
  bits.number(3, 2), bits.number(zeros - 3, 3);
  bits.number(0, 1);                       // the end
  return bits.file + std::string(8, '\0'); // of no bytes
}

TEST(Inflate, RefusesMoreLengthsThanACodeHasWords) {
  Result result;
  for (uint32_t zeros : {3, 4, 10}) {
    inflated(blockWithLengths(zeros), result);
    EXPECT_EQ(result, Result::Damaged) << zeros;
  }
}

TEST(Huffman, RefusesLengthsOfNoCode) {
  auto code = std::make_unique<HuffmanCode>();
  const uint8_t many[] = {1, 1, 1}, few[] = {2, 2, 2}, whole[] = {1, 2, 2}, one[] = {0, 1, 0},
                longOne[] = {0, 2, 0};
  EXPECT_FALSE(code->build(many, 3));
  EXPECT_FALSE(code->build(few, 3));
  EXPECT_FALSE(code->build(longOne, 3));
  EXPECT_TRUE(code->build(one, 3));
  EXPECT_EQ(code->find(0).symbol, 1);
  EXPECT_EQ(code->find(1).length, 0);
  EXPECT_TRUE(code->build(whole, 3));
  EXPECT_EQ(code->find(0b01).symbol, 1);
  EXPECT_EQ(code->find(0b11).symbol, 2);
}

} // namespace
