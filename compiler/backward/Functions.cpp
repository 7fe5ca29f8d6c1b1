//===- Functions.cpp - what building a function of the program takes -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/backward/Functions.h"
#include "compiler/support/NodeNames.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Dims.h"
#include "dialects/train/Custom.h"
#include "dialects/train/DimNames.h"
#include "mlir/IR/Dominance.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "mlir/Transforms/CSE.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace dlc::backward;

train::FunctionOp dlc::backward::findFunction(train::ProgramOp program, train::FunctionKind kind) {
  for (auto function : program.getBody().getOps<train::FunctionOp>())
    if (function.getKind() == kind)
      return function;
  return nullptr;
}

FailureOr<SmallVector<train::FunctionOp>> dlc::backward::updatingFunctions(train::ProgramOp program) {
  SmallVector<train::FunctionOp> functions;
  for (auto state : program.getBody().getOps<train::StateOp>())
    if (state.getKind() == train::StateKind::StepCount)
      return state.emitOpError("'")
             << state.getSymName()
             << "' counts steps: dlc-update has attached the updates already, and this "
                "pass runs before it";
  for (auto kind :
       {train::FunctionKind::TrainStep, train::FunctionKind::Apply, train::FunctionKind::TrainStepN})
    if (train::FunctionOp function = findFunction(program, kind)) {
      if (function.getBody().getOps<train::GradientOp>().empty())
        return function.emitOpError("'")
               << function.getSymName()
               << "' has no train.gradient: this pass takes functions as dlc-gradients leaves them, before "
                  "dlc-update and the stages behind it";
      functions.push_back(function);
    }
  return functions;
}

train::FunctionOp dlc::backward::addFunction(train::ProgramOp program, train::FunctionKind kind,
                                             train::FunctionOp model) {
  auto builder = OpBuilder::atBlockEnd(&program.getBody().front());
  std::string name = freeSymbol(program, train::stringifyFunctionKind(kind));
  auto function = train::FunctionOp::create(builder, program.getLoc(), kind, name);
  if (model) {
    IRMapping mapping;
    model.getBody().cloneInto(&function.getBody(), mapping);
  } else {
    function.getBody().emplaceBlock();
  }
  return function;
}

Value dlc::backward::readSymbol(ImplicitLocOpBuilder &builder, train::FunctionOp function, StringRef symbol,
                                RankedTensorType type) {
  for (auto read : function.getBody().getOps<train::ReadOp>())
    if (read.getSymbol() == symbol)
      return read.getValue();
  return train::ReadOp::create(builder, type, symbol);
}

void dlc::backward::mergeReads(train::FunctionOp function) {
  DenseMap<StringAttr, Value> values;
  for (auto read : llvm::make_early_inc_range(function.getBody().getOps<train::ReadOp>())) {
    auto [known, inserted] = values.try_emplace(read.getSymbolAttr().getAttr(), read.getValue());
    if (inserted)
      continue;
    read.replaceAllUsesWith(known->second);
    read.erase();
  }
}

void dlc::backward::makeStatic(train::FunctionOp function) {
  auto bounded = [&](Type type) -> Type {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (!tensor || !tensor.getEncoding())
      return type;
    nn::Shape shape = nn::shapeOf(tensor);
    for (nn::Dim &dim : shape)
      dim = train::sizeIn(function, dim);
    return nn::tensorType(shape, tensor.getElementType());
  };
  function.walk([&](Operation *op) {
    // A slice takes a named dim whole; its size is now known.
    if (auto slice = dyn_cast<nn::SliceOp>(op)) {
      SmallVector<int64_t> limits(slice.getLimits());
      for (auto [axis, limit] : llvm::enumerate(limits))
        if (limit == -1 && !cast<RankedTensorType>(slice.getX().getType()).isDynamicDim(axis))
          limit = cast<RankedTensorType>(slice.getX().getType()).getDimSize(axis);
      slice.setLimits(limits);
    }
    for (Value result : op->getResults())
      result.setType(bounded(result.getType()));
    for (Region &body : op->getRegions()) // of train.custom_gradient
      for (BlockArgument argument : body.getArguments())
        argument.setType(bounded(argument.getType()));
  });
}

void dlc::backward::eraseGradientMarks(train::FunctionOp function) {
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (isa<train::StopGradientOp, train::CustomGradientOp>(op)) {
      op.replaceAllUsesWith(op.getOperands().take_front(op.getNumResults()));
      op.erase();
    }
}

SmallVector<Write> dlc::backward::takeWrites(train::FunctionOp function, bool states, bool predictions) {
  auto program = function->getParentOfType<train::ProgramOp>();
  SmallVector<Write> writes;
  for (auto write : llvm::make_early_inc_range(function.getBody().getOps<train::WriteOp>())) {
    Operation *symbol = SymbolTable::lookupSymbolIn(program, write.getSymbol());
    auto output = dyn_cast<train::OutputOp>(symbol);
    bool isCheck = output && output.getIndexRange();
    bool isKept = isCheck || (output && output.getOfStep());
    if (isKept || (output ? predictions : states))
      writes.push_back({write.getValue(), write.getSymbolAttr().getAttr(), write.getLoc()});
    write.erase();
  }
  return writes;
}

Loss dlc::backward::takeLoss(train::FunctionOp function) {
  for (auto loss : llvm::make_early_inc_range(function.getBody().getOps<train::LossOp>())) {
    Loss taken{loss.getValue(), loss.getWeight()};
    loss.erase();
    return taken;
  }
  return {};
}

// Backwards, so that an operation goes after the last one that needed it.
static void eraseDead(Block &block) {
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(block)))
    if (isOpTriviallyDead(&op))
      op.erase();
}

// Makes arithmetic on constants constants, without moving anything else.
static void foldConstants(Block &block) {
  OpBuilder builder(block.getParentOp()->getContext());
  for (Operation &op : llvm::make_early_inc_range(block)) {
    SmallVector<Value> results;
    builder.setInsertionPoint(&op);
    if (failed(builder.tryFold(&op, results)) || results.empty())
      continue;
    op.replaceAllUsesWith(results);
    op.erase();
  }
}

void dlc::backward::addWrites(train::FunctionOp function, ArrayRef<Write> writes) {
  auto builder = OpBuilder::atBlockEnd(&function.getBody().front());
  for (const Write &write : writes)
    train::WriteOp::create(builder, write.location, write.value, FlatSymbolRefAttr::get(write.symbol));
}

void dlc::backward::eraseWrite(train::FunctionOp function, train::StateOp symbol) {
  for (auto write : llvm::make_early_inc_range(function.getBody().getOps<train::WriteOp>()))
    if (write.getSymbol() == symbol.getSymName())
      write.erase();
}

void dlc::backward::simplify(train::FunctionOp function) {
  Block &block = function.getBody().front();
  foldConstants(block);
  IRRewriter rewriter(function.getContext());
  DominanceInfo dominance(function);
  eliminateCommonSubExpressions(rewriter, dominance, function);
  eraseDead(block);
}

bool dlc::backward::needsTarget(train::ProgramOp program, Value value) {
  llvm::SetVector<Operation *> needed;
  needed.insert(value.getDefiningOp());
  for (size_t i = 0; i < needed.size(); ++i) {
    if (auto read = dyn_cast<train::ReadOp>(needed[i])) {
      auto input = dyn_cast<train::InputOp>(SymbolTable::lookupSymbolIn(program, read.getSymbol()));
      if (input && input.getTarget())
        return true;
    }
    for (Value operand : needed[i]->getOperands())
      needed.insert(operand.getDefiningOp());
  }
  return false;
}

InFlightDiagnostic dlc::backward::reportMissing(const train::ReverseMode::Missing &missing,
                                                train::Derivative derivative) {
  StringRef node = nodeName(missing.op->getLoc());
  InFlightDiagnostic error = emitError(missing.op->getLoc());
  error << "--function=" << derivativeName(derivative) << ": ";
  if (!node.empty())
    error << "node '" << node << "': ";
  if (auto custom = dyn_cast<train::CustomOp>(missing.op))
    error << "the custom operation '" << custom.getCallee() << "' has no gradient in its file";
  else
    error << "'" << missing.op->getName().stripDialect() << "' has no gradient";
  return error;
}
