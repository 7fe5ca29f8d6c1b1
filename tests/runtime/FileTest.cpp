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
#include <fcntl.h>
#include <gtest/gtest.h>
#include <set>
#include <sys/file.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/// What the C library was asked to do to files, in order, while a test records it.
static std::vector<std::string> *recorded = nullptr;

static std::string pathOf(int descriptor) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), ignored).string();
}

// The program's own functions stand in for the C library's, and ask the kernel themselves: a static program
// has no other functions of these names.
extern "C" int fsync(int descriptor) {
  if (recorded)
    recorded->push_back("fsync " + pathOf(descriptor));
  return int(syscall(SYS_fsync, descriptor));
}

extern "C" int rename(const char *from, const char *to) noexcept {
  if (recorded)
    recorded->push_back(std::string("rename ") + from + " " + to);
  return int(syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, 0));
}

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

/// A process that begins to write `path` and then waits, with half of the file written, until it is killed.
class HalfWritten {
public:
  explicit HalfWritten(const std::string &path) {
    int ready[2];
    EXPECT_EQ(pipe(ready), 0);
    child = fork();
    if (child == 0) {
      AtomicFile file;
      Error error;
      bool began = file.open(path.c_str(), error) == DLC_OK && file.write("half", 4, error) == DLC_OK;
      char answer = began ? 'y' : 'n';
      if (write(ready[1], &answer, 1) != 1)
        _exit(1);
      for (;;)
        pause();
    }
    char answer = 0;
    EXPECT_EQ(read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    close(ready[0]);
    close(ready[1]);
  }
  ~HalfWritten() { kill9(); }
  void kill9() {
    if (child <= 0)
      return;
    kill(child, SIGKILL);
    waitpid(child, nullptr, 0);
    child = 0;
  }

private:
  pid_t child;
};

std::set<std::string> namesIn(const TempFolder &folder) {
  std::set<std::string> names;
  for (const auto &entry : std::filesystem::directory_iterator(folder.path))
    names.insert(entry.path().filename());
  return names;
}

TEST(AtomicFile, WhatKilledProcessesLeftIsRemovedByTheNext) {
  TempFolder folder;
  {
    HalfWritten first(folder.file("state")), second(folder.file("other")), third(folder.file("state"));
    EXPECT_EQ(folder.fileCount(), 3u);
  }
  EXPECT_EQ(folder.fileCount(), 3u) << "a killed process cannot clean up";
  tiny::Instance instance;
  ASSERT_EQ(dlc_instance_save(instance, folder.file("state").c_str()), DLC_OK) << instance.lastError();
  EXPECT_EQ(namesIn(folder), std::set<std::string>{"state"});
}

TEST(AtomicFile, WhatALivingProcessWritesStays) {
  TempFolder folder;
  HalfWritten living(folder.file("state")), dead(folder.file("state"));
  dead.kill9();
  AtomicFile mine;
  Error error;
  const std::string path = folder.file("state");
  ASSERT_EQ(mine.open(path.c_str(), error), DLC_OK) << error.text;
  EXPECT_EQ(folder.fileCount(), 2u) << "the living process' file and this one's";
  tiny::Instance instance;
  ASSERT_EQ(dlc_instance_save(instance, path.c_str()), DLC_OK) << instance.lastError();
  EXPECT_EQ(folder.fileCount(), 3u);
  ASSERT_EQ(mine.write("mine", 4, error), DLC_OK);
  EXPECT_EQ(mine.commit(error), DLC_OK) << error.text;
  EXPECT_EQ(TempFolder::readAll(path), "mine");
}

TEST(AtomicFile, FilesOfOthersStay) {
  TempFolder folder;
  const std::set<std::string> others = {".dlc-save-0123456.tmp",   ".dlc-save-012345678.tmp",
                                        "dlc-save-01234567.tmp",   ".dlc-save-0123456g.tmp",
                                        ".dlc-save-01234567",      "x.tmp",
                                        ".dlc-save-01234567.tmp2", ".dlc-save-0123456A.tmp"};
  for (const std::string &name : others)
    folder.write(name, "theirs");
  std::set<std::string> kept = others;
  std::filesystem::create_directory(folder.file(".dlc-save-01234567.tmp"));
  std::filesystem::create_symlink("x.tmp", folder.file(".dlc-save-01234568.tmp"));
  const std::string locked = folder.write(".dlc-save-01234569.tmp", "in use");
  const int descriptor = open(locked.c_str(), O_RDONLY);
  ASSERT_EQ(flock(descriptor, LOCK_EX), 0);
  kept.insert({".dlc-save-01234567.tmp", ".dlc-save-01234568.tmp", ".dlc-save-01234569.tmp", "state"});
  folder.write(".dlc-save-0123456a.tmp", "left behind");
  tiny::Instance instance;
  ASSERT_EQ(dlc_instance_save(instance, folder.file("state").c_str()), DLC_OK) << instance.lastError();
  EXPECT_EQ(namesIn(folder), kept);
  close(descriptor);
}

TEST(AtomicFile, IsOnTheDiskBeforeItTakesItsPlace) {
  TempFolder folder;
  tiny::Instance instance;
  const std::string path = folder.file("state");
  std::vector<std::string> calls;
  recorded = &calls;
  const dlc_status status = dlc_instance_save(instance, path.c_str());
  recorded = nullptr;
  ASSERT_EQ(status, DLC_OK) << instance.lastError();
  ASSERT_EQ(calls.size(), 3u);
  const std::string temporary = calls[0].substr(6);
  EXPECT_EQ(temporary.rfind(folder.file(".dlc-save-"), 0), 0u) << calls[0];
  EXPECT_EQ(calls[1], "rename " + temporary + " " + path);
  EXPECT_EQ(calls[2], "fsync " + folder.path) << "so that the new name survives a power failure";
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
