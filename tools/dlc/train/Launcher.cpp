//===- Launcher.cpp - which of several processes this one is -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Launcher.h"
#include "tools/dlc/train/Arrays.h"
#include "tools/dlc/train/Names.h"
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

namespace dlc::tool::training {

namespace {

/// How a launcher tells, by a variable for each number.
struct Launcher {
  const char *name, *rank, *ranks;
};

/// srun's count is that of its step: in a batch script, which srun has not started, there is none, though
/// other variables of Slurm are set.
constexpr Launcher launchers[] = {{"Open MPI's mpirun", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"},
                                  {"mpiexec", "PMI_RANK", "PMI_SIZE"},
                                  {"srun", "SLURM_PROCID", "SLURM_STEP_NUM_TASKS"},
                                  {"torchrun", "RANK", "WORLD_SIZE"}};

constexpr int32_t mostRanks = 1 << 20;

int32_t numberIn(const Environment &environment, const char *name, int32_t least, int32_t most) {
  const char *text = environment(name);
  char *end = nullptr;
  errno = 0;
  const long value = text && *text >= '0' && *text <= '9' ? std::strtol(text, &end, 10) : -1;
  if (end && !*end && !errno && value >= least && value <= most)
    return int32_t(value);
  throw Failure(std::string(name) + " in the environment is '" + shortName(text ? text : "") +
                "': expected a number from " + std::to_string(least) + " to " + std::to_string(most) +
                ", as launchers of several processes set it; unset it where none has started this one");
}

} // namespace

ThisRank rankOfLauncher(const Environment &environment) {
  for (const Launcher &launcher : launchers) {
    if (!environment(launcher.ranks) || !environment(launcher.rank))
      continue;
    ThisRank thisRank;
    thisRank.ranks = numberIn(environment, launcher.ranks, 1, mostRanks);
    thisRank.rank = numberIn(environment, launcher.rank, 0, thisRank.ranks - 1);
    if (thisRank.ranks > 1 && &launcher == std::end(launchers) - 1)
      throw Failure(
          "RANK and WORLD_SIZE in the environment say that this is one of " + std::to_string(thisRank.ranks) +
          " processes, as torchrun sets them; its processes cannot reach each other by MPI: start them "
          "with mpirun or srun, or with --launch=" +
          std::to_string(thisRank.ranks));
    return thisRank;
  }
  return {};
}

} // namespace dlc::tool::training

namespace dlc::tool {

namespace {

constexpr int cannotStart = 127; ///< the exit code of a process that did not become mpirun

/// Names how many processes --launch has started, for what they print.
constexpr const char *launchedVariable = "DLC_LAUNCHED";

volatile std::sig_atomic_t launcher = 0, hasStopped = 0;

/// mpirun hands SIGUSR1 on to all ranks, which stop after a step; after Ctrl-C it would kill them a second
/// later.
extern "C" void stopRanks(int) {
  if (launcher > 0)
    kill(hasStopped ? -launcher : launcher, hasStopped ? SIGKILL : SIGUSR1);
  hasStopped = 1;
}

/// mpirun and its ranks are a group of processes of their own: Ctrl-C in a terminal is dlc's alone.
[[noreturn]] void becomeLauncher(const std::vector<char *> &words, const char *ranks) {
  setpgid(0, 0);
  setenv(launchedVariable, ranks, /*overwrite=*/1);
  const int nothing =
      open("/dev/null", O_RDONLY | O_CLOEXEC); // who is in the background cannot read a terminal
  if (nothing >= 0)
    dup2(nothing, STDIN_FILENO);
  execvp(words.front(), words.data());
  _exit(cannotStart);
}

/// Runs mpirun with the command line that is left without --launch, and waits for its end: its exit code.
int launch(const TrainOptions &options) {
  using training::Failure;
  const std::string ranks = std::to_string(options.launch);
  std::vector<std::string> words = {"mpirun", "-np", ranks, "--oversubscribe", "--bind-to", "none"};
  if (geteuid() == 0)
    words.push_back("--allow-run-as-root");
  bool isNumber = false; // of "--launch 2"
  for (const std::string &word : options.arguments) {
    const bool isLaunch = word.rfind("--launch", 0) == 0;
    if (!isLaunch && !isNumber)
      words.push_back(word);
    isNumber = isLaunch && word.find('=') == std::string::npos;
  }
  std::vector<char *> pointers;
  for (std::string &word : words)
    pointers.push_back(word.data());
  pointers.push_back(nullptr);

  const pid_t child = fork();
  if (child == 0)
    becomeLauncher(pointers, ranks.c_str());
  setpgid(child, child); // whichever of the two is first
  launcher = child;
  struct sigaction action = {};
  action.sa_handler = stopRanks;
  action.sa_flags = SA_RESTART;
  for (int number : {SIGINT, SIGTERM, SIGUSR1})
    sigaction(number, &action, nullptr);
  int status = 0;
  while (child > 0 && waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (child < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == cannotStart))
    throw Failure("--launch: Open MPI's mpirun cannot be started: install it (Debian: openmpi-bin), or leave "
                  "the option "
                  "away");
  return hasStopped ? 128 + SIGINT : WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

} // namespace

std::optional<int> findRanks(TrainOptions &options) {
  bool goesOn = false;
  const int code = training::guarded([&] {
    options.thisRank = training::rankOfLauncher([](const char *name) { return std::getenv(name); });
    if (options.launch && options.thisRank.ranks > 1)
      throw training::Failure("--launch starts processes, and this is one of " +
                              std::to_string(options.thisRank.ranks) + " already: leave it away");
    if (options.launch > 1)
      return launch(options);
    if (std::getenv(launchedVariable) && options.thisRank.ranks > 1)
      options.commandLine += " --launch=" + std::to_string(options.thisRank.ranks);
    goesOn = true;
    return 0;
  });
  return goesOn ? std::nullopt : std::optional(code);
}

} // namespace dlc::tool
