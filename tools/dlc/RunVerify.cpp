//===- RunVerify.cpp - dlc verify ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/RunVerify.h"
#include "compiler/verify/InProcess.h"
#include "compiler/verify/Verify.h"
#include "tools/dlc/Against.h"
#include "tools/dlc/verify/Inputs.h"
#include "tools/dlc/verify/Print.h"
#include "llvm/Support/Process.h"

using namespace mlir;

namespace dlc::tool {
namespace {

/// A line on a terminal that says what is being done; it goes when something else is printed.
class Progress {
public:
  explicit Progress(bool quiet) : isShown(!quiet && llvm::sys::Process::StandardErrIsDisplayed()) {}
  ~Progress() { say(""); }
  void say(const std::string &text) {
    if (isShown)
      llvm::errs() << "\r\033[K" << text;
  }

private:
  bool isShown;
};

/// The exit status of dlc verify: 1 where something differs, 2 where nothing could be compared, else 0.
int statusOf(const verify::Report &report) { return report.differs() ? 1 : report.cannot ? 2 : 0; }

/// nullopt after an error about an input, which was reported.
std::optional<verify::Report> compare(ModuleOp module, const Invocation &invocation) {
  const VerifyOptions &options = invocation.verify;
  verify::Settings settings;
  settings.steps = options.steps;
  settings.seconds = options.seconds;
  settings.seed = options.inputSeed;
  if (failed(readInputs(module, options.inputs, settings.inputs)))
    return std::nullopt;
  Progress progress(invocation.quiet);
  settings.progress = [&](const std::string &text) { progress.say(text); };
  return verify::verify(module, invocation.options, settings, [&](ModuleOp program) {
    return verify::compileInProcess(program, invocation.options, {options.device, options.threads});
  });
}

} // namespace

int verifyModel(ModuleOp module, const Invocation &invocation) {
  std::optional<verify::Report> report = compare(module, invocation);
  if (!report)
    return 2;
  const int own = statusOf(*report);
  if (!invocation.verify.json && !report->cannot)
    printTable(*report, invocation.file, invocation.quiet ? 0 : invocation.verify.lines, llvm::outs());
  if (report->differs())
    printDifferences(*report, invocation.file, llvm::errs());
  if (invocation.against.empty()) {
    if (invocation.verify.json)
      printJson(*report, invocation.file, own, nullptr, llvm::outs());
    return own;
  }
  std::string text;
  const int other = checkAgainst(invocation, invocation.verify.json ? &text : nullptr);
  const int both = own == 1 || other == 1 ? 1 : std::max(own, other);
  if (invocation.verify.json) {
    const Against against{invocation.against, other, std::move(text)};
    printJson(*report, invocation.file, both, &against, llvm::outs());
  }
  return both;
}

int verifyBeforeWriting(ModuleOp module, const Invocation &invocation) {
  std::optional<verify::Report> report = compare(module, invocation);
  if (!report)
    return 2;
  if (report->differs() || invocation.verbose)
    printTable(*report, invocation.file, invocation.verify.lines, llvm::errs());
  if (report->differs())
    printDifferences(*report, invocation.file, llvm::errs());
  return statusOf(*report);
}

} // namespace dlc::tool
