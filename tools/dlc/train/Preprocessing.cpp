//===- Preprocessing.cpp - what was done to the data -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Preprocessing.h"
#include "dlc/data.h"
#include <nlohmann/json.hpp>

namespace dlc::tool::training {

using Json = nlohmann::ordered_json;

/// What has a mean of its own.
static const char *partOf(const dlc_input &input) {
  return input.rank == 2 ? "column" : input.rank == 4 ? "channel" : "input";
}

std::string describePreprocessing(const dlc_model &model, const std::vector<std::vector<Scale>> &scales,
                                  const ClassNames &classes) {
  Json json;
  for (uint32_t i = 0; i < model.input_count; ++i) {
    if (scales[i].empty())
      continue;
    Json &entry = json["normalize"][model.inputs[i].name];
    entry["each"] = partOf(model.inputs[i]);
    for (const Scale &scale : scales[i]) {
      entry["mean"].push_back(scale.mean);
      entry["deviation"].push_back(scale.deviation);
    }
  }
  for (int64_t i = 0; i < dlc_classes_count(classes.get()); ++i)
    json["classes"].push_back(dlc_classes_name(classes.get(), i));
  return json.empty() ? "" : json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace dlc::tool::training
