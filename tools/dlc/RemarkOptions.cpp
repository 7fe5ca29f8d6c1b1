//===- RemarkOptions.cpp - which stages say why -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/NearMiss.h"
#include "tools/dlc/OptionGroups.h"
#include "tools/dlc/OptionValues.h"
#include <algorithm>
#include <sstream>

namespace dlc::tool {

namespace {

// The names of stages that compiler/support/Remarks.h has, too, with MLIR's headers: a test asks for each.
const std::vector<std::string> remarkStages{"raise", "layout", "fuse", "schedule", "plan"};

/// "fuse,plan" as a list, "all" as all of them.
std::vector<std::string> stagesIn(const std::string &text) {
  if (text == "all")
    return remarkStages;
  std::vector<std::string> stages;
  std::istringstream stream(text + ","); // so that a comma at the end has an empty name behind it
  for (std::string stage; std::getline(stream, stage, ',');) {
    if (std::find(remarkStages.begin(), remarkStages.end(), stage) == remarkStages.end()) {
      throw CLI::ValidationError("--remarks", "expected raise, layout, fuse, schedule, plan, several of them "
                                              "separated by commas, or all; got '" +
                                                  text + "'" + didYouMean(stage, remarkStages));
    }
    stages.push_back(stage);
  }
  return stages;
}

} // namespace

void addRemarkOptions(CLI::App *app, Invocation &invocation) {
  const char *group = "Reasons";
  app->add_option_function<std::string>(
         "--remarks", [&invocation](const std::string &text) { invocation.remarks = stagesIn(text); },
         "Say what these stages did, and did not, and why: raise, layout,\nfuse, schedule, plan, several "
         "of them separated by commas, or all")
      ->option_text("STAGES")
      ->group(group);
  app->add_option("--remarks-json", invocation.remarksFile,
                  "Write that to a file, with its numbers by name: a JSON object on\neach line (default: of "
                  "all stages)")
      ->check(isPath)
      ->option_text("FILE")
      ->group(group);
}

} // namespace dlc::tool
