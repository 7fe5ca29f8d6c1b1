//===- Outline.cpp - groups become kernels and launches --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Outline.h"
#include "compiler/fuse/Collapse.h"
#include "compiler/fuse/Rewrite.h"
#include "dialects/train/Views.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

namespace dlc::fuse {

// What a kernel makes itself instead of getting it as an argument.
static bool isLocal(Operation *op) {
  return mlir::isa_and_nonnull<mlir::tensor::EmptyOp, mlir::linalg::FillOp, mlir::arith::ConstantOp,
                               train::DimSizeOp>(op);
}

static void cloneLocal(Value value, mlir::IRMapping &mapping, mlir::OpBuilder &b) {
  if (mapping.contains(value))
    return;
  Operation *op = value.getDefiningOp();
  for (Value operand : op->getOperands())
    cloneLocal(operand, mapping, b);
  b.clone(*op, mapping);
}

static std::string kernelName(const Group &group, mlir::Block &body) {
  if (group.isScalars)
    return "scalars";
  constexpr unsigned mostWords = 6;
  std::string doc;
  for (GenericOp op : body.getOps<GenericOp>())
    doc = joinDocs(doc, op.getDoc().value_or(""));
  SmallVector<StringRef> words;
  StringRef(doc).split(words, ' ', -1, /*KeepEmpty=*/false);
  if (words.size() > mostWords)
    words.truncate(mostWords);
  return words.empty() ? "kernel" : llvm::join(words, "_");
}

// How a tensor that is a part of another lies there; unit where it lies in row-major order.
static mlir::Attribute stridesOf(mlir::Builder &b, Value tensor) {
  std::optional<nn::Shape> strides = train::partStrides(tensor);
  if (!strides)
    return b.getUnitAttr();
  SmallVector<mlir::Attribute> texts;
  for (const nn::Dim &stride : *strides)
    texts.push_back(b.getStringAttr(stride.str()));
  return b.getArrayAttr(texts);
}

train::KernelOp Outliner::buildKernel(Group &group, ArrayRef<Value> inputs, ArrayRef<OpResult> outputs) {
  mlir::OpBuilder b(program.getContext());
  mlir::OperationState state(group.ops.front().getLoc(), train::KernelOp::getOperationName());
  state.addRegion();
  auto kernel = mlir::cast<train::KernelOp>(b.create(state));
  mlir::Block &body = kernel.getBody().emplaceBlock();
  mlir::IRMapping mapping;
  SmallVector<mlir::Attribute> dims, strides;
  for (Value input : inputs) {
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
    dims.push_back(dimNames(input));
    strides.push_back(stridesOf(b, input));
  }
  b.setInsertionPointToEnd(&body);
  for (GenericOp op : group.ops)
    for (Value operand : op->getOperands())
      if (isLocal(operand.getDefiningOp()))
        cloneLocal(operand, mapping, b);
  SmallVector<Value> yielded;
  for (GenericOp op : group.ops)
    b.clone(*op, mapping);
  for (OpResult output : outputs) {
    yielded.push_back(mapping.lookup(output));
    dims.push_back(dimNames(output));
    strides.push_back(stridesOf(b, output));
  }
  train::YieldOp::create(b, kernel.getLoc(), yielded);
  fuseGenerics(body);

  kernel.setShared(group.shared);
  if (llvm::any_of(dims, [](mlir::Attribute names) { return mlir::isa<nn::DimsAttr>(names); }))
    kernel.setArgDimsAttr(b.getArrayAttr(dims));
  if (llvm::any_of(strides, [](mlir::Attribute entry) { return mlir::isa<mlir::ArrayAttr>(entry); }))
    kernel.setArgStridesAttr(b.getArrayAttr(strides));
  collapseLoops(kernel);
  return kernel;
}

train::KernelOp Outliner::findEqual(train::KernelOp kernel, StringRef name) {
  for (train::KernelOp known : byName[name])
    if (known.getShared() == kernel.getShared() && known.getArgDimsAttr() == kernel.getArgDimsAttr() &&
        known.getArgStridesAttr() == kernel.getArgStridesAttr() &&
        mlir::OperationEquivalence::isRegionEquivalentTo(&known.getBody(), &kernel.getBody(),
                                                         mlir::OperationEquivalence::IgnoreLocations))
      return known;
  return nullptr;
}

train::LaunchOp Outliner::outline(Group &group, train::FunctionOp function) {
  llvm::SetVector<Value> inputs;
  SmallVector<OpResult> outputs;
  llvm::SmallPtrSet<Operation *, 8> members(group.ops.begin(), group.ops.end());
  mlir::Block &block = function.getBody().front();
  auto addInput = [&](Value value) {
    if (!members.contains(value.getDefiningOp()) && !isLocal(value.getDefiningOp()))
      inputs.insert(value);
  };
  for (GenericOp op : group.ops) {
    llvm::for_each(op.getInputs(), addInput);
    llvm::for_each(capturedTensors(op), addInput);
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(block.findAncestorOpInBlock(*user));
          }))
        outputs.push_back(result);
  }
  train::KernelOp kernel = buildKernel(group, inputs.getArrayRef(), outputs);
  std::string name = kernelName(group, kernel.getBody().front());
  if (train::KernelOp known = findEqual(kernel, name)) {
    kernel->erase();
    kernel = known;
  } else {
    kernel.setSymName(name);
    symbols.insert(kernel, mlir::Block::iterator(*program.getBody().getOps<train::FunctionOp>().begin()));
    byName[name].push_back(kernel);
  }
  auto b = mlir::OpBuilder::atBlockEnd(&block);
  mlir::Block &body = kernel.getBody().front();
  SmallVector<Value> operands;
  for (auto [value, argument] : llvm::zip_equal(inputs, body.getArguments()))
    operands.push_back(collapsedView(b, value, argument.getType(),
                                     declaredShape(kernel, argument, argument.getArgNumber())));
  // All nodes of the model that the launch works for: the profiler lists them.
  auto locations = llvm::map_to_vector(group.ops, [](GenericOp op) -> mlir::Location { return op.getLoc(); });
  auto launch = train::LaunchOp::create(b, mlir::FusedLoc::get(b.getContext(), locations),
                                        body.getTerminator()->getOperandTypes(), kernel.getSymName(),
                                        operands, ValueRange());
  for (auto [old, made] : llvm::zip_equal(outputs, launch.getOutputs()))
    old.replaceAllUsesWith(expandedView(b, made, old.getType(), shapeOf(old)));
  for (GenericOp op : llvm::reverse(group.ops))
    op->erase();
  return launch;
}

} // namespace dlc::fuse
