//===- FuzzTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzz targets on mutations of valid files: some thousands in a second, the same ones every time.
//===----------------------------------------------------------------------===//
#include "tests/runtime/fuzz/Seeds.h"

#include <gtest/gtest.h>
#include <random>

namespace {

/// Flips, overwrites, removes, inserts and repeats bytes; one to four times.
std::string mutate(std::string bytes, std::mt19937 &random) {
  static const char interesting[] = {0,   1,   -1,  127, -128, '"', '{', '}',
                                     '[', ']', ',', ':', '\\', '0', '9', ' '};
  auto below = [&](size_t bound) { return bound ? random() % bound : 0; };
  for (size_t i = 0, count = 1 + below(4); i < count && !bytes.empty(); ++i) {
    const size_t at = below(bytes.size());
    switch (below(6)) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ 1 << below(8));
      break;
    case 1:
      bytes[at] = interesting[below(sizeof interesting)];
      break;
    case 2:
      bytes.erase(at, 1 + below(8));
      break;
    case 3:
      bytes.insert(at, 1, interesting[below(sizeof interesting)]);
      break;
    case 4:
      bytes.insert(at, bytes.substr(below(bytes.size()), below(32)));
      break;
    case 5:
      bytes.resize(at);
      break;
    }
  }
  return bytes;
}

/// How many of `count` mutations were valid files.
int run(bool (*target)(const uint8_t *, size_t), const std::string &seed, int count) {
  std::mt19937 random(12345);
  int valid = 0;
  auto call = [&](const std::string &bytes) {
    return target(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size());
  };
  EXPECT_TRUE(call(seed));
  for (int i = 0; i < count; ++i)
    valid += call(mutate(seed, random));
  return valid;
}

/// All seeds are valid; of their mutations some are (which change values only), and never most.
TEST(Fuzz, MutationsOfValidFiles) {
  for (const fuzz::Seed &seed : fuzz::seeds()) {
    const int count = std::string(seed.name) == "safetensors" ? 6000 : 4000;
    const int valid = run(seed.target, seed.bytes, count);
    if (seed.bytes.compare(0, 2, "\x1f\x8b") != 0) // compressed bytes have a checksum
      EXPECT_GT(valid, 0) << seed.name;
    EXPECT_LT(valid, count * 9 / 10) << seed.name;
  }
}

} // namespace
