//===- Curves.cpp - what training wrote down, over its steps ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "dlc/data.h"
#include "tools/dlc/report/Chart.h"
#include "tools/dlc/report/Sections.h"
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <limits>
#include <memory>
#include <stdexcept>

namespace dlc::tool::report {
namespace {

using Table = std::unique_ptr<dlc_table, decltype(&dlc_table_free)>;

Table readTable(const std::string &path) {
  dlc_table *table = nullptr;
  char error[512];
  dlc_table_options options = {};
  options.struct_size = sizeof options;
  if (dlc_table_read(path.c_str(), &options, &table, error, sizeof error) != DLC_OK)
    throw std::runtime_error(error);
  return Table(table, dlc_table_free);
}

/// Cells that hold no number, such as the validation of an epoch that had none, are gaps.
double numberIn(const Table &table, int64_t row, int32_t column) {
  const char *text = dlc_table_cell(table.get(), row, column);
  char *end = nullptr;
  const double number = std::strtod(text, &end);
  return end == text ? std::numeric_limits<double>::quiet_NaN() : number;
}

Chart &chartNamed(std::vector<Chart> &charts, const std::string &name) {
  const auto known =
      std::find_if(charts.begin(), charts.end(), [&](const Chart &chart) { return chart.title == name; });
  return known == charts.end() ? charts.emplace_back(Chart{name, "step", {}}) : *known;
}

/// What a column is about: "loss" of "valid_loss", "gradient_mean" of "gradient_mean/fc1.weight".
std::string measuredIn(const std::string &column) {
  for (const std::string data : {"train_", "valid_"})
    if (column.rfind(data, 0) == 0)
      return column.substr(data.size());
  return column.substr(0, column.find('/'));
}

void addTable(const std::string &path, bool areSeveral, std::vector<Chart> &charts) {
  const Table table = readTable(path);
  const int32_t step = dlc_table_find(table.get(), "step");
  if (step < 0)
    throw std::runtime_error(path +
                             ": there is no column 'step': expected a table of dlc train --log=FILE.csv");
  const std::string file = areSeveral ? std::filesystem::path(path).filename().string() + ": " : "";
  for (int32_t column = 0; column < dlc_table_columns(table.get()); ++column) {
    const std::string name = dlc_table_name(table.get(), column);
    if (column == step || name == "epoch" || name == "seconds")
      continue;
    Curve curve = {file + name, {}};
    for (int64_t row = 0; row < dlc_table_rows(table.get()); ++row) {
      const double at = numberIn(table, row, step);
      if (row > 0 && at <= curve.points.back().first) // another training, behind the first one
        curve.points.emplace_back(at, std::numeric_limits<double>::quiet_NaN());
      curve.points.emplace_back(at, numberIn(table, row, column));
    }
    chartNamed(charts, measuredIn(name)).curves.push_back(std::move(curve));
  }
}

} // namespace

std::vector<Chart> chartsOf(const std::vector<std::string> &tables) {
  std::vector<Chart> charts;
  for (const std::string &path : tables)
    addTable(path, tables.size() > 1, charts);
  return charts;
}

void addCurves(Document &document, const std::vector<std::string> &tables) {
  document.section("training", "Training");
  document.add("<div class=\"charts\">");
  for (const Chart &each : chartsOf(tables))
    document.add(chart(each.title, each.xName, each.curves));
  document.add("</div>\n");
}

} // namespace dlc::tool::report
