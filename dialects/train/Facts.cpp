//===- Facts.cpp - train: what stages tell each other ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What can be said of each fact alone. What it says of an operation, that operation's verifier knows; here
// are those of operations of other dialects, too.
//===----------------------------------------------------------------------===//
#include "dialects/train/Train.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/IR/IntegerSet.h"

using namespace mlir;
using namespace train;

//===-- Of operations of other dialects ----------------------------------------===//

/// How many loops a nest has; an error for other operations.
static FailureOr<int64_t> loopsOf(Operation *op, NamedAttribute attribute) {
  if (auto nest = dyn_cast<linalg::LinalgOp>(op))
    return nest.getNumLoops();
  return op->emitOpError("has the attribute '")
         << attribute.getName().getValue() << "', which loop nests have";
}

static LogicalResult verifyNonzero(Operation *op, NamedAttribute attribute) {
  FailureOr<int64_t> loops = loopsOf(op, attribute);
  if (failed(loops))
    return failure();
  auto terms = dyn_cast<IntegerSetAttr>(attribute.getValue());
  if (terms && terms.getValue().getNumDims() == *loops && terms.getValue().getNumSymbols() == 0 &&
      llvm::none_of(terms.getValue().getEqFlags(), [](bool isEquality) { return isEquality; }))
    return success();
  return op->emitOpError("expects in '")
         << attribute.getName().getValue() << "' a set of inequalities over its " << *loops << " loops, got "
         << attribute.getValue();
}

static LogicalResult verifyZerosBefore(Operation *op, NamedAttribute attribute) {
  FailureOr<int64_t> loops = loopsOf(op, attribute);
  if (failed(loops))
    return failure();
  auto zeros = dyn_cast<DenseI64ArrayAttr>(attribute.getValue());
  if (zeros && zeros.size() == *loops &&
      llvm::none_of(zeros.asArrayRef(), [](int64_t each) { return each < 0; }))
    return success();
  return op->emitOpError("expects in '") << attribute.getName().getValue() << "' a number for each of its "
                                         << *loops << " loops, 0 or more, got " << attribute.getValue();
}

static LogicalResult verifyDescribed(Operation *op, NamedAttribute attribute) {
  auto texts = dyn_cast<ArrayAttr>(attribute.getValue());
  if (isa<ProgramOp>(op) && texts && llvm::all_of(texts, llvm::IsaPred<StringAttr>))
    return success();
  return op->emitOpError("expects '")
         << attribute.getName().getValue() << "' to be a list of texts, and of a train.program";
}

LogicalResult TrainDialect::verifyOperationAttribute(Operation *op, NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == NonzeroAttrHelper::getNameStr())
    return verifyNonzero(op, attribute);
  if (name == ZerosBeforeAttrHelper::getNameStr())
    return verifyZerosBefore(op, attribute);
  if (name == DescribedAttrHelper::getNameStr())
    return verifyDescribed(op, attribute);
  return op->emitOpError("has the attribute '") << name << "', which the dialect 'train' does not have";
}
