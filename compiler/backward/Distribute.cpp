//===- Distribute.cpp - samples that meet across ranks ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss of all ranks together is the sum of their losses, each of which is a function of all that ranks
// add up. So the gradient of a sum over ranks is the sum over ranks of the gradients: it is a function of its
// own, which reverse mode finds as it finds that of any other operation, and what it gives to parameters is a
// rank's share, as ever.
//
// To the later stages such a sum is what a user's function is: something on whole tensors that lie in
// row-major order, into which no loop goes.
//===----------------------------------------------------------------------===//
#include "compiler/backward/Distribute.h"
#include "compiler/backward/BatchInParts.h"
#include "compiler/backward/TrainingState.h"
#include "compiler/support/GradientWeight.h"
#include "compiler/support/NodeNames.h"
#include "compiler/support/Symbols.h"
#include "dialects/train/DimNames.h"

using namespace mlir;
using nn::Expr;

namespace dlc::backward {

Distributor::Distributor(train::ProgramOp program) : program(program) {
  batch.names = {train::batchDim(program).getSymName().str()};
}

int64_t Distributor::timesNamed(Type type) const {
  int64_t times = 0;
  for (const nn::Dim &dim : isa<RankedTensorType>(type) ? nn::shapeOf(type) : nn::Shape())
    times += llvm::count(dim.names, batch.names.front());
  return times;
}

LogicalResult Distributor::refuse(Operation *op) {
  StringRef node = nodeName(op->getLoc());
  return program.emitError(whyNoRanks) << "samples of a batch may meet in '"
                                       << (node.empty() ? op->getName().getStringRef() : node) << "'";
}

//===-- Sums over ranks ----------------------------------------------------------===//

/// @sum_over_ranks of one type of elements, and the same sum as its gradient.
train::CustomFunctionOp Distributor::declareSum(Type element) {
  train::CustomFunctionOp &known = sums[element];
  if (known)
    return known;
  OpBuilder builder(*program.getBody().getOps<train::FunctionOp>().begin());
  auto tensor = [&](StringRef name) {
    auto shape = builder.getStringAttr("n...");
    return builder.getArrayAttr(train::CustomTensorAttr::get(builder.getContext(), name, element, shape, false));
  };
  auto declare = [&](StringRef name, StringRef from, StringRef to, StringRef gradient) {
    OperationState state(program.getLoc(), train::CustomFunctionOp::getOperationName());
    train::CustomFunctionOp::Properties &properties = state.getOrAddProperties<train::CustomFunctionOp::Properties>();
    properties.sym_name = builder.getStringAttr(freeSymbol(program, name));
    properties.collective = builder.getUnitAttr();
    properties.inputs = tensor(from);
    properties.outputs = tensor(to);
    properties.inplace = builder.getDenseI64ArrayAttr({0, 0});
    if (!gradient.empty())
      properties.gradient = FlatSymbolRefAttr::get(builder.getContext(), gradient);
    return cast<train::CustomFunctionOp>(builder.create(state));
  };
  auto gradient = declare("gradient_over_ranks", "grad_y", "grad_x", "");
  return known = declare("sum_over_ranks", "x", "y", gradient.getSymName());
}

Expr Distributor::sumOverRanks(Expr value) {
  ImplicitLocOpBuilder &builder = value.getBuilder();
  // Ranks add up f32 and f64; whole numbers are whole in f64, too.
  Type own = value.elementType();
  Type summed = own.isF64() || isa<IntegerType>(own) ? Type(builder.getF64Type()) : builder.getF32Type();
  Expr operand = cast(value, summed);
  auto sum = train::CustomOp::create(builder, TypeRange(operand.type()), declareSum(summed).getSymName(),
                                     ValueRange(operand.get()), ArrayAttr());
  return nn::cast({builder, sum.getOutputs().front()}, own);
}

Expr Distributor::countOfAll(ImplicitLocOpBuilder &builder, const nn::Dim &elements, Type elementType) {
  if (!wholeRows)
    wholeRows = declarePartSum(program, wholeRowsName);
  auto type = cast<RankedTensorType>(wholeRows.getType());
  Expr rows(builder, readSymbol(builder, function, wholeRows.getSymName(), type));
  const double ofEach = train::sizeAtBound(*nn::divide(elements, batch), program);
  return cast(ofEach == 1 ? rows : rows * ofEach, elementType);
}

//===-- What sums over the batch --------------------------------------------------===//

/// The product of the sizes along axes.
static nn::Dim elementsAlong(Value x, ArrayRef<int64_t> axes) {
  nn::Shape shape = nn::shapeOf(x.getType());
  return nn::elementCount(llvm::map_to_vector(axes, [&](int64_t axis) { return shape[axis]; }));
}

// The variance does not change with the mean that it is around, to first order: so no gradient flows through
// that, and both sums of the backward pass are over the same values.
void Distributor::rewriteBatchNorm(nn::BatchNormOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Expr x(builder, op.getX()), scale(builder, op.getScale()), bias(builder, op.getBias());
  SmallVector<int64_t> others;
  for (int64_t axis = 0; axis < x.rank(); ++axis)
    if (axis != 1)
      others.push_back(axis);
  nn::Shape perFeature(x.rank() - 1, nn::Dim(1));
  perFeature[0] = nn::shapeOf(x.type())[1];
  auto spread = [&](Expr values) {
    return x.rank() == 2 ? values : reshape(values, nn::tensorType(perFeature, x.elementType()));
  };
  Expr count = countOfAll(builder, elementsAlong(x.get(), others), x.elementType());
  auto meanOfAll = [&](Expr values) { return sumOverRanks(sum(values, others, /*keepdims=*/false)) / count; };
  Expr center = meanOfAll(x), d = x - spread(center);
  Expr around(builder, train::StopGradientOp::create(builder, center.type(), center.get()));
  Expr fromCenter = x - spread(around);
  Expr variance = meanOfAll(fromCenter * fromCenter);
  Expr factor = rsqrt(variance + op.getEpsilon().convertToDouble()) * scale;
  Expr y = d * spread(factor) + spread(bias);
  op.replaceAllUsesWith(ValueRange{y.get(), center.get(), variance.get()});
  op.erase();
}

void Distributor::rewriteMean(nn::MeanOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  Expr x(builder, op.getX());
  Expr count = countOfAll(builder, elementsAlong(op.getX(), op.getAxes()), x.elementType());
  Expr mean = sumOverRanks(sum(x, op.getAxes(), op.getKeepdims())) / count;
  op.replaceAllUsesWith(mean.get());
  op.erase();
}

/// A loss among others, whose results are those of the whole batch.
void Distributor::rewriteLoss(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  const bool isMean = cast<nn::LossReductionAttr>(op->getAttr("reduction")).getValue() == nn::LossReduction::mean;
  Operation *own = builder.clone(*op);
  own->setAttr("reduction", nn::LossReductionAttr::get(program.getContext(), nn::LossReduction::sum));
  Expr loss = sumOverRanks({builder, own->getResult(0)}), weight = sumOverRanks({builder, own->getResult(1)});
  op->replaceAllUsesWith(ValueRange{isMean ? (loss / weight).get() : loss.get(), weight.get()});
  op->erase();
}

void Distributor::sumResult(Operation *op) {
  ImplicitLocOpBuilder builder(op->getLoc(), op);
  Operation *own = builder.clone(*op);
  op->replaceAllUsesWith(ValueRange(sumOverRanks({builder, own->getResult(0)}).get()));
  op->erase();
}

/// Whether an operation makes something for each row of what has none: numbers that are drawn, or the same for
/// all. Anything else, such as the rows' numbers, would be made for a rank's rows alone.
static bool makesRows(Operation *op) { return isa<train::ReadOp, nn::ExpandOp>(op) || nn::randomStateOf(op); }

LogicalResult Distributor::rewrite(Operation *op, Operation *ownLoss) {
  for (Type type : op->getResultTypes())
    if (timesNamed(type) > 1)
      return refuse(op);
  if (isa<train::LossOp, train::WriteOp>(op) || op == ownLoss)
    return success();
  auto isOfBatch = [&](Type type) { return timesNamed(type) > 0; };
  const bool givesRows = llvm::any_of(op->getResultTypes(), isOfBatch);
  if (llvm::none_of(op->getOperandTypes(), isOfBatch))
    return givesRows && !makesRows(op) ? refuse(op) : success();
  if (auto norm = dyn_cast<nn::BatchNormOp>(op)) {
    if (llvm::is_contained(nn::shapeOf(norm.getX().getType())[1].names, batch.names.front()))
      return refuse(op);
    rewriteBatchNorm(norm);
    return success();
  }
  if (op->hasAttr("reduction") && op->getNumResults() == 2) {
    rewriteLoss(op);
    return success();
  }
  if (givesRows)
    return success(); // samples stay apart, or loop nests tell that they do not
  if (auto mean = dyn_cast<nn::MeanOp>(op)) {
    rewriteMean(mean);
    return success();
  }
  if (!isa<nn::SumOp, nn::MatMulOp>(op))
    return refuse(op);
  sumResult(op);
  return success();
}

LogicalResult Distributor::run(train::FunctionOp of, Operation *ownLoss) {
  function = of;
  for (Operation &op : llvm::make_early_inc_range(function.getBody().front()))
    if (failed(rewrite(&op, ownLoss)))
      return failure();
  return success();
}

} // namespace dlc::backward
