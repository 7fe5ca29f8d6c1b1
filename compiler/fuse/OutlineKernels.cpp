//===- OutlineKernels.cpp - groups of loop nests become kernels and launches ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/analysis/Views.h"
#include "compiler/fuse/Costs.h"
#include "compiler/fuse/KernelBody.h"
#include "compiler/fuse/Members.h"
#include "compiler/fuse/Passes.h"
#include "compiler/fuse/Rewrite.h"
#include "compiler/support/Decisions.h"
#include "compiler/support/Remarks.h"
#include "dialects/train/Custom.h"
#include "mlir/Analysis/TopologicalSortUtils.h"
#include "mlir/IR/SymbolTable.h"

namespace dlc::fuse {

#define GEN_PASS_DEF_OUTLINEKERNELS
#include "compiler/fuse/Passes.h.inc"

/// The sizes of the loops that all nests of a group share, as "64 x 256".
static std::string sharedSizesOf(const Members &group) {
  std::string text;
  GenericOp first = group.ops.front();
  const auto sizes = loopSizes(first); // which the loop below refers to
  for (int64_t size : ArrayRef(sizes).take_front(group.shared()))
    text += (text.empty() ? "" : " x ") + std::to_string(size);
  return text;
}

/// The bytes that a group which only moves elements copies; 0 for all others.
static int64_t movedBy(const Members &group) {
  int64_t bytes = 0;
  for (GenericOp op : group.ops) {
    if (!isMove(op))
      return 0;
    bytes += bytesOf(op.getResult(0));
  }
  return bytes;
}

/// A description of a group's kernel; "" for a single nest.
static std::string contentsOf(const Members &group) {
  if (group.ops.size() == 1)
    return "";
  std::string text = std::to_string(group.ops.size()) + " loop nests";
  if (!group.isOfSteps())
    return text +
           (group.shared() == 0 ? " without common loops" : " in common loops of " + sharedSizesOf(group));
  return text + " in " + std::to_string(group.steps.size()) + " steps, one after the other for each of " +
         sharedSizesOf(group) + " iterations: what they hand to each other stays in the cache";
}

// The strides of a tensor that is a part of another; unit where it is row-major.
static mlir::Attribute stridesOf(mlir::Builder &b, Value tensor) {
  std::optional<nn::Shape> strides = analysis::partStrides(tensor);
  if (!strides)
    return b.getUnitAttr();
  SmallVector<mlir::Attribute> texts;
  for (const nn::Dim &stride : *strides)
    texts.push_back(b.getStringAttr(stride.str()));
  return b.getArrayAttr(texts);
}

/// Declares the layouts of the kernel's arguments and results, which are these values in the function.
static void describe(train::KernelOp kernel, ValueRange inputs, ValueRange outputs) {
  mlir::Builder attributes(kernel.getContext());
  SmallVector<mlir::Attribute> dims, strides;
  for (ValueRange values : {inputs, outputs})
    for (Value tensor : values) {
      dims.push_back(dimNames(tensor));
      strides.push_back(stridesOf(attributes, tensor));
    }
  if (llvm::any_of(dims, [](mlir::Attribute names) { return mlir::isa<nn::DimsAttr>(names); }))
    kernel.setArgDimsAttr(attributes.getArrayAttr(dims));
  if (llvm::any_of(strides, [](mlir::Attribute entry) { return mlir::isa<mlir::ArrayAttr>(entry); }))
    kernel.setArgStridesAttr(attributes.getArrayAttr(strides));
}

namespace {
/// Makes a kernel and a launch of it of each group. Each launch has its own kernel.
class Outliner {
public:
  Outliner(train::FunctionOp function, mlir::SymbolTable &symbols) : function(function), symbols(symbols) {}

  void outline(const Members &group);
  void outline(train::CustomCallOp call);

private:
  /// Launches the kernel at the place of `last`, which is the last operation that becomes part of it.
  train::LaunchOp launch(train::KernelOp kernel, mlir::Location location, ValueRange inputs, Operation *last);

  train::FunctionOp function;
  mlir::SymbolTable &symbols;
};
} // namespace

train::LaunchOp Outliner::launch(train::KernelOp kernel, mlir::Location location, ValueRange inputs,
                                 Operation *last) {
  kernel.setSymName("kernel");
  auto program = function->getParentOfType<train::ProgramOp>();
  symbols.insert(kernel, mlir::Block::iterator(*program.getBody().getOps<train::FunctionOp>().begin()));
  mlir::OpBuilder b(last);
  mlir::Block &body = kernel.getBody().front();
  return train::LaunchOp::create(b, location, body.getTerminator()->getOperandTypes(), kernel.getSymName(),
                                 inputs, ValueRange());
}

void Outliner::outline(train::CustomCallOp call) {
  mlir::OpBuilder b(call.getContext());
  mlir::OperationState state(call.getLoc(), train::KernelOp::getOperationName());
  state.addRegion();
  auto kernel = mlir::cast<train::KernelOp>(b.create(state));
  mlir::Block &body = kernel.getBody().emplaceBlock();
  for (Value input : call.getInputs())
    body.addArgument(input.getType(), input.getLoc());
  b.setInsertionPointToEnd(&body);
  Operation *inside = b.clone(*call);
  dropPosition(inside);
  inside->setOperands(body.getArguments());
  train::YieldOp::create(b, call.getLoc(), inside->getResults());
  kernel.setShared(0);
  describe(kernel, call.getInputs(), call.getOutputs());
  train::LaunchOp made = launch(kernel, call.getLoc(), call.getInputs(), call);
  setPosition(made, positionOf(call));
  call.replaceAllUsesWith(made.getOutputs());
  call.erase();
}

void Outliner::outline(const Members &group) {
  Interface interface = interfaceOf(group.ops);
  train::KernelOp kernel = kernelOf(group.steps, interface);
  for (Operation &op : kernel.getBody().front()) {
    dropPosition(&op);
    if (auto nest = mlir::dyn_cast<GenericOp>(op); nest && !group.isOfSteps())
      dropMember(nest);
  }
  kernel.setShared(group.shared());
  if (group.isOfSteps())
    kernel.setSteps(llvm::map_to_vector(group.steps, [](auto &step) { return int64_t(step.size()); }));
  SmallVector<Value> inputs = llvm::to_vector(interface.inputs);
  describe(kernel, inputs, SmallVector<Value>(interface.outputs.begin(), interface.outputs.end()));

  // The location names all nodes of the model that the launch works for: the profiler lists them.
  GenericOp first = group.ops.front(), last = group.ops.back();
  Decided decided = decidedOf(first.getLoc());
  if (remarks::areWanted(function)) {
    decided.contents = contentsOf(group);
    decided.moved = movedBy(group);
  }
  auto locations = llvm::map_to_vector(
      group.ops, [](GenericOp op) -> mlir::Location { return withoutDecided(op.getLoc()); });
  train::LaunchOp made = launch(kernel, withDecided(function.getContext(), locations, decided), inputs, last);
  setPosition(made, positionOf(first));
  for (auto [old, value] : llvm::zip_equal(interface.outputs, made.getOutputs()))
    old.replaceAllUsesWith(value);
  for (GenericOp op : llvm::reverse(group.ops))
    op->erase();
}

namespace {
struct OutlineKernelsPass : public impl::OutlineKernelsBase<OutlineKernelsPass> {
  mlir::LogicalResult outline(train::FunctionOp function, mlir::SymbolTable &symbols) {
    mlir::Block &block = function.getBody().front();
    mlir::FailureOr<SmallVector<Members>> groups = membersIn(block);
    if (mlir::failed(groups))
      return mlir::failure();
    Outliner outliner(function, symbols);
    for (const Members &group : *groups)
      outliner.outline(group);
    for (auto call : llvm::make_early_inc_range(block.getOps<train::CustomCallOp>()))
      outliner.outline(call);
    eraseUnused(block);
    // A launch stands where the last nest of its group stood, which others may have read before.
    mlir::sortTopologically(&block);
    return mlir::success();
  }

  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>()) {
      mlir::SymbolTable symbols(program);
      for (auto function : llvm::to_vector(program.getOps<train::FunctionOp>()))
        if (mlir::failed(outline(function, symbols)))
          return signalPassFailure();
    }
  }
};
} // namespace

} // namespace dlc::fuse
