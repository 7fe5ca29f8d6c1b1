//===- NpzTest.cpp --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Archives of NumPy: arrays that are stored or compressed, and archives that are none.
//===----------------------------------------------------------------------===//
#include "dlc/data.hpp"
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/ZipFiles.h"

#include <cstring>
#include <gtest/gtest.h>

namespace {

std::string npyOf(const std::string &type, const std::string &shape, const std::string &values) {
  const std::string text = "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
  return std::string("\x93NUMPY\x01\0", 8) + zip::number(text.size(), 2) + text + values;
}

template <typename T> std::string rawBytes(const std::vector<T> &values) {
  return std::string(reinterpret_cast<const char *>(values.data()), values.size() * sizeof(T));
}

const std::string numbers = npyOf("<f4", "(2, 2)", rawBytes<float>({1, 2, 3, -4}));
/// Enough for several windows of the inflater and of the reader.
std::vector<int32_t> many() {
  std::vector<int32_t> values(50000);
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = static_cast<int32_t>(i * i % 977);
  return values;
}
const std::string manyNumbers = npyOf("<i4", "(50000,)", rawBytes(many()));

struct Npz : testing::Test {
  ~Npz() override { dlc_npz_close(npz); }

  dlc_status open(const std::string &content) {
    dlc_npz_close(npz);
    return dlc_npz_open(folder.write("a.npz", content).c_str(), &npz, error, sizeof error);
  }
  /// What is said where the file, or its array 'x', is refused.
  std::string refused(const std::string &content) {
    dlc_status status = open(content);
    dlc_array array = {};
    if (status == DLC_OK)
      status = dlc_npz_read(npz, "x", nullptr, &array, error, sizeof error);
    EXPECT_EQ(status, DLC_BAD_FILE);
    EXPECT_EQ(array.data, nullptr);
    return std::string(error).substr(folder.path.size() + 1);
  }

  TempFolder folder;
  dlc_npz *npz = nullptr;
  char error[500] = "";
};

TEST_F(Npz, ReadsStoredAndCompressedArrays) {
  for (const bool isDeflated : {false, true})
    for (const bool isLarge : {false, true}) {
      ASSERT_EQ(open(zip::archive({{"x.npy", numbers, isDeflated},
                                   {"notes.txt", "not an array"},
                                   {"y.npy", manyNumbers, isDeflated},
                                   {".npy", numbers}},
                                  isLarge)),
                DLC_OK)
          << error;
      ASSERT_EQ(dlc_npz_count(npz), 2);
      EXPECT_STREQ(dlc_npz_name(npz, 0), "x");
      EXPECT_STREQ(dlc_npz_name(npz, 1), "y");
      EXPECT_EQ(dlc_npz_name(npz, 2), nullptr);
      dlc_array x, y;
      ASSERT_EQ(dlc_npz_read(npz, "x", nullptr, &x, error, sizeof error), DLC_OK) << error;
      ASSERT_EQ(dlc_npz_read(npz, "y", nullptr, &y, error, sizeof error), DLC_OK) << error;
      EXPECT_EQ(x.dtype, DLC_F32);
      EXPECT_EQ(x.rank, 2);
      EXPECT_EQ(static_cast<float *>(x.data)[3], -4);
      EXPECT_EQ(y.dtype, DLC_I32);
      ASSERT_EQ(y.shape[0], 50000);
      EXPECT_EQ(memcmp(y.data, many().data(), y.bytes), 0);
      dlc_array_free(&x);
      dlc_array_free(&y);
    }
}

TEST_F(Npz, ScalesAndFinds) {
  ASSERT_EQ(open(zip::archive({{"x.npy", npyOf("|u1", "(2,)", "\1\377")}}, false, "a comment PK\5\6 of it")),
            DLC_OK)
      << error;
  const dlc_scaling pixels = {1 / 255.0, 0, 1};
  dlc_array x;
  ASSERT_EQ(dlc_npz_read(npz, "x", &pixels, &x, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(static_cast<float *>(x.data)[1], 1);
  dlc_array_free(&x);
  EXPECT_EQ(dlc_npz_read(npz, "y", nullptr, &x, error, sizeof error), DLC_NOT_FOUND);
  EXPECT_NE(std::string(error).find("a.npz: there is no array 'y'"), std::string::npos);
  EXPECT_EQ(dlc_npz_read(npz, nullptr, nullptr, &x, error, sizeof error), DLC_NOT_FOUND);
  dlc_npz *none = nullptr;
  EXPECT_EQ(dlc_npz_open(folder.file("none").c_str(), &none, error, sizeof error), DLC_IO_ERROR);
  EXPECT_EQ(none, nullptr);
}

TEST_F(Npz, RefusesDamagedArrays) {
  for (const bool isDeflated : {false, true}) {
    std::string file = zip::archive({{"x.npy", manyNumbers, isDeflated}});
    const size_t sum = file.find("PK\1\2") + 16;
    file[sum] = static_cast<char>(file[sum] ^ 1);
    EXPECT_NE(refused(file).find("a.npz: array 'x': damaged: its checksum is "), std::string::npos) << error;
    // A length that the bytes cannot have, before memory is taken for it.
    file = zip::archive({{"x.npy", manyNumbers, isDeflated}});
    file.replace(file.find("PK\1\2") + 24, 4, zip::number(UINT32_MAX - 1, 4));
    EXPECT_NE(refused(file).find("a.npz: array 'x': damaged: "), std::string::npos) << error;
  }
  std::string file = zip::archive({{"x.npy", manyNumbers, true}});
  file.replace(file.find("PK\1\2") + 24, 4, zip::number(manyNumbers.size() + 4, 4));
  EXPECT_NE(refused(file).find("its header says [50000] values of 4 bytes, but 200004 bytes follow"),
            std::string::npos)
      << error;
  file = zip::archive({{"x.npy", "no array, but text"}});
  EXPECT_EQ(refused(file), "a.npz: array 'x': not an NPY file of version 1 to 3");
  file = zip::archive({{"x.npy", numbers}});
  file[0] = 'Q';
  EXPECT_EQ(refused(file), "a.npz: array 'x': damaged: no member begins where the archive says");
  EXPECT_EQ(refused(zip::archive({{"x.npy", numbers, false, 12}})),
            "a.npz: array 'x': is compressed by another method than deflate");
  EXPECT_EQ(refused(zip::archive({{"x.npy", numbers, false, -1, 1}})), "a.npz: array 'x': is encrypted");
}

TEST_F(Npz, RefusesOtherArchives) {
  EXPECT_EQ(refused("PK"), "a.npz: truncated, damaged, or no ZIP archive: it is too short");
  EXPECT_EQ(refused(std::string(70000, 'x')),
            "a.npz: truncated, damaged, or no ZIP archive: it has no directory at its end");
  EXPECT_EQ(refused(zip::archive({{"x.txt", numbers}})),
            "a.npz: none of its 1 members is an array (.npy), as numpy.savez writes them");
  EXPECT_EQ(refused(zip::archive({{"x.npy", numbers}, {"x.npy", numbers}})),
            "a.npz: two of its members are called 'x.npy'");
  EXPECT_EQ(refused(zip::archive({{std::string("x\0.npy", 6), numbers}})),
            "a.npz: truncated, damaged, or no ZIP archive: the name of a member");
  const std::string whole = zip::archive({{"x.npy", numbers}, {"y.npy", numbers, true}}, true);
  for (size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_EQ(open(whole.substr(0, bytes)), DLC_BAD_FILE) << bytes;
}

TEST_F(Npz, InCpp) {
  const dlc::data::Npz file(folder.write("b.npz", zip::archive({{"x.npy", numbers, true}})));
  EXPECT_EQ(file.names(), std::vector<std::string>{"x"});
  const dlc::data::Array x = file.read("x");
  EXPECT_EQ(x.data<float>()[2], 3);
  EXPECT_THROW(file.read("y"), dlc::data::Error);
}

} // namespace
