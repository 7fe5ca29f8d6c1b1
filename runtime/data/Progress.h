//===- Progress.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The text of a progress line.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_PROGRESS_H
#define DLC_RUNTIME_DATA_PROGRESS_H

#include <cstddef>
#include <cstdint>

namespace dlc::runtime {

struct Progress {
  const char *label, *note; ///< "": no note
  int64_t done, total;
  double loss;
  double seconds; ///< that it took until now
  double left;    ///< seconds; below 0 where it is not known
};

/// "epoch 2  [#####.....]  460/938  loss 0.4312  1.9 s left", or how long it took once done == total. The
/// note stands after the loss. Where the line has more than `columns` characters, its bar of `width` becomes
/// shorter, and stays so.
void formatProgress(char *text, size_t bytes, size_t columns, int &width, const Progress &progress);

constexpr int mostBar = 24, leastBar = 4;

} // namespace dlc::runtime

#endif
