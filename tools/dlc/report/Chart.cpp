//===- Chart.cpp - curves over a common axis -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/report/Chart.h"
#include "tools/dlc/report/Document.h"
#include <algorithm>
#include <cmath>

namespace dlc::tool::report {
namespace {

constexpr double width = 480, height = 240, left = 64, right = 12, top = 12, bottom = 36;

struct Range {
  double low = INFINITY, high = -INFINITY;
  void add(double value) {
    low = std::min(low, value);
    high = std::max(high, value);
  }
  bool isEmpty() const { return low > high; }
  /// From 0 to 1 within the range; the middle where it has no width.
  double within(double value) const { return high > low ? (value - low) / (high - low) : 0.5; }
};

/// At most two points for each pixel, the lowest and the highest of those that fall together.
std::vector<std::pair<double, double>> thinned(const std::vector<std::pair<double, double>> &points) {
  constexpr size_t most = size_t(width - left - right);
  if (points.size() <= 2 * most)
    return points;
  std::vector<std::pair<double, double>> result;
  for (size_t part = 0; part < most; ++part) {
    const auto begin = points.begin() + std::ptrdiff_t(part * points.size() / most),
               end = points.begin() + std::ptrdiff_t((part + 1) * points.size() / most);
    auto [least, largest] = std::minmax_element(
        begin, end, [](const auto &a, const auto &b) { return a.second < b.second || std::isnan(a.second); });
    if (least > largest)
      std::swap(least, largest);
    result.push_back(*least);
    if (largest != least)
      result.push_back(*largest);
  }
  return result;
}

/// At most nine of them.
std::vector<double> wholeNumbers(double low, double high) {
  const double step = std::ceil(std::max(high - low, 1.0) / 8);
  std::vector<double> result;
  for (double number = std::ceil(low); number <= high && result.size() < 9; number += step)
    result.push_back(number);
  return result.empty() ? std::vector<double>{low} : result;
}

class Frame {
public:
  explicit Frame(const std::vector<Curve> &curves, bool powersOfTen = false) : powersOfTen(powersOfTen) {
    for (const Curve &curve : curves)
      for (const auto &[valueOfX, valueOfY] : curve.points)
        if (std::isfinite(valueOfY)) {
          x.add(valueOfX);
          y.add(valueOfY);
        }
  }
  bool isEmpty() const { return x.isEmpty(); }

  std::string axes(const std::string &xName) const {
    std::string svg = "<path class=\"axis\" d=\"M" + place(left) + ' ' + place(top) + 'V' +
                      place(height - bottom) + 'H' + place(width - right) + "\"/>";
    for (double tick : ticks(y.low, y.high))
      svg += "<path class=\"axis\" d=\"M" + place(left) + ' ' + place(down(tick)) + 'H' +
             place(width - right) + "\"/><text class=\"soft\" text-anchor=\"end\" x=\"" + place(left - 6) +
             "\" y=\"" + place(down(tick) + 4) + "\">" + numberText(tick) + "</text>";
    for (double tick : powersOfTen ? wholeNumbers(x.low, x.high) : ticks(x.low, x.high))
      svg += "<text class=\"soft\" text-anchor=\"middle\" x=\"" + place(across(tick)) + "\" y=\"" +
             place(height - bottom + 16) + "\">" + numberText(powersOfTen ? std::pow(10, tick) : tick) +
             "</text>";
    return svg + "<text class=\"soft\" text-anchor=\"end\" x=\"" + place(width - right) + "\" y=\"" +
           place(height - 4) + "\">" + escaped(xName) + "</text>";
  }

  std::string draw(const Curve &curve, const std::string &type) const {
    std::string path, dots;
    bool isDown = false, isAlone = false;
    auto dot = [&](const std::string &at) { dots += "M" + at + "h0.01"; };
    std::string last;
    for (const auto &[valueOfX, valueOfY] : thinned(curve.points)) {
      if (!std::isfinite(valueOfY)) {
        if (isAlone)
          dot(last);
        isDown = isAlone = false;
        continue;
      }
      last = place(across(valueOfX)) + ' ' + place(down(valueOfY));
      path += (isDown ? "L" : "M") + last;
      isAlone = !isDown;
      isDown = true;
    }
    if (isAlone)
      dot(last);
    return "<path class=\"curve " + type + "\" stroke-linecap=\"round\" d=\"" + path + "\"/>" +
           (dots.empty() ? ""
                         : "<path class=\"curve " + type +
                               "\" stroke-linecap=\"round\" style=\"stroke-width:5\" d=\"" + dots + "\"/>");
  }

private:
  double across(double value) const { return left + (width - left - right) * x.within(value); }
  double down(double value) const { return height - bottom - (height - top - bottom) * y.within(value); }

  Range x, y;
  bool powersOfTen;
};

/// "loss: 0.31 at the end, lowest 0.29 (step 780), highest 2.3 (step 1)".
std::string inWords(const Curve &curve, const std::string &xName) {
  std::string text = curve.name + ": ";
  std::vector<std::pair<double, double>> known;
  for (const auto &point : curve.points)
    if (std::isfinite(point.second))
      known.push_back(point);
  if (known.empty())
    return text + "no finite number";
  const auto [least, largest] = std::minmax_element(
      known.begin(), known.end(), [](const auto &a, const auto &b) { return a.second < b.second; });
  auto at = [&](const std::pair<double, double> &point) {
    return numberText(point.second) + " (" + xName + ' ' + numberText(point.first) + ')';
  };
  text += numberText(known.back().second) + " at the end, lowest " + at(*least) + ", highest " + at(*largest);
  if (const size_t others = curve.points.size() - known.size())
    text += ", " + std::to_string(others) + " of " + std::to_string(curve.points.size()) + " not finite";
  return text;
}

} // namespace

std::vector<double> ticks(double low, double high) {
  const double rough = (high - low) / 4, power = std::pow(10, std::floor(std::log10(rough)));
  const double digit = rough / power, step = power * (digit < 1.5   ? 1
                                                      : digit < 3.5 ? 2
                                                      : digit < 7.5 ? 5
                                                                    : 10);
  const double first = std::ceil(low / step), last = std::floor(high / step + 1e-9);
  // Equal ends, and such as numbers cannot tell apart or count between.
  if (!(step > 0) || !std::isfinite(first) || !std::isfinite(last) || std::abs(first) > 1e9)
    return {low};
  std::vector<double> result;
  for (int i = 0; i <= int(last - first); ++i)
    result.push_back((first + i) * step + 0.0);
  return result.empty() ? std::vector<double>{low} : result;
}

std::string chart(const std::string &title, const std::string &xName, const std::vector<Curve> &curves) {
  const Frame frame(curves);
  std::string svg, words;
  std::vector<std::pair<std::string, std::string>> names;
  if (!frame.isEmpty())
    svg = frame.axes(xName);
  for (size_t i = 0; i < curves.size(); ++i) {
    svg += frame.isEmpty() ? "" : frame.draw(curves[i], colour(i));
    names.emplace_back(curves[i].name, colour(i));
    words += (i ? "; " : "") + inWords(curves[i], xName);
  }
  return "<figure><h3>" + escaped(title) + "</h3>" + picture(width, height, title + ": " + words, svg) +
         (curves.size() > 1 ? legend(names) : "") + "<figcaption>" + escaped(words) +
         "</figcaption></figure>\n";
}

/// The names of curves in their colours, from left to right, in as many lines as they need.
static std::string namesBelow(const std::vector<Curve> &curves, double &down) {
  std::string svg;
  double across = left;
  for (size_t i = 0; i < curves.size(); ++i) {
    const double wide = 24 + 7 * double(curves[i].name.size());
    if (across > left && across + wide > width) {
      across = left;
      down += 18;
    }
    svg += "<path class=\"curve " + colour(i) + "\" d=\"M" + place(across) + ' ' + place(down - 4) +
           "h12\"/>" + "<text x=\"" + place(across + 18) + "\" y=\"" + place(down) + "\">" +
           escaped(curves[i].name) + "</text>";
    across += wide;
  }
  down += 18;
  return svg;
}

std::string svgFile(const std::vector<Chart> &charts) {
  constexpr double titled = 28;
  std::string all, words;
  double down = 0;
  for (const Chart &chart : charts) {
    const Frame frame(chart.curves, chart.powersOfTen);
    std::string svg = "<text class=\"title\" x=\"" + place(left) + "\" y=\"20\">" + escaped(chart.title) +
                      "</text><g transform=\"translate(0 " + place(titled) + ")\">";
    if (!frame.isEmpty())
      svg += frame.axes(chart.xName);
    for (size_t i = 0; i < chart.curves.size(); ++i)
      svg += frame.isEmpty() ? "" : frame.draw(chart.curves[i], colour(i));
    double tall = height + 14;
    svg += namesBelow(chart.curves, tall) + "</g>";
    all += "<g transform=\"translate(0 " + place(down) + ")\">" + svg + "</g>\n";
    words += (words.empty() ? "" : ", ") + chart.title;
    down += titled + tall;
  }
  std::string style =
      "text { fill: #1b1f24; font: 12px sans-serif; } text.soft { fill: #5b6470; } text.title { font: bold "
      "14px sans-serif; } .axis { stroke: #d5dae0; fill: none; } .curve { fill: none; stroke-width: "
      "1.8; }";
  for (size_t i = 0; i < 8; ++i)
    style += " ." + colour(i) + " { stroke: " + lightColour(i) + "; }";
  const std::string box = place(width) + "\" height=\"" + place(down);
  return "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"" + escaped(words) +
         "\" viewBox=\"0 0 " + place(width) + ' ' + place(down) + "\" width=\"" + box + "\">\n<style>" +
         style + "</style>\n<rect width=\"" + box + "\" fill=\"#ffffff\"/>\n" + all + "</svg>\n";
}

} // namespace dlc::tool::report
