//===- main.cpp - runs ONNX's backend tests through the compiled path
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   onnx-conformance DIR [--json FILE] [--filter TEXT] [--jobs N] [--expanded] [--exported] [--strict] [--dlc
//   PROGRAM]
//
// Each test is a folder with model.onnx and data; it runs in a process of its own, so that none can end the
// run. Its limit counts seconds of the processor, so that a busy machine makes no failures; hangs end by a
// clock. Exit status 1 if a test failed, with --strict also if one is not supported.
//===----------------------------------------------------------------------===//
#include "tools/conformance/Report.h"
#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sys/resource.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

namespace fs = std::filesystem;
using namespace conformance;

namespace {

constexpr int processorSeconds = 120;
constexpr int clockSeconds = 20 * processorSeconds;

struct Arguments {
  fs::path folder, json;
  std::string filter, dlc;
  unsigned jobs = 2;
  bool expanded = false, exported = false, strict = false;
};

int usage() {
  std::fputs(
      "usage: onnx-conformance DIR [--json FILE] [--filter TEXT] [--jobs N] [--expanded]\n"
      "                        [--exported] [--strict] [--dlc PROGRAM]\n"
      "Runs the tests below DIR (folders with model.onnx and test_data_set_*) through 'dlc compile'.\n"
      "--expanded also runs those whose operators are written out in smaller ones.\n"
      "--exported runs what 'dlc export' makes of each model; what it says it cannot export is left out.\n"
      "--strict   a test that is not supported is one that failed; so is a folder without tests\n",
      stderr);
  return 2;
}

bool parse(int argc, char **argv, Arguments &arguments) {
  arguments.dlc = (fs::read_symlink("/proc/self/exe").parent_path() / "dlc").string();
  for (int i = 1; i < argc; ++i) {
    std::string option = argv[i], value;
    if (option == "--expanded" || option == "--exported" || option == "--strict") {
      (option == "--strict"     ? arguments.strict
       : option == "--exported" ? arguments.exported
                                : arguments.expanded) = true;
      continue;
    }
    if (option.rfind("--", 0) != 0) {
      if (!arguments.folder.empty())
        return false;
      arguments.folder = option;
      continue;
    }
    if (size_t equals = option.find('='); equals != std::string::npos) {
      value = option.substr(equals + 1);
      option.resize(equals);
    } else if (++i < argc) {
      value = argv[i];
    } else {
      return false;
    }
    if (option == "--json")
      arguments.json = value;
    else if (option == "--filter")
      arguments.filter = value;
    else if (option == "--dlc")
      arguments.dlc = value;
    else if (option == "--jobs")
      arguments.jobs = static_cast<unsigned>(std::clamp(std::strtol(value.c_str(), nullptr, 10), 1L, 1024L));
    else
      return false;
  }
  return !arguments.folder.empty();
}

std::vector<fs::path> findTests(const Arguments &arguments) {
  std::vector<fs::path> tests;
  for (const auto &entry : fs::recursive_directory_iterator(arguments.folder)) {
    fs::path folder = entry.path().parent_path();
    std::string name = folder.filename();
    if (entry.path().filename() != "model.onnx" || !fs::exists(folder / "test_data_set_0") ||
        name.find(arguments.filter) == std::string::npos)
      continue;
    if (arguments.expanded || name.find("_expanded") == std::string::npos)
      tests.push_back(folder);
  }
  std::sort(tests.begin(), tests.end());
  return tests;
}

/// Runs a test in a child process, which leaves its outcome in a file.
Result runApart(const fs::path &folder, const Arguments &arguments) {
  Result result{folder.lexically_relative(arguments.folder).string(), operatorOf(folder), Outcome::Failed,
                ""};
  std::string name = (fs::temp_directory_path() / "onnx-conformance-XXXXXX").string();
  if (!mkdtemp(name.data())) {
    result.reason = "cannot make a temporary folder";
    return result;
  }
  fs::path scratch = name, file = scratch / "outcome.txt";
  pid_t child = fork();
  if (child == 0) {
    setpgid(0, 0);
    rlimit limit{processorSeconds, processorSeconds + 5}; // a signal that can be told, then one that ends it
    setrlimit(RLIMIT_CPU, &limit);
    alarm(clockSeconds);
    Result inner = runTest(folder, arguments.dlc, scratch, arguments.exported);
    std::ofstream(file) << static_cast<int>(inner.outcome) << " " << inner.reason;
    _exit(0);
  }
  int status = 0;
  waitpid(child, &status, 0);
  kill(-child, SIGKILL); // what it started
  int outcome = -1;
  std::ifstream stream(file);
  if (WIFSIGNALED(status))
    result.reason = WTERMSIG(status) == SIGALRM ? "took longer than " + std::to_string(clockSeconds) + " s"
                                                : "crashed with signal " + std::to_string(WTERMSIG(status));
  else if (stream >> outcome) {
    result.outcome = static_cast<Outcome>(outcome);
    std::getline(stream >> std::ws, result.reason);
  } else
    result.reason = "gave no result";
  fs::remove_all(scratch);
  return result;
}

} // namespace

int main(int argc, char **argv) {
  Arguments arguments;
  if (!parse(argc, argv, arguments))
    return usage();
  if (!fs::is_directory(arguments.folder) || access(arguments.dlc.c_str(), X_OK) != 0) {
    std::fprintf(stderr, "onnx-conformance: %s\n",
                 fs::is_directory(arguments.folder)
                     ? ("cannot run '" + arguments.dlc + "'").c_str()
                     : ("no folder '" + arguments.folder.string() + "'").c_str());
    return 2;
  }
  std::vector<fs::path> tests = findTests(arguments);
  std::vector<Result> results(tests.size());
  std::atomic<size_t> next{0};
  std::vector<std::thread> workers;
  for (unsigned i = 0; i < arguments.jobs; ++i)
    workers.emplace_back([&] {
      for (size_t test; (test = next++) < tests.size();)
        results[test] = runApart(tests[test], arguments);
    });
  for (std::thread &worker : workers)
    worker.join();
  if (arguments.exported)
    results.erase(std::remove_if(results.begin(), results.end(),
                                 [](const Result &result) {
                                   return result.outcome == Outcome::Unsupported &&
                                          result.reason.find("cannot be exported") != std::string::npos;
                                 }),
                  results.end());
  if (arguments.strict)
    for (Result &result : results)
      if (result.outcome == Outcome::Unsupported) {
        result.outcome = Outcome::Failed;
        result.reason = "not supported: " + result.reason;
      }
  print(results);
  if (!arguments.json.empty() && !writeJson(results, arguments.json)) {
    std::fprintf(stderr, "onnx-conformance: cannot write '%s'\n", arguments.json.c_str());
    return 2;
  }
  return (arguments.strict && results.empty()) ||
         std::any_of(results.begin(), results.end(),
                     [](const Result &r) { return r.outcome == Outcome::Failed; });
}
