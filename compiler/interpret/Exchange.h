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

#include <map>

namespace dlc::interpret {

/// The values of a function that are rounded where they are made, and that decide something afterwards. What
/// was exchanged once, a maximum's result, say, is none of them. Each with its number, in the order of the
/// function.
llvm::DenseMap<mlir::Value, unsigned> decidingValues(train::FunctionOp function);

/// How wide a cell is: in it a number goes to the other side of all those that rounding may have brought to
/// its own. Numbers of one size, from a power of two to the next, have cells of their own, as masks of large
/// numbers, and channels whose gradients are large, are rounded otherwise than the rest.
struct Cells {
  double least = 0;           ///< of the smaller numbers, a quarter of all
  std::map<int, double> wide; ///< of numbers of the sizes where rounding changes more, by their exponents
  double widthAt(double number) const;
};
/// The cells of one value that was computed several times with different rounding.
Cells cellsOf(llvm::ArrayRef<const Tensor *> alike);

/// Exchanges numbers within cells, which have 0 in their middle, or between two of them where `isBetween`:
/// what is next to the end of a cell in one way is in the middle of one in the other. Round numbers stay,
/// such as those of a mask: they are exact.
void exchange(Tensor &tensor, const Cells &cells, bool isBetween);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_EXCHANGE_H
