//===- TuneCommand.cpp - options of dlc tune ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/TuneCommand.h"

namespace dlc::tool {

CLI::App *addTuneCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *tune = app.add_subcommand("tune", "Time a handful of kernels here and write a file for --tune");
  tune->footer(
      "Takes less than a minute on a quiet machine, and needs a C compiler. dlc compile uses the file\n"
      "only where --tune names it. docs/tuning.md explains what is measured.");
  tune->add_option("-o,--output", invocation.file, "The file to write")->required()->option_text("FILE");
  tune->add_option("--cpu", invocation.options.cpu,
                   "The oldest CPU to run on, as for dlc compile (default: native)")
      ->option_text("NAME");
  tune->add_option("--seconds", invocation.tuneSeconds,
                   "Time for which each candidate runs with each model (default 0.4)")
      ->check(CLI::Range(0.001, 60.0))
      ->option_text("X");
  return tune;
}

} // namespace dlc::tool
