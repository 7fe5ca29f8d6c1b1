//===- OutputFilesTest.cpp - files that appear together or not at all ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/OutputFiles.h"
#include "gtest/gtest.h"
#include <filesystem>
#include <fstream>
#include <sstream>

using dlc::emit::OutputFiles;
namespace fs = std::filesystem;

namespace {

class OutputFilesTest : public testing::Test {
protected:
  void SetUp() override {
    folder = fs::temp_directory_path() / ("dlc-output-" + std::to_string(getpid()));
    fs::create_directories(folder);
  }
  void TearDown() override { fs::remove_all(folder); }
  std::string read(const char *name) {
    std::stringstream text;
    text << std::ifstream(folder / name).rdbuf();
    return text.str();
  }
  size_t fileCount() { return std::distance(fs::directory_iterator(folder), fs::directory_iterator()); }
  fs::path folder;
};

TEST_F(OutputFilesTest, AppearOnCommit) {
  auto files = OutputFiles::in((folder / "a/b").string());
  ASSERT_TRUE(bool(files));
  EXPECT_FALSE(bool(files->add("x", "1")));
  EXPECT_FALSE(fs::exists(folder / "a/b/x"));
  EXPECT_FALSE(bool(files->commit()));
  EXPECT_EQ(read("a/b/x"), "1");
}

TEST_F(OutputFilesTest, LeaveNothingWithoutCommit) {
  std::ofstream(folder / "x") << "old";
  {
    auto files = OutputFiles::in(folder.string());
    ASSERT_TRUE(bool(files));
    EXPECT_FALSE(bool(files->add("x", "new")));
    EXPECT_FALSE(bool(files->add("y", "new")));
  }
  EXPECT_EQ(read("x"), "old");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(OutputFilesTest, FailWhereAFolderHasTheName) {
  fs::create_directory(folder / "x");
  auto files = OutputFiles::in(folder.string());
  ASSERT_TRUE(bool(files));
  std::string error = toString(files->add("x", "1"));
  EXPECT_NE(error.find("Is a directory"), std::string::npos) << error;
}

// A folder takes the name after `add` has looked: the rename fails when others have succeeded.
TEST_F(OutputFilesTest, AFailedRenameTakesBackTheOthers) {
  std::ofstream(folder / "x") << "old";
  fs::create_symlink("nowhere", folder / "link");
  {
    auto files = OutputFiles::in(folder.string());
    ASSERT_TRUE(bool(files));
    for (const char *name : {"x", "link", "new", "z"})
      EXPECT_FALSE(bool(files->add(name, "new")));
    fs::create_directory(folder / "z");
    std::string error = toString(files->commit());
    EXPECT_NE(error.find("z': Is a directory"), std::string::npos) << error;
  }
  EXPECT_EQ(read("x"), "old");
  EXPECT_EQ(fs::read_symlink(folder / "link"), "nowhere");
  EXPECT_EQ(fileCount(), 3u) << "x, link and the folder z";
}

TEST_F(OutputFilesTest, CommitReplacesAndLeavesNothingElse) {
  std::ofstream(folder / "x") << "old";
  auto files = OutputFiles::in(folder.string());
  ASSERT_TRUE(bool(files));
  EXPECT_FALSE(bool(files->add("x", "new")));
  EXPECT_FALSE(bool(files->commit()));
  EXPECT_EQ(read("x"), "new");
  EXPECT_EQ(fileCount(), 1u);
}

TEST_F(OutputFilesTest, FoldersGoAgainWithoutCommit) {
  {
    auto files = OutputFiles::in((folder / "a/b").string());
    ASSERT_TRUE(bool(files));
    EXPECT_FALSE(bool(files->add("x", "1")));
  }
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(OutputFilesTest, FailInAFile) {
  std::ofstream(folder / "x") << "old";
  auto files = OutputFiles::in((folder / "x/y").string());
  ASSERT_FALSE(bool(files));
  EXPECT_NE(toString(files.takeError()).find("cannot write"), std::string::npos);
}

} // namespace
