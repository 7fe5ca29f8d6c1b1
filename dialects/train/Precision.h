//===- Precision.h - programs with products of low precision ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_PRECISION_H
#define DLC_DIALECTS_TRAIN_PRECISION_H

#include "dialects/train/Train.h"

namespace train {

/// The type of numbers of this precision.
mlir::FloatType lowTypeOf(Precision precision, mlir::MLIRContext *context);
/// The type that the operands of products have in the program; null where all is computed as it is written.
mlir::FloatType lowTypeOf(ProgramOp program);

/// In a program of low precision, each operation that may have it takes low operands and gives sums in f32.
/// An error names one that does not.
mlir::LogicalResult verifyPrecision(FunctionOp function);

} // namespace train

#endif // DLC_DIALECTS_TRAIN_PRECISION_H
