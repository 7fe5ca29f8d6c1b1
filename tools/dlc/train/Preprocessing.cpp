//===- Preprocessing.cpp - what was done to the data ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Preprocessing.h"
#include "dlc/data.h"
#include "tools/dlc/BoundedJson.h"
#include "tools/dlc/train/Names.h"
#include <cmath>
#include <filesystem>
#include <fstream>

namespace dlc::tool::training {

using Json = nlohmann::ordered_json;

namespace {

/// What has a mean of its own.
const char *partOf(const dlc_input &input) {
  return input.rank == 2 ? "column" : input.rank == 4 ? "channel" : "input";
}

[[noreturn]] void failDamaged(const std::string &path, const std::string &why) {
  throw Failure(path + ": is damaged, or was not written by this version of dlc train: " + why);
}

std::vector<Scale> scalesIn(const Json &entry) {
  const auto mean = entry.at("mean").get<std::vector<double>>(),
             deviation = entry.at("deviation").get<std::vector<double>>();
  if (mean.empty() || mean.size() != deviation.size())
    throw std::runtime_error("it has " + std::to_string(mean.size()) + " means and " +
                             std::to_string(deviation.size()) + " deviations");
  std::vector<Scale> scales;
  for (size_t i = 0; i < mean.size(); ++i) {
    if (!std::isfinite(mean[i]) || !std::isfinite(deviation[i]) || deviation[i] <= 0)
      throw std::runtime_error("a mean is not finite, or a deviation not above 0");
    scales.push_back({mean[i], deviation[i]});
  }
  return scales;
}

Preprocessing parse(const std::string &path, std::istream &text) {
  Preprocessing result;
  result.path = path;
  try {
    const Json json = parseBounded<Json>(text);
    if (!json.is_object())
      throw std::runtime_error("expected an object");
    if (const auto found = json.find("normalize"); found != json.end())
      for (const auto &[name, entry] : found->items())
        result.scales[name] = scalesIn(entry);
    using Names = std::map<std::string, std::vector<std::string>>;
    result.columns = json.value("columns", Names());
    result.targets = json.value("targets", Names());
    result.words = json.value("classes", std::vector<std::string>());
  } catch (const std::exception &error) {
    failDamaged(path, printable(error.what()));
  }
  return result;
}

const dlc_input *findInput(const dlc_model &model, const std::string &name) {
  for (uint32_t i = 0; i < model.input_count; ++i)
    if (name == model.inputs[i].name && !model.inputs[i].is_target)
      return &model.inputs[i];
  return nullptr;
}

} // namespace

std::string describePreprocessing(const dlc_model &model, const DataSet &data,
                                  const std::vector<std::vector<Scale>> &scales, const ClassNames &classes) {
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
  for (const Column &column : *data.columns)
    if (!column.names.empty())
      json[column.input->is_target ? "targets" : "columns"][column.input->name] = column.names;
  for (int64_t i = 0; i < dlc_classes_count(classes.get()); ++i)
    json["classes"].push_back(dlc_classes_name(classes.get(), i));
  return json.empty() ? "" : json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

Preprocessing readPreprocessing(const TrainOptions &options) {
  namespace fs = std::filesystem;
  fs::path path = options.preprocessing;
  if (path.empty()) {
    path = fs::path(options.weights).parent_path() / preprocessingFile;
    std::error_code error;
    if (options.weights.empty() || !fs::exists(path, error))
      return {};
  }
  constexpr uintmax_t most = uintmax_t(1) << 28;
  std::error_code error;
  const uintmax_t bytes = fs::file_size(path, error);
  if (error)
    throw Failure(path.string() + ": cannot be read: " + error.message());
  if (bytes > most)
    failDamaged(path.string(), "it has " + std::to_string(bytes) + " bytes");
  std::ifstream file(path);
  return parse(path.string(), file);
}

TrainOptions withColumns(TrainOptions options, const Preprocessing &preprocessing, bool withTargets) {
  if (!options.columns.empty() || !options.targets.empty())
    return options;
  options.knownColumns = preprocessing.columns;
  if (withTargets)
    options.knownColumns.insert(preprocessing.targets.begin(), preprocessing.targets.end());
  return options;
}

ClassNames classesOf(const Preprocessing &preprocessing) {
  if (preprocessing.words.empty())
    return nullptr;
  std::vector<const char *> words;
  for (const std::string &word : preprocessing.words)
    words.push_back(word.c_str());
  dlc_classes *classes = nullptr;
  char error[512];
  if (dlc_classes_create(words.data(), int64_t(words.size()), &classes, error, sizeof error) != DLC_OK)
    failDamaged(preprocessing.path, error);
  return {classes, dlc_classes_free};
}

void applyScales(const Preprocessing &preprocessing, const dlc_model &model, DataSet &data) {
  for (const auto &[name, scales] : preprocessing.scales) {
    const dlc_input *input = findInput(model, name);
    if (!input || input->dtype != DLC_F32)
      throw Failure(preprocessing.path + ": normalizes '" + shortName(name) +
                    "', but the model has no such input of type float32: it is of another model");
    if (const int64_t groups = scaleGroups(*input).count; int64_t(scales.size()) != groups)
      throw Failure(preprocessing.path + ": has " + std::to_string(scales.size()) + " means for input " +
                    describe(*input) + ", expected " + std::to_string(groups) + ": it is of another model");
    for (Column &column : *data.columns)
      if (column.input == input)
        column.scales = scales;
  }
}

} // namespace dlc::tool::training
