//===- VerifyBackward.cpp - the promise of the stage backward --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Passes.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/Derivative.h"
#include "dialects/train/DimNames.h"
#include "dialects/train/Precision.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;

namespace dlc::backward {
#define GEN_PASS_DEF_VERIFYBACKWARD
#include "compiler/backward/Passes.h.inc"

static bool isTraining(train::FunctionKind kind) {
  return kind != train::FunctionKind::EvalStep && kind != train::FunctionKind::Predict;
}

static LogicalResult verifyAccesses(train::FunctionOp function) {
  llvm::SmallDenseSet<Attribute> read, written;
  for (Operation &op : function.getBody().front()) {
    if (auto reading = dyn_cast<train::ReadOp>(op)) {
      if (written.contains(reading.getSymbolAttr()))
        return op.emitOpError("reads @") << reading.getSymbol() << " after it was written";
      if (!read.insert(reading.getSymbolAttr()).second)
        return op.emitOpError("reads @") << reading.getSymbol() << " a second time";
    } else if (auto writing = dyn_cast<train::WriteOp>(op)) {
      if (!written.insert(writing.getSymbolAttr()).second)
        return op.emitOpError("writes @") << writing.getSymbol() << " a second time";
    } else if (isa<train::LossOp, train::BatchNormOp, train::StopGradientOp, train::CustomGradientOp,
                   train::UpdateIfOp>(op)) {
      return op.emitOpError("is left after the stage backward");
    }
  }
  return success();
}

static LogicalResult verifySizes(train::FunctionOp function) {
  for (Operation &op : function.getBody().front())
    for (Type type : op.getResultTypes())
      if (isa<RankedTensorType>(type))
        for (const nn::Dim &dim : nn::shapeOf(type))
          if (train::sizeIn(function, dim) != dim)
            return op.emitOpError("has the type ")
                   << type << " in '" << function.getSymName()
                   << "': functions that train have static types, but for open dims in those for any size";
  return success();
}

static LogicalResult verifyUpdates(train::ProgramOp program, train::FunctionOp function) {
  llvm::SmallDenseSet<StringRef> written;
  for (auto write : function.getBody().getOps<train::WriteOp>())
    written.insert(write.getSymbol());
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (state.isTrainable() && !written.contains(state.getSymName()))
      return function.emitOpError("'")
             << function.getSymName() << "' does not update parameter '" << state.getSymName() << "'";
  return success();
}

static LogicalResult verifyProgram(train::ProgramOp program) {
  llvm::SmallDenseSet<StringRef> names;
  for (auto function : program.getBody().getOps<train::FunctionOp>()) {
    train::FunctionKind kind = function.getKind();
    if (kind == train::FunctionKind::Forward || kind == train::FunctionKind::Evaluate)
      return function.emitOpError("'") << function.getSymName() << "' is left after the stage backward";
    if (!function.getOnePart() && !names.insert(functionName(function)).second)
      return function.emitOpError("is the second of kind ") << functionName(function);
    bool updates = kind == train::FunctionKind::TrainStep || kind == train::FunctionKind::TrainStepN ||
                   kind == train::FunctionKind::Apply;
    if (failed(verifyAccesses(function)) || failed(train::verifyPrecision(function)) ||
        (isTraining(kind) && failed(verifySizes(function))) ||
        (updates && failed(verifyUpdates(program, function))))
      return failure();
  }
  return success();
}

namespace {
class VerifyBackwardPass : public impl::VerifyBackwardBase<VerifyBackwardPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(verifyProgram(program)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace dlc::backward
