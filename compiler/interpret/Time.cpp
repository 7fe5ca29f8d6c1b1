//===- Time.cpp - operations on sequences ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/nn/NN.h"

#include <algorithm>

namespace dlc::interpret {

bool evaluateTime(Evaluation &e) {
  auto op = mlir::dyn_cast<nn::ReverseSequenceOp>(e.getOperation());
  if (!op)
    return false;
  const Tensor &x = e.of(op.getX()), &lengths = e.of(op.getLengths());
  llvm::SmallVector<int64_t, 4> strides = stridesOf(x.shape);
  const int64_t time = op.getTime(), batch = op.getBatch();
  int64_t to = 0;
  forEachIndex(x.shape, [&](llvm::ArrayRef<int64_t> index) {
    const int64_t t = index[time], length = std::clamp<int64_t>(lengths.ints[index[batch]], 0, x.shape[time]);
    const int64_t from = t < length ? to + (length - 1 - 2 * t) * strides[time] : to;
    copyElement(x, from, e.result(), to);
    ++to;
  });
  return true;
}

} // namespace dlc::interpret
