//===- Curves.h - a training's curves in the terminal ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_CURVES_H
#define DLC_TOOLS_DLC_TRAIN_CURVES_H

#include "tools/dlc/report/Chart.h"
#include "tools/dlc/train/Evaluation.h"
#include <string>
#include <vector>

namespace dlc::tool::training {

/// Curves in letters: 12 lines of 60 columns with axes, and what each letter is. `name` is of what grows
/// upwards. Empty where fewer than two points are finite.
std::string plot(const std::string &name, const std::vector<report::Curve> &curves);

/// The losses, and what else is measured of the training and on the validation data, over the epochs of this
/// run. At a terminal they are drawn anew after each epoch, elsewhere once, at the end.
class Curves {
public:
  explicit Curves(bool areWanted);
  void add(int64_t epoch, double loss, const std::vector<Metric> &ofTraining,
           const std::vector<Metric> &validation);
  /// Before something else is printed: what was drawn goes.
  void clear();
  /// A picture of them (.svg).
  std::string svg() const;
  /// `isEnd`: no further epoch comes.
  void draw(bool isEnd);

private:
  /// The curves that are drawn together.
  struct Figure {
    std::string name;
    std::vector<report::Curve> curves;
  };
  Figure &figure(const std::string &name);

  const bool areWanted, isTerminal;
  std::vector<Figure> figures;
  int linesDrawn = 0;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_CURVES_H
