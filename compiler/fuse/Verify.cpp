//===- Verify.cpp - what the stage fuse promises ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/KernelSizes.h"
#include "compiler/analysis/Views.h"
#include "compiler/fuse/LoopPairs.h"
#include "compiler/fuse/Passes.h"
#include "dialects/train/Custom.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_VERIFYFUSE
#include "compiler/fuse/Passes.h.inc"

using mlir::LogicalResult;

static LogicalResult verifyFunction(train::FunctionOp function) {
  for (Operation &op : function.getBody().front())
    if (!mlir::isa<train::ReadOp, train::LaunchOp, train::WriteOp, train::DimSizeOp, train::JoinOp>(op) &&
        !analysis::isView(&op))
      return op.emitOpError("is not expected in a function after the stage fuse: reads, launches, views, "
                            "joins and writes are");
  return mlir::success();
}

static LogicalResult verifyBody(GenericOp generic) {
  for (Operation &op : *generic.getBody()) {
    bool isScalar = mlir::isa<mlir::arith::ArithDialect, mlir::math::MathDialect>(op.getDialect());
    if (!isScalar && !mlir::isa<mlir::linalg::IndexOp, mlir::linalg::YieldOp, mlir::tensor::ExtractOp,
                                train::RandomBitsOp, train::DimSizeOp>(op))
      return op.emitOpError("is not expected in the body of a generic: scalar operations are");
    for (Value operand : op.getOperands())
      if (!mlir::isa<mlir::TensorType>(operand.getType()) && operand.getParentBlock() != generic.getBody())
        return op.emitOpError("captures a scalar: only tensors may come from outside a generic's body");
  }
  for (Value tensor : capturedTensors(generic))
    if (!mlir::isa<mlir::BlockArgument>(tensor))
      return generic.emitOpError("reads elements of a tensor that is not an argument of its kernel");
  return mlir::success();
}

// Parallel loops come first, results are written in their order, shared loops are the same in all generics.
static LogicalResult verifyLoops(GenericOp op, unsigned shared, bool isInStep) {
  unsigned parallel = op.getNumParallelLoops();
  for (auto [loop, type] : llvm::enumerate(op.getIteratorTypesArray()))
    if ((type == mlir::utils::IteratorType::parallel) != (loop < parallel))
      return op.emitOpError("has a reduction loop before a parallel one");
  if (parallel < shared)
    return op.emitOpError("has ") << parallel << " parallel loops, expected the " << shared << " shared ones";
  for (OpOperand &init : op.getDpsInitsMutable())
    if (AffineMap map = withoutCuts(op.getMatchingIndexingMap(&init));
        map.getNumResults() != parallel ||
        (isInStep ? !map.isProjectedPermutation() : identityPrefix(map) != parallel))
      return op.emitOpError("does not write its results in the order of its parallel loops");
  for (OpOperand *input : op.getDpsInputOperands())
    if (input->get().getDefiningOp<GenericOp>() && !analysis::isOfSameIteration(*input, shared))
      return op.emitOpError(
                 "needs of another generic what other iterations of the shared loops made (operand ")
             << input->getOperandNumber() << ")";
  return mlir::success();
}

static LogicalResult verifyKernel(train::KernelOp kernel) {
  if (!kernel.getShared())
    return kernel.emitOpError("expects a number of shared loops");
  // Steps have their common loops first, and may write results whose dims are in another order.
  bool isOfSteps = kernel.getSteps().has_value();
  mlir::Block &block = kernel.getBody().front();
  if (mlir::isa<train::CustomCallOp>(block.front()) && block.front().getNextNode() == block.getTerminator())
    return mlir::success();
  for (Operation &op : block) {
    if (!mlir::isa<mlir::arith::ConstantOp, train::DimSizeOp, mlir::tensor::EmptyOp, mlir::linalg::FillOp,
                   GenericOp, train::YieldOp>(op))
      return op.emitOpError("is not expected in a kernel: generics and what initialises them are");
    auto generic = mlir::dyn_cast<GenericOp>(op);
    if (!generic)
      continue;
    if (mlir::failed(verifyBody(generic)) ||
        mlir::failed(verifyLoops(generic, *kernel.getShared(), isOfSteps)))
      return mlir::failure();
  }
  if (LoopPairs(kernel).any())
    return kernel.emitOpError("has two neighbouring loops that move together through all its tensors, "
                              "expected one");
  return mlir::success();
}

namespace {
struct VerifyFusePass : public impl::VerifyFuseBase<VerifyFusePass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      for (Operation &op : program.getBody().front()) {
        auto function = mlir::dyn_cast<train::FunctionOp>(op);
        auto kernel = mlir::dyn_cast<train::KernelOp>(op);
        if ((function && mlir::failed(verifyFunction(function))) ||
            (kernel && mlir::failed(verifyKernel(kernel))))
          return signalPassFailure();
      }
    markAllAnalysesPreserved();
  }
};
} // namespace

} // namespace dlc::fuse
