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

LogicalResult differentiate(train::FunctionOp function, train::StateOp sumOfParts, train::StateOp weight) {
  auto program = function->getParentOfType<train::ProgramOp>();
  mergeReads(function);
  makeStatic(function);
  SmallVector<Write> writes = takeWrites(function, /*states=*/true, /*predictions=*/false);
  auto [loss, lossWeight] = takeLoss(function);
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
  if (weight) {
    Type type = cast<RankedTensorType>(weight.getType()).getElementType();
    writes.push_back({nn::cast({atEnd, lossWeight}, type), weight.getSymNameAttr(), function.getLoc()});
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

namespace {
/// The mean of the gradients that are there and of those of one more batch, each of which is the mean over
/// labels of some weight. It moves from the former towards the latter, by the latter's part of both weights:
/// equal gradients stay what they are. A batch without weight changes nothing, even where its gradients are
/// no numbers.
class WeightedMean {
public:
  /// After the function's write of the batch's own weight, which becomes that of both.
  WeightedMean(train::FunctionOp function, train::StateOp state) {
    auto isWeight = [&](train::WriteOp write) { return write.getSymbol() == state.getSymName(); };
    auto write = *llvm::find_if(function.getBody().getOps<train::WriteOp>(), isWeight);
    ImplicitLocOpBuilder builder(write.getLoc(), function);
    builder.setInsertionPointAfterValue(write.getValue());
    nn::Expr weight(builder, write.getValue());
    nn::Expr before(builder, readSymbol(builder, function, state.getSymName(), weight.type()));
    nn::Expr both = before + weight;
    part = select(equal(weight, weight.scalar(0)), 0, weight / both);
    write.getValueMutable().assign(both);
  }

  Value of(nn::Expr before, nn::Expr gradient) const {
    ImplicitLocOpBuilder &builder = gradient.getBuilder();
    nn::Expr share = cast(nn::Expr(builder, part), gradient.elementType());
    nn::Expr moved = fma(share, gradient - before, before);
    nn::Expr unlessAll = select(equal(share, share.scalar(1)), gradient, moved);
    return select(equal(share, share.scalar(0)), before, unlessAll);
  }

private:
  Value part;
};
} // namespace

void writeGradients(train::FunctionOp function, const GradientStates &states, train::StateOp weight,
                    bool accumulate) {
  std::optional<WeightedMean> mean;
  if (accumulate && weight)
    mean.emplace(function, weight);
  SmallVector<Write> writes;
  for (auto gradient : function.getBody().getOps<train::GradientOp>()) {
    train::StateOp state = states.lookup(gradient.getParameterAttr().getAttr());
    StringAttr symbol = state.getSymNameAttr();
    Value value = gradient.getResult();
    if (accumulate) {
      ImplicitLocOpBuilder builder(gradient.getLoc(), function);
      builder.setInsertionPointAfter(gradient);
      nn::Expr before(builder, train::ReadOp::create(builder, value.getType(), symbol));
      nn::Expr added(builder, value);
      value = mean ? mean->of(before, added) : (before + added).get();
    }
    writes.push_back({value, symbol, gradient.getLoc()});
  }
  addWrites(function, writes);
  simplify(function);
}

} // namespace dlc::backward
