//===- Lbfgs.h ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What L-BFGS remembers, for its steps and for its file.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_TRAIN_LBFGS_H
#define DLC_RUNTIME_TRAIN_LBFGS_H

#include "runtime/core/Memory.h"
#include "runtime/train/LineSearch.h"

namespace dlc::runtime {

/// The numbers among what is remembered.
struct Remembered {
  int64_t iterations;     ///< 0: nothing is remembered
  int64_t stored, oldest; ///< pairs of the history, which is a ring
  double at, scale;       ///< of the last move, in directions; of the first guess of the inverse
};

} // namespace dlc::runtime

struct dlc_lbfgs {
  int64_t count;
  dlc_lbfgs_options options;
  dlc::runtime::Remembered numbers = {};
  dlc::runtime::Array<double> memory, scratch;
  double *direction, *gradientBefore;   ///< of the last iteration; these and the next three in `memory`
  double *moves, *changes, *curvatures; ///< the history: of values, of gradients, and 1 / their product
  double *gradients[3], *from, *begin, *weights; ///< in `scratch`

  int64_t place(int64_t age) const { return (numbers.oldest + age) % options.history; }
  void forget() { numbers = {}; }
  void remember(const double *gradient);
  void chooseDirection(const double *gradient);
};

#endif
