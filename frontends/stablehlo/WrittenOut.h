//===- WrittenOut.h - functions that were written out as formulas -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// jax.export writes erfc, of which GELU is made, as quotients of polynomials with conditions between them.
// They give its values, but are not to be differentiated: what a condition does not take may be infinite, and
// infinity times 0 is no number. What such a formula is shows in its values.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_STABLEHLO_WRITTENOUT_H
#define DLC_FRONTENDS_STABLEHLO_WRITTENOUT_H

#include "mlir/IR/Block.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace dlc::stablehlo {

enum class Function { Erf, Erfc, Erfinv };

/// A value that is this function of another one, element by element.
struct WrittenOut {
  Function function;
  mlir::Value argument;
};

/// Finds functions that are written out as formulas; each is listed by the last operation of its formula.
llvm::DenseMap<mlir::Operation *, WrittenOut> findWrittenOut(mlir::Block &block);

} // namespace dlc::stablehlo

#endif // DLC_FRONTENDS_STABLEHLO_WRITTENOUT_H
