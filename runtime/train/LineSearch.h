//===- LineSearch.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A function of many values along a line, and a place of it where a step may end.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_TRAIN_LINESEARCH_H
#define DLC_RUNTIME_TRAIN_LINESEARCH_H

#include "dlc/lbfgs.h"

namespace dlc::runtime {

/// What is known of the line `at` times the direction from its beginning.
struct LinePoint {
  double at, loss, slope;
  double *gradient; ///< one of Line::gradients, or the beginning's
};

struct Line {
  int64_t count;
  const double *from, *direction;
  double *values;       ///< where the function is asked
  double *gradients[3]; ///< the line's own memory: two points are kept while a third is asked for
  dlc_lbfgs_function evaluate;
  void *context;
  int32_t evaluations = 0;

  void moveTo(double at);
  /// Asks at a place, and writes the gradient where neither of the points that are kept has its own. The loss
  /// is infinite where loss or slope is no finite number.
  dlc_status ask(double at, const LinePoint &one, const LinePoint &other, LinePoint &found);
};

/// A point where the loss is low enough, and the slope flat enough, for the strong Wolfe conditions; after 25
/// evaluations, or where the interval has become too small, the best point that was seen.
dlc_status searchLine(Line &line, const LinePoint &begin, double firstStep, LinePoint &found);

double dot(const double *a, const double *b, int64_t count);
double largest(const double *a, int64_t count); ///< of absolute values; NaN where one is

} // namespace dlc::runtime

#endif
