//===- Curves.cpp - a training's curves in the terminal --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Curves.h"
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <unistd.h>

namespace dlc::tool::training {

using report::Curve;

namespace {

constexpr int width = 60, height = 12, labelWidth = 10;
constexpr char letters[] = {'*', 'o'}, several = '#';

std::string text(double number) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.4g", number);
  return buffer;
}

std::string padded(const std::string &label) {
  return std::string(std::max<int>(labelWidth - int(label.size()), 0), ' ') + label;
}

/// The letters between two axes: x from left to right, y upwards.
class Canvas {
public:
  explicit Canvas(const std::vector<Curve> &curves) {
    for (const Curve &curve : curves)
      for (const auto &[x, y] : curve.points)
        if (std::isfinite(y)) {
          left = std::min(left, x);
          right = std::max(right, x);
          low = std::min(low, y);
          high = std::max(high, y);
        }
  }
  /// One place is no curve.
  bool isEmpty() const { return !(left < right); }

  /// Points that follow each other are joined, where both are finite.
  void draw(const Curve &curve, char letter) {
    for (size_t i = 1; i < curve.points.size(); ++i) {
      const auto &[x0, y0] = curve.points[i - 1];
      const auto &[x1, y1] = curve.points[i];
      if (!std::isfinite(y0) || !std::isfinite(y1))
        continue;
      const int from = column(x0), to = column(x1);
      for (int at = from; at <= to; ++at)
        put(at, row(from == to ? y1 : y0 + (y1 - y0) * (at - from) / (to - from)), letter);
    }
  }

  std::string lines() const {
    std::string all;
    for (int line = 0; line < height; ++line) {
      const std::string label = line == 0                          ? text(high)
                                : line == height - 1               ? text(low)
                                : line == height / 2 && low < high ? text(valueAt(line))
                                                                   : "";
      std::string letters = cells[line];
      letters.erase(letters.find_last_not_of(' ') + 1);
      all += padded(label) + " |" + letters + "\n";
    }
    const std::string first = text(left), last = text(right);
    all += padded("") + " +" + std::string(width, '-') + "\n" + padded("") + "  " + first +
           std::string(std::max<int>(width - int(first.size() + last.size()), 1), ' ') + last + "\n";
    return all;
  }

private:
  int column(double x) const { return int(std::lround((x - left) / (right - left) * (width - 1))); }
  int row(double y) const {
    return low < high ? int(std::lround((high - y) / (high - low) * (height - 1))) : height / 2;
  }
  double valueAt(int line) const { return high - (high - low) * line / (height - 1); }
  void put(int x, int y, char letter) {
    char &cell = cells[y][size_t(x)];
    cell = cell == ' ' || cell == letter ? letter : several;
  }

  double left = INFINITY, right = -INFINITY, low = INFINITY, high = -INFINITY;
  std::vector<std::string> cells = std::vector<std::string>(height, std::string(width, ' '));
};

} // namespace

std::string plot(const std::string &name, const std::vector<Curve> &curves) {
  Canvas canvas(curves);
  if (canvas.isEmpty())
    return "";
  std::string legend = padded(name) + "  ";
  for (size_t i = 0; i < curves.size(); ++i) {
    const char letter = letters[i % std::size(letters)];
    canvas.draw(curves[i], letter);
    legend += std::string(i ? "   " : "") + letter + " " + curves[i].name;
  }
  return legend + "\n" + canvas.lines();
}

Curves::Curves(bool areWanted) : areWanted(areWanted), isTerminal(isatty(STDOUT_FILENO) != 0) {}

Curves::Figure &Curves::figure(const std::string &name) {
  const auto known =
      std::find_if(figures.begin(), figures.end(), [&](const Figure &figure) { return figure.name == name; });
  return known == figures.end() ? figures.emplace_back(Figure{name, {}}) : *known;
}

void Curves::add(int64_t epoch, double loss, const std::vector<Metric> &ofTraining,
                 const std::vector<Metric> &validation) {
  auto add = [&](const std::string &of, const char *data, double value) {
    std::vector<Curve> &curves = figure(of).curves;
    auto known =
        std::find_if(curves.begin(), curves.end(), [&](const Curve &curve) { return curve.name == data; });
    if (known == curves.end())
      known = curves.insert(curves.end(), Curve{data, {}});
    known->points.emplace_back(double(epoch), value);
  };
  add("loss", "training", loss);
  for (const Metric &metric : ofTraining)
    add(metric.name, "training", metric.value);
  for (const Metric &metric : validation)
    add(metric.name, "validation", metric.value);
}

std::string Curves::svg() const {
  std::vector<report::Chart> charts;
  for (const Figure &figure : figures)
    charts.push_back({figure.name, "epoch", figure.curves});
  return report::svgFile(charts);
}

void Curves::clear() {
  if (linesDrawn)
    std::printf("\x1b[%dA\x1b[J", linesDrawn); // so many lines up, and clear what is below
  linesDrawn = 0;
}

void Curves::draw(bool isEnd) {
  if (!areWanted || (!isTerminal && !isEnd))
    return;
  std::string all;
  for (const Figure &figure : figures)
    all += plot(figure.name, figure.curves);
  std::fputs(all.c_str(), stdout);
  std::fflush(stdout);
  linesDrawn = isTerminal && !isEnd ? int(std::count(all.begin(), all.end(), '\n')) : 0;
}

} // namespace dlc::tool::training
