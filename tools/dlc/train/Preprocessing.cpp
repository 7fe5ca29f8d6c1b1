//===- Preprocessing.cpp - what was done to the data ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Preprocessing.h"
#include "tools/dlc/train/Names.h"
#include <filesystem>
#include <nlohmann/json.hpp>

namespace dlc::tool::training {

using Json = nlohmann::ordered_json;

namespace {

/// What has a mean of its own.
const char *partOf(const dlc_input &input) {
  return input.rank == 2 ? "column" : input.rank == 4 ? "channel" : "input";
}

const dlc_input *findInput(const dlc_model &model, const std::string &name) {
  for (uint32_t i = 0; i < model.input_count; ++i)
    if (name == model.inputs[i].name && !model.inputs[i].is_target)
      return &model.inputs[i];
  return nullptr;
}

} // namespace

std::string describePreprocessing(const ModelInMemory &compiled, const DataSet &data,
                                  const std::vector<std::vector<Scale>> &scales, const ClassNames &classes) {
  const dlc_model &model = *compiled.model;
  Json json;
  if (compiled.hasClasses() || compiled.isBinary())
    json["loss"] = compiled.loss;
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
  Preprocessing result;
  result.path = path.string();
  dlc_preprocessing *file = nullptr;
  char error[512];
  if (dlc_preprocessing_read(result.path.c_str(), &file, error, sizeof error) != DLC_OK)
    throw Failure(error);
  result.file.reset(file, dlc_preprocessing_free);
  const dlc_classes *classes = dlc_preprocessing_classes(file);
  for (int64_t i = 0; i < dlc_classes_count(classes); ++i)
    result.words.push_back(dlc_classes_name(classes, i));
  if (const char *loss = dlc_preprocessing_loss(file))
    result.loss = loss;
  return result;
}

TrainOptions withColumns(TrainOptions options, const Preprocessing &preprocessing, bool withTargets) {
  auto isGiven = [&](const std::string &input) {
    return std::any_of(options.columns.begin(), options.columns.end(),
                       [&](const std::string &text) { return text.rfind(input + "=", 0) == 0; });
  };
  const dlc_preprocessing *file = preprocessing.file.get();
  for (int32_t i = 0; i < dlc_preprocessing_input_count(file); ++i) {
    const char *input = dlc_preprocessing_input(file, i);
    const int32_t count = dlc_preprocessing_column_count(file, input);
    const bool isTarget = dlc_preprocessing_is_target(file, input);
    if (count == 0 || isGiven(input) || (isTarget && (!withTargets || !options.targets.empty())))
      continue;
    for (int32_t column = 0; column < count; ++column)
      options.knownColumns[input].push_back(dlc_preprocessing_column(file, input, column));
  }
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
    throw Failure(preprocessing.path + ": " + error);
  return {classes, dlc_classes_free};
}

void applyScales(const Preprocessing &preprocessing, const dlc_model &model, DataSet &data) {
  const dlc_preprocessing *file = preprocessing.file.get();
  for (int32_t i = 0; i < dlc_preprocessing_input_count(file); ++i) {
    const char *name = dlc_preprocessing_input(file, i);
    std::vector<Scale> scales(size_t(dlc_preprocessing_means(file, name)));
    if (scales.empty())
      continue;
    const dlc_input *input = findInput(model, name);
    if (!input || input->dtype != DLC_F32)
      throw Failure(preprocessing.path + ": normalizes '" + shortName(name) +
                    "', but the model has no such input of type float32: it is of another model");
    if (const int64_t groups = scaleGroups(*input).count; int64_t(scales.size()) != groups)
      throw Failure(preprocessing.path + ": has " + std::to_string(scales.size()) + " means for input " +
                    describe(*input) + ", expected " + std::to_string(groups) + ": it is of another model");
    for (size_t group = 0; group < scales.size(); ++group)
      dlc_preprocessing_mean(file, name, int64_t(group), &scales[group].mean, &scales[group].deviation);
    for (Column &column : *data.columns)
      if (column.input == input)
        column.scales = scales;
  }
}

} // namespace dlc::tool::training
