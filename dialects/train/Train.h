//===- Train.h - the train dialect -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Programs, state, functions, optimizer updates; kernels and their launches.
//===----------------------------------------------------------------------===//
#ifndef DLC_DIALECTS_TRAIN_TRAIN_H
#define DLC_DIALECTS_TRAIN_TRAIN_H

#include "dialects/nn/Dims.h"
#include "dialects/nn/NN.h"
#include "mlir/IR/DialectImplementation.h"
#include "mlir/IR/RegionKindInterface.h"
#include "mlir/IR/SymbolTable.h"

namespace train {

/// What reads and writes of symbols touch.
struct StateResource : public mlir::SideEffects::Resource::Base<StateResource> {
  llvm::StringRef getName() final { return "train.state"; }
};

/// The values that a hyperparameter may have: low <= value < limit.
struct HyperparameterRange {
  double low, limit;
};
/// The range of an optimizer's hyperparameter, by the name that getHyperparameterNames gives it.
HyperparameterRange rangeOfHyperparameter(llvm::StringRef name);

/// The type of what an optimizer keeps under this name for a parameter of this type.
mlir::RankedTensorType typeOfSlot(llvm::StringRef slot, mlir::RankedTensorType parameter);

/// A number of a recipe.
struct Number {
  /*implicit*/ Number(double value) : value(value) {}
  friend bool operator==(Number a, Number b) { return a.value == b.value; }
  friend llvm::hash_code hash_value(Number number) {
    return llvm::hash_value(llvm::bit_cast<uint64_t>(number.value));
  }
  double value;
};
mlir::AsmPrinter &operator<<(mlir::AsmPrinter &printer, Number number);

} // namespace train

namespace mlir {
template <> struct FieldParser<train::Number> {
  static FailureOr<train::Number> parse(AsmParser &parser);
};
} // namespace mlir

#include "dialects/train/ScheduleInterface.h.inc"
#include "dialects/train/TrainEnums.h.inc"
#define GET_ATTRDEF_CLASSES
#include "dialects/train/TrainAttrs.h.inc"
// The dialect declares attributes of operations of other dialects, which are among these.
#include "dialects/train/TrainDialect.h.inc"
#include "dialects/train/UpdateInterface.h.inc"
#define GET_OP_CLASSES
#include "dialects/train/TrainOps.h.inc"

#endif // DLC_DIALECTS_TRAIN_TRAIN_H
