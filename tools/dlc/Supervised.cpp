//===- Supervised.cpp - programs that end with what they started -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlc may have threads: what it forks, up to exec and in the watching process, calls functions only that are
// safe there, and allocates nothing.
//===----------------------------------------------------------------------===//
#include "tools/dlc/Supervised.h"

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdlib>
#include <ctime>
#include <fcntl.h>
#include <poll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dlc::tool {

namespace {

constexpr int cannotStart = 127; ///< the shell's status for it; the reason goes through the socket

int64_t milliseconds() {
  timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1000000;
}

/// The process between dlc and the program.
class Watcher {
public:
  Watcher(char *const *command, const Limits &limits, int dlc) : command(command), limits(limits), dlc(dlc) {}
  [[noreturn]] void run();

private:
  void start();
  [[noreturn]] void becomeProgram();
  Ending wait();
  void endAll();
  bool killChildren();
  void report(const Ending &ending) { (void)!send(dlc, &ending, sizeof ending, MSG_NOSIGNAL); }

  char *const *command;
  const Limits &limits;
  const int dlc; ///< the socket; at its end once dlc is gone
  int childEnds = -1;
  pid_t program = -1;
  int failure[2] = {-1, -1}; ///< a pipe: errno, where exec does not work
};

void Watcher::becomeProgram() {
  setpgid(0, 0);
  prctl(PR_SET_PDEATHSIG, SIGKILL); // should it kill the process that watches it
  signal(SIGINT, SIG_DFL);
  signal(SIGTERM, SIG_DFL);
  signal(SIGHUP, SIG_DFL);
  signal(SIGQUIT, SIG_DFL);
  signal(SIGPIPE, SIG_DFL);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
  if (limits.bytes) {
    const rlimit limit = {static_cast<rlim_t>(limits.bytes), static_cast<rlim_t>(limits.bytes)};
    setrlimit(RLIMIT_DATA, &limit);
  }
  execv(command[0], command);
  const int reason = errno;
  (void)!write(failure[1], &reason, sizeof reason);
  _exit(cannotStart);
}

void Watcher::start() {
  for (int number : {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE}) // dlc gets them, and we end when it does
    signal(number, SIG_IGN);
  setsid();
  prctl(PR_SET_CHILD_SUBREAPER, 1); // whose parent ends becomes ours, so that we find it
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  sigprocmask(SIG_SETMASK, &child, nullptr);
  childEnds = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (childEnds < 0 || pipe2(failure, O_CLOEXEC) != 0)
    return;
  program = fork();
  if (program == 0)
    becomeProgram();
  if (program < 0)
    return;                  // with errno, which wait() tells
  setpgid(program, program); // whichever of the two is first
  close(failure[1]);
}

/// Until the program ends, its time is over, or dlc is gone.
Ending Watcher::wait() {
  Ending ending;
  if (program < 0) {
    ending.number = errno;
    return ending;
  }
  const int64_t last = milliseconds() + int64_t{limits.seconds} * 1000;
  for (;;) {
    int status;
    rusage usage;
    pid_t ended;
    while ((ended = wait4(-1, &status, WNOHANG, &usage)) > 0 && ended != program) {
    }
    if (ended == program) {
      int reason = 0;
      if (read(failure[0], &reason, sizeof reason) == sizeof reason)
        return {Ending::NotStarted, reason, 0};
      const uint64_t resident = static_cast<uint64_t>(usage.ru_maxrss) * 1024;
      return WIFSIGNALED(status) ? Ending{Ending::Signalled, WTERMSIG(status), resident}
                                 : Ending{Ending::Exited, WEXITSTATUS(status), resident};
    }
    const int64_t left = last - milliseconds();
    if (left <= 0)
      return {Ending::TimedOut, 0, 0};
    pollfd events[] = {{childEnds, POLLIN, 0}, {dlc, POLLIN, 0}};
    poll(events, 2, static_cast<int>(left < INT_MAX ? left : INT_MAX));
    if (events[1].revents) // dlc sends nothing: this is its end
      return ending;
    signalfd_siginfo ignored;
    while (read(childEnds, &ignored, sizeof ignored) == sizeof ignored) {
    }
  }
}

/// Kills the processes whose parent this one is, or has become. False where the kernel does not list them.
bool Watcher::killChildren() {
  const int list = open("/proc/thread-self/children", O_RDONLY | O_CLOEXEC);
  if (list < 0)
    return false;
  char text[4096];
  ssize_t bytes;
  pid_t number = 0;
  while ((bytes = read(list, text, sizeof text)) > 0)
    for (ssize_t i = 0; i < bytes; ++i) {
      if (text[i] >= '0' && text[i] <= '9') {
        number = number * 10 + (text[i] - '0');
        continue;
      }
      if (number > 0)
        kill(number, SIGKILL);
      number = 0;
    }
  close(list);
  return true;
}

/// The program's group at once; then, generation by generation, whoever has left it.
void Watcher::endAll() {
  if (program < 0)
    return;
  kill(-program, SIGKILL);
  const int64_t last = milliseconds() + 10000; // what is in the kernel's hands may take its time
  while (milliseconds() < last) {
    const bool areListed = killChildren();
    pid_t ended;
    while ((ended = waitpid(-1, nullptr, WNOHANG)) > 0) {
    }
    if (ended < 0 || !areListed) // none is left, or none that can be found
      return;
    poll(nullptr, 0, 1);
  }
}

void Watcher::run() {
  start();
  const Ending ending = wait();
  endAll();
  report(ending);
  _exit(0);
}

} // namespace

Ending runSupervised(const std::vector<std::string> &command, const Limits &limits) {
  std::vector<char *> arguments;
  for (const std::string &argument : command)
    arguments.push_back(const_cast<char *>(argument.c_str()));
  arguments.push_back(nullptr);
  Ending ending;
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
    ending.number = errno;
    return ending;
  }
  const pid_t watcher = fork();
  if (watcher == 0) {
    close(ends[0]);
    Watcher(arguments.data(), limits, ends[1]).run();
  }
  const int failure = errno;
  close(ends[1]);
  ending.number = watcher < 0 ? failure : ECHILD; // should the process that watches be killed
  if (watcher > 0) {
    Ending found;
    ssize_t bytes;
    do
      bytes = recv(ends[0], &found, sizeof found, 0);
    while (bytes < 0 && errno == EINTR);
    if (bytes == sizeof found)
      ending = found;
    while (waitpid(watcher, nullptr, 0) < 0 && errno == EINTR) {
    }
  }
  close(ends[0]);
  return ending;
}

#if defined(__SANITIZE_ADDRESS__)
#define DLC_RESERVES_MEMORY 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define DLC_RESERVES_MEMORY 1
#endif
#endif

uint64_t defaultMemoryLimit() {
#ifdef DLC_RESERVES_MEMORY
  return 0;
#else
  const long pages = sysconf(_SC_PHYS_PAGES), bytes = sysconf(_SC_PAGESIZE);
  return pages > 0 && bytes > 0 ? static_cast<uint64_t>(pages) / 2 * static_cast<uint64_t>(bytes) : 0;
#endif
}

} // namespace dlc::tool
