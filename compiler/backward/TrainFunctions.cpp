//===- TrainFunctions.cpp - train_step, grad_step, accumulate, apply -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// train_step, grad_step and accumulate are the same forward and backward; they differ in what becomes of a
// finished gradient: an update at once, a write, or an addition. apply is the updates alone.
//===----------------------------------------------------------------------===//
#include "compiler/backward/TrainFunctions.h"
#include "compiler/backward/Functions.h"
#include "compiler/backward/ReverseMode.h"
#include "dialects/nn/Expr.h"

using namespace mlir;
using namespace dlc::backward;

static train::StateOp stateOf(train::ReadOp read) {
  auto program = read->getParentOfType<train::ProgramOp>();
  return dyn_cast<train::StateOp>(SymbolTable::lookupSymbolIn(program, read.getSymbol()));
}

// The values of the trainable parameters that the function reads.
static SmallVector<Value> trainableValues(train::FunctionOp function) {
  SmallVector<Value> values;
  for (auto read : function.getBody().getOps<train::ReadOp>())
    if (auto state = stateOf(read); state && state.isTrainable())
      values.push_back(read.getValue());
  return values;
}

//===-- What stops gradients -----------------------------------------------------===//

static void report(const ReverseMode::Missing &missing) {
  StringRef node = nodeName(missing.op->getLoc());
  InFlightDiagnostic error = emitError(missing.op->getLoc());
  if (!node.empty())
    error << "node '" << node << "': ";
  error << "'" << missing.op->getName().stripDialect() << "' has no gradient";
  if (isa<nn::GradientOpInterface>(missing.op))
    error << " for its operand #" << missing.operand;
  error << ", but lies between trainable parameters and the loss";
}

LogicalResult dlc::backward::checkGradients(train::FunctionOp forward) {
  auto program = forward->getParentOfType<train::ProgramOp>();
  auto loss = *forward.getBody().getOps<train::LossOp>().begin();
  SmallVector<Value> parameters = trainableValues(forward);
  ReverseMode reverse(loss.getValue(), parameters);
  for (const ReverseMode::Missing &missing : reverse.getMissing())
    report(missing);
  bool reachesAll = true, trainsAny = false;
  llvm::SmallDenseSet<Attribute> reached;
  for (Value value : parameters)
    if (reverse.reaches(value))
      reached.insert(value.getDefiningOp<train::ReadOp>().getSymbolAttr().getAttr());
  for (auto state : program.getBody().getOps<train::StateOp>()) {
    trainsAny |= state.isTrainable();
    if (!state.isTrainable() || reached.contains(state.getSymNameAttr()))
      continue;
    reachesAll = false;
    state.emitError()
        << "no gradient reaches parameter '" << state.getSymName()
        << "': the loss does not depend on it through differentiable operations; freeze it (--freeze="
        << state.getSymName() << ") to train the others";
  }
  if (!trainsAny)
    return program.emitError() << "nothing to train: '" << program.getSymName()
                               << "' has no parameter that is not frozen";
  return success(reverse.getMissing().empty() && reachesAll);
}

//===-- Updates ------------------------------------------------------------------===//

namespace {
/// Builds updates in one function.
class Updates {
public:
  Updates(train::FunctionOp function, const TrainingState &training, const Optimizer &optimizer)
      : function(function), training(training), optimizer(optimizer),
        builder(function.getLoc(), OpBuilder::atBlockEnd(&function.getBody().front())) {
    for (train::StateOp state : training.hyperparameters)
      hyperparameters.push_back(read(state));
    nn::Expr count(builder, read(training.step));
    auto one = DenseElementsAttr::get(count.type(), int64_t(1));
    step = count + nn::Expr(builder, nn::ConstantOp::create(builder, one));
  }

  Value read(train::StateOp state) {
    return readSymbol(builder, function, state.getSymName(), cast<RankedTensorType>(state.getType()));
  }
  void write(train::StateOp state, Value value) {
    writes.push_back({value, state.getSymNameAttr(), builder.getLoc()});
  }
  void update(TrainedParameter parameter, Value gradient) {
    builder.setLoc(NameLoc::get(builder.getStringAttr("update of " + parameter.state.getSymName())));
    auto slots = llvm::map_to_vector(parameter.slots, [&](train::StateOp slot) { return read(slot); });
    ValueRange updated =
        optimizer.buildUpdate(builder, read(parameter.state), gradient, slots, hyperparameters, step);
    write(parameter.state, updated[0]);
    for (auto [slot, value] : llvm::zip_equal(parameter.slots, updated.drop_front()))
      write(slot, value);
  }
  /// All that is to be written once all updates are built.
  ArrayRef<Write> finish() {
    builder.setLoc(function.getLoc());
    write(training.step, step);
    return writes;
  }

private:
  train::FunctionOp function;
  const TrainingState &training;
  const Optimizer &optimizer;
  ImplicitLocOpBuilder builder;
  SmallVector<Value> hyperparameters;
  Value step;
  SmallVector<Write> writes;
};
} // namespace

static void buildApply(train::ProgramOp program, const TrainingState &training, const Optimizer &optimizer) {
  train::FunctionOp function = addFunction(program, train::FunctionKind::Apply);
  Updates updates(function, training, optimizer);
  for (const auto &[name, parameter] : training.parameters)
    updates.update(parameter, updates.read(parameter.gradient));
  finish(function, updates.finish());
}

//===-- Forward and backward ------------------------------------------------------===//

static train::OutputOp lossOutput(train::ProgramOp program) {
  for (auto output : program.getBody().getOps<train::OutputOp>())
    if (output.getRole() == train::OutputRole::Loss)
      return output;
  return nullptr;
}

static LogicalResult buildStep(train::FunctionOp forward, train::FunctionKind kind,
                               const TrainingState &training, const Optimizer &optimizer) {
  auto program = forward->getParentOfType<train::ProgramOp>();
  train::FunctionOp function = addFunction(program, kind, forward);
  mergeReads(function);
  makeStatic(function);
  SmallVector<Write> writes = takeWrites(function, /*states=*/true, /*predictions=*/false);
  Value loss = takeLoss(function).value;
  if (train::OutputOp output = lossOutput(program)) {
    auto atEnd = ImplicitLocOpBuilder::atBlockEnd(loss.getLoc(), &function.getBody().front());
    Type type = cast<RankedTensorType>(output.getType()).getElementType();
    writes.push_back({nn::cast({atEnd, loss}, type), output.getSymNameAttr(), function.getLoc()});
  }

  ReverseMode reverse(loss, trainableValues(function));
  auto builder = OpBuilder::atBlockEnd(&function.getBody().front());
  std::optional<Updates> updates;
  if (kind == train::FunctionKind::TrainStep)
    updates.emplace(function, training, optimizer);
  LogicalResult built = reverse.build(builder, [&](Value leaf, Value value) {
    StringAttr name = leaf.getDefiningOp<train::ReadOp>().getSymbolAttr().getAttr();
    TrainedParameter parameter = training.parameters.find(name)->second;
    ImplicitLocOpBuilder border(NameLoc::get(builder.getStringAttr("gradient of " + name.getValue())),
                                builder);
    Value gradient = train::GradientOp::create(border, value, FlatSymbolRefAttr::get(name));
    if (updates)
      return updates->update(parameter, gradient);
    StringAttr symbol = parameter.gradient.getSymNameAttr();
    if (kind == train::FunctionKind::Accumulate)
      gradient = nn::Expr(border, train::ReadOp::create(border, gradient.getType(), symbol)) +
                 nn::Expr(border, gradient);
    writes.push_back({gradient, symbol, border.getLoc()});
  });
  if (failed(built))
    return failure();
  if (updates)
    llvm::append_range(writes, updates->finish());
  finish(function, writes);
  return success();
}

LogicalResult dlc::backward::buildTrainFunctions(train::FunctionOp forward, const Optimizer &optimizer) {
  auto program = forward->getParentOfType<train::ProgramOp>();
  TrainingState training = TrainingState::declare(program, optimizer);
  for (auto kind :
       {train::FunctionKind::TrainStep, train::FunctionKind::GradStep, train::FunctionKind::Accumulate})
    if (failed(buildStep(forward, kind, training, optimizer)))
      return failure();
  buildApply(program, training, optimizer);
  return success();
}
