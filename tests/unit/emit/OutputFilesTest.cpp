//===- OutputFilesTest.cpp - files that appear together or not at all ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/OutputFiles.h"
#include "gtest/gtest.h"
#include <cerrno>
#include <csignal>
#include <dlfcn.h>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

/// What the C library was asked to do to files, in order, while a test records it.
static std::vector<std::string> *recorded = nullptr;
/// The rename that fails, counted from 1; 0: none.
static int failingRename = 0;

static std::string pathOf(int descriptor) {
  std::error_code ignored;
  return std::filesystem::read_symlink("/proc/self/fd/" + std::to_string(descriptor), ignored).string();
}

// The program's own functions stand in for the C library's, also in LLVM's library.
extern "C" int fsync(int descriptor) {
  if (recorded)
    recorded->push_back("fsync " + pathOf(descriptor));
  return reinterpret_cast<int (*)(int)>(dlsym(RTLD_NEXT, "fsync"))(descriptor);
}

extern "C" int rename(const char *from, const char *to) noexcept {
  if (recorded)
    recorded->push_back(std::string("rename ") + from + " " + to);
  if (failingRename && --failingRename == 0) {
    errno = EIO;
    return -1;
  }
  return reinterpret_cast<int (*)(const char *, const char *)>(dlsym(RTLD_NEXT, "rename"))(from, to);
}

using dlc::emit::OnSignal;
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
  std::set<std::string> names() {
    std::set<std::string> result;
    for (const auto &entry : fs::directory_iterator(folder))
      result.insert(entry.path().filename());
    return result;
  }
  void compile(const char *content) {
    auto files = OutputFiles::in(folder.string());
    ASSERT_TRUE(bool(files));
    for (const char *name : {"x", "y"})
      EXPECT_FALSE(bool(files->add(name, content)));
    EXPECT_FALSE(bool(files->commit()));
  }
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

/// A child process writes two files and gets SIGTERM between them, for which it may have a handler. How it
/// ended, as waitpid tells.
int interruptedBetweenFiles(const std::string &folder, OnSignal onSignal, void (*handler)(int)) {
  const pid_t child = fork();
  if (child == 0) {
    if (handler)
      std::signal(SIGTERM, handler);
    auto files = OutputFiles::in(folder, onSignal);
    bool isWritten = files && !files->add("x", "new");
    std::raise(SIGTERM);
    isWritten = isWritten && !files->add("y", "new") && !files->commit();
    _exit(isWritten ? 0 : 1);
  }
  int status = -1;
  EXPECT_EQ(waitpid(child, &status, 0), child);
  return status;
}

TEST_F(OutputFilesTest, GoWhereASignalEndsTheProcess) {
  const int status = interruptedBetweenFiles(folder.string(), OnSignal::Remove, nullptr);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGTERM) << status;
  EXPECT_EQ(fileCount(), 0u);
}

TEST_F(OutputFilesTest, StayWhereTheProcessGoesOn) {
  EXPECT_EQ(interruptedBetweenFiles(folder.string(), OnSignal::Keep, [](int) {}), 0);
  EXPECT_EQ(names(), (std::set<std::string>{"x", "y"}));
}

TEST_F(OutputFilesTest, FailWhereAFolderHasTheName) {
  fs::create_directory(folder / "x");
  auto files = OutputFiles::in(folder.string());
  ASSERT_TRUE(bool(files));
  std::string error = toString(files->add("x", "1"));
  EXPECT_NE(error.find("Is a directory"), std::string::npos) << error;
}

// A folder takes the name after `add` has looked: the rename fails when others have succeeded.
/// What is no file is not replaced by one, which renaming would do: a device by somebody who may, say.
TEST_F(OutputFilesTest, FailWhereAPipeHasTheName) {
  ASSERT_EQ(mkfifo((folder / "x").c_str(), 0600), 0);
  auto files = OutputFiles::in(folder.string());
  ASSERT_TRUE(bool(files));
  std::string error = toString(files->add("x", "1"));
  EXPECT_NE(error.find("x': it is a device, a pipe or a socket, and no file"), std::string::npos) << error;
  EXPECT_TRUE(fs::is_fifo(folder / "x"));
  EXPECT_EQ(fileCount(), 1u);
}

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

TEST_F(OutputFilesTest, WhatWasReplacedComesBackWhenALaterRenameFails) {
  compile("old");
  {
    auto files = OutputFiles::in(folder.string());
    ASSERT_TRUE(bool(files));
    for (const char *name : {"x", "new", "y"})
      EXPECT_FALSE(bool(files->add(name, "new")));
    failingRename = 3;
    std::string error = toString(files->commit());
    failingRename = 0;
    EXPECT_NE(error.find("y': "), std::string::npos) << error;
  }
  EXPECT_EQ(read("x"), "old");
  EXPECT_EQ(read("y"), "old");
  EXPECT_EQ(names(), (std::set<std::string>{"x", "y"}));
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

/// A process that has written files without committing them, and waits until it is killed, or told to commit.
class HalfWay {
public:
  explicit HalfWay(const fs::path &folder) {
    int ready[2];
    EXPECT_EQ(pipe(ready) + pipe(go), 0);
    child = fork();
    if (child == 0) {
      auto files = OutputFiles::in(folder.string());
      bool good = files && !files->add("x", "child") && !files->add("y", "child");
      char answer = good ? 'y' : 'n';
      if (write(ready[1], &answer, 1) != 1 || read(go[0], &answer, 1) != 1)
        _exit(1);
      _exit(!good || files->commit() ? 1 : 0);
    }
    char answer = 0;
    EXPECT_EQ(read(ready[0], &answer, 1), 1);
    EXPECT_EQ(answer, 'y');
    close(ready[0]);
    close(ready[1]);
  }
  ~HalfWay() {
    if (child > 0) {
      kill(child, SIGKILL);
      waitpid(child, nullptr, 0);
    }
  }
  int commit() {
    int status = 1;
    EXPECT_EQ(write(go[1], "", 1), 1);
    waitpid(child, &status, 0);
    child = 0;
    return status;
  }

private:
  pid_t child;
  int go[2];
};

TEST_F(OutputFilesTest, WhatKilledProcessesLeftIsRemovedByTheNext) {
  std::ofstream(folder / "x") << "old";
  for (int i = 0; i < 3; ++i)
    HalfWay killed(folder);
  EXPECT_GT(fileCount(), 1u) << "a killed process cannot clean up";
  EXPECT_EQ(read("x"), "old");
  compile("new");
  EXPECT_EQ(names(), (std::set<std::string>{"x", "y"}));
  EXPECT_EQ(read("x"), "new");
}

TEST_F(OutputFilesTest, WhatALivingProcessWritesStays) {
  HalfWay living(folder);
  {
    HalfWay killed(folder);
  }
  compile("new");
  EXPECT_EQ(names().size(), 2u + 3u) << "x and y, the living process' files and its lock";
  EXPECT_EQ(read("x"), "new");
  EXPECT_EQ(living.commit(), 0);
  EXPECT_EQ(read("x"), "child");
  EXPECT_EQ(read("y"), "child");
  EXPECT_EQ(names(), (std::set<std::string>{"x", "y"}));
}

TEST_F(OutputFilesTest, FilesOfOthersStay) {
  const std::string mine = ".dlc-0123456789abcdef";
  std::set<std::string> kept = {".dlc-0123456789abcde.0.new",
                                mine + "0.0.new",
                                ".dlc-0123456789abcdeg.0.new",
                                mine + ".new",
                                mine + ".x.new",
                                mine + ".0.news",
                                mine + ".0.tmp",
                                "dlc-0123456789abcdef.0.new",
                                mine,
                                mine + ".locked"};
  for (const std::string &name : kept)
    std::ofstream(folder / name) << "theirs";
  std::ofstream(folder / (mine + ".1.new")) << "left behind";
  std::ofstream(folder / (mine + ".2.old")) << "left behind";
  // Another process' lock, as long as it lives.
  const std::string other = ".dlc-00000000000000ff";
  std::ofstream(folder / (other + ".0.new")) << "in use";
  int lock = open((folder / (other + ".lock")).c_str(), O_CREAT | O_RDWR, 0600);
  ASSERT_EQ(flock(lock, LOCK_EX), 0);
  kept.insert({other + ".0.new", other + ".lock", "x", "y"});
  compile("new");
  EXPECT_EQ(names(), kept);
  close(lock);
  compile("new");
  kept.erase(other + ".0.new");
  kept.erase(other + ".lock");
  EXPECT_EQ(names(), kept);
}

TEST_F(OutputFilesTest, AllAreOnTheDiskBeforeAnyTakesItsPlace) {
  std::vector<std::string> calls;
  recorded = &calls;
  compile("new");
  recorded = nullptr;
  ASSERT_EQ(calls.size(), 5u);
  const std::string x = calls[0].substr(6), y = calls[1].substr(6);
  EXPECT_EQ(x.rfind((folder / ".dlc-").string(), 0), 0u) << calls[0];
  EXPECT_EQ(calls[0], "fsync " + x);
  EXPECT_EQ(calls[1], "fsync " + y);
  EXPECT_EQ(calls[2], "rename " + x + " " + (folder / "x").string());
  EXPECT_EQ(calls[3], "rename " + y + " " + (folder / "y").string());
  EXPECT_EQ(calls[4], "fsync " + folder.string()) << "so that the new names survive a power failure";
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
