//===- Log.cpp - an epoch's numbers in files -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Log.h"
#include <filesystem>

namespace dlc::tool::training {

Log::Log(const std::string &path, bool hasAccuracy, const std::vector<std::string> &ofSteps,
         const std::vector<std::string> &validated)
    : path(path) {
  char error[512];
  if (path.empty())
    return;
  tags = {"loss/train"};
  if (hasAccuracy)
    tags.push_back("accuracy/train");
  for (const std::string &name : validated)
    tags.push_back(name + "/valid");
  if (std::filesystem::path(path).extension() == ".csv") {
    std::vector<std::string> names = {"epoch", "step", "loss", "learning_rate", "seconds"};
    if (hasAccuracy)
      names.push_back("train_accuracy");
    names.insert(names.end(), ofSteps.begin(), ofSteps.end());
    for (const std::string &name : validated)
      names.push_back("valid_" + name);
    std::vector<const char *> columns;
    for (const std::string &name : names)
      columns.push_back(name.c_str());
    if (dlc_csv_open(path.c_str(), columns.data(), int32_t(columns.size()), &table, error, sizeof error) !=
        DLC_OK)
      throw Failure(error);
    return;
  }
  if (std::filesystem::path(path).extension() == ".jsonl") {
    lines.emplace(path);
    return;
  }
  std::error_code failed;
  std::filesystem::create_directories(path, failed);
  if (failed)
    throw Failure(path + ": cannot be made a folder: " + failed.message());
  if (dlc_events_open(path.c_str(), &events, error, sizeof error) != DLC_OK)
    throw Failure(error);
}

Log::~Log() {
  dlc_csv_close(table);
  dlc_events_close(events);
}

void Log::goOnAfter(int64_t step) {
  constexpr int32_t column = 1; // "step"
  if (table && dlc_csv_cut(table, column, double(step)) != DLC_OK)
    throw Failure(path + ": cannot be written");
  if (lines)
    lines->cut("step", step);
}

void Log::addSteps(int64_t step, double loss) {
  if (events && dlc_events_scalar(events, "loss/steps", step, loss) != DLC_OK)
    throw Failure(path + ": cannot be written");
}

void Log::add(int64_t epoch, int64_t step, double loss, double rate, double seconds,
              const std::vector<Metric> &ofTraining, const std::vector<Metric> &ofStep,
              const std::vector<Metric> &validation) {
  bool failed = false;
  if (table) {
    std::vector<double> row = {double(epoch), double(step), loss, rate, seconds};
    for (const std::vector<Metric> *metrics : {&ofTraining, &ofStep, &validation})
      for (const Metric &metric : *metrics)
        row.push_back(metric.value);
    failed = dlc_csv_row(table, row.data()) != DLC_OK;
  }
  if (lines) {
    std::vector<std::pair<std::string, double>> row = {
        {"epoch", epoch}, {"step", step}, {"loss", loss}, {"learning_rate", rate}, {"seconds", seconds}};
    for (const Metric &metric : ofTraining)
      row.emplace_back("train_" + metric.name, metric.value);
    for (const Metric &metric : ofStep)
      row.emplace_back(metric.name, metric.value);
    for (const Metric &metric : validation)
      row.emplace_back("valid_" + metric.name, metric.value);
    lines->add(row);
  }
  if (events) {
    failed = dlc_events_scalar(events, "loss/train", step, loss) != DLC_OK ||
             dlc_events_scalar(events, "learning_rate", step, rate) != DLC_OK;
    for (const Metric &metric : ofTraining)
      failed =
          failed || dlc_events_scalar(events, (metric.name + "/train").c_str(), step, metric.value) != DLC_OK;
    for (const Metric &metric : ofStep)
      failed = failed || dlc_events_scalar(events, metric.name.c_str(), step, metric.value) != DLC_OK;
    for (const Metric &metric : validation)
      failed =
          failed || dlc_events_scalar(events, (metric.name + "/valid").c_str(), step, metric.value) != DLC_OK;
  }
  if (failed)
    throw Failure(path + ": cannot be written");
}

} // namespace dlc::tool::training
