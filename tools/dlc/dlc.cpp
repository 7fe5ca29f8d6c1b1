//===- dlc.cpp - the compiler's command ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/Commands.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/Signals.h"
#include "llvm/Support/raw_ostream.h"
#include <atomic>
#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <iostream>
#include <unistd.h>

/// Whether all that was printed has arrived, by whichever of the three ways: a file on a full disk that
/// standard output leads to would lack it otherwise, and nobody would know.
static bool hasPrinted() {
  errno = 0;
  bool isWhole = bool(std::cout.flush());
  if (std::fflush(stdout) != 0 || std::ferror(stdout))
    isWhole = false;
  std::error_code error(isWhole ? 0 : errno, std::generic_category());
  llvm::outs().flush();
  if (std::error_code ofLlvm = llvm::outs().error()) {
    llvm::outs().clear_error();
    error = ofLlvm;
    isWhole = false;
  }
  if (!isWhole)
    llvm::errs() << "dlc: error: cannot write the output" << (error ? ": " + error.message() : "") << '\n';
  return isWhole;
}

static int run(int argc, char **argv);

/// The exit status of what failed: 1 is an answer of dlc verify.
static int failure = 1;

/// An error like others, in place of a crash: what has been written so far is removed. Nothing can be
/// allocated here.
[[noreturn]] static void endWith(const char *problem) {
  static std::atomic_flag isEnding = ATOMIC_FLAG_INIT;
  static thread_local bool isHere = false;
  if (isHere)
    _exit(failure);
  isHere = true;
  while (isEnding.test_and_set()) // another thread ends the process
    pause();
  for (const char *part : {"dlc: error: ", problem, "\n"})
    (void)!write(STDERR_FILENO, part, std::strlen(part));
  llvm::sys::RunInterruptHandlers();
  _exit(failure);
}

static void endWithoutMemory(void *, const char *, bool) { endWith("out of memory"); }
/// What LLVM gives up at, such as a thread that cannot be started.
static void endWithReason(void *, const char *reason, bool) { endWith(reason); }

#if defined(DLC_CHECKS_MALLOC) && defined(__GLIBC__)
// MLIR makes each operation by malloc, and does not look whether it got any memory. In this command, running out
// of it is the end wherever it happens; nothing goes on without.
extern "C" void *__libc_malloc(size_t size);
extern "C" void *malloc(size_t size) noexcept {
  void *memory = __libc_malloc(size);
  if (!memory)
    endWith("out of memory");
  return memory;
}
#endif

int main(int argc, char **argv) {
  // Beyond a limit on the size of files (ulimit -f) a write then fails like on a full disk, instead of ending
  // the process. Blocked, not ignored: LLVM sets handlers of its own.
  sigset_t tooLarge;
  sigemptyset(&tooLarge);
  sigaddset(&tooLarge, SIGXFSZ);
  sigprocmask(SIG_BLOCK, &tooLarge, nullptr);

  llvm::install_bad_alloc_error_handler(endWithoutMemory);
  llvm::install_out_of_memory_new_handler();
  llvm::install_fatal_error_handler(endWithReason);

  if (argc > 1 && std::strcmp(argv[1], "verify") == 0)
    failure = 2;
  const int exitCode = run(argc, argv);
  return hasPrinted() ? exitCode : failure;
}

static int run(int argc, char **argv) {
  dlc::tool::Invocation invocation;
  if (std::optional<int> exitCode = dlc::tool::parseCommandLine(argc, argv, invocation))
    return *exitCode == 0 ? 0 : failure;
  switch (invocation.command) {
  case dlc::tool::Invocation::Command::Compile:
    return dlc::tool::runCompile(invocation);
  case dlc::tool::Invocation::Command::Check:
    return dlc::tool::runCheck(invocation);
  case dlc::tool::Invocation::Command::Inspect:
    return dlc::tool::runInspect(invocation);
  case dlc::tool::Invocation::Command::Profile:
    return dlc::tool::runProfile(invocation);
  case dlc::tool::Invocation::Command::Report:
    return dlc::tool::runReport(invocation);
  case dlc::tool::Invocation::Command::Plot:
    return dlc::tool::runPlot(invocation);
  case dlc::tool::Invocation::Command::Train:
    return dlc::tool::runTrain(invocation);
  case dlc::tool::Invocation::Command::Eval:
    return dlc::tool::runEval(invocation);
  case dlc::tool::Invocation::Command::Predict:
    return dlc::tool::runPredict(invocation);
  case dlc::tool::Invocation::Command::Tune:
    return dlc::tool::runTune(invocation);
  case dlc::tool::Invocation::Command::Export:
    return dlc::tool::runExport(invocation);
  case dlc::tool::Invocation::Command::Verify:
    return dlc::tool::runVerify(invocation);
  case dlc::tool::Invocation::Command::Devices:
    return dlc::tool::runDevices(invocation);
  case dlc::tool::Invocation::Command::Precompile:
    return dlc::tool::runPrecompile(invocation);
  }
  llvm_unreachable("all commands are listed");
}
