//===- NpyTest.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// NPY files: what NumPy writes is read, as a whole and by rows; headers that are none are refused.
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tests/runtime/TempFolder.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <vector>

namespace {

/// A file as numpy.save writes it; `text` is the dictionary.
std::string npy(const std::string &text, const std::string &values, int version = 1) {
  std::string header = "\x93NUMPY" + std::string(1, static_cast<char>(version)) + std::string(1, '\0');
  for (int i = 0; i < (version == 1 ? 2 : 4); ++i)
    header += static_cast<char>(text.size() >> (8 * i));
  return header + text + values;
}

std::string dictionary(const std::string &type, const std::string &shape,
                       const std::string &order = "False") {
  return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }          \n";
}

template <typename T> std::string bytesOf(std::vector<T> values, bool isBigEndian = false) {
  std::string bytes(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
  for (size_t i = 0; isBigEndian && i < bytes.size(); i += sizeof(T))
    std::reverse(bytes.begin() + static_cast<std::ptrdiff_t>(i),
                 bytes.begin() + static_cast<std::ptrdiff_t>(i + sizeof(T)));
  return bytes;
}

struct Npy : testing::Test {
  ~Npy() override { dlc_array_free(&array); }

  dlc_status read(const std::string &content, const dlc_scaling *scaling = nullptr) {
    dlc_array_free(&array);
    return dlc_read_npy(folder.write("a.npy", content).c_str(), scaling, &array, error, sizeof error);
  }
  template <typename T> std::vector<T> values() const {
    const auto *begin = static_cast<const T *>(array.data);
    return std::vector<T>(begin, begin + array.bytes / sizeof(T));
  }
  std::string refused(const std::string &content) {
    EXPECT_EQ(read(content), DLC_BAD_FILE);
    EXPECT_EQ(array.data, nullptr);
    return std::string(error).substr(folder.path.size() + 1);
  }

  TempFolder folder;
  dlc_array array = {};
  char error[400] = "";
};

TEST_F(Npy, ReadsEachType) {
  ASSERT_EQ(read(npy(dictionary("<f4", "(2, 3)"), bytesOf<float>({1, -2, 3, 4, 5, 0.5f}))), DLC_OK) << error;
  EXPECT_EQ(array.dtype, DLC_F32);
  EXPECT_EQ(array.rank, 2);
  EXPECT_EQ(array.shape[0], 2);
  EXPECT_EQ(array.shape[1], 3);
  EXPECT_EQ(values<float>(), (std::vector<float>{1, -2, 3, 4, 5, 0.5f}));
  ASSERT_EQ(read(npy(dictionary(">f8", "(2,)"), bytesOf<double>({1.5, -1e300}, true), 2)), DLC_OK) << error;
  EXPECT_EQ(values<double>(), (std::vector<double>{1.5, -1e300}));
  ASSERT_EQ(read(npy(dictionary("|u1", "(3,)"), bytesOf<uint8_t>({0, 1, 255}))), DLC_OK) << error;
  EXPECT_EQ(values<int32_t>(), (std::vector<int32_t>{0, 1, 255}));
  ASSERT_EQ(read(npy(dictionary("|i1", "(1,)"), bytesOf<int8_t>({-7}))), DLC_OK) << error;
  EXPECT_EQ(values<int32_t>(), (std::vector<int32_t>{-7}));
  ASSERT_EQ(read(npy(dictionary("|b1", "(2,)"), bytesOf<uint8_t>({1, 0}))), DLC_OK) << error;
  EXPECT_EQ(values<int32_t>(), (std::vector<int32_t>{1, 0}));
  ASSERT_EQ(read(npy(dictionary(">i2", "(2,)"), bytesOf<int16_t>({-300, 7}, true))), DLC_OK) << error;
  EXPECT_EQ(values<int32_t>(), (std::vector<int32_t>{-300, 7}));
  ASSERT_EQ(read(npy(dictionary("<u2", "(1,)"), bytesOf<uint16_t>({65535}))), DLC_OK) << error;
  EXPECT_EQ(values<int32_t>(), (std::vector<int32_t>{65535}));
  ASSERT_EQ(read(npy(dictionary("<i4", "(1,)"), bytesOf<int32_t>({INT32_MIN}))), DLC_OK) << error;
  EXPECT_EQ(values<int32_t>(), (std::vector<int32_t>{INT32_MIN}));
  ASSERT_EQ(read(npy(dictionary("<u4", "(1,)"), bytesOf<uint32_t>({UINT32_MAX}))), DLC_OK) << error;
  EXPECT_EQ(values<int64_t>(), (std::vector<int64_t>{UINT32_MAX}));
  ASSERT_EQ(read(npy(dictionary("<i8", "(1,)"), bytesOf<int64_t>({INT64_MIN}))), DLC_OK) << error;
  EXPECT_EQ(values<int64_t>(), (std::vector<int64_t>{INT64_MIN}));
  const dlc_scaling pixels = {1 / 255.0, 0, 1};
  ASSERT_EQ(read(npy(dictionary("|u1", "(2, 1)"), bytesOf<uint8_t>({0, 255})), &pixels), DLC_OK) << error;
  EXPECT_EQ(values<float>(), (std::vector<float>{0, 1}));
}

TEST_F(Npy, NumbersOfHalfPrecisionBecomeFloats) {
  // 1, -2, the largest, the smallest, the largest below the normal ones, the smallest normal one, -0, 1/3.
  const std::vector<uint16_t> bits = {0x3c00, 0xc000, 0x7bff, 0x0001, 0x83ff, 0x0400, 0x8000, 0x3555};
  const std::vector<float> expected = {1,        -2,    65504,          0x1p-24f, -1023 * 0x1p-24f,
                                       0x1p-14f, -0.0f, 0.333251953125f};
  for (const bool isBig : {false, true}) {
    ASSERT_EQ(read(npy(dictionary(isBig ? ">f2" : "<f2", "(2, 4)"), bytesOf(bits, isBig))), DLC_OK) << error;
    EXPECT_EQ(array.dtype, DLC_F32);
    EXPECT_EQ(values<float>(), expected);
    EXPECT_TRUE(std::signbit(values<float>()[6]));
  }
  ASSERT_EQ(read(npy(dictionary("<f2", "(3,)"), bytesOf<uint16_t>({0x7c00, 0xfc00, 0x7e00}))), DLC_OK);
  EXPECT_EQ(values<float>()[0], INFINITY);
  EXPECT_EQ(values<float>()[1], -INFINITY);
  EXPECT_TRUE(std::isnan(values<float>()[2]));
}

TEST_F(Npy, OrderOfColumnsMattersForMatricesOnly) {
  EXPECT_EQ(read(npy(dictionary("<f4", "(2,)", "True"), bytesOf<float>({1, 2}))), DLC_OK) << error;
  EXPECT_EQ(refused(npy(dictionary("<f4", "(1, 2)", "True"), bytesOf<float>({1, 2}))),
            "a.npy: was saved column by column (fortran_order): save numpy.ascontiguousarray(array)");
}

TEST_F(Npy, RefusesOtherFiles) {
  const std::string two = bytesOf<float>({1, 2});
  EXPECT_EQ(refused("PK\x03\x04 and more than ten"), "a.npy: not an NPY file of version 1 to 3");
  EXPECT_EQ(refused("\x93NUMPY"), "a.npy: too short for an NPY file");
  EXPECT_EQ(refused(npy(dictionary("<f4", "(3,)"), two)),
            "a.npy: truncated or damaged: its header says [3] values of 4 bytes, but 8 bytes follow");
  EXPECT_EQ(refused(npy(dictionary("<f4", "(1,)"), two)),
            "a.npy: truncated or damaged: its header says [1] values of 4 bytes, but 8 bytes follow");
  EXPECT_NE(refused(npy(dictionary("<f4", "(4611686018427387904, 4)"), two)).find("truncated or damaged"),
            std::string::npos);
  EXPECT_NE(refused(npy(dictionary("<f4", "(99999999999999999999,)"), two)).find("not one that NumPy writes"),
            std::string::npos);
  EXPECT_EQ(refused(npy(dictionary("<f4", "()"), bytesOf<float>({1}))),
            "a.npy: holds one number, expected at least one dimension, the samples");
  EXPECT_EQ(refused(npy(dictionary("<f4", "(2, 0)"), "")), "a.npy: dimension 1 is 0");
  EXPECT_EQ(refused(npy(dictionary("<f4", "(1, 1, 1, 1, 1, 1, 1, 1, 2)"), two)),
            "a.npy: has more than 8 dimensions");
  for (const char *type : {"<c8", "<f1", "|O", "<U4", "<u8", "f4", ""})
    EXPECT_NE(refused(npy(dictionary(type, "(2,)"), two)).find("its values are of type"), std::string::npos)
        << type;
  EXPECT_EQ(refused(npy("{'descr': [('x', '<f4')], 'fortran_order': False, 'shape': (2,), }", two)),
            "a.npy: its values are structures, expected numbers");
  for (const char *text :
       {"", "{", "{}", "{'descr': '<f4'}", "{'descr': '<f4', 'shape': (2,)}", "{'descr': '<f4",
        "{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': 0, 'shape': (2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (-2,)}",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2,)} x",
        "{'descr': '<f4', 'fortran_order': False, 'shape': (2", "{'fortran_order': False 'shape'"})
    EXPECT_NE(refused(npy(text, two)).find("is not one that NumPy writes"), std::string::npos) << text;
  std::string length = npy(dictionary("<f4", "(2,)"), two, 2);
  length[11] = '\x7f';
  EXPECT_NE(refused(length).find("truncated, or damaged: a header of"), std::string::npos);
  EXPECT_EQ(dlc_read_npy(folder.file("none").c_str(), nullptr, &array, error, sizeof error), DLC_IO_ERROR);
  EXPECT_EQ(dlc_read_npy(nullptr, nullptr, &array, error, sizeof error), DLC_INVALID_ARGUMENT);
}

/// Each prefix and each change of a byte ends in an array or a sentence.
TEST_F(Npy, AnyBytes) {
  const std::string good = npy(dictionary("<f4", "(2, 2)"), bytesOf<float>({1, 2, 3, 4}));
  for (size_t i = 0; i < good.size(); ++i) {
    EXPECT_EQ(read(good.substr(0, i)), DLC_BAD_FILE);
    for (int change : {1, 0x20, 0x80, 0xff}) {
      std::string changed = good;
      changed[i] = static_cast<char>(changed[i] ^ change);
      if (read(changed) == DLC_OK)
        EXPECT_LE(array.bytes, size_t{64});
    }
  }
}

TEST_F(Npy, Rows) {
  std::vector<float> all(3 * 5000);
  for (size_t i = 0; i < all.size(); ++i)
    all[i] = static_cast<float>(i);
  const std::string path = folder.write("rows.npy", npy(dictionary("<f4", "(3, 5000)"), bytesOf(all)));
  dlc_rows *rows;
  ASSERT_EQ(dlc_rows_open(path.c_str(), nullptr, &rows, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(dlc_rows_count(rows), 3);
  const dlc_field field = dlc_rows_field(rows);
  EXPECT_EQ(field.dtype, DLC_F32);
  EXPECT_EQ(field.rank, 1);
  EXPECT_EQ(field.shape[0], 5000);
  std::vector<float> row(5000);
  for (int64_t i : {2, 0, 1}) {
    ASSERT_EQ(dlc_rows_read(rows, i, row.data(), error, sizeof error), DLC_OK) << error;
    EXPECT_TRUE(std::equal(row.begin(), row.end(), all.begin() + i * 5000));
  }
  EXPECT_EQ(dlc_rows_read(rows, 3, row.data(), error, sizeof error), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_rows_read(rows, -1, row.data(), error, sizeof error), DLC_INVALID_ARGUMENT);
  std::filesystem::resize_file(path, 30000); // meanwhile
  EXPECT_EQ(dlc_rows_read(rows, 2, row.data(), error, sizeof error), DLC_BAD_FILE);
  EXPECT_NE(std::string(error).find("truncated"), std::string::npos);
  dlc_rows_close(rows);
}

/// IDX: as dlc_read_idx gives them, pixels scaled and labels I64.
TEST_F(Npy, RowsOfIdx) {
  const std::string images =
      std::string("\0\0\x08\x03\0\0\0\x02\0\0\0\x01\0\0\0\x03", 16) + "\x01\x02\x03\x04\x05\xff";
  const std::string path = folder.write("images", images);
  const dlc_scaling half = {0.5, 0, 1};
  dlc_rows *rows;
  ASSERT_EQ(dlc_rows_open(path.c_str(), &half, &rows, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(dlc_rows_count(rows), 2);
  EXPECT_EQ(dlc_rows_field(rows).dtype, DLC_F32);
  EXPECT_EQ(dlc_rows_field(rows).rank, 2);
  float row[3];
  ASSERT_EQ(dlc_rows_read(rows, 1, row, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(row[0], 2);
  EXPECT_EQ(row[2], 127.5f);
  dlc_rows_close(rows);
  ASSERT_EQ(dlc_rows_open(path.c_str(), nullptr, &rows, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(dlc_rows_field(rows).dtype, DLC_I64);
  int64_t labels[3];
  ASSERT_EQ(dlc_rows_read(rows, 0, labels, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(labels[2], 3);
  dlc_rows_close(rows);
  auto refused = [&](const std::string &content, const char *part) {
    EXPECT_EQ(dlc_rows_open(folder.write("bad", content).c_str(), nullptr, &rows, error, sizeof error),
              DLC_BAD_FILE);
    EXPECT_NE(std::string(error).find(part), std::string::npos) << error;
  };
  refused(images + "x", "1 bytes follow its values");
  refused(images.substr(0, 20), "truncated or damaged");
  refused("\x1f\x8b\x08\x01", "decompress it");
  refused("abc", "too short");
}

/// Whole files and single rows, of both formats.
TEST_F(Npy, BytesStayBytes) {
  const std::string pixels = {0, 1, 127, '\x80', '\xff', 7};
  const std::string idx = std::string("\0\0\x08\x02\0\0\0\x02\0\0\0\x03", 12) + pixels;
  for (const std::string &content : {npy(dictionary("|u1", "(2, 3)"), pixels), idx}) {
    const std::string path = folder.write("pixels", content);
    ASSERT_EQ(dlc_read_bytes(path.c_str(), &array, error, sizeof error), DLC_OK) << error;
    EXPECT_EQ(array.dtype, DLC_U8);
    EXPECT_EQ(array.rank, 2);
    EXPECT_EQ(values<uint8_t>(), (std::vector<uint8_t>{0, 1, 127, 128, 255, 7}));
    dlc_array_free(&array);
    dlc_rows *rows;
    ASSERT_EQ(dlc_rows_open_bytes(path.c_str(), &rows, error, sizeof error), DLC_OK) << error;
    EXPECT_EQ(dlc_rows_field(rows).dtype, DLC_U8);
    uint8_t row[4] = {9, 9, 9, 9};
    ASSERT_EQ(dlc_rows_read(rows, 1, row, error, sizeof error), DLC_OK) << error;
    EXPECT_EQ(std::vector<uint8_t>(row, row + 4), (std::vector<uint8_t>{128, 255, 7, 9}));
    dlc_rows_close(rows);
  }
  const std::string other = folder.write("other", npy(dictionary("<i2", "(3,)"), pixels));
  EXPECT_EQ(dlc_read_bytes(other.c_str(), &array, error, sizeof error), DLC_BAD_FILE);
  EXPECT_NE(std::string(error).find("its values are of type 'i2', expected bytes"), std::string::npos)
      << error;
  dlc_rows *rows;
  EXPECT_EQ(dlc_rows_open_bytes(other.c_str(), &rows, error, sizeof error), DLC_BAD_FILE);
  EXPECT_EQ(dlc_read_bytes(folder.write("empty", "").c_str(), &array, error, sizeof error), DLC_BAD_FILE);
  EXPECT_EQ(dlc_read_bytes(nullptr, &array, error, sizeof error), DLC_INVALID_ARGUMENT);
}

TEST_F(Npy, TensorsOfASafetensorsFile) {
  const std::string header =
      R"({"b":{"dtype":"F32","shape":[2,1],"data_offsets":[0,8]},"a":{"dtype":"I64","shape":[],)"
      R"("data_offsets":[8,16]},"c":{"dtype":"I8","shape":[1],"data_offsets":[16,17]},"u":{"dtype":"U8","shape":[2],)"
      R"("data_offsets":[17,19]}})";
  const uint64_t length = header.size();
  const std::string path =
      folder.write("t.safetensors", std::string(reinterpret_cast<const char *>(&length), 8) + header +
                                        bytesOf<float>({1, 2}) + std::string(9, '\0') + "\x7f\xff");
  dlc_tensors *tensors;
  ASSERT_EQ(dlc_tensors_open(path.c_str(), &tensors, error, sizeof error), DLC_OK) << error;
  ASSERT_EQ(dlc_tensors_count(tensors), 4);
  EXPECT_STREQ(dlc_tensors_name(tensors, 0), "a");
  EXPECT_EQ(dlc_tensors_name(tensors, 4), nullptr);
  ASSERT_EQ(dlc_tensors_read(tensors, "b", &array, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(values<float>(), (std::vector<float>{1, 2}));
  EXPECT_EQ(array.rank, 2);
  dlc_array_free(&array);
  ASSERT_EQ(dlc_tensors_read(tensors, "u", &array, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(array.dtype, DLC_U8);
  EXPECT_EQ(values<uint8_t>(), (std::vector<uint8_t>{127, 255}));
  dlc_array_free(&array);
  EXPECT_EQ(dlc_tensors_read(tensors, "d", &array, error, sizeof error), DLC_NOT_FOUND);
  EXPECT_EQ(dlc_tensors_read(tensors, "a", &array, error, sizeof error), DLC_BAD_FILE);
  EXPECT_EQ(dlc_tensors_read(tensors, "c", &array, error, sizeof error), DLC_BAD_FILE);
  EXPECT_NE(std::string(error).find("tensor 'c' has the type I8 and 1 dimensions"), std::string::npos)
      << error;
  dlc_tensors_close(tensors);
  EXPECT_EQ(dlc_tensors_open(folder.write("x.safetensors", "abc").c_str(), &tensors, error, sizeof error),
            DLC_BAD_FILE);
}

} // namespace
