//===- ClassTables.cpp - what predictions are worth, class by class --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/ClassTables.h"
#include "dlc/metrics.h"
#include <algorithm>
#include <cmath>
#include <cstdio>

namespace dlc::tool::training {

namespace {

using Cells = std::vector<std::vector<std::string>>;

/// Columns two blanks apart: the first one begins at the left, the others end at the right.
std::string aligned(const Cells &rows) {
  std::vector<size_t> widths(rows.front().size());
  for (const std::vector<std::string> &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const std::vector<std::string> &row : rows) {
    for (size_t i = 0; i < row.size(); ++i) {
      const std::string blanks(widths[i] - row[i].size(), ' ');
      text += i == 0 ? row[i] + blanks : "  " + blanks + row[i];
    }
    text.erase(text.find_last_not_of(' ') + 1);
    text += '\n';
  }
  return text;
}

std::string nameOf(int64_t which, const std::vector<std::string> &names) {
  const std::string number = std::to_string(which);
  return size_t(which) < names.size() ? number + " " + names[size_t(which)] : number;
}

std::string share(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.4f", value);
  return std::isnan(value) ? "-" : text;
}

std::vector<std::string> line(const std::string &name, const dlc_class_report &report) {
  return {name, share(report.precision), share(report.recall), share(report.f1),
          std::to_string(report.support)};
}

} // namespace

std::string reportText(const Confusion &confusion, const std::vector<std::string> &names) {
  Cells rows = {{confusion.of.empty() ? "class" : confusion.of, "precision", "recall", "f1", "samples"}};
  for (int64_t i = 0; i < confusion.classes; ++i)
    rows.push_back(line(nameOf(i, names), dlc_report_class(confusion.matrix.data(), confusion.classes, i)));
  rows.push_back(line("mean", dlc_report_mean(confusion.matrix.data(), confusion.classes)));
  return aligned(rows);
}

std::string confusionText(const Confusion &confusion, const std::vector<std::string> &names) {
  Cells rows = {{confusion.of.empty() ? "label, predicted:" : confusion.of + ", predicted:"}};
  for (int64_t i = 0; i < confusion.classes; ++i)
    rows.front().push_back(std::to_string(i));
  for (int64_t label = 0; label < confusion.classes; ++label) {
    rows.push_back({nameOf(label, names)});
    for (int64_t i = 0; i < confusion.classes; ++i)
      rows.back().push_back(std::to_string(confusion.matrix[size_t(label * confusion.classes + i)]));
  }
  return aligned(rows);
}

} // namespace dlc::tool::training
