//===- FindRate.cpp - a learning rate to begin with ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/FindRate.h"
#include "dlc/logs.h"
#include "dlc/metrics.h"
#include "tools/dlc/report/Chart.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <string>
#include <vector>

namespace dlc::tool::training {

namespace {

struct Point {
  double rate, loss, smooth;
};

/// The smoothed losses from left to right, the rates on a logarithmic scale below. Losses that are far above
/// the first one are drawn at the upper end.
void draw(const std::vector<Point> &points, double suggestion) {
  constexpr int width = 72, height = 14;
  double low = points[0].smooth, high = points[0].smooth;
  for (const Point &point : points) {
    low = std::min(low, point.smooth);
    if (point.smooth <= 1.5 * points[0].smooth)
      high = std::max(high, point.smooth);
  }
  if (!(high > low))
    high = low + 1;
  const double first = std::log10(points.front().rate), last = std::log10(points.back().rate);
  auto columnOf = [&](double rate) {
    return last > first ? int(std::lround((std::log10(rate) - first) / (last - first) * (width - 1))) : 0;
  };
  std::vector<std::string> rows(height, std::string(width, ' '));
  if (std::isfinite(suggestion))
    for (std::string &row : rows)
      row[size_t(columnOf(suggestion))] = '|';
  for (const Point &point : points) {
    const double part = (std::min(point.smooth, high) - low) / (high - low);
    rows[size_t(std::lround((1 - part) * (height - 1)))][size_t(columnOf(point.rate))] = '*';
  }
  for (int i = 0; i < height; ++i) {
    const double loss = high - (high - low) * i / (height - 1);
    rows[size_t(i)].erase(rows[size_t(i)].find_last_not_of(' ') + 1);
    std::printf("%9.4g %s\n", loss, rows[size_t(i)].c_str());
  }
  std::printf("%9s %-*.2g%.2g\n", "lr", width - 4, points.front().rate, points.back().rate);
}

/// The losses of a picture end where they are half as high again as at first: what comes behind would hide
/// where they fall.
std::string pictureOf(const std::vector<Point> &points, double suggestion) {
  report::Curve raw{"loss", {}}, smooth{"smoothed", {}};
  double low = INFINITY, high = -INFINITY;
  for (const Point &point : points) {
    if (point.smooth > 1.5 * points[0].smooth)
      break;
    raw.points.emplace_back(std::log10(point.rate), std::min(point.loss, 2 * points[0].smooth));
    smooth.points.emplace_back(std::log10(point.rate), point.smooth);
    low = std::min(low, point.smooth);
    high = std::max(high, point.smooth);
  }
  std::vector<report::Curve> curves = {raw, smooth};
  if (std::isfinite(suggestion)) {
    char name[64];
    std::snprintf(name, sizeof name, "--lr=%.2g", suggestion);
    curves.push_back({name, {{std::log10(suggestion), low}, {std::log10(suggestion), high}}});
  }
  return report::svgFile({{"loss by learning rate", "learning rate", curves, /*powersOfTen=*/true}});
}

void write(const std::string &path, const std::vector<Point> &points) {
  const char *const columns[] = {"learning_rate", "loss", "smoothed_loss"};
  char error[512];
  dlc_csv *table = nullptr;
  std::remove(path.c_str()); // of a search before
  if (dlc_csv_open(path.c_str(), columns, 3, &table, error, sizeof error) != DLC_OK)
    throw Failure(error);
  bool isWritten = true;
  for (const Point &point : points) {
    const double row[] = {point.rate, point.loss, point.smooth};
    isWritten = isWritten && dlc_csv_row(table, row) == DLC_OK;
  }
  dlc_csv_close(table);
  if (!isWritten)
    throw Failure(path + ": cannot be written");
}

} // namespace

int findRate(const TrainOptions &options, const Compiler &compiler, Instance &instance, const DataSet &data) {
  Batches batches(data, batchRows(instance.model), /*dropLast=*/!instance.trainsAnyRows(), /*shuffle=*/true,
                  options.seed);
  if (batches.count() == 0)
    throw Failure("the training data has fewer samples than one batch");
  dlc_rate_finder finder = {};
  finder.lowest = 1e-7;
  finder.highest = 10;
  finder.steps = options.steps ? std::max<int64_t>(options.steps, 2) : 200;
  std::vector<Point> points;
  for (int64_t epoch = 0;; ++epoch) {
    batches.start(epoch);
    while (const int64_t rows = batches.next()) {
      const double rate = dlc_rate_finder_rate(&finder);
      instance.setRate(rate);
      const double loss = instance.trainStep(rows, batches.arrays());
      const bool isDone = dlc_rate_finder_add(&finder, loss) != 0;
      if (std::isfinite(loss) && std::isfinite(finder.before))
        points.push_back({rate, loss, finder.before});
      if (!isDone)
        continue;
      if (points.empty())
        throw Failure("--find-lr: the loss of the first step is not a finite number");
      const double suggestion = dlc_rate_finder_suggestion(&finder);
      draw(points, suggestion);
      if (std::isfinite(suggestion))
        std::printf("a rate to begin with: --lr=%.2g (the loss falls most steeply at %.2g, and is lowest at "
                    "%.2g)\n",
                    suggestion, finder.rate, finder.best_rate);
      else
        std::printf("the loss never falls\n");
      if (!options.output.empty())
        write(options.output + "/learning-rates.csv", points);
      if (!options.plot.empty())
        writeFile(compiler, options.plot, pictureOf(points, suggestion));
      return 0;
    }
  }
}

} // namespace dlc::tool::training
