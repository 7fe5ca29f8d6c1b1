//===- Commands.h - what the command line asks for -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The border between the parser of the command line, which uses exceptions, and the commands, which use
// MLIR, which does not.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_COMMANDS_H
#define DLC_TOOLS_DLC_COMMANDS_H

#include "compiler/pipeline/Options.h"
#include "dialects/train/RecipeSettings.h"
#include "tools/dlc/profile/Profile.h"
#include "tools/dlc/report/Report.h"
#include "tools/dlc/train/Train.h"
#include "tools/dlc/verify/Settings.h"
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlc::tool {

struct Invocation {
  enum class Command {
    Compile,
    Check,
    Inspect,
    Profile,
    Report,
    Plot,
    Train,
    Eval,
    Predict,
    Tune,
    Export,
    Verify,
    Devices,
    Precompile
  };
  Command command = Command::Compile;
  std::string file;
  std::optional<std::string_view> contents; ///< of the file, where they are in memory
  std::string program;                      ///< how dlc was called, to find the files installed beside it
  int64_t batch = 0;
  bool openBatch = false; ///< any size up to `batch`
  std::map<std::string, std::pair<int64_t, int64_t>> dims;
  std::string parameters;                ///< a file of the values that a StableHLO program takes
  std::string customOps;                 ///< a file with operations of the user's; empty: none
  std::string model;                     ///< of a C++ file that describes several
  unsigned describeSeconds = 120;        ///< for which the description may run
  std::optional<uint64_t> describeBytes; ///< of memory that it, and its compiler, may have
  bool staysMapped = false;              ///< frontend::ImportOptions::staysMapped
  bool keepTies = false;
  std::string against, python; ///< a PyTorch module that a file is compared with, and what runs it
  int64_t maxTrips = 0;        ///< of loops whose number of runs data say; 0: not given
  std::string runningVariance; ///< "unbiased", "population"; empty: what the file's producer means
  std::vector<std::string> remarks; ///< the stages whose remarks are printed
  std::string remarksFile, why;     ///< where they are written as JSON; of what alone they are printed
  bool quiet = false;
  bool verbose = false;
  std::vector<std::string> given;    ///< the model's options that were given: "--loss" ...
  std::vector<std::string> allGiven; ///< and all options
  pipeline::Options options;
  train::RecipeSettings recipe; ///< what the options say of the training, before there is a program
  ProfileOptions profile;
  ReportOptions report;
  TrainOptions train;
  VerifyOptions verify;
  double tuneSeconds = 0.4;          ///< for which dlc tune runs each candidate
  std::string weights, exportedFile; ///< of dlc export
};

/// What the arguments came to.
struct Parsed {
  enum class Kind { Ready, Wrong, Asked };
  Kind kind;
  std::string text;    ///< Wrong: a sentence; Asked: what --help or --version print
  std::string command; ///< that was given, else "compile"
};

/// Parses the arguments behind argv[0], printing nothing.
Parsed parseArguments(int argc, const char *const *argv, Invocation &invocation);

/// The same for the command: an exit code where there is nothing left to do (--help, an error).
std::optional<int> parseCommandLine(int argc, char **argv, Invocation &invocation);

/// "dlc 0.1.0, LLVM ...".
std::string versionText();

// Each returns the exit code; messages have been printed.
int runCompile(Invocation &invocation);
int runCheck(Invocation &invocation);
int runInspect(Invocation &invocation);
int runProfile(Invocation &invocation);
int runReport(Invocation &invocation);
int runPlot(Invocation &invocation);
int runTrain(Invocation &invocation);
int runEval(Invocation &invocation);
int runPredict(Invocation &invocation);
int runTune(Invocation &invocation);
int runExport(Invocation &invocation);
int runDevices(Invocation &invocation);
int runPrecompile(Invocation &invocation);
/// 0: equal, 1: not, 2: it could not be found out.
int runVerify(Invocation &invocation);

/// Compiles into this process, and to files first where the library is to be kept (--keep-library).
ModelInMemory loadModel(Invocation &invocation);

/// The folder of libdlc-runtime.a beside `program`: build/bin/dlc and build/lib, or prefix/bin and
/// prefix/lib...
std::string findLibraries(const std::string &program);

/// The SHA-256 of a file in hexadecimal digits, "" after an error, which has been printed.
std::string digestForProfile(const std::string &path);

/// Prints a manifest for people; an exit code. `file` is for messages.
int printManifest(const std::string &json, const std::string &file, bool verbose);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_COMMANDS_H
