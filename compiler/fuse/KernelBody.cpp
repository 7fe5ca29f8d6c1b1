//===- KernelBody.cpp - loop nests as the body of a kernel ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/KernelBody.h"
#include "compiler/analysis/KernelSizes.h"
#include "compiler/support/Decisions.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

Interface interfaceOf(ArrayRef<GenericOp> ops) {
  Interface interface;
  llvm::SmallPtrSet<Operation *, 8> members(ops.begin(), ops.end());
  auto addInput = [&](Value value) {
    if (!members.contains(value.getDefiningOp()) && !analysis::isMadeInKernel(value.getDefiningOp()))
      interface.inputs.insert(value);
  };
  for (GenericOp op : ops) {
    mlir::Block &block = *op->getBlock();
    llvm::for_each(op.getInputs(), addInput);
    llvm::for_each(capturedTensors(op), addInput);
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(block.findAncestorOpInBlock(*user));
          }))
        interface.outputs.push_back(result);
  }
  return interface;
}

train::KernelOp kernelOf(ArrayRef<SmallVector<GenericOp>> steps, const Interface &interface) {
  GenericOp first = steps.front().front();
  mlir::Location location = withoutDecided(first.getLoc());
  mlir::OpBuilder b(location.getContext());
  mlir::OperationState state(location, train::KernelOp::getOperationName());
  state.addRegion();
  auto kernel = mlir::cast<train::KernelOp>(b.create(state));
  mlir::Block &body = kernel.getBody().emplaceBlock();
  mlir::IRMapping mapping;
  for (Value input : interface.inputs)
    mapping.map(input, body.addArgument(input.getType(), withoutDecided(input.getLoc())));
  b.setInsertionPointToEnd(&body);
  for (ArrayRef<GenericOp> step : steps) {
    for (GenericOp op : step)
      for (Value operand : op->getOperands())
        if (analysis::isMadeInKernel(operand.getDefiningOp()))
          analysis::cloneMadeInKernel(operand, mapping, b);
    for (GenericOp op : step)
      b.clone(*op, mapping)->setLoc(withoutDecided(op.getLoc()));
  }
  SmallVector<Value> yielded;
  for (OpResult output : interface.outputs)
    yielded.push_back(mapping.lookup(output));
  train::YieldOp::create(b, location, yielded);
  return kernel;
}

} // namespace dlc::fuse
