//===- Classes.h - what losses with classes compare labels with ------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Losses with classes and their gradients compare labels with class numbers instead of gathering, which
// vectorises. Both are written with this, so that the comparisons are equal and are merged.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_CLASSES_H
#define DLC_DIALECTS_NN_CLASSES_H

#include "dialects/nn/Expr.h"

namespace nn {

/// Labels and class weights, shaped to broadcast with `x`, whose dim 1 is the class.
struct Classes {
  Expr x;
  Expr labels;  ///< [rows, 1, ...]
  Expr isLabel; ///< i1, [rows, classes, ...]: the class is the row's label

  Classes(Expr x, Expr labels);
  int64_t count() const { return x.type().getDimSize(1); }
  /// i1, [rows, 1, ...]: the row's label is `index`, with which it does not count.
  Expr isIgnored(int64_t index) const;
  /// A vector of one number per class, shaped to broadcast with `x`: [classes, 1 ...].
  Expr alongClasses(Expr perClass) const;
};

} // namespace nn

#endif // DLC_DIALECTS_NN_CLASSES_H
