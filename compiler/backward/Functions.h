//===- Functions.h - what building a function of the program takes ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_BACKWARD_FUNCTIONS_H
#define DLC_COMPILER_BACKWARD_FUNCTIONS_H

#include "dialects/train/Derivative.h"
#include "dialects/train/ReverseMode.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace dlc::backward {

/// The program's function of a kind; null where there is none.
train::FunctionOp findFunction(train::ProgramOp program, train::FunctionKind kind);

/// The functions in which parameters are updated; none where nothing is trained. Failure, with an error,
/// where one has no gradients to update them by: a program that was not differentiated, or has its updates.
mlir::FailureOr<llvm::SmallVector<train::FunctionOp>> updatingFunctions(train::ProgramOp program);

/// A function at the end of the program, named like its kind: empty, or with the body of `model`.
train::FunctionOp addFunction(train::ProgramOp program, train::FunctionKind kind,
                              train::FunctionOp model = nullptr);

/// The value of a symbol when the function is entered; one read per symbol.
mlir::Value readSymbol(mlir::ImplicitLocOpBuilder &builder, train::FunctionOp function,
                       mlir::StringRef symbol, mlir::RankedTensorType type);

/// Keeps one read per symbol, at the first one's place.
void mergeReads(train::FunctionOp function);

/// Gives named dims the sizes that they have in a function of its kind: their bounds, but for open dims in
/// functions for any size.
void makeStatic(train::FunctionOp function);

/// Takes out what said something of gradients that are there by now, or never will be.
void eraseGradientMarks(train::FunctionOp function);

/// What a function writes. It is kept aside, so that all writes can come at the function's end.
struct Write {
  mlir::Value value;
  mlir::StringAttr symbol;
  mlir::Location location;
};
/// Takes the writes out of the function, and gives back those of states, those of predictions, and always
/// those of index ranges and of what a step tells of its batch.
llvm::SmallVector<Write> takeWrites(train::FunctionOp function, bool states, bool predictions);
/// Takes `train.loss` out of the function; null values where there is none.
struct Loss {
  mlir::Value value, weight;
};
Loss takeLoss(train::FunctionOp function);

/// Adds writes at the function's end.
void addWrites(train::FunctionOp function, llvm::ArrayRef<Write> writes);

/// Takes out the function's write of a symbol.
void eraseWrite(train::FunctionOp function, train::StateOp symbol);

/// Whether the value depends on an input that predictions are not given.
bool needsTarget(train::ProgramOp program, mlir::Value value);

/// An error that says which node has no gradient, and that `derivative` was asked for. What is to be known of
/// it comes behind it.
mlir::InFlightDiagnostic reportMissing(const train::ReverseMode::Missing &missing,
                                       train::Derivative derivative);

/// Folds constants, merges what is computed twice, and erases what no write needs.
void simplify(train::FunctionOp function);

} // namespace dlc::backward

#endif // DLC_COMPILER_BACKWARD_FUNCTIONS_H
