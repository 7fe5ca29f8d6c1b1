//===- ReportCommand.cpp - options of dlc report ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/ReportCommand.h"
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionValues.h"

namespace dlc::tool {

CLI::App *addReportCommand(CLI::App &app, Invocation &invocation) {
  ReportOptions &options = invocation.report;
  CLI::App *report =
      app.add_subcommand("report", "Write a page with pictures of a compiled model and its training");
  report->footer(
      "The page is one file, which needs no network: what the model's nodes became, what lies in memory\n"
      "when, and on request curves and times. docs/profiling.md shows it.");
  report->add_option("FILE", invocation.file, "The manifest (.json) of a library")
      ->required()
      ->option_text(" ");
  report
      ->add_option(
          "--log", options.logs,
          "A table that dlc train --log=FILE.csv wrote, as curves;\nmay be repeated to compare trainings")
      ->option_text("FILE");
  CLI::Option *profile = report->add_flag("--profile", options.profile,
                                          "Run the library, as dlc profile does, and show its times");
  report
      ->add_option("--function", invocation.profile.function,
                   "What --profile runs (default: train_step, without a loss\npredict)")
      ->check(oneOf(
          {"train_step", "grad_step", "accumulate", "apply", "eval_step", "predict", "vjp", "jvp", "hvp"}))
      ->option_text("NAME")
      ->needs(profile);
  report->add_option("--threads", invocation.profile.threads, "Threads of --profile (default: one per core)")
      ->check(CLI::Range(1, 1024))
      ->option_text("N")
      ->needs(profile);
  report
      ->add_option("--dump-ir", options.stages,
                   "A folder of dlc compile --dump-ir: the program after each stage")
      ->option_text("DIR");
  report->add_option("-o,--output", options.output, "The page (default: report.html)")->option_text("FILE");
  return report;
}

CLI::App *addPlotCommand(CLI::App &app, Invocation &invocation) {
  CLI::App *plot = app.add_subcommand("plot", "Draw the curves of a training's log into a picture");
  plot->footer("For example, dlc plot first.csv second.csv -o runs.svg compares two trainings: a chart for "
               "each thing\n"
               "that they measured, with a curve for each training and data set.");
  plot->add_option("LOG", invocation.report.logs,
                   "Tables that dlc train --log=FILE.csv or a program wrote, with\na column 'step'")
      ->required()
      ->option_text("...");
  plot->add_option("-o,--output", invocation.report.output, "The picture")
      ->required()
      ->check(isPicture)
      ->option_text("FILE.svg");
  return plot;
}

} // namespace dlc::tool
