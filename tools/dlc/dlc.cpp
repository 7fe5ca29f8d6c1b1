//===- dlc.cpp - the compiler's command ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Commands.h"
#include <csignal>

int main(int argc, char **argv) {
  // Beyond a limit on the size of files (ulimit -f) a write then fails like on a full disk, instead of ending
  // the process. Blocked, not ignored: LLVM sets handlers of its own.
  sigset_t tooLarge;
  sigemptyset(&tooLarge);
  sigaddset(&tooLarge, SIGXFSZ);
  sigprocmask(SIG_BLOCK, &tooLarge, nullptr);

  dlc::tool::Invocation invocation;
  if (std::optional<int> exitCode = dlc::tool::parseCommandLine(argc, argv, invocation))
    return *exitCode;
  switch (invocation.command) {
  case dlc::tool::Invocation::Command::Compile:
    return dlc::tool::runCompile(invocation);
  case dlc::tool::Invocation::Command::Check:
    return dlc::tool::runCheck(invocation);
  case dlc::tool::Invocation::Command::Inspect:
    return dlc::tool::runInspect(invocation);
  case dlc::tool::Invocation::Command::Profile:
    return dlc::tool::runProfile(invocation);
  case dlc::tool::Invocation::Command::Train:
    return dlc::tool::runTrain(invocation);
  case dlc::tool::Invocation::Command::Tune:
    return dlc::tool::runTune(invocation);
  case dlc::tool::Invocation::Command::Export:
    return dlc::tool::runExport(invocation);
  }
}
