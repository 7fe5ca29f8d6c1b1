//===- EmptyRows.h - softmax of rows that a mask hides as a whole ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where all elements along a softmax's axis are minus infinity, its result is no number. With the attribute
// `empty_to_zero` it is 0 there, and so are its gradients, as in PyTorch's attention.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_NN_EMPTYROWS_H
#define DLC_DIALECTS_NN_EMPTYROWS_H

#include "dialects/nn/NN.h"

namespace nn {

constexpr llvm::StringLiteral emptyToZero = "empty_to_zero";

inline bool hasZerosForEmptyRows(SoftmaxOp op) { return op->hasAttr(emptyToZero); }

} // namespace nn

#endif // DLC_DIALECTS_NN_EMPTYROWS_H
