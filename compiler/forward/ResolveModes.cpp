//===- ResolveModes.cpp - the pass dlc-resolve-modes -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "compiler/forward/Passes.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/RandomState.h"

using namespace mlir;
using nn::Expr;

namespace dlc::forward {
#define GEN_PASS_DEF_RESOLVEMODES
#include "compiler/forward/Passes.h.inc"

//===-- Values of one mode -----------------------------------------------------------===//

/// What only the other mode computes goes first: a batch normalization there sees no batch in this one, and
/// moves no running statistics.
static void chooseValues(train::FunctionOp function) {
  const bool trains = function.getKind() == train::FunctionKind::Forward;
  bool changed = false;
  function.walk([&](train::ByModeOp op) {
    op.replaceAllUsesWith(trains ? op.getTraining() : op.getEvaluation());
    op.erase();
    changed = true;
  });
  if (!changed)
    return;
  for (Operation &op : llvm::make_early_inc_range(llvm::reverse(function.getBody().front())))
    if (isOpTriviallyDead(&op))
      op.erase();
}

//===-- Batch norm ---------------------------------------------------------------===//

static void evaluateBatchNorms(train::FunctionOp evaluate) {
  for (auto op : llvm::make_early_inc_range(evaluate.getBody().getOps<train::BatchNormOp>())) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    Type statistics = op.getScale().getType();
    Value mean = train::ReadOp::create(builder, statistics, op.getMean());
    Value variance = train::ReadOp::create(builder, statistics, op.getVariance());
    op.replaceAllUsesWith(Value(nn::BatchNormInferenceOp::create(
        builder, op.getX(), op.getScale(), op.getBias(), mean, variance, op.getEpsilonAttr())));
    op.erase();
  }
}

namespace {
/// The running statistics as a function goes along: a batch norm that is applied twice updates them twice.
class RunningStatistics {
public:
  void update(ImplicitLocOpBuilder &builder, StringRef symbol, Expr batch, double momentum) {
    auto [known, first] = values.try_emplace(symbol);
    if (first)
      known->second = train::ReadOp::create(builder, batch.type(), symbol);
    Expr kept = momentum * Expr(builder, known->second), added = (1 - momentum) * batch;
    known->second = kept + added;
  }
  void write(OpBuilder &builder, Location location) {
    for (const auto &[symbol, value] : values)
      train::WriteOp::create(builder, location, value, symbol);
  }

private:
  llvm::MapVector<StringRef, Value> values;
};
} // namespace

static void trainBatchNorms(train::FunctionOp forward) {
  RunningStatistics running;
  auto ops = llvm::to_vector(forward.getBody().getOps<train::BatchNormOp>());
  for (train::BatchNormOp op : ops) {
    ImplicitLocOpBuilder builder(op.getLoc(), op);
    auto norm = nn::BatchNormOp::create(builder, op.getX(), op.getScale(), op.getBias(), op.getEpsilonAttr());
    Expr variance(builder, norm.getVariance());
    if (!op.getBiased()) {
      SmallVector<int64_t> others;
      for (int64_t axis = 0; axis < cast<RankedTensorType>(op.getX().getType()).getRank(); ++axis)
        if (axis != 1)
          others.push_back(axis);
      // Bessel's correction; a single element has no unbiased variance, its biased one is 0.
      Expr count = countAlong(Expr(builder, op.getX()), others, variance.elementType());
      Expr oneLess = count - 1;
      variance = variance * (count / max(oneLess, count.scalar(1)));
    }
    double momentum = op.getMomentum().convertToDouble();
    running.update(builder, op.getMean(), {builder, norm.getMean()}, momentum);
    running.update(builder, op.getVariance(), variance, momentum);
    op.replaceAllUsesWith(norm.getY());
  }
  auto end = OpBuilder::atBlockEnd(&forward.getBody().front());
  running.write(end, forward.getLoc());
  for (train::BatchNormOp op : ops)
    op.erase();
}

/// A batch normalization of one value of each channel gives 0 whatever the value was: where an open dim alone
/// says how many there are, training takes no size of 1.
static void requireSeveralValues(train::ProgramOp program, train::FunctionOp forward) {
  for (auto op : forward.getBody().getOps<nn::BatchNormOp>()) {
    nn::Shape shape = nn::shapeOf(op.getX().getType());
    shape.erase(shape.begin() + 1);
    const nn::Dim values = nn::elementCount(shape);
    if (values.factor != 1 || values.names.size() != 1)
      continue;
    auto dim = cast<train::DimOp>(SymbolTable::lookupSymbolIn(program, values.names.front()));
    if (dim.getOpen() && dim.getBound() > 1)
      dim.setLeast(2);
  }
}

//===-- Buffers --------------------------------------------------------------------===//

/// What a forward pass writes, but outputs, it writes in training only.
static void keepStates(train::ProgramOp program, train::FunctionOp evaluate) {
  for (auto write : llvm::make_early_inc_range(evaluate.getBody().getOps<train::WriteOp>()))
    if (isa<train::StateOp>(SymbolTable::lookupSymbolIn(program, write.getSymbol())))
      write.erase();
}

//===-- Dropout --------------------------------------------------------------------===//

static void removeDropouts(train::FunctionOp function, bool all) {
  for (auto op : llvm::make_early_inc_range(function.getBody().getOps<nn::DropoutOp>()))
    if (all || op.getRatio().isZero()) {
      op.replaceAllUsesWith(op.getX());
      op.erase();
    }
}

/// Each call of `forward` draws anew. (Evaluation, too, takes random numbers that are no dropout's, but
/// leaves the count as it is: it changes nothing.)
static void countDraw(train::ProgramOp program, train::FunctionOp forward) {
  auto reads = forward.getBody().getOps<train::ReadOp>();
  auto found = llvm::find_if(reads, [&](train::ReadOp read) {
    auto state = dyn_cast<train::StateOp>(SymbolTable::lookupSymbolIn(program, read.getSymbol()));
    return state && state.getKind() == train::StateKind::Rng && !read->use_empty();
  });
  if (found == reads.end())
    return;
  train::ReadOp read = *found;
  ImplicitLocOpBuilder builder(read.getLoc(), OpBuilder::atBlockEnd(&forward.getBody().front()));
  Expr state(builder, read.getValue());
  auto oneDraw = DenseElementsAttr::get(state.type(), ArrayRef<int64_t>{0, 1});
  Expr next = state + Expr(builder, nn::ConstantOp::create(builder, oneDraw));
  train::WriteOp::create(builder, next, read.getSymbol());
}

static void eraseUnusedReads(train::FunctionOp function) {
  for (auto read : llvm::make_early_inc_range(function.getBody().getOps<train::ReadOp>()))
    if (read->use_empty())
      read.erase();
}

//===-- The pass -------------------------------------------------------------------===//

static LogicalResult resolve(train::ProgramOp program) {
  for (auto forward : llvm::to_vector(program.getBody().getOps<train::FunctionOp>())) {
    if (forward.getKind() != train::FunctionKind::Forward)
      continue;
    auto evaluate = cast<train::FunctionOp>(OpBuilder::atBlockEnd(forward->getBlock()).clone(*forward));
    evaluate.setKind(train::FunctionKind::Evaluate);
    evaluate.setSymName(freeSymbol(program, "evaluate"));
    chooseValues(evaluate);
    chooseValues(forward);
    evaluateBatchNorms(evaluate);
    keepStates(program, evaluate);
    removeDropouts(evaluate, /*all=*/true);
    eraseUnusedReads(evaluate);
    trainBatchNorms(forward);
    requireSeveralValues(program, forward);
    removeDropouts(forward, /*all=*/false);
    countDraw(program, forward);
    eraseUnusedReads(forward);
    eraseUnusedRandomState(program);
    return success();
  }
  return program.emitError("expected the function 'forward'");
}

namespace {
class ResolveModesPass : public impl::ResolveModesBase<ResolveModesPass> {
  void runOnOperation() override {
    for (auto program : getOperation().getOps<train::ProgramOp>())
      if (failed(resolve(program)))
        return signalPassFailure();
  }
};
} // namespace

} // namespace dlc::forward
