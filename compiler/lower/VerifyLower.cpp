//===- VerifyLower.cpp - the promise of the stage lower --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Views.h"
#include "compiler/lower/Passes.h"
#include "dialects/train/Custom.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/IR/Linalg.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

using namespace mlir;

namespace dlc::lower {

#define GEN_PASS_DEF_VERIFYLOWER
#include "compiler/lower/Passes.h.inc"

static LogicalResult verifyBody(linalg::GenericOp generic) {
  for (Operation &op : *generic.getBody()) {
    bool isScalar = isa<arith::ArithDialect, math::MathDialect>(op.getDialect());
    if (!isScalar &&
        !isa<linalg::IndexOp, linalg::YieldOp, tensor::ExtractOp, train::RandomBitsOp, train::DimSizeOp>(op))
      return op.emitOpError("is not expected in the body of a generic: scalar operations are");
  }
  return success();
}

// Only what users see, which is read and written, has dims of size 1.
static LogicalResult verifyGeneric(linalg::GenericOp generic) {
  for (Value operand : generic->getOperands()) {
    auto type = dyn_cast<RankedTensorType>(operand.getType());
    if (!type || type.getEncoding() || llvm::is_contained(type.getShape(), 1))
      return generic.emitOpError("has an operand of type ")
             << operand.getType() << ": expected a plain tensor without dims of size 1";
  }
  return verifyBody(generic);
}

static LogicalResult verifyFunction(train::FunctionOp function) {
  for (Operation &op : function.getBody().front()) {
    if (!isa<train::ReadOp, train::WriteOp, train::DimSizeOp, train::JoinOp, train::CustomCallOp,
             tensor::EmptyOp, linalg::FillOp, linalg::GenericOp, arith::ConstantOp>(op) &&
        !analysis::isView(&op))
      return op.emitOpError("is not expected in a function after the stage lower: reads, generics and what "
                            "initialises them, views, joins and writes are");
    if (auto generic = dyn_cast<linalg::GenericOp>(op); generic && failed(verifyGeneric(generic)))
      return failure();
  }
  return success();
}

namespace {
struct VerifyLowerPass : public impl::VerifyLowerBase<VerifyLowerPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      for (auto function : program.getOps<train::FunctionOp>())
        if (failed(verifyFunction(function)))
          return signalPassFailure();
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dlc::lower
