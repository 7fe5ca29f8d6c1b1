//===- FuzzTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The fuzz targets on mutations of valid files: some thousands in a second, the same ones every time.
//===----------------------------------------------------------------------===//
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/TinyModel.h"
#include "tests/runtime/fuzz/Targets.h"

#include <gtest/gtest.h>
#include <random>
#include <zlib.h>

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

TEST(Fuzz, Safetensors) {
  TempFolder folder;
  tiny::Instance instance;
  ASSERT_EQ(dlc_instance_save(instance, folder.file("s").c_str()), DLC_OK);
  int valid = run(fuzzSafetensors, TempFolder::readAll(folder.file("s")), 6000);
  EXPECT_GT(valid, 0) << "some mutations change values only";
  EXPECT_LT(valid, 3000);
}

std::string idxFile() {
  std::string bytes = {0, 0, 0x08, 3, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 4};
  for (char i = 0; i < 24; ++i)
    bytes += i;
  return bytes;
}

TEST(Fuzz, Idx) { EXPECT_GT(run(fuzzIdx, idxFile(), 4000), 0); }

TEST(Fuzz, Cifar) {
  std::string file;
  for (int i = 0; i < 2 * 3073; ++i)
    file += static_cast<char>(i % 3073 ? i : 7);
  const int valid = run(fuzzCifar, file, 2000);
  EXPECT_GT(valid, 0) << "some mutations change pixels only";
  EXPECT_LT(valid, 1500);
}

TEST(Fuzz, Tokens) {
  std::string file = {0, 3, 1, 5,
                      1, 2, 0, 1}; // two bytes, in order, windows of 4, batches of 2, vocabulary 256
  for (char i = 0; i < 100; ++i)
    file += {i, 0};
  const int valid = run(fuzzTokens, file, 4000);
  EXPECT_GT(valid, 0) << "some mutations change tokens only";
  EXPECT_LT(valid, 3500);
}

TEST(Fuzz, Npy) {
  std::string file = "\x93NUMPY\x01";
  file += std::string("\0\x3b\0", 3) + "{'descr': '<i2', 'fortran_order': False, 'shape': (3, 4)}\n\n";
  for (char i = 0; i < 24; ++i)
    file += i;
  const int valid = run(fuzzNpy, file, 4000);
  EXPECT_GT(valid, 0) << "some mutations change values only";
  EXPECT_LT(valid, 3000);
}

TEST(Fuzz, Table) {
  const int valid = run(fuzzTable, "a,\"b \"\"c\"\r\n1, 2\n\n-3e2,\"x\ny\"\n4.5,\n", 4000);
  EXPECT_GT(valid, 0);
  EXPECT_LT(valid, 3500);
}

TEST(Fuzz, CompressedIdx) {
  TempFolder folder;
  gzFile file = gzopen(folder.file("f").c_str(), "wb");
  gzwrite(file, idxFile().data(), static_cast<unsigned>(idxFile().size()));
  gzclose(file);
  EXPECT_LT(run(fuzzIdx, TempFolder::readAll(folder.file("f")), 4000), 3000);
}

} // namespace
