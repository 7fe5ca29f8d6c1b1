//===- Chart.h - curves over a common axis ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_REPORT_CHART_H
#define DLC_TOOLS_DLC_REPORT_CHART_H

#include <string>
#include <utility>
#include <vector>

namespace dlc::tool::report {

struct Curve {
  std::string name;
  std::vector<std::pair<double, double>> points; ///< x rises; a y that is no finite number is a gap
};

/// Some four round numbers from `low` to `high`; `low` where there are none, as when both are equal.
std::vector<double> ticks(double low, double high);

/// Curves that are drawn together.
struct Chart {
  std::string title, xName;
  std::vector<Curve> curves;
  bool powersOfTen = false; ///< x is the exponent of ten of what is meant, and is labelled with that
};

/// A figure with axes, the curves, and in words where each one ends and where it is lowest and highest.
std::string chart(const std::string &title, const std::string &xName, const std::vector<Curve> &curves);

/// The same charts below each other as a picture of its own (.svg), which needs nothing else: axes, curves
/// and their names, dark on white.
std::string svgFile(const std::vector<Chart> &charts);

} // namespace dlc::tool::report

#endif // DLC_TOOLS_DLC_REPORT_CHART_H
