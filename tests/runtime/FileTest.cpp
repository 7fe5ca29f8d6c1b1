//===- FileTest.cpp -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files appear complete or not at all, and what was there before survives every failure.
//===----------------------------------------------------------------------===//
#include "runtime/core/File.h"
#include "tests/runtime/TempFolder.h"
#include "tests/runtime/TinyModel.h"

#include <csignal>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

namespace {

using dlc::runtime::AtomicFile;
using dlc::runtime::Error;

TEST(AtomicFile, ReplacesAndKeepsPermissions) {
  TempFolder folder;
  const std::string path = folder.write("f", "old");
  ASSERT_EQ(chmod(path.c_str(), 0640), 0);
  Error error;
  {
    AtomicFile file;
    ASSERT_EQ(file.open(path.c_str(), error), DLC_OK) << error.text;
    ASSERT_EQ(file.write("new content", 11, error), DLC_OK);
    EXPECT_EQ(TempFolder::readAll(path), "old") << "not before everything is written";
    ASSERT_EQ(file.commit(error), DLC_OK) << error.text;
  }
  EXPECT_EQ(TempFolder::readAll(path), "new content");
  struct stat status;
  ASSERT_EQ(stat(path.c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 07777u, 0640u);
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(AtomicFile, FollowsASymbolicLink) {
  TempFolder folder;
  std::filesystem::create_directory(folder.file("runs"));
  folder.write("runs/5", "old");
  std::filesystem::create_symlink("runs/5", folder.file("latest"));
  tiny::Instance instance;
  ASSERT_EQ(dlc_instance_save(instance, folder.file("latest").c_str()), DLC_OK) << instance.lastError();
  EXPECT_TRUE(std::filesystem::is_symlink(folder.file("latest")));
  EXPECT_EQ(dlc_instance_load(instance, folder.file("runs/5").c_str()), DLC_OK) << instance.lastError();
}

TEST(AtomicFile, LeavesNothingBehindWhenAbandoned) {
  TempFolder folder;
  Error error;
  {
    AtomicFile file;
    ASSERT_EQ(file.open(folder.file("f").c_str(), error), DLC_OK);
    ASSERT_EQ(file.write("x", 1, error), DLC_OK);
  }
  EXPECT_EQ(folder.fileCount(), 0u);
}

TEST(AtomicFile, WorksInTheCurrentFolder) {
  TempFolder folder;
  char before[4096];
  ASSERT_NE(getcwd(before, sizeof before), nullptr);
  ASSERT_EQ(chdir(folder.path.c_str()), 0);
  tiny::Instance instance;
  EXPECT_EQ(dlc_instance_save(instance, "state"), DLC_OK) << instance.lastError();
  EXPECT_EQ(dlc_instance_load(instance, "state"), DLC_OK) << instance.lastError();
  ASSERT_EQ(chdir(before), 0);
  EXPECT_EQ(folder.fileCount(), 1u);
}

TEST(AtomicFile, RefusesPlacesThatCannotBeWritten) {
  TempFolder folder;
  tiny::Instance instance;
  auto save = [&](const std::string &path) { return dlc_instance_save(instance, path.c_str()); };
  EXPECT_EQ(save(folder.file("absent/state")), DLC_IO_ERROR);
  EXPECT_NE(instance.lastError().find("absent/state"), std::string::npos) << instance.lastError();
  EXPECT_EQ(save(folder.path), DLC_IO_ERROR);
  EXPECT_EQ(save("/dev/null"), DLC_IO_ERROR) << "a device is not replaced";
  EXPECT_EQ(save(""), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(dlc_instance_save(instance, nullptr), DLC_INVALID_ARGUMENT);
  EXPECT_EQ(folder.fileCount(), 0u);
}

/// As on a full disk: a write beyond `bytes` fails.
class FileSizeLimit {
public:
  explicit FileSizeLimit(rlim_t bytes) {
    previousHandler = signal(SIGXFSZ, SIG_IGN);
    getrlimit(RLIMIT_FSIZE, &previous);
    rlimit limit = {bytes, previous.rlim_max};
    setrlimit(RLIMIT_FSIZE, &limit);
  }
  ~FileSizeLimit() {
    setrlimit(RLIMIT_FSIZE, &previous);
    signal(SIGXFSZ, previousHandler);
  }

private:
  rlimit previous;
  void (*previousHandler)(int);
};

TEST(AtomicFile, AFullDiskKeepsTheOldFile) {
  TempFolder folder;
  tiny::Instance instance;
  const std::string path = folder.file("state");
  ASSERT_EQ(dlc_instance_save(instance, path.c_str()), DLC_OK);
  const std::string before = TempFolder::readAll(path);
  tiny::train(instance, 0, 1);
  for (rlim_t bytes : {rlim_t{0}, rlim_t{4}, rlim_t{100}, rlim_t{before.size() - 1}}) {
    dlc_status status;
    {
      FileSizeLimit limit(bytes);
      status = dlc_instance_save(instance, path.c_str());
    }
    EXPECT_EQ(status, DLC_IO_ERROR) << bytes;
    EXPECT_EQ(TempFolder::readAll(path), before);
    EXPECT_EQ(folder.fileCount(), 1u) << "no temporary file stays";
  }
}

} // namespace
