//===- Supervised.h - programs that end with what they started -------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Runs a program of the user's, with limits. Between it and dlc stands a process of dlc's that watches both:
// when the program has ended, ran too long, or when dlc itself is gone (killed, or by Ctrl-C), everything
// ends that the program has started and that still runs, also what has left its process group or lost its
// parent.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_SUPERVISED_H
#define DLC_TOOLS_DLC_SUPERVISED_H

#include <cstdint>
#include <string>
#include <vector>

namespace dlc::tool {

struct Limits {
  unsigned seconds; ///< that the program may run
  uint64_t bytes;   ///< of memory that each of its processes may write to (RLIMIT_DATA); 0: no limit
};

struct Ending {
  enum Kind { Exited, Signalled, TimedOut, NotStarted };
  Kind kind = NotStarted;
  int number = 0;             ///< the exit status, the signal, or errno of what kept it from starting
  uint64_t residentBytes = 0; ///< the most memory that it had at one time

  bool isSuccess() const { return kind == Exited && number == 0; }
};

/// Runs command[0], a path, with the rest as its arguments, and waits for it. Its input, output and
/// environment are dlc's; it is in a session of its own, so that a terminal's signals reach dlc alone.
Ending runSupervised(const std::vector<std::string> &command, const Limits &limits);

/// Half of this machine's memory; 0, no limit, where dlc is built with a sanitizer that reserves more than
/// there is.
uint64_t defaultMemoryLimit();

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_SUPERVISED_H
