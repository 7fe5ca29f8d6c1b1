//===- Values.h - values of operations one at a time ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reference interpreter for a function that grows: what was computed once is kept.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SESSION_VALUES_H
#define DLC_COMPILER_SESSION_VALUES_H

#include "compiler/interpret/Evaluation.h"
#include "dialects/train/Train.h"

namespace dlc::session {

class Values {
public:
  /// The value of a symbol that a function reads; failure where it has none.
  using Source = llvm::function_ref<mlir::FailureOr<interpret::Tensor>(llvm::StringRef symbol)>;

  /// The value, rounded to its dtype as compiled code would; computes what it needs. Null after an error,
  /// which was reported, or where the source has no value.
  const interpret::Tensor *of(mlir::Value value, Source source, const interpret::DimSizes &dims);
  void clear() { known.clear(); }

private:
  mlir::LogicalResult compute(mlir::Operation *op, Source source, const interpret::DimSizes &dims);
  llvm::DenseMap<mlir::Value, interpret::Tensor> known;
};

} // namespace dlc::session

#endif // DLC_COMPILER_SESSION_VALUES_H
