//===- Differentiate.cpp - a copy of forward becomes a step ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/backward/Differentiate.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/ReverseMode.h"

using namespace mlir;

namespace dlc::backward {

SmallVector<Value> trainableValues(train::FunctionOp function) {
  auto program = function->getParentOfType<train::ProgramOp>();
  SmallVector<Value> values;
  for (auto read : function.getBody().getOps<train::ReadOp>()) {
    auto state = dyn_cast<train::StateOp>(SymbolTable::lookupSymbolIn(program, read.getSymbol()));
    if (state && state.isTrainable())
      values.push_back(read.getValue());
  }
  return values;
}

train::OutputOp lossOutput(train::ProgramOp program) {
  for (auto output : program.getBody().getOps<train::OutputOp>())
    if (output.getRole() == train::OutputRole::Loss)
      return output;
  return nullptr;
}

void markGradient(OpBuilder &builder, StringAttr parameter, Value gradient) {
  auto location = NameLoc::get(builder.getStringAttr("gradient of " + parameter.getValue()));
  train::GradientOp::create(builder, location, gradient, FlatSymbolRefAttr::get(parameter));
}

LogicalResult differentiate(train::FunctionOp function, train::StateOp sumOfParts) {
  auto program = function->getParentOfType<train::ProgramOp>();
  mergeReads(function);
  makeStatic(function);
  SmallVector<Write> writes = takeWrites(function, /*states=*/true, /*predictions=*/false);
  Value loss = takeLoss(function).value;
  auto builder = OpBuilder::atBlockEnd(&function.getBody().front());
  ImplicitLocOpBuilder atEnd(loss.getLoc(), builder);
  if (sumOfParts) {
    auto type = cast<RankedTensorType>(sumOfParts.getType());
    nn::Expr before(atEnd, readSymbol(atEnd, function, sumOfParts.getSymName(), type));
    nn::Expr share = nn::cast({atEnd, loss}, type.getElementType());
    writes.push_back({before + share, sumOfParts.getSymNameAttr(), function.getLoc()});
  } else if (train::OutputOp output = lossOutput(program)) {
    Type type = cast<RankedTensorType>(output.getType()).getElementType();
    writes.push_back({nn::cast({atEnd, loss}, type), output.getSymNameAttr(), function.getLoc()});
  }
  std::optional<nn::Expr> scale; // of the loss whose gradients flow back
  if (train::StateOp state = lossScaleOf(program)) {
    auto type = cast<RankedTensorType>(state.getType());
    scale = nn::Expr(atEnd, readSymbol(atEnd, function, state.getSymName(), type));
    nn::Expr unscaled(atEnd, loss);
    loss = unscaled * nn::cast(*scale, unscaled.elementType());
  }
  Operation *endOfForward = &function.getBody().front().back();
  train::ReverseMode reverse(loss, trainableValues(function));
  if (failed(reverse.build(builder, [&](Value leaf, Value gradient) {
        if (scale) {
          nn::Expr scaled(atEnd, gradient);
          atEnd.restoreInsertionPoint(builder.saveInsertionPoint());
          gradient = scaled * nn::cast(1 / *scale, scaled.elementType());
        }
        markGradient(builder, leaf.getDefiningOp<train::ReadOp>().getSymbolAttr().getAttr(), gradient);
      })))
    return failure();
  joinProducts(endOfForward);
  addWrites(function, writes);
  eraseGradientMarks(function);
  return success();
}

void countBatch(train::FunctionOp function, train::StateOp count, bool accumulate,
                SmallVectorImpl<Write> &writes) {
  auto builder = ImplicitLocOpBuilder::atBlockEnd(function.getLoc(), &function.getBody().front());
  auto type = cast<RankedTensorType>(count.getType());
  nn::Expr batches(builder, nn::ConstantOp::create(builder, DenseElementsAttr::get(type, APFloat(1.0))));
  if (accumulate)
    batches = nn::Expr(builder, readSymbol(builder, function, count.getSymName(), type)) + batches;
  writes.push_back({batches, count.getSymNameAttr(), function.getLoc()});
}

void writeGradients(train::FunctionOp function, const GradientStates &states, train::StateOp count,
                    bool accumulate) {
  SmallVector<Write> writes;
  if (count)
    countBatch(function, count, accumulate, writes);
  for (auto gradient : function.getBody().getOps<train::GradientOp>()) {
    train::StateOp state = states.lookup(gradient.getParameterAttr().getAttr());
    StringAttr symbol = state.getSymNameAttr();
    Value value = gradient.getResult();
    if (accumulate) {
      ImplicitLocOpBuilder builder(gradient.getLoc(), function);
      builder.setInsertionPointAfter(gradient);
      nn::Expr before(builder, train::ReadOp::create(builder, value.getType(), symbol));
      value = before + nn::Expr(builder, value);
    }
    writes.push_back({value, symbol, gradient.getLoc()});
  }
  addWrites(function, writes);
  simplify(function);
}

} // namespace dlc::backward
