//===- ShardsTest.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tar files of samples: those of several programs, and files that are none.
//===----------------------------------------------------------------------===//
#include "dlc/shards.h"
#include "tests/runtime/TarFiles.h"
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/fuzz/Targets.h"

#include <cstring>
#include <gtest/gtest.h>
#include <random>
#include <vector>

namespace {

using tar::end;
using tar::member;
using tar::record;

struct Shards : testing::Test {
  ~Shards() override { dlc_shards_close(shards); }

  dlc_status open(const std::string &content) {
    dlc_shards_close(shards);
    const std::string path = folder.write("a.tar", content);
    const char *paths[] = {path.c_str()};
    return dlc_shards_open(paths, 1, &shards, error, sizeof error);
  }
  std::string refused(const std::string &content) {
    EXPECT_EQ(open(content), DLC_BAD_FILE);
    EXPECT_EQ(shards, nullptr);
    return std::string(error).substr(folder.path.size() + 1);
  }
  std::string bytes(int64_t sample, const char *kind) {
    std::string text(static_cast<size_t>(std::max<int64_t>(dlc_shards_size(shards, sample, kind), 0)), '?');
    EXPECT_EQ(dlc_shards_read(shards, sample, kind, text.data(), error, sizeof error), DLC_OK) << error;
    return text;
  }

  TempFolder folder;
  dlc_shards *shards = nullptr;
  char error[500] = "";
};

TEST_F(Shards, MembersOfOneNameAreASample) {
  const std::string long_name = std::string(150, 'l') + "/9.x.txt";
  ASSERT_EQ(open(member("dir/", "", '5') + member("./0001.PNG", "picture") + member("./0001.cls", " 12\n") +
                 member("README", "no sample") + member("0002.cls", "-3") +
                 member("0002.left.txt", std::string(600, 'x')) +
                 member("5.txt", "prefixed", '0', "deep/er") + member("6.txt", "binary size", '0', "", true) +
                 member("pax", record("mtime", "1.5") + record("path", "seven.txt"), 'x') +
                 member("cut", "pax") + member("././@LongLink", long_name + '\0', 'L') +
                 member("cut", "gnu") + member("g", "", 'g') + member("empty.txt", "") + end),
            DLC_OK)
      << error;
  std::vector<std::string> keys;
  for (int64_t i = 0; i < dlc_shards_count(shards); ++i)
    keys.push_back(dlc_shards_key(shards, i));
  EXPECT_EQ(keys, (std::vector<std::string>{"./0001", "0002", "deep/er/5", "6", "seven",
                                            std::string(150, 'l') + "/9", "empty"}));
  EXPECT_EQ(dlc_shards_key(shards, 7), nullptr);
  EXPECT_STREQ(dlc_shards_kind(shards, 0), "png");
  EXPECT_STREQ(dlc_shards_kind(shards, 2), "left.txt");
  EXPECT_EQ(dlc_shards_kind(shards, 5), nullptr);
  EXPECT_EQ(bytes(0, "png"), "picture");
  EXPECT_EQ(bytes(1, "left.txt"), std::string(600, 'x'));
  EXPECT_EQ(bytes(2, "txt") + bytes(3, "txt") + bytes(4, "txt") + bytes(5, "x.txt") + bytes(6, "txt"),
            "prefixedbinary sizepaxgnu");
  int64_t number = 0;
  ASSERT_EQ(dlc_shards_number(shards, 0, "cls", &number, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(number, 12);
  ASSERT_EQ(dlc_shards_number(shards, 1, "cls", &number, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(number, -3);
  EXPECT_EQ(dlc_shards_number(shards, 0, "png", &number, error, sizeof error), DLC_BAD_FILE);
  EXPECT_EQ(std::string(error).substr(folder.path.size() + 1),
            "a.tar: ./0001.png: is 'picture', expected a whole number");
  EXPECT_EQ(dlc_shards_number(shards, 2, "cls", &number, error, sizeof error), DLC_NOT_FOUND);
  EXPECT_STREQ(error, "sample 2 ('deep/er/5') of 7 has no member '.cls'");
  EXPECT_EQ(dlc_shards_size(shards, 2, "cls"), -1);
}

TEST_F(Shards, ArraysAndSeveralFiles) {
  const std::string text = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }\n";
  const std::string npy = std::string("\x93NUMPY\x01\0", 8) + static_cast<char>(text.size()) + '\0' + text +
                          std::string("\0\0\x80\x3f\0\0\0\x40", 8);
  const std::string first = folder.write("0.tar", member("a.npy", npy) + end),
                    second = folder.write("1.tar", member("a.npy", npy.substr(0, npy.size() - 1)) +
                                                       member("a.cls", "1"));
  const char *paths[] = {first.c_str(), second.c_str()};
  ASSERT_EQ(dlc_shards_open(paths, 2, &shards, error, sizeof error), DLC_OK) << error;
  ASSERT_EQ(dlc_shards_count(shards), 2); // samples do not go on in the next file
  dlc_array array;
  ASSERT_EQ(dlc_shards_array(shards, 0, "npy", nullptr, &array, error, sizeof error), DLC_OK) << error;
  EXPECT_EQ(static_cast<float *>(array.data)[1], 2);
  dlc_array_free(&array);
  EXPECT_EQ(dlc_shards_array(shards, 1, "npy", nullptr, &array, error, sizeof error), DLC_BAD_FILE);
  EXPECT_NE(std::string(error).find("1.tar: a.npy: truncated or damaged"), std::string::npos) << error;
  std::filesystem::resize_file(first, 512); // while it is used
  EXPECT_EQ(dlc_shards_array(shards, 0, "npy", nullptr, &array, error, sizeof error), DLC_BAD_FILE);
  std::string room(1000, ' ');
  EXPECT_EQ(dlc_shards_read(shards, 0, "npy", room.data(), error, sizeof error), DLC_BAD_FILE);
}

TEST_F(Shards, FilesThatAreNone) {
  EXPECT_EQ(refused(""), "a.tar: has no samples: expected members such as 0001.png and 0001.cls");
  EXPECT_EQ(refused(end), "a.tar: has no samples: expected members such as 0001.png and 0001.cls");
  EXPECT_EQ(refused("\x1f\x8b and so on"),
            "a.tar: is compressed with gzip, so that no sample can be read by itself: decompress it");
  EXPECT_EQ(refused("text"), "a.tar: truncated, damaged, or no tar file: less than a header at byte 0");
  EXPECT_EQ(refused(std::string(512, 'x')), "a.tar: truncated, damaged, or no tar file: no header at byte 0");
  EXPECT_EQ(refused(member("a.cls", "1") + member("a.CLS", "2")), "a.tar: sample 'a' has two members '.CLS'");
  const std::string two = member("a.cls", "1") + member("b.cls", "2");
  EXPECT_EQ(refused(two.substr(0, 1536)),
            "a.tar: truncated, damaged, or no tar file: a member that is larger than the file, at byte 1024");
  std::string changed = two;
  changed[1024] = 'c';
  EXPECT_EQ(refused(changed),
            "a.tar: truncated, damaged, or no tar file: a header whose checksum differs at byte 1024");
  for (const char *bad : {"5 a=b\n", "99 path=x\n", "9 path=x", "x", "6 path\n", "10 size=-1\n", "0 a=b\n"})
    EXPECT_NE(refused(member("p", bad, 'x') + member("a.cls", "1")).find("a record before"),
              std::string::npos)
        << bad;
  EXPECT_NE(refused(member("p", record("size", "99999999999"), 'x') + member("a.cls", "1"))
                .find("larger than the file"),
            std::string::npos);
  EXPECT_EQ(dlc_shards_open(nullptr, 1, &shards, error, sizeof error), DLC_INVALID_ARGUMENT);
}

TEST_F(Shards, MutationsAreReadOrRefused) {
  const std::string whole =
      member("pax", record("path", "seven.txt"), 'x') + member("cut", "pax") + member("a.png", "x") +
      member("././@LongLink", std::string(120, 'y') + ".cls", 'L') + member("cut", "12") + end;
  std::mt19937 random(3);
  int valid = 0;
  for (int i = 0; i < 4000; ++i) {
    std::string changed = whole;
    changed[random() % changed.size()] = static_cast<char>(random());
    if (i % 4 == 0)
      changed.resize(random() % changed.size());
    const fuzz::MemoryFile file(reinterpret_cast<const uint8_t *>(changed.data()), changed.size());
    const std::string path = file.path();
    const char *paths[] = {path.c_str()};
    dlc_shards *opened;
    const dlc_status status = dlc_shards_open(paths, 1, &opened, error, sizeof error);
    ASSERT_TRUE(status == DLC_OK || (status == DLC_BAD_FILE && *error)) << status;
    valid += status == DLC_OK;
    for (int64_t sample = 0; sample < dlc_shards_count(opened); ++sample)
      for (int32_t kind = 0; dlc_shards_kind(opened, kind); ++kind)
        if (const int64_t size = dlc_shards_size(opened, sample, dlc_shards_kind(opened, kind)); size >= 0) {
          std::string text(static_cast<size_t>(size), ' ');
          ASSERT_LE(text.size(), changed.size());
          ASSERT_EQ(dlc_shards_read(opened, sample, dlc_shards_kind(opened, kind), text.data(), error,
                                    sizeof error),
                    DLC_OK);
        }
    dlc_shards_close(opened);
  }
  EXPECT_GT(valid, 500);
}

} // namespace
