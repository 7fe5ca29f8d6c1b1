//===- Work.h - how much a kernel computes and moves -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_WORK_H
#define DLC_COMPILER_EMIT_WORK_H

#include "dialects/train/Train.h"

namespace dlc::emit {

/// The work of one launch of a kernel, with every named dim at its bound.
struct Work {
  /// Operations on floating-point numbers in all iterations of its loops, but for products that are known to
  /// be zero: a multiply-add counts as two, a division or an exponential as one.
  int64_t operations = 0;
  /// Bytes of its operands and results, each counted once.
  int64_t bytes = 0;
};
Work workOf(train::KernelOp kernel);

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_WORK_H
