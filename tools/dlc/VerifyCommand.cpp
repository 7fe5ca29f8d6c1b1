//===- VerifyCommand.cpp - options of dlc verify -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/VerifyCommand.h"
#include "tools/dlc/OptionValues.h"

namespace dlc::tool {

CLI::App *addVerifyCommand(CLI::App &app, Invocation &invocation) {
  VerifyOptions &options = invocation.verify;
  CLI::App *verify = app.add_subcommand(
      "verify", "Compile a model, run it here and compare it with the interpreter and with slopes");
  verify->footer("Exit status 0: all numbers are within their bounds, 1: some are not, 2: it cannot be\n"
                 "found out. docs/verifying.md says what is compared, and what the bounds are.");
  verify->add_option("FILE", invocation.file, "The model: .onnx, .pt2, .cpp or .mlir")
      ->required()
      ->option_text(" ");
  const char *group = "Verification";
  verify->add_option("--steps", options.steps, "Training steps that are followed (default 10)")
      ->check(isCount)
      ->option_text("N")
      ->group(group);
  verify
      ->add_option("--seconds", options.seconds,
                   "When nothing new is begun any more; the report says what was\nleft out (default 60)")
      ->check(isPositive)
      ->option_text("X")
      ->group(group);
  verify
      ->add_option(
          "--input", options.inputs,
          "Values of an input, as they lie in memory (default: random\nnumbers in its range); may be "
          "repeated")
      ->option_text("NAME=FILE")
      ->group(group);
  verify->add_option("--input-seed", options.inputSeed, "Seed of random inputs (default 0)")
      ->check(isWhole<uint64_t>)
      ->option_text("N")
      ->group(group);
  verify
      ->add_option("--device", options.device,
                   "Where it runs: cpu, gpu or gpu:1 (default: the first of the\ntargets that is there)")
      ->option_text("DEVICE")
      ->group(group);
  verify->add_option("--threads", options.threads, "Threads to run on (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N")
      ->group(group);
  verify->add_option("--lines", options.lines, "Most lines of the table, the worst first (default 20)")
      ->check(isCount)
      ->option_text("N")
      ->group(group);
  verify->add_flag("--json", options.json, "Print everything that was compared, as JSON")->group(group);
  return verify;
}

} // namespace dlc::tool
