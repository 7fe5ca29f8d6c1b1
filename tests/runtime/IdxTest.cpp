//===- IdxTest.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reading IDX files, plain and compressed, and refusing what is none.
//===----------------------------------------------------------------------===//
#include "dlc/runtime.h"
#include "tests/runtime/TempFolder.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <zlib.h>

namespace {

/// The bytes of an IDX file; values are given in file order.
std::string idx(char type, std::initializer_list<uint32_t> shape, const std::string &values) {
  std::string bytes = {0, 0, type, static_cast<char>(shape.size())};
  for (uint32_t size : shape)
    for (int shift = 24; shift >= 0; shift -= 8)
      bytes += static_cast<char>(size >> shift);
  return bytes + values;
}

std::string gzip(const std::string &bytes) {
  TempFolder folder;
  gzFile file = gzopen(folder.file("f").c_str(), "wb9");
  for (size_t at = 0; at < bytes.size(); at += 1u << 20)
    gzwrite(file, bytes.data() + at, static_cast<unsigned>(std::min<size_t>(bytes.size() - at, 1u << 20)));
  gzclose(file);
  return TempFolder::readAll(folder.file("f"));
}

class Idx : public testing::Test {
protected:
  ~Idx() override { dlc_array_free(&array); }

  dlc_status read(const std::string &bytes, const dlc_scaling *scaling = nullptr) {
    return readPath(folder.write("data", bytes), scaling);
  }
  dlc_status readPath(const std::string &path, const dlc_scaling *scaling = nullptr) {
    dlc_array_free(&array);
    return dlc_read_idx(path.c_str(), scaling, &array, error, sizeof error);
  }
  template <typename T> std::vector<T> values() const {
    const T *data = static_cast<const T *>(array.data);
    return std::vector<T>(data, data + array.bytes / sizeof(T));
  }
  bool errorSays(const char *part) const { return std::string(error).find(part) != std::string::npos; }

  TempFolder folder;
  dlc_array array = {};
  char error[512] = "";
};

TEST_F(Idx, ReadsLabels) {
  ASSERT_EQ(read(idx(0x08, {3}, {5, 0, '\xff'})), DLC_OK) << error;
  EXPECT_EQ(array.dtype, DLC_I64);
  EXPECT_EQ(array.rank, 1);
  EXPECT_EQ(array.shape[0], 3);
  EXPECT_EQ(values<int64_t>(), (std::vector<int64_t>{5, 0, 255}));
}

TEST_F(Idx, ScalesImages) {
  const dlc_scaling scaling = {1 / 255.0, 0.2860, 0.3530};
  ASSERT_EQ(read(idx(0x08, {1, 2, 2}, {0, 1, 127, '\xff'}), &scaling), DLC_OK) << error;
  EXPECT_EQ(array.dtype, DLC_F32);
  EXPECT_EQ(array.rank, 3);
  std::vector<float> expected;
  for (double pixel : {0, 1, 127, 255})
    expected.push_back(static_cast<float>((pixel / 255 - 0.2860) / 0.3530));
  for (size_t i = 0; i < 4; ++i)
    EXPECT_FLOAT_EQ(values<float>()[i], expected[i]);
}

TEST_F(Idx, ReadsEveryType) {
  ASSERT_EQ(read(idx(0x09, {2}, {'\xff', 5})), DLC_OK) << error;
  EXPECT_EQ(values<int64_t>(), (std::vector<int64_t>{-1, 5}));
  ASSERT_EQ(read(idx(0x0b, {2}, {'\xff', '\xfe', 1, 2})), DLC_OK) << error;
  EXPECT_EQ(values<int64_t>(), (std::vector<int64_t>{-2, 258}));
  ASSERT_EQ(read(idx(0x0c, {1}, {'\x80', 0, 0, 1})), DLC_OK) << error;
  EXPECT_EQ(values<int64_t>(), (std::vector<int64_t>{-2147483647}));
  ASSERT_EQ(read(idx(0x0d, {1}, {'\xbf', '\x80', 0, 0})), DLC_OK) << error;
  EXPECT_EQ(array.dtype, DLC_F32);
  EXPECT_EQ(values<float>(), std::vector<float>{-1});
  ASSERT_EQ(read(idx(0x0e, {1}, {'\x40', 0, 0, 0, 0, 0, 0, 0})), DLC_OK) << error;
  EXPECT_EQ(array.dtype, DLC_F64);
  EXPECT_EQ(values<double>(), std::vector<double>{2});
  const dlc_scaling half = {0.5, 0, 1};
  ASSERT_EQ(read(idx(0x0e, {1}, {'\x40', 0, 0, 0, 0, 0, 0, 0}), &half), DLC_OK) << error;
  EXPECT_EQ(values<float>(), std::vector<float>{1});
}

TEST_F(Idx, CompressedEqualsPlain) {
  std::string pixels;
  for (unsigned i = 0; i < 300 * 1000; ++i) // more than the reader's window
    pixels += static_cast<char>(i * i / 7);
  const std::string file = idx(0x08, {300, 1000}, pixels);
  ASSERT_EQ(read(file), DLC_OK) << error;
  const std::vector<int64_t> plain = values<int64_t>();
  ASSERT_EQ(read(gzip(file)), DLC_OK) << error;
  EXPECT_EQ(values<int64_t>(), plain);
  for (size_t i = 0; i < pixels.size(); ++i)
    ASSERT_EQ(plain[i], static_cast<unsigned char>(pixels[i]));
  // gzip files may be put one after the other.
  ASSERT_EQ(read(gzip(file.substr(0, 1000)) + gzip(file.substr(1000))), DLC_OK) << error;
  EXPECT_EQ(values<int64_t>(), plain);
}

TEST_F(Idx, RefusesEveryTruncation) {
  const std::string file = idx(0x08, {2, 3}, "abcdef"), compressed = gzip(file);
  for (size_t length = 0; length < file.size(); ++length)
    EXPECT_EQ(read(file.substr(0, length)), DLC_BAD_FILE) << length;
  for (size_t length = 0; length < compressed.size(); ++length)
    EXPECT_EQ(read(compressed.substr(0, length)), DLC_BAD_FILE) << length;
  EXPECT_TRUE(errorSays("truncated")) << error;
  EXPECT_TRUE(errorSays(folder.path.c_str())) << "names the file";
}

TEST_F(Idx, RefusesMoreDataThanDeclared) {
  EXPECT_EQ(read(idx(0x08, {2, 3}, "abcdefg")), DLC_BAD_FILE);
  EXPECT_TRUE(errorSays("more data")) << error;
  EXPECT_EQ(read(gzip(idx(0x08, {2, 3}, "abcdefg"))), DLC_BAD_FILE);
  EXPECT_EQ(read(gzip(idx(0x08, {2, 3}, "abcdef")) + "garbage"), DLC_BAD_FILE);
}

TEST_F(Idx, RefusesDamagedCompression) {
  std::string compressed = gzip(idx(0x08, {2, 3}, "abcdef"));
  compressed[compressed.size() - 6] ^= 1; // the checksum
  EXPECT_EQ(read(compressed), DLC_BAD_FILE);
  EXPECT_TRUE(errorSays("damaged")) << error;
}

TEST_F(Idx, RefusesHeadersThatCannotBe) {
  EXPECT_EQ(read("\x89PNG\r\n\x1a\n"), DLC_BAD_FILE);
  EXPECT_TRUE(errorSays("not an IDX file: it begins with 89 50 4e 47")) << error;
  EXPECT_EQ(read(idx(0x0a, {1}, "a")), DLC_BAD_FILE) << "no such type";
  EXPECT_EQ(read(idx(0x08, {}, "a")), DLC_BAD_FILE) << "rank 0";
  EXPECT_EQ(read(idx(0x08, {1, 1, 1, 1, 1, 1, 1, 1, 1}, "a")), DLC_BAD_FILE) << "rank 9";
  EXPECT_EQ(read(idx(0x08, {0}, "")), DLC_BAD_FILE);
  EXPECT_TRUE(errorSays("dimension 0 is 0")) << error;
}

TEST_F(Idx, RefusesHostileSizesBeforeAllocating) {
  constexpr uint32_t most = UINT32_MAX;
  for (const std::string &file : {idx(0x08, {most, most, most}, "a"), idx(0x08, {most}, "a"),
                                  idx(0x0e, {most, most}, "a"), idx(0x0c, {most, 2, 1}, "a")}) {
    EXPECT_EQ(read(file), DLC_BAD_FILE);
    EXPECT_TRUE(errorSays("its header says")) << error;
    EXPECT_EQ(read(gzip(file)), DLC_BAD_FILE);
    EXPECT_TRUE(errorSays("its header says")) << error;
  }
}

TEST_F(Idx, ADenseFileIsStillRead) {
  const std::string zeros(8 << 20, '\0'); // compresses nearly as far as gzip can
  ASSERT_EQ(read(gzip(idx(0x08, {8 << 20}, zeros))), DLC_OK) << error;
  EXPECT_EQ(array.shape[0], 8 << 20);
}

TEST_F(Idx, RefusesBadArguments) {
  EXPECT_EQ(readPath(folder.file("absent")), DLC_IO_ERROR);
  EXPECT_TRUE(errorSays("absent")) << error;
  EXPECT_EQ(readPath(folder.path), DLC_IO_ERROR);
  const std::string path = folder.write("f", idx(0x08, {1}, "a"));
  for (dlc_scaling bad : {dlc_scaling{1, 0, 0}, dlc_scaling{NAN, 0, 1}, dlc_scaling{1, INFINITY, 1}})
    EXPECT_EQ(readPath(path, &bad), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_read_idx(nullptr, nullptr, &array, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_read_idx(path.c_str(), nullptr, nullptr, error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_read_idx(path.c_str(), nullptr, &array, nullptr, 0), DLC_OK);
  dlc_array_free(nullptr);
}

} // namespace
