//===- Memory.cpp - how much of the data may be in memory ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Memory.h"
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <limits>
#include <sys/resource.h>
#include <unistd.h>

namespace dlc::tool::training {

namespace {

namespace fs = std::filesystem;
constexpr double unlimited = std::numeric_limits<double>::infinity();

/// The least number in such a file of the group and those around it. A container may not see its own group,
/// but sees its limit at the top.
double limitOf(const fs::path &groups, fs::path group, const char *file) {
  double least = unlimited;
  while (true) {
    std::ifstream stream(groups / group.relative_path() / file);
    if (double bytes = 0; stream >> bytes) // "max" is none
      least = std::min(least, bytes);
    if (group == group.parent_path())
      return least;
    group = group.parent_path();
  }
}

/// Lines are 0::/GROUP in version 2, and 4:memory:/GROUP among others in version 1.
double limitOfGroups(const fs::path &root) {
  std::ifstream lines(root / "proc/self/cgroup");
  double least = unlimited;
  for (std::string line; std::getline(lines, line);) {
    const size_t first = line.find(':'), second = line.find(':', first + 1);
    if (first == std::string::npos || second == std::string::npos)
      continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",",
                      group = line.substr(second + 1);
    if (controllers == ",,")
      least = std::min(least, limitOf(root / "sys/fs/cgroup", group, "memory.max"));
    else if (controllers.find(",memory,") != std::string::npos)
      least = std::min(least, limitOf(root / "sys/fs/cgroup/memory", group, "memory.limit_in_bytes"));
  }
  return least;
}

} // namespace

double memoryOfProcess(const std::string &root) {
  const double machine = double(sysconf(_SC_PHYS_PAGES)) * double(sysconf(_SC_PAGESIZE));
  rlimit limit = {};
  const bool isLimited = getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY;
  return std::min({machine, isLimited ? double(limit.rlim_cur) : unlimited, limitOfGroups(root + "/")});
}

bool SampleMemory::holds(int64_t samples, const dlc_input &input) {
  const double bytes = double(samples) * double(elementCount(input.rank - 1, input.shape + 1)) *
                       double(elementBytes(input.dtype));
  if (bytes > bytesLeft)
    return false;
  bytesLeft -= bytes;
  return true;
}

} // namespace dlc::tool::training
