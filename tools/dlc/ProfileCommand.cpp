//===- ProfileCommand.cpp - options of dlc profile ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/ProfileCommand.h"
#include "tools/dlc/NearMiss.h"

namespace dlc::tool {

CLI::App *addProfileCommand(CLI::App &app, Invocation &invocation) {
  ProfileOptions &options = invocation.profile;
  CLI::App *profile = app.add_subcommand("profile", "Run a compiled model and show where its time goes");
  profile->footer(
      "Each kernel's time stands beside the machine's limits, which are measured in the same run.\n"
      "docs/profiling.md explains the columns.");
  profile->add_option("FILE", invocation.file, "A library (.so, .a) or its manifest (.json)")
      ->option_text(" ");
  profile
      ->add_option("--expression", options.expression,
                   "In place of FILE, an expression of C++ whose inputs have sizes\nbehind their names: "
                   "'matmul(a[64,32], b[32,8])', 'ids[64]:int64'")
      ->option_text("TEXT");
  profile
      ->add_option("--function", options.function,
                   "What to run (default: train_step, without a loss predict)")
      ->check(oneOf(
          {"train_step", "grad_step", "accumulate", "apply", "eval_step", "predict", "vjp", "jvp", "hvp"}))
      ->option_text("NAME");
  profile->add_option("--threads", options.threads, "Threads to run on (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N");
  profile->add_option("--steps", options.steps, "Calls to measure (default: one second of them, at least 20)")
      ->check(CLI::Range(int64_t{1}, int64_t{1000000}))
      ->option_text("N");
  profile
      ->add_option("--input", options.inputs,
                   "Values of an input, as they lie in memory (default: random\nnumbers from 0 to 1, valid "
                   "indices); may be repeated")
      ->option_text("NAME=FILE");
  profile->add_option("--seed", options.seed, "Seed of random inputs (default 0)")->option_text("N");
  profile->add_flag("--by-node", options.byNode,
                    "A line for each node of the model, in place of each kernel");
  profile->add_flag("--values", options.values,
                    "Show what each launch gives (smallest, largest, NaN), in place\nof times; ends with the "
                    "first call that gives a NaN");
  profile->add_option("--weights", options.weights, "A checkpoint or weights (default: the initial ones)")
      ->option_text("FILE");
  profile->add_option("--trace", options.trace, "Write the last ten calls as a Chrome trace (JSON)")
      ->option_text("FILE");
  return profile;
}

} // namespace dlc::tool
