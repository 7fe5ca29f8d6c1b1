//===- Outline.cpp - groups become kernels and launches --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/fuse/Outline.h"
#include "compiler/fuse/Collapse.h"
#include "compiler/fuse/Rewrite.h"
#include "dialects/train/KernelSizes.h"
#include "dialects/train/Nonzero.h"
#include "dialects/train/Views.h"
#include "mlir/Dialect/Affine/IR/AffineOps.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Linalg/Transforms/Transforms.h"

namespace dlc::fuse {

// The inputs and outputs of a group: the values that its operations read of others, and those that others
// read of them.
static std::pair<llvm::SetVector<Value>, SmallVector<OpResult>> interfaceOf(ArrayRef<GenericOp> ops) {
  llvm::SetVector<Value> inputs;
  SmallVector<OpResult> outputs;
  llvm::SmallPtrSet<Operation *, 8> members(ops.begin(), ops.end());
  auto addInput = [&](Value value) {
    if (!members.contains(value.getDefiningOp()) && !train::isMadeInKernel(value.getDefiningOp()))
      inputs.insert(value);
  };
  for (GenericOp op : ops) {
    mlir::Block &block = *op->getBlock();
    llvm::for_each(op.getInputs(), addInput);
    llvm::for_each(capturedTensors(op), addInput);
    for (OpResult result : op->getResults())
      if (llvm::any_of(result.getUsers(), [&](Operation *user) {
            return !members.contains(block.findAncestorOpInBlock(*user));
          }))
        outputs.push_back(result);
  }
  return {std::move(inputs), std::move(outputs)};
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

// The strides of a tensor that is a part of another; unit where it is row-major.
static mlir::Attribute stridesOf(mlir::Builder &b, Value tensor) {
  std::optional<nn::Shape> strides = train::partStrides(tensor);
  if (!strides)
    return b.getUnitAttr();
  SmallVector<mlir::Attribute> texts;
  for (const nn::Dim &stride : *strides)
    texts.push_back(b.getStringAttr(stride.str()));
  return b.getArrayAttr(texts);
}

train::KernelOp Outliner::emptyKernel(const Group &group, ArrayRef<Value> inputs, mlir::IRMapping &mapping) {
  mlir::OpBuilder b(program.getContext());
  GenericOp first = group.ops.front();
  mlir::OperationState state(first.getLoc(), train::KernelOp::getOperationName());
  state.addRegion();
  auto kernel = mlir::cast<train::KernelOp>(b.create(state));
  mlir::Block &body = kernel.getBody().emplaceBlock();
  for (Value input : inputs)
    mapping.map(input, body.addArgument(input.getType(), input.getLoc()));
  return kernel;
}

void Outliner::finish(train::KernelOp kernel, ArrayRef<OpResult> outputs, mlir::IRMapping &mapping) {
  SmallVector<Value> yielded;
  for (OpResult output : outputs)
    yielded.push_back(mapping.lookup(output));
  auto b = mlir::OpBuilder::atBlockEnd(&kernel.getBody().front());
  train::YieldOp::create(b, kernel.getLoc(), yielded);
}

train::KernelOp Outliner::kernelOfOne(const Group &group, ArrayRef<Value> inputs,
                                      ArrayRef<OpResult> outputs) {
  mlir::IRMapping mapping;
  train::KernelOp kernel = emptyKernel(group, inputs, mapping);
  mlir::Block &body = kernel.getBody().front();
  auto b = mlir::OpBuilder::atBlockEnd(&body);
  for (GenericOp op : group.ops)
    for (Value operand : op->getOperands())
      if (train::isMadeInKernel(operand.getDefiningOp()))
        train::cloneMadeInKernel(operand, mapping, b);
  for (GenericOp op : group.ops)
    b.clone(*op, mapping);
  finish(kernel, outputs, mapping);
  fuseGenerics(body);
  return kernel;
}

// After interchanging loops, each position along a loop is an affine function of all positions.
static void simplifyPositions(GenericOp op) {
  for (auto apply : llvm::make_early_inc_range(op.getBody()->getOps<mlir::affine::AffineApplyOp>())) {
    auto loop = mlir::cast<mlir::AffineDimExpr>(apply.getAffineMap().getResult(0));
    apply.replaceAllUsesWith(apply.getDimOperands()[loop.getPosition()]);
    apply.erase();
  }
}

// Interchanges the loops so that these are the first.
static void moveFirst(mlir::Block &body, ArrayRef<unsigned> outer) {
  mlir::IRRewriter rewriter(body.getParent()->getContext());
  for (GenericOp op : llvm::make_early_inc_range(body.getOps<GenericOp>())) {
    SmallVector<unsigned> order(outer);
    for (unsigned loop = 0; loop < op.getNumLoops(); ++loop)
      if (!llvm::is_contained(outer, loop))
        order.push_back(loop);
    if (llvm::is_sorted(order))
      continue;
    train::dropNonzeroTerms(op); // which are of the loops in their old order
    rewriter.setInsertionPoint(op);
    if (mlir::FailureOr<GenericOp> made = mlir::linalg::interchangeGenericOp(rewriter, op, order);
        mlir::succeeded(made))
      simplifyPositions(*made);
  }
}

// Inlines the kernel of each step, one after the other.
train::KernelOp Outliner::kernelOfSteps(const Group &group, ArrayRef<Value> inputs,
                                        ArrayRef<OpResult> outputs) {
  mlir::IRMapping mapping;
  train::KernelOp kernel = emptyKernel(group, inputs, mapping);
  mlir::Block &body = kernel.getBody().front();
  auto b = mlir::OpBuilder::atBlockEnd(&body);
  SmallVector<int64_t> counts;
  for (const Group &step : group.steps) {
    auto [read, made] = interfaceOf(step.ops);
    train::KernelOp own = kernelOfOne(step, read.getArrayRef(), made);
    mlir::Block &ownBody = own.getBody().front();
    moveFirst(ownBody, step.outer);
    mlir::IRMapping inside;
    for (auto [value, argument] : llvm::zip_equal(read, ownBody.getArguments()))
      inside.map(argument, mapping.lookup(value));
    for (Operation &op : ownBody.without_terminator())
      b.clone(op, inside);
    for (auto [old, value] : llvm::zip_equal(made, ownBody.getTerminator()->getOperands()))
      mapping.map(old, inside.lookup(value));
    counts.push_back(llvm::range_size(ownBody.getOps<GenericOp>()));
    own->erase();
  }
  finish(kernel, outputs, mapping);
  leaveOutMasked(body);
  kernel.setSteps(counts);
  return kernel;
}

train::KernelOp Outliner::findEqual(train::KernelOp kernel, StringRef name) {
  for (train::KernelOp known : byName[name])
    if (known.getShared() == kernel.getShared() && known.getArgDimsAttr() == kernel.getArgDimsAttr() &&
        known.getArgStridesAttr() == kernel.getArgStridesAttr() &&
        known.getStepsAttr() == kernel.getStepsAttr() &&
        mlir::OperationEquivalence::isRegionEquivalentTo(&known.getBody(), &kernel.getBody(),
                                                         mlir::OperationEquivalence::IgnoreLocations))
      return known;
  return nullptr;
}

void Outliner::describe(train::KernelOp kernel, mlir::ValueRange inputs, mlir::ValueRange outputs) {
  mlir::Builder attributes(program.getContext());
  SmallVector<mlir::Attribute> dims, strides;
  for (mlir::ValueRange values : {inputs, outputs})
    for (Value tensor : values) {
      dims.push_back(dimNames(tensor));
      strides.push_back(stridesOf(attributes, tensor));
    }
  if (llvm::any_of(dims, [](mlir::Attribute names) { return mlir::isa<nn::DimsAttr>(names); }))
    kernel.setArgDimsAttr(attributes.getArrayAttr(dims));
  if (llvm::any_of(strides, [](mlir::Attribute entry) { return mlir::isa<mlir::ArrayAttr>(entry); }))
    kernel.setArgStridesAttr(attributes.getArrayAttr(strides));
}

train::KernelOp Outliner::insertOnce(train::KernelOp kernel, StringRef name) {
  if (train::KernelOp known = findEqual(kernel, name)) {
    kernel->erase();
    return known;
  }
  kernel.setSymName(name);
  symbols.insert(kernel, mlir::Block::iterator(*program.getBody().getOps<train::FunctionOp>().begin()));
  byName[name].push_back(kernel);
  return kernel;
}

train::LaunchOp Outliner::outline(train::CustomCallOp call, train::FunctionOp function) {
  mlir::OpBuilder b(program.getContext());
  mlir::OperationState state(call.getLoc(), train::KernelOp::getOperationName());
  state.addRegion();
  auto kernel = mlir::cast<train::KernelOp>(b.create(state));
  mlir::Block &body = kernel.getBody().emplaceBlock();
  for (Value input : call.getInputs())
    body.addArgument(input.getType(), input.getLoc());
  b.setInsertionPointToEnd(&body);
  Operation *inside = b.clone(*call);
  inside->setOperands(body.getArguments());
  train::YieldOp::create(b, call.getLoc(), inside->getResults());
  kernel.setShared(0);
  describe(kernel, call.getInputs(), call.getOutputs());
  kernel = insertOnce(kernel, call.definition().codeName());
  b.setInsertionPointToEnd(&function.getBody().front());
  auto launch = train::LaunchOp::create(b, call.getLoc(), call.getResultTypes(), kernel.getSymName(),
                                        call.getInputs(), ValueRange());
  call.replaceAllUsesWith(launch.getOutputs());
  call.erase();
  return launch;
}

train::LaunchOp Outliner::outline(Group &group, ArrayRef<Apart> apart, train::FunctionOp function) {
  auto [inputs, outputs] = interfaceOf(group.ops);
  train::KernelOp kernel = group.steps.empty() ? kernelOfOne(group, inputs.getArrayRef(), outputs)
                                               : kernelOfSteps(group, inputs.getArrayRef(), outputs);
  kernel.setShared(group.shared);
  describe(kernel, inputs.getArrayRef(), SmallVector<Value>(outputs.begin(), outputs.end()));
  collapseLoops(kernel);
  kernel = insertOnce(kernel, kernelName(group, kernel.getBody().front()));
  auto b = mlir::OpBuilder::atBlockEnd(&function.getBody().front());
  mlir::Block &body = kernel.getBody().front();
  SmallVector<Value> operands;
  for (auto [value, argument] : llvm::zip_equal(inputs, body.getArguments()))
    operands.push_back(collapsedView(b, value, argument.getType(),
                                     declaredShape(kernel, argument, argument.getArgNumber())));
  // The location names all nodes of the model that the launch works for: the profiler lists them.
  auto locations = llvm::map_to_vector(group.ops, [](GenericOp op) -> mlir::Location { return op.getLoc(); });
  auto launch = train::LaunchOp::create(b, withApart(b.getContext(), locations, apart),
                                        body.getTerminator()->getOperandTypes(), kernel.getSymName(),
                                        operands, ValueRange());
  for (auto [old, made] : llvm::zip_equal(outputs, launch.getOutputs()))
    old.replaceAllUsesWith(expandedView(b, made, old.getType(), shapeOf(old)));
  for (GenericOp op : llvm::reverse(group.ops))
    op->erase();
  return launch;
}

} // namespace dlc::fuse
