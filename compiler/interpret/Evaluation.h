//===- Evaluation.h - one operation being evaluated -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One operation being evaluated: its operands' values in, its results' values out. Each family has one
// function that evaluates its operations straight from their definitions in the ODS texts.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_INTERPRET_EVALUATION_H
#define DLC_COMPILER_INTERPRET_EVALUATION_H

#include "compiler/interpret/Tensor.h"
#include "mlir/IR/Operation.h"
#include "llvm/ADT/StringMap.h"

namespace dlc::interpret {

/// Actual sizes of named dims.
using DimSizes = llvm::StringMap<int64_t>;

/// A type's shape with the actual sizes; failure where a dynamic dim's name has none.
mlir::FailureOr<llvm::SmallVector<int64_t, 4>> concreteShape(mlir::RankedTensorType type,
                                                             const DimSizes &dims);

/// Elements of a tensor, each of which takes eight bytes here: 2 GiB.
constexpr int64_t largestTensor = int64_t(1) << 28;

class Evaluation {
public:
  /// `operands` holds one value per operand; `results` one zero tensor per result.
  Evaluation(mlir::Operation *op, llvm::ArrayRef<const Tensor *> operands,
             llvm::MutableArrayRef<Tensor> results, bool roundResults, bool roundSums)
      : op(op), operands(operands), results(results), roundResults(roundResults), roundSums(roundSums) {}

  mlir::Operation *getOperation() const { return op; }
  /// The value of one of the operation's operands.
  const Tensor &of(mlir::Value operand) const;
  const Tensor &operand(unsigned i) const { return *operands[i]; }
  unsigned numOperands() const { return operands.size(); }
  /// The only element of an operand.
  double scalar(mlir::Value operand) const { return of(operand).number(0); }
  Tensor &result(unsigned i = 0) { return results[i]; }
  /// Result `i` is complete and others are computed from it: if results are rounded, they see it rounded.
  void complete(unsigned i) {
    if (roundResults)
      results[i].roundToDType();
  }

  /// Whether sums are rounded to float32 after each term.
  bool sumsInFloat() const { return roundSums && results[0].isFloat() && results[0].dtype != DType::F64; }
  /// What a sum has come to.
  double sum(double number) const { return sumsInFloat() ? static_cast<float>(number) : number; }

  /// Reports an error at the operation.
  void fail(const llvm::Twine &message);
  bool failed() const { return hasFailed; }

private:
  mlir::Operation *op;
  llvm::ArrayRef<const Tensor *> operands;
  llvm::MutableArrayRef<Tensor> results;
  bool roundResults, roundSums, hasFailed = false;
};

/// Each family evaluates its operations, in the file of its name; false where the operation is of another
/// one.
#define FAMILY(Name) bool evaluate##Name(Evaluation &e);
#include "compiler/interpret/Families.inc"

/// A tensor of zeros for a value of this type; an error at `op` where there can be none.
mlir::FailureOr<Tensor> allocate(mlir::Operation *op, mlir::Type type, const DimSizes &dims);

/// The results of one operation of nn, given its operands' values; of floats, rounded to their dtype if
/// `roundResults`, and with `roundSums` their sums to float32 after each term.
mlir::FailureOr<llvm::SmallVector<Tensor>> evaluateOperation(mlir::Operation *op,
                                                             llvm::ArrayRef<const Tensor *> operands,
                                                             const DimSizes &dims, bool roundResults,
                                                             bool roundSums = false);

/// Larger and smaller of two; NaN if either is.
double maximum(double a, double b);
double minimum(double a, double b);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_EVALUATION_H
