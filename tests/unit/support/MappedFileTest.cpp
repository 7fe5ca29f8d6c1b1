//===- MappedFileTest.cpp - files whose bytes are in memory only while read ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/MappedFile.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <string>
#include <unistd.h>

using dlc::MappedFile;

namespace {

class MappedFileTest : public testing::Test {
protected:
  void SetUp() override {
    path = std::filesystem::temp_directory_path() / ("dlc-mapped-" + std::to_string(getpid()));
  }
  void TearDown() override { std::filesystem::remove(path); }
  void write(const std::string &text) { std::ofstream(path, std::ios::binary) << text; }

  std::filesystem::path path;
};

/// Pages of these whole pages that are in memory for this process.
size_t mappedPages(const char *begin, size_t bytes) {
  std::ifstream maps("/proc/self/smaps");
  char start[32];
  std::snprintf(start, sizeof start, "%lx-", reinterpret_cast<unsigned long>(begin));
  std::string line;
  for (bool isThis = false; std::getline(maps, line);) {
    if (line.rfind(start, 0) == 0)
      isThis = true;
    if (isThis && line.rfind("Rss:", 0) == 0)
      return std::stoul(line.substr(4)) * 1024 / size_t(sysconf(_SC_PAGESIZE));
  }
  ADD_FAILURE() << "no mapping of " << bytes << " bytes";
  return 0;
}

TEST_F(MappedFileTest, PagesLeaveMemoryAndComeAgain) {
  const size_t bytes = size_t(sysconf(_SC_PAGESIZE)) * 64;
  std::string text(bytes, 'x');
  text.back() = 'y';
  write(text);
  auto file = MappedFile::open(path.string());
  ASSERT_TRUE(bool(file));
  llvm::StringRef mapped = (*file)->bytes();
  ASSERT_EQ(mapped, text); // reads all of it
  EXPECT_EQ(mappedPages(mapped.data(), bytes), 64u);
  MappedFile::unload({mapped.data(), mapped.size()});
  EXPECT_EQ(mappedPages(mapped.data(), bytes), 0u);
  EXPECT_EQ(mapped, text);
}

TEST_F(MappedFileTest, MemoryThatIsNoFilesStays) {
  std::string own(1 << 20, 'o');
  MappedFile::unload({own.data(), own.size()});
  EXPECT_EQ(own, std::string(1 << 20, 'o'));
  MappedFile::unload({});
}

TEST_F(MappedFileTest, AnEmptyFileHasNoBytes) {
  write("");
  auto file = MappedFile::open(path.string());
  ASSERT_TRUE(bool(file));
  EXPECT_EQ((*file)->bytes(), "");
}

TEST_F(MappedFileTest, AFileThatIsNotThereIsAnError) {
  EXPECT_EQ(MappedFile::open(path.string()).getError(), std::errc::no_such_file_or_directory);
}

/// What replaces a file under its name does not change what was opened.
TEST_F(MappedFileTest, AReplacedFileStaysAsItWas) {
  write("before");
  auto file = MappedFile::open(path.string());
  ASSERT_TRUE(bool(file));
  const std::filesystem::path next = path.string() + ".next";
  std::ofstream(next) << "after!";
  std::filesystem::rename(next, path);
  EXPECT_EQ((*file)->bytes(), "before");
}

} // namespace
