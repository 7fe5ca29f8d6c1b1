//===- Gradient.cpp - what says something of gradients --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The values of such operations are those that they are given.
//===----------------------------------------------------------------------===//
#include "compiler/interpret/Evaluation.h"
#include "dialects/train/Train.h"

namespace dlc::interpret {

bool evaluateGradient(Evaluation &e) {
  mlir::Operation *op = e.getOperation();
  if (!mlir::isa<train::StopGradientOp, train::CustomGradientOp>(op))
    return false;
  for (auto [i, value] : llvm::enumerate(op->getOperands().take_front(op->getNumResults())))
    e.result(i) = e.of(value);
  return true;
}

} // namespace dlc::interpret
