//===- MemoryTest.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// How much memory a training may use: limits of control groups, here files of the test.
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Memory.h"
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sys/resource.h>

namespace {

namespace fs = std::filesystem;
using dlc::tool::training::memoryOfProcess;

struct Memory : testing::Test {
  void SetUp() override {
    std::string name = (fs::temp_directory_path() / "dlc-memory-XXXXXX").string();
    ASSERT_NE(mkdtemp(name.data()), nullptr);
    root = name;
  }
  ~Memory() override { fs::remove_all(root); }
  void write(const std::string &path, const std::string &text) {
    fs::create_directories((root / path).parent_path());
    std::ofstream(root / path) << text << "\n";
  }
  double found() const { return memoryOfProcess(root.string()); }

  fs::path root;
  const double machine = memoryOfProcess("/dev/null"); ///< without groups
};

TEST_F(Memory, OfTheMachine) {
  EXPECT_GT(machine, 1e7);
  EXPECT_EQ(found(), machine);
  write("proc/self/cgroup", "0::/user/mine\nno group\n1:\n");
  EXPECT_EQ(found(), machine) << "the group says nothing";
}

TEST_F(Memory, OfAGroup) {
  write("proc/self/cgroup", "1:cpu,cpuacct:/mine\n0::/user/mine");
  write("sys/fs/cgroup/user/mine/memory.max", "4000000");
  EXPECT_EQ(found(), 4e6);
  write("sys/fs/cgroup/user/mine/memory.max", "max");
  EXPECT_EQ(found(), machine);
  write("sys/fs/cgroup/user/memory.max", "5000000");
  EXPECT_EQ(found(), 5e6) << "the limit of the group around it";
}

/// A container is told a group that it cannot see.
TEST_F(Memory, OfAContainer) {
  write("proc/self/cgroup", "0::/system.slice/docker-1234.scope");
  write("sys/fs/cgroup/memory.max", "6000000");
  EXPECT_EQ(found(), 6e6);
}

TEST_F(Memory, OfAGroupOfVersion1) {
  write("proc/self/cgroup", "8:pids:/\n4:cpuset,memory:/mine\n0::/");
  write("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712");
  EXPECT_EQ(found(), machine);
  write("sys/fs/cgroup/memory/mine/memory.limit_in_bytes", "7000000");
  EXPECT_EQ(found(), 7e6);
  write("sys/fs/cgroup/mine/memory.limit_in_bytes", "1"); // not one of memory
  EXPECT_EQ(found(), 7e6);
}

TEST_F(Memory, SamplesTakeHalfOfIt) {
  dlc_input input = {};
  const int64_t shape[] = {1, 1000};
  input.shape = shape;
  input.rank = 2;
  input.dtype = DLC_F32;
  dlc::tool::training::SampleMemory streams(true), memory(false);
  EXPECT_FALSE(streams.holds(1, input));
  const auto third = static_cast<int64_t>(memoryOfProcess() / 3 / 4000);
  EXPECT_TRUE(memory.holds(third, input));
  EXPECT_FALSE(memory.holds(third, input)) << "the first ones count";
  EXPECT_TRUE(memory.holds(third / 4, input));
}

} // namespace
