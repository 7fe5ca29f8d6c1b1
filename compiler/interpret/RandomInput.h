//===- RandomInput.h - numbers for inputs ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_INTERPRET_RANDOMINPUT_H
#define DLC_COMPILER_INTERPRET_RANDOMINPUT_H

#include "compiler/interpret/Tensor.h"
#include "dialects/train/Train.h"

#include <random>

namespace dlc::interpret {

/// Uniform numbers, the same with every standard library: floats in [low, 1), rounded to their dtype,
/// integers in the range that the input declares (1 and 2, fit to divide by, where it declares none).
Tensor randomInput(train::InputOp input, llvm::ArrayRef<int64_t> shape, std::mt19937_64 &engine,
                   double low = -1);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_RANDOMINPUT_H
