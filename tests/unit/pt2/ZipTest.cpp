//===- ZipTest.cpp - sound and damaged zip archives
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Zip.h"
#include "tests/unit/pt2/Archives.h"
#include "gtest/gtest.h"

namespace {

using namespace archives;
using dlc::pt2::Zip;

const std::vector<Entry> two{{"a/one", "first"}, {"a/two", std::string("\0\1\2", 3)}};

/// What opening or reading says; "" where it does not fail.
std::string problemOf(const std::string &bytes, const std::string &name = "a/one") {
  auto zip = Zip::open(bytes);
  if (!zip)
    return llvm::toString(zip.takeError());
  auto content = zip->read(name);
  return content ? "" : llvm::toString(content.takeError());
}

void expectContents(const std::string &bytes) {
  auto zip = Zip::open(bytes);
  ASSERT_TRUE(bool(zip)) << llvm::toString(zip.takeError());
  EXPECT_EQ(zip->names().size(), 2u);
  EXPECT_TRUE(zip->has("a/two"));
  EXPECT_FALSE(zip->has("two"));
  for (const Entry &entry : two) {
    auto content = zip->read(entry.name);
    ASSERT_TRUE(bool(content)) << llvm::toString(content.takeError());
    EXPECT_EQ(content->str(), entry.content);
  }
}

TEST(Zip, ReadsEntries) { expectContents(zipOf(two)); }

TEST(Zip, ReadsBehindAComment) {
  expectContents(zipOf(two, false, "PK\5\6 and what stands in a comment"));
  expectContents(zipOf(two, false, std::string(65535, 'c')));
}

TEST(Zip, ReadsNumbersOf64Bits) {
  std::vector<Entry> large = two;
  large[1].isLarge = true;
  expectContents(zipOf(large));
  expectContents(zipOf(large, /*isLarge=*/true));
}

TEST(Zip, RefusesWhatIsNoArchive) {
  EXPECT_EQ(problemOf(""), "not a sound zip archive: the file has 0 bytes");
  EXPECT_EQ(
      problemOf(std::string(100, 'x')),
      "not a sound zip archive: it has no directory at its end; the file is cut off, or of another format");
}

TEST(Zip, RefusesEachCutOffArchive) {
  const std::string whole = zipOf(two);
  for (size_t size = 0; size < whole.size(); ++size)
    EXPECT_NE(problemOf(whole.substr(0, size)), "") << size;
}

TEST(Zip, RefusesPlacesOutside) {
  const std::string whole = zipOf(two);
  const size_t end = endOf(whole), directory = directoryOf(whole);
  std::string bytes = whole;
  patch<uint32_t>(bytes, end + 16, uint32_t(end + 1));
  EXPECT_NE(problemOf(bytes).find("does not lie in the file"), std::string::npos) << problemOf(bytes);
  bytes = whole;
  patch<uint32_t>(bytes, end + 12, 0xfffffffe);
  EXPECT_NE(problemOf(bytes).find("does not lie in the file"), std::string::npos) << problemOf(bytes);
  bytes = whole;
  patch<uint32_t>(bytes, directory + 42, 0xfffffff0); // where the first entry is
  EXPECT_EQ(problemOf(bytes),
            "not a sound zip archive: entry 'a/one' is not where it should be, at byte 4294967280");
  bytes = whole;
  for (size_t field : {20, 24}) // both sizes
    patch<uint32_t>(bytes, directory + field, 0x7fffffff);
  EXPECT_EQ(problemOf(bytes),
            "not a sound zip archive: entry 'a/one' has 2147483647 bytes, which do not lie in the "
            "file");
}

TEST(Zip, RefusesWrongCounts) {
  const std::string whole = zipOf(two);
  for (uint16_t count : {uint16_t(3), uint16_t(1000)}) {
    std::string bytes = whole;
    patch<uint16_t>(bytes, endOf(bytes) + 8, count);
    patch<uint16_t>(bytes, endOf(bytes) + 10, count);
    EXPECT_NE(problemOf(bytes), "") << count;
  }
  std::string bytes = whole;
  patch<uint16_t>(bytes, endOf(bytes) + 4, 1);
  EXPECT_EQ(problemOf(bytes), "not a sound zip archive: it is a part of an archive of several files");
}

TEST(Zip, RefusesDamagedNumbersOf64Bits) {
  std::vector<Entry> large = two;
  large[0].isLarge = true;
  std::string bytes = zipOf(large), field = bytes;
  size_t extra = directoryOf(bytes) + 46 + large[0].name.size();
  patch<uint16_t>(field, extra + 2, 16); // too short for three numbers
  EXPECT_NE(problemOf(field).find("damaged"), std::string::npos) << problemOf(field);
  patch<uint64_t>(bytes, extra + 4 + 16, 0xfffffffffffffff0); // where the entry is
  EXPECT_NE(problemOf(bytes).find("is not where it should be"), std::string::npos) << problemOf(bytes);
  std::string end = zipOf(two, /*isLarge=*/true);
  size_t locator = end.rfind("PK\6\7");
  patch<uint64_t>(end, locator + 8, 0xfffffffffffffff0);
  EXPECT_NE(problemOf(end).find("zip64"), std::string::npos) << problemOf(end);
  std::string without = zipOf(two, /*isLarge=*/true);
  without[without.rfind("PK\6\7")] = 'X';
  EXPECT_NE(problemOf(without).find("zip64"), std::string::npos) << problemOf(without);
}

TEST(Zip, RefusesOtherKindsOfEntries) {
  std::vector<Entry> entries = two;
  entries[0].method = 8;
  EXPECT_EQ(problemOf(zipOf(entries)),
            "entry 'a/one' is compressed (method 8), expected one that is stored as PyTorch "
            "does; unpack the archive and pack it with zip -0");
  entries[0].method = 0;
  entries[0].flags = 1;
  EXPECT_EQ(problemOf(zipOf(entries)), "not a sound zip archive: entry 'a/one' is encrypted");
  EXPECT_EQ(problemOf(zipOf({{"a", "1"}, {"a", "2"}})),
            "not a sound zip archive: two entries are called 'a'");
  EXPECT_EQ(problemOf(zipOf(two), "a/three"), "the archive has no entry 'a/three'");
}

TEST(Zip, RefusesEachChangedByteOfAnEntry) {
  const std::string whole = zipOf(two);
  const size_t content = whole.find("first");
  for (size_t i = 0; i < 5; ++i) {
    std::string bytes = whole;
    bytes[content + i] ^= 4;
    EXPECT_EQ(problemOf(bytes),
              "not a sound zip archive: entry 'a/one' is damaged: its checksum is another one");
  }
}

} // namespace
