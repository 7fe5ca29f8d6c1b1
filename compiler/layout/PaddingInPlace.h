//===- PaddingInPlace.h - tensors that are made with zeros around them ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A tensor that is padded with zeros need not be copied for it: it can be made where it lies between the
// zeros, and others read it there. The padded tensor becomes a join of it and of zeros on each side.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_LAYOUT_PADDINGINPLACE_H
#define DLC_COMPILER_LAYOUT_PADDINGINPLACE_H

#include "dialects/train/Train.h"

namespace dlc::layout {

/// Replaces nests that pad by joins where that spares a copy; functions are laid out already.
void padInPlace(train::FunctionOp function);

} // namespace dlc::layout

#endif // DLC_COMPILER_LAYOUT_PADDINGINPLACE_H
