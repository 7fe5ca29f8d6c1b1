//===- Memory.h - how much of the data may be in memory --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_MEMORY_H
#define DLC_TOOLS_DLC_TRAIN_MEMORY_H

#include "tools/dlc/ElementBytes.h"
#include <string>

namespace dlc::tool::training {

/// Bytes that this process may have: the machine's, or what the shell (ulimit -v) or a control group, such as
/// a container's, leaves of them. Tests have a /proc and a /sys of their own below `root`.
double memoryOfProcess(const std::string &root = "");

/// The memory that samples may take: half of that, and nothing where all of them are to stay in their files.
class SampleMemory {
public:
  explicit SampleMemory(bool streams) : bytesLeft(streams ? 0 : memoryOfProcess() / 2) {}
  /// Whether so many samples of that input fit beside those before, which then count.
  bool holds(int64_t samples, const dlc_input &input);

private:
  double bytesLeft;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_MEMORY_H
