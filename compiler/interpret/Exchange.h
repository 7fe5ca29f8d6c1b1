//===- Exchange.h - numbers that rounding may put in another order ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A ReLU, a maximum or a comparison decides between two gradients by which of two numbers is the larger one.
// Where they are nearer to each other than rounding, either decision is right. Such numbers are exchanged
// here: a line of numbers is cut into cells, and each number goes to the other end of its cell. So whatever
// has an order inside of one cell has the reverse one, and a number next to a bound goes to its other side.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_INTERPRET_EXCHANGE_H
#define DLC_COMPILER_INTERPRET_EXCHANGE_H

#include "compiler/interpret/Tensor.h"
#include "dialects/train/Train.h"
#include "llvm/ADT/DenseMap.h"

namespace dlc::interpret {

/// The values of a function that are rounded where they are made, and that decide something afterwards. What
/// was exchanged once, a maximum's result, say, is none of them. Each with its number, in the order of the
/// function.
llvm::DenseMap<mlir::Value, unsigned> decidingValues(train::FunctionOp function);

/// Of one value that was computed several times with different rounding: a cell in which a number goes to the
/// other side of all those that rounding may have brought to its own. Numbers are the smaller ones, a quarter
/// of all, so that masks of large ones count for nothing.
double cellOf(llvm::ArrayRef<const Tensor *> alike);

/// Exchanges numbers within cells, which have 0 in their middle, or between two of them where `isBetween`:
/// what is next to the end of a cell in one way is in the middle of one in the other. Round numbers stay,
/// such as those of a mask: they are exact.
void exchange(Tensor &tensor, double cell, bool isBetween);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_EXCHANGE_H
