//===- BatchInParts.cpp - training functions that go over a batch in parts ---===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The loss of a batch is a sum over its samples, divided by a weight if it is a mean. So the gradients are
// sums over parts of the batch, each of which is divided by the weight of the whole: that needs the labels
// alone, and is summed up first. What the parts hand on lies in states: the gradients where grad_step keeps
// them anyway, and two numbers, the weight and the loss. Where gradients of several batches are their mean,
// the whole that accumulate divides by is all of these batches: what is there is divided anew first.
//
// A rank has one part, and other ranks the others (train::isOfRank). Between weighing and the gradients it
// learns the weight of the whole, so these are two functions: grad_step weighs, and accumulate, which has no
// other use there, computes the rank's share of the gradients.
//===----------------------------------------------------------------------===//
#include "compiler/backward/BatchInParts.h"
#include "compiler/backward/Differentiate.h"
#include "compiler/backward/Distribute.h"
#include "compiler/support/GradientWeight.h"
#include "compiler/support/NodeNames.h"
#include "compiler/support/Symbols.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/DimNames.h"
#include "dialects/train/Recipe.h"
#include <array>

using namespace mlir;

namespace dlc::backward {
namespace {

class PartFunctions {
public:
  PartFunctions(train::FunctionOp forward, const GradientStates &states, train::StateOp weight,
                std::optional<StepMetrics> told)
      : program(forward->getParentOfType<train::ProgramOp>()), forward(forward), states(states),
        weight(weight), told(told), parts(train::batchPartsOf(program)) {
    auto loss = *forward.getBody().getOps<train::LossOp>().begin();
    isJoint = !isOneOperations(loss);
    if (!isJoint)
      isMean = loss.getValue().getDefiningOp()->getAttrOfType<nn::LossReductionAttr>("reduction").getValue() ==
               nn::LossReduction::mean;
    if (train::RecipeOp recipe = train::recipeOf(program); recipe && isOfRank)
      addsBatches = recipe.getAccumulate().has_value();
    lossSum = declarePartSum(program, partLossName);
    lossSum.setPartLoss(true);
    if (isOfRank)
      weightSum = declarePartSum(program, wholeWeightName);
    else if (isMean)
      weightSum = declarePartSum(program, "part_weight");
  }

  LogicalResult build() { return isOfRank ? buildOfRank() : buildOfParts(); }

private:
  using Kind = train::FunctionKind;

  LogicalResult buildOfParts() {
    SmallVector<Attribute> weigh = {phase(buildWeigh("begin_batch", /*isFirst=*/true), 0)};
    if (weightSum) {
      train::FunctionOp more = buildWeigh("weigh_part", /*isFirst=*/false);
      for (int64_t part = 1; part < parts; ++part)
        weigh.push_back(phase(more, part));
    }
    train::FunctionOp first = buildFirst();
    if (!first)
      return failure();
    train::FunctionOp next = addPart("next_part", first);
    writeGradients(next, states, /*weight=*/nullptr, /*accumulate=*/true);
    writeGradients(first, states, /*weight=*/nullptr, /*accumulate=*/false);

    for (auto [kind, beginsWith] : {std::pair(Kind::TrainStep, first), std::pair(Kind::GradStep, first),
                                    std::pair(Kind::Accumulate, next)}) {
      SmallVector<Attribute> phases = weigh;
      if (weight && kind == Kind::Accumulate)
        phases.push_back(phase(buildJoin(), 0));
      phases.push_back(phase(beginsWith, 0));
      for (int64_t part = 1; part < parts; ++part)
        phases.push_back(phase(next, part));
      finish(kind).setPhasesAttr(ArrayAttr::get(program.getContext(), phases));
    }
    return success();
  }

  /// Where the batch may have any size, so may its parts.
  LogicalResult buildOfRank() {
    for (auto [state, name] : {std::pair(lossSum, partLossName), {weightSum, wholeWeightName}})
      if (failed(checkName(state, name)))
        return failure();
    std::vector<std::array<Kind, 3>> kinds = {{Kind::TrainStep, Kind::GradStep, Kind::Accumulate}};
    if (train::batchDim(program).getOpen())
      kinds.push_back({Kind::TrainStepN, Kind::GradStepN, Kind::AccumulateN});
    for (auto [step, weigh, compute] : kinds) {
      kindOfParts = weigh;
      train::FunctionOp weighing = buildWeigh("begin_batch", /*isFirst=*/true);
      Attribute weighed = phase(weighing, 0);
      train::FunctionOp first = buildFirst();
      if (!first)
        return failure();
      if (addsBatches && !weight && failed(addToGradients(first)))
        return failure();
      writeGradients(first, states, weight, /*accumulate=*/addsBatches && weight);
      beginAlone(weighing);
      Attribute computed = phase(first, 0);
      auto setPhases = [&](train::FunctionOp function, ArrayRef<Attribute> phases) {
        function.setPhasesAttr(ArrayAttr::get(program.getContext(), phases));
      };
      setPhases(finish(step), {weighed, computed});
      setPhases(addFunction(program, weigh), {weighed});
      setPhases(finish(compute), {computed});
    }
    return success();
  }

  /// The runtime finds what ranks share by these names.
  LogicalResult checkName(train::StateOp state, StringRef name) {
    if (state.getSymName() == name)
      return success();
    return program.emitError("something of the model is named '")
           << name << "', by which ranks know the number that they share: rename it";
  }

  /// The part that finds no gradients, which are what it computes; null after an error.
  train::FunctionOp buildFirst() {
    train::FunctionOp first = addPart("first_part");
    if (isOfRank && (failed(numberRows(first)) || failed(distribute(first))))
      return nullptr;
    if (told)
      told->measurePart(first);
    divideLoss(first);
    if (isOfRank && weight)
      weighBatch(first);
    return succeeded(differentiate(first, lossSum)) ? first : train::FunctionOp();
  }

  LogicalResult distribute(train::FunctionOp function) {
    if (!distributor)
      distributor.emplace(program);
    auto loss = *function.getBody().getOps<train::LossOp>().begin();
    if (failed(distributor->run(function, isJoint ? nullptr : loss.getValue().getDefiningOp())))
      return failure();
    if (isJoint)
      shareLoss(function, loss);
    train::StateOp rows = distributor->rowsOfAll();
    return rows ? checkName(rows, wholeRowsName) : success();
  }

  /// Writes the weight of this batch's labels, for a rank whose gradients are the mean over those of several batches.
  void weighBatch(train::FunctionOp function) {
    auto loss = *function.getBody().getOps<train::LossOp>().begin();
    ImplicitLocOpBuilder builder(loss.getLoc(), loss);
    Value all = isJoint ? wholeOfJoint : read(builder, function, weightSum).get();
    train::WriteOp::create(builder, all, weight.getSymName());
  }

  /// The gradients of a rank that are sums over several batches: the first of these begins them.
  LogicalResult addToGradients(train::FunctionOp function) {
    if (!hasGradients)
      hasGradients = declarePartSum(program, hasGradientsName);
    for (auto gradient : llvm::make_early_inc_range(function.getBody().getOps<train::GradientOp>())) {
      ImplicitLocOpBuilder builder(gradient.getLoc(), gradient);
      train::StateOp state = states.lookup(gradient.getParameterAttr().getAttr());
      nn::Expr own(builder, gradient.getOperand()), before = read(builder, function, state);
      nn::Expr has = read(builder, function, hasGradients);
      gradient->setOperand(0, select(equal(has, has.scalar(0)), own, before + own).get());
    }
    return checkName(hasGradients, hasGradientsName);
  }

  /// A loss that is made of several things, and so that of the whole batch on each rank: its ranks' shares, by
  /// their rows, add up to it. So do those of its weight, which is known only now.
  void shareLoss(train::FunctionOp function, train::LossOp loss) {
    ImplicitLocOpBuilder builder(loss.getLoc(), loss);
    nn::Expr whole = distributor->countOfAll(builder, batchSize(), builder.getF64Type());
    nn::Expr share = rowsOf(builder, batchSize()) / whole;
    auto shareOf = [&](Value value) {
      nn::Expr all(builder, value);
      return all * cast(share, all.elementType());
    };
    wholeOfJoint = cast(nn::Expr(builder, loss.getWeight()), builder.getF64Type()).get();
    train::WriteOp::create(builder, wholeOfJoint, weightSum.getSymName());
    loss.getValueMutable().assign(shareOf(loss.getValue()));
    loss.getWeightMutable().assign(shareOf(loss.getWeight()));
  }

  /// Where there are no other ranks, which tell what else it is: the rows of all are this one's, and gradients are
  /// those of one batch.
  void beginAlone(train::FunctionOp weighing) {
    auto builder = ImplicitLocOpBuilder::atBlockEnd(weighing.getLoc(), &weighing.getBody().front());
    SmallVector<Write> writes;
    if (train::StateOp rows = distributor->rowsOfAll())
      writes.push_back({rowsOf(builder, train::sizeIn(weighing, batchSize())), rows.getSymNameAttr(), weighing.getLoc()});
    for (train::StateOp none : {weight, hasGradients})
      if (none)
        writes.push_back({zeros(builder, none.getType()), none.getSymNameAttr(), weighing.getLoc()});
    addWrites(weighing, writes);
    simplify(weighing);
  }

  nn::Dim batchSize() {
    nn::Dim batch;
    batch.names = {train::batchDim(program).getSymName().str()};
    return batch;
  }

  static nn::Expr rowsOf(ImplicitLocOpBuilder &builder, const nn::Dim &batch) {
    nn::Expr one = nn::Expr(builder, zeros(builder, RankedTensorType::get({}, builder.getF64Type()))).scalar(1);
    return sumAll(expand(one, nn::tensorType({batch}, builder.getF64Type())));
  }

  /// Random numbers of a sample are those of its row in the batch of all ranks: their state gets a third
  /// number, where this rank's rows begin.
  LogicalResult numberRows(train::FunctionOp function) {
    const nn::Dim batch = batchSize();
    for (Operation &op : llvm::make_early_inc_range(function.getBody().front())) {
      Value rng = nn::randomStateOf(&op);
      nn::Shape shape = rng ? nn::shapeOf(op.getResult(0).getType()) : nn::Shape();
      auto isOfBatch = [&](const nn::Dim &dim) { return llvm::is_contained(dim.names, batch.names.front()); };
      if (llvm::none_of(shape, isOfBatch))
        continue;
      std::optional<nn::Dim> below = nn::divide(shape.front(), batch);
      if (llvm::count_if(shape, isOfBatch) > 1 || !below || !below->isStatic())
        return program.emitError(whyNoRanks)
               << "'" << nodeName(op.getLoc())
               << "' draws random numbers for samples that are not along the first dim";
      ImplicitLocOpBuilder builder(op.getLoc(), &op);
      nn::Expr first = read(builder, function, firstRowState()) * double(below->factor);
      auto one = nn::tensorType({1}, builder.getI64Type());
      Value number = reshape(cast(first, builder.getI64Type()), one);
      op.replaceUsesOfWith(rng, nn::ConcatOp::create(builder, ValueRange{rng, number}, /*axis=*/0));
    }
    return firstRow ? checkName(firstRow, firstRowName) : success();
  }

  train::StateOp firstRowState() {
    if (!firstRow)
      firstRow = declarePartSum(program, firstRowName);
    return firstRow;
  }

  Attribute phase(train::FunctionOp function, int64_t part) {
    return train::PhaseAttr::get(program.getContext(), FlatSymbolRefAttr::get(function.getSymNameAttr()),
                                 part);
  }

  /// A copy of `model` (of `forward`, if none is given) for one part. Its kind says that it trains.
  train::FunctionOp addPart(StringRef name, train::FunctionOp model = nullptr) {
    train::FunctionOp function = addFunction(program, kindOfParts, model ? model : forward);
    function.setSymName(freeSymbol(program, name));
    function.setOnePart(true);
    return function;
  }

  /// Adds up the weights of the parts, which predictions do not change: zeros stand for them. The first one
  /// begins the sums.
  train::FunctionOp buildWeigh(StringRef name, bool isFirst) {
    train::FunctionOp function = addPart(name);
    mergeReads(function);
    makeStatic(function);
    takeWrites(function, /*states=*/false, /*predictions=*/false);
    Loss loss = takeLoss(function);
    eraseGradientMarks(function);
    auto builder = ImplicitLocOpBuilder::atBlockEnd(function.getLoc(), &function.getBody().front());
    SmallVector<Write> writes;
    if (isFirst && told)
      told->beginParts(builder, writes);
    if (isFirst)
      writes.push_back({zeros(builder, lossSum.getType()), lossSum.getSymNameAttr(), function.getLoc()});
    if (isJoint) { // until the loss itself tells
      writes.push_back({rowsOf(builder, train::sizeIn(function, batchSize())), weightSum.getSymNameAttr(), function.getLoc()});
    } else if (weightSum) {
      Operation *op = loss.weight.getDefiningOp();
      ImplicitLocOpBuilder atLoss(op->getLoc(), op);
      op->setOperand(0, zeros(atLoss, op->getOperand(0).getType()));
      nn::Expr sum = cast(nn::Expr(builder, loss.weight), builder.getF64Type());
      if (!isFirst)
        sum = read(builder, function, weightSum) + sum;
      writes.push_back({sum, weightSum.getSymNameAttr(), function.getLoc()});
    }
    addWrites(function, writes);
    simplify(function);
    return function;
  }

  /// Before the parts of one more batch: the gradients that are there become their share of the mean over
  /// all, and the parts divide by the weight of all. Gradients of nothing become 0, even if they are no
  /// numbers.
  train::FunctionOp buildJoin() {
    train::FunctionOp function = addFunction(program, train::FunctionKind::GradStep);
    function.setSymName(freeSymbol(program, "join_batch"));
    function.setOnePart(true);
    auto builder = ImplicitLocOpBuilder::atBlockEnd(function.getLoc(), &function.getBody().front());
    nn::Expr before = read(builder, function, weight), both = before + read(builder, function, weightSum);
    nn::Expr part = before / both, hadNone = equal(before, before.scalar(0));
    SmallVector<Write> writes = {{both, weightSum.getSymNameAttr(), function.getLoc()}};
    for (auto [parameter, state] : states) {
      nn::Expr gradient = read(builder, function, state);
      nn::Expr share = gradient * cast(part, gradient.elementType());
      writes.push_back({select(hadNone, 0, share), state.getSymNameAttr(), function.getLoc()});
    }
    addWrites(function, writes);
    return function;
  }

  /// The loss becomes the part's sum, divided by the weight of the whole batch if it is a mean.
  void divideLoss(train::FunctionOp function) {
    if (!isMean || isJoint)
      return;
    auto loss = *function.getBody().getOps<train::LossOp>().begin();
    Operation *op = loss.getValue().getDefiningOp();
    op->setAttr("reduction", nn::LossReductionAttr::get(program.getContext(), nn::LossReduction::sum));
    ImplicitLocOpBuilder builder(op->getLoc(), loss);
    nn::Expr sum(builder, loss.getValue());
    nn::Expr weight = cast(read(builder, function, weightSum), sum.elementType());
    loss.getValueMutable().assign(sum / weight);
  }

  /// What is left when all parts are done: in a training step the update, which a later pass attaches to the
  /// gradients.
  train::FunctionOp finish(train::FunctionKind kind) {
    train::FunctionOp function = addFunction(program, kind);
    auto builder = ImplicitLocOpBuilder::atBlockEnd(function.getLoc(), &function.getBody().front());
    train::OutputOp output = lossOutput(program);
    Type type = cast<RankedTensorType>(output.getType()).getElementType();
    nn::Expr loss = read(builder, function, lossSum);
    SmallVector<Write> writes;
    if (weight && !isOfRank) { // of the gradients that are there now, also where the step was one of its own
      nn::Expr all = read(builder, function, weightSum);
      if (kind == Kind::Accumulate) // the parts' losses were divided by the weight of all
        loss = loss * (all / (all - read(builder, function, weight)));
      writes.push_back({all, weight.getSymNameAttr(), function.getLoc()});
    }
    writes.push_back({cast(loss, type), output.getSymNameAttr(), function.getLoc()});
    if (kind == Kind::TrainStep || kind == Kind::TrainStepN)
      for (auto [parameter, state] : states)
        markGradient(builder, parameter,
                     train::ReadOp::create(builder, state.getType(), state.getSymNameAttr()));
    addWrites(function, writes);
    if (told)
      told->finishParts(function, loss,
                        isOfRank ? std::optional(read(builder, function, weightSum)) : std::nullopt);
    return function;
  }

  static nn::Expr read(ImplicitLocOpBuilder &builder, train::FunctionOp function, train::StateOp state) {
    auto type = cast<RankedTensorType>(state.getType());
    return {builder, readSymbol(builder, function, state.getSymName(), type)};
  }
  static Value zeros(ImplicitLocOpBuilder &builder, Type type) {
    return nn::ConstantOp::create(builder, cast<ElementsAttr>(builder.getZeroAttr(type)));
  }

  train::ProgramOp program;
  train::FunctionOp forward;
  const GradientStates &states;
  train::StateOp weight; ///< of the labels of several batches; null: their gradients are added
  std::optional<StepMetrics> told;
  std::optional<Distributor> distributor; ///< of ranks
  bool addsBatches = false;          ///< a rank's gradients may be those of several batches
  train::StateOp hasGradients;       ///< null: they are not sums over these
  Value wholeOfJoint;                ///< the weight of a joint loss
  train::StateOp firstRow;           ///< null: no random numbers are drawn for samples
  train::StateOp lossSum, weightSum; ///< the weight: null where the loss is no mean, but for ranks
  int64_t parts;
  bool isOfRank = train::isOfRank(program), isMean = true;
  bool isJoint = false; ///< the loss is no single operation's
  Kind kindOfParts = Kind::GradStep; ///< which says that they train, and for which sizes
};

} // namespace

LogicalResult buildStepsInParts(train::FunctionOp forward, const GradientStates &states,
                                train::StateOp weight, std::optional<StepMetrics> told) {
  return PartFunctions(forward, states, weight, told).build();
}

/// How often the name of the batch stands in a type.
static int64_t timesNamed(Type type, train::DimOp batch) {
  int64_t times = 0;
  for (const nn::Dim &dim : isa<RankedTensorType>(type) ? nn::shapeOf(type) : nn::Shape())
    times += llvm::count(dim.names, batch.getSymName());
  return times;
}

/// What computes with the number of samples, such as a sum of as many ones: it would be that of a part. What
/// is made of samples, loop nests tell.
static Operation *whatCountsSamples(train::FunctionOp forward, train::DimOp batch) {
  auto isNamed = [&](Type type) { return timesNamed(type, batch) > 0; };
  llvm::SmallDenseSet<Value> ofSamples;
  for (Operation &op : forward.getBody().front()) {
    if (isa<train::WriteOp, train::LossOp>(op))
      continue;
    if (llvm::any_of(op.getResultTypes(), [&](Type type) { return timesNamed(type, batch) > 1; }))
      return &op;
    auto isOfSamples = [&](Value operand) { return ofSamples.contains(operand); };
    const bool isNew = isa<train::ReadOp>(op) || nn::randomStateOf(&op); // numbers for each sample
    if (isNew ? isNamed(op.getResult(0).getType()) : llvm::any_of(op.getOperands(), isOfSamples))
      ofSamples.insert(op.result_begin(), op.result_end());
    else if (llvm::any_of(op.getOperandTypes(), isNamed))
      return &op;
  }
  return nullptr;
}

bool isOneOperations(train::LossOp loss) {
  Operation *op = loss.getValue().getDefiningOp();
  return op->hasAttr("reduction") && loss.getWeight().getDefiningOp() == op;
}

std::optional<std::string> whatKeepsBatchWhole(train::ProgramOp program) {
  train::FunctionOp forward = findFunction(program, train::FunctionKind::Forward);
  if (!forward)
    return "nothing is trained";
  auto losses = forward.getBody().getOps<train::LossOp>();
  if (losses.empty() || !lossOutput(program))
    return "no output is the loss of a training step";
  train::DimOp batch = train::batchDim(program);
  if (!batch)
    return "no dim is named as its size";
  for (auto dim : program.getBody().getOps<train::DimOp>())
    if (dim.getOpen() && !(train::isOfRank(program) && dim == batch))
      return ("the size of '" + dim.getSymName() + "' is left open").str();
  if (isOneOperations(*losses.begin())) {
    Operation *loss = (*losses.begin()).getValue().getDefiningOp();
    nn::Shape shape = nn::shapeOf(loss->getOperand(0).getType());
    if (shape.empty() || !llvm::is_contained(shape.front().names, batch.getSymName()))
      return "the first dim of what the loss takes is not of the batch";
  } else if (!train::isOfRank(program)) {
    return "the loss is no mean or sum of one operation's losses";
  }
  for (Operation &op : forward.getBody().front()) {
    if (isa<train::CustomGradientOp>(op))
      return ("'" + nodeName(op.getLoc()) + "' has a gradient of its own").str();
    auto write = dyn_cast<train::WriteOp>(op);
    Operation *symbol = write ? SymbolTable::lookupSymbolIn(program, write.getSymbol()) : nullptr;
    if (auto state = dyn_cast_or_null<train::StateOp>(symbol); state && !train::isOfRank(program))
      return (state.getKind() == train::StateKind::Rng
                  ? "its training step draws random numbers"
                  : "its training step changes '" + state.getSymName() + "'")
          .str();
    if (auto output = dyn_cast_or_null<train::OutputOp>(symbol); output && output.getIndexRange())
      return "indices that it computes are checked";
  }
  if (Operation *op = train::isOfRank(program) ? nullptr : whatCountsSamples(forward, batch))
    return ("'" + nodeName(op->getLoc()) + "' computes with the number of samples").str();
  return std::nullopt;
}

} // namespace dlc::backward
