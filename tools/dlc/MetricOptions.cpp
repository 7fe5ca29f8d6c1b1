//===- MetricOptions.cpp - options that say what is measured ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A name that is no metric is an error of the command line: nobody waits for a compilation to hear of it.
//===----------------------------------------------------------------------===//
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/train/MetricNames.h"

namespace dlc::tool {

static std::vector<std::string> numbers() {
  std::vector<std::string> names{"loss"};
  for (const auto &some : {training::metricsOfClasses, training::metricsOfValues})
    names.insert(names.end(), some.begin(), some.end());
  return names;
}

void addMetricsOption(CLI::App *app, TrainOptions &options, const char *tables, const char *group) {
  std::vector<std::string> known = numbers();
  known.insert(known.end(), training::metricTables.begin(), training::metricTables.end());
  app->add_option(
         "--metrics", options.metrics,
         std::string("What to measure beside the loss: accuracy, top5, precision,\nrecall, f1, auc; mae, r2 "
                     "(default: accuracy for classes, mae and\nr2 for values). ") +
             tables)
      ->delimiter(',')
      ->check(oneOf(known))
      ->option_text("METRIC,...")
      ->group(group);
}

void addMonitorOption(CLI::App *app, TrainOptions &options, const char *group) {
  app->add_option(
         "--monitor", options.monitor,
         "What the best epoch is the best in: loss (default) or another\nmetric, of the validation data "
         "where there are any")
      ->check(oneOf(numbers()))
      ->option_text("METRIC")
      ->group(group);
}

} // namespace dlc::tool
