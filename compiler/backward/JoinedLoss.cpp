//===- JoinedLoss.cpp - the loss of several batches ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From the loss back, through what is linear in it, to the operations that make one number of all samples:
// a sum, a mean, or the quotient of two sums. What is summed must be of the samples alone; whether they meet
// before, in a batch normalization say, is not asked: then no sum of batches is the joined one.
//===----------------------------------------------------------------------===//
#include "compiler/backward/JoinedLoss.h"
#include "compiler/support/NodeNames.h"
#include "dialects/nn/Dims.h"
#include "dialects/nn/Expr.h"
#include "dialects/train/BatchParts.h"
#include "dialects/train/Custom.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;

namespace dlc::backward {
namespace {

/// What a number without samples is, to those who join batches.
struct Share {
  enum Kind { Same, Sum, Mean } kind; ///< the same for each batch, or as of JoinedLoss
  // What a mean was divided by: a value, or the number of elements of `counted` along `axes`.
  Value weight = {}, counted = {};
  SmallVector<int64_t> axes = {};
};

/// The names in a number of elements: what of it differs between batches.
SmallVector<std::string> sizesOf(const Share &share) {
  nn::Shape shape = nn::shapeOf(share.counted.getType());
  nn::Dim count = 1;
  for (int64_t axis : share.axes)
    count = count * shape[axis];
  return SmallVector<std::string>(count.names.begin(), count.names.end());
}

Value withoutViews(Value value) {
  while (value && isa_and_nonnull<nn::ReshapeOp, nn::CastOp>(value.getDefiningOp()))
    value = value.getDefiningOp()->getOperand(0);
  return value;
}

/// The labels that a class loss weighs, and with what.
struct Weighing {
  Value labels, classWeights;
  int64_t ignored;
  bool operator==(const Weighing &other) const {
    return labels == other.labels && classWeights == other.classWeights && ignored == other.ignored;
  }
};
std::optional<Weighing> weighingOf(Value weight) {
  Operation *op = weight ? withoutViews(weight).getDefiningOp() : nullptr;
  return llvm::TypeSwitch<Operation *, std::optional<Weighing>>(op)
      .Case<nn::SoftmaxCrossEntropyOp, nn::NllLossOp>([](auto loss) {
        return Weighing{withoutViews(loss.getLabels()), loss.getClassWeights(),
                        int64_t(loss.getIgnoreIndex())};
      })
      .Default([](Operation *) { return std::nullopt; });
}

/// Whether two means weigh batches alike, to a factor.
bool weighAlike(const Share &a, const Share &b) {
  if (a.counted && b.counted)
    return sizesOf(a) == sizesOf(b);
  if (!a.weight || !b.weight)
    return false;
  std::optional<Weighing> first = weighingOf(a.weight), second = weighingOf(b.weight);
  return withoutViews(a.weight) == withoutViews(b.weight) || (first && second && *first == *second);
}

//===-- Weights that are kept from 0 ------------------------------------------------===//

std::optional<double> numberOf(Value value) {
  auto constant = withoutViews(value).getDefiningOp<nn::ConstantOp>();
  auto numbers = constant ? dyn_cast<DenseFPElementsAttr>(constant.getValue()) : DenseFPElementsAttr();
  if (!numbers || !numbers.isSplat())
    return std::nullopt;
  return numbers.getSplatValue<APFloat>().convertToDouble();
}

/// Whether all elements are whole numbers: counts, masks of 0 and 1 and their sums.
bool isWhole(Value value) {
  SmallVector<Value> todo{value};
  llvm::SmallDenseSet<Value> seen{value};
  while (!todo.empty()) {
    Value next = todo.pop_back_val();
    Operation *op = next.getDefiningOp();
    SmallVector<Value> operands;
    if (isa<IntegerType>(cast<RankedTensorType>(next.getType()).getElementType()))
      continue;
    if (isa<nn::CastOp, nn::SumOp, nn::ReshapeOp, nn::TransposeOp, nn::ExpandOp, nn::AddOp, nn::MulOp>(op))
      operands.append(op->operand_begin(), op->operand_end());
    else if (auto select = dyn_cast<nn::SelectOp>(op))
      operands = {select.getA(), select.getB()};
    else if (std::optional<double> number = numberOf(next); !number || *number != std::floor(*number))
      return false;
    for (Value operand : operands)
      if (seen.insert(operand).second)
        todo.push_back(operand);
  }
  return true;
}

/// x where the value is max(x, 1) or x + 1e-8, so that nothing is divided by 0, and x counts something; else
/// the value itself. Where x is 0, there is nothing to divide.
Value withoutFloor(Value value) {
  Operation *op = withoutViews(value).getDefiningOp();
  Value counted;
  double floor = 0, most = 1;
  if (auto clip = dyn_cast<nn::ClipOp>(op); clip && clip.getHigh().convertToDouble() > 1e30) {
    counted = clip.getX();
    floor = clip.getLow().convertToDouble();
  } else if (isa<nn::MaxOp, nn::AddOp>(op)) {
    for (int which : {0, 1})
      if (std::optional<double> number = numberOf(op->getOperand(which))) {
        counted = op->getOperand(1 - which);
        floor = *number;
      }
    most = isa<nn::AddOp>(op) ? 1e-6 : 1;
  }
  return counted && floor >= 0 && floor <= most && isWhole(counted) ? counted : value;
}

//===-- The way back from the loss --------------------------------------------------===//

class Shares {
public:
  explicit Shares(train::FunctionOp function) {
    auto program = function->getParentOfType<train::ProgramOp>();
    batch = train::batchDim(program);
    for (Operation &op : function.getBody().front()) {
      auto has = [&](const llvm::SmallDenseSet<Value> &values) {
        return llvm::any_of(op.getOperands(), [&](Value operand) { return values.contains(operand); });
      };
      auto read = dyn_cast<train::ReadOp>(op);
      Operation *symbol = read ? SymbolTable::lookupSymbolIn(program, read.getSymbol()) : nullptr;
      auto state = dyn_cast_or_null<train::StateOp>(symbol);
      if (isa_and_nonnull<train::InputOp>(symbol) || has(differing) ||
          llvm::any_of(op.getResults(), [&](Value result) { return hasSamples(result); }))
        differing.insert(op.result_begin(), op.result_end());
      if ((state && state.isTrainable()) || has(trained))
        trained.insert(op.result_begin(), op.result_end());
    }
  }

  std::optional<Share> of(Value value);

  /// What `of` could not tell, and why.
  Operation *unknown = nullptr;
  std::string why;

private:
  std::optional<Share> fail(Operation *op, StringRef reason) {
    unknown = op;
    why = reason.str();
    return std::nullopt;
  }
  /// Whether a dim is of the batch. Where none is named, samples are not told from what is made of them.
  bool isOfBatch(const nn::Dim &dim) { return batch && llvm::is_contained(dim.names, batch.getSymName()); }
  bool hasSamples(Value value) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    return type && llvm::any_of(nn::shapeOf(type), [&](const nn::Dim &dim) { return isOfBatch(dim); });
  }

  std::optional<Share> find(Value value);
  std::optional<Share> ofLoss(Operation *op);
  std::optional<Share> ofReduction(Operation *op, ArrayRef<int64_t> axes);
  std::optional<Share> ofSum(Operation *op);
  std::optional<Share> ofProduct(Operation *op);
  std::optional<Share> ofQuotient(nn::DivOp op);
  bool isOfSamplesAlone(Value value);

  train::DimOp batch;
  llvm::SmallDenseSet<Value> differing; ///< with the batch
  llvm::SmallDenseSet<Value> trained;   ///< what depends on trained parameters
  /// What is known already: a sum may have one value in many places.
  llvm::SmallDenseMap<Value, std::optional<Share>> known;
  int depth = 0; ///< of sums in sums
};

/// Deeper sums are none that somebody writes, and the way back follows them on the stack.
constexpr int maxDepth = 1000;

std::optional<Share> Shares::of(Value value) {
  if (!differing.contains(value))
    return Share{Share::Same};
  if (auto found = known.find(value); found != known.end())
    return found->second;
  if (depth == maxDepth)
    return fail(value.getDefiningOp(), "is behind more than 1000 operations that the loss is linear in");
  ++depth;
  std::optional<Share> share = find(value);
  --depth;
  known[value] = share;
  return share;
}

std::optional<Share> Shares::find(Value value) {
  Operation *op = value.getDefiningOp();
  if (op->getAttrOfType<nn::LossReductionAttr>("reduction") && value == op->getResult(0))
    return ofLoss(op);
  return llvm::TypeSwitch<Operation *, std::optional<Share>>(op)
      .Case<nn::CastOp, nn::ReshapeOp, nn::TransposeOp, nn::ExpandOp, nn::NegOp>(
          [&](auto linear) { return of(linear->getOperand(0)); })
      .Case<train::StopGradientOp, train::CustomGradientOp>([&](auto mark) {
        return of(mark->getOperand(cast<OpResult>(value).getResultNumber()));
      })
      .Case<nn::SumOp, nn::MeanOp>([&](auto reduction) { return ofReduction(op, reduction.getAxes()); })
      .Case<nn::AddOp, nn::SubOp>([&](auto) { return ofSum(op); })
      .Case([&](nn::MulOp) { return ofProduct(op); })
      .Case([&](nn::DivOp quotient) { return ofQuotient(quotient); })
      .Default([&](Operation *other) {
        return fail(other, "computes with a number of the whole batch, in which it is not linear");
      });
}

std::optional<Share> Shares::ofLoss(Operation *op) {
  if (op->getAttrOfType<nn::LossReductionAttr>("reduction").getValue() == nn::LossReduction::sum)
    return Share{Share::Sum};
  if (weighingOf(op->getResult(1)))
    return Share{Share::Mean, op->getResult(1)};
  Value x = op->getOperand(0);
  auto axes = llvm::to_vector(llvm::seq<int64_t>(0, cast<RankedTensorType>(x.getType()).getRank()));
  return Share{Share::Mean, op->getResult(1), x, axes};
}

std::optional<Share> Shares::ofReduction(Operation *op, ArrayRef<int64_t> axes) {
  Value x = op->getOperand(0);
  nn::Shape shape = nn::shapeOf(x.getType());
  bool isMean = isa<nn::MeanOp>(op);
  auto isOfSamples = [&](int64_t axis) { return batch ? isOfBatch(shape[axis]) : axis == 0; };
  bool reducesSamples = llvm::any_of(axes, isOfSamples);
  if (!reducesSamples)
    return batch && hasSamples(x) ? fail(op, "has a result for each sample") : of(x);
  if (!batch) {
    Operation *inner = withoutViews(x).getDefiningOp();
    if (isMean ? isa<nn::SumOp>(inner) : isa<nn::MeanOp>(inner))
      return fail(op, "is one of a sum and a mean, of which it is not known which one goes over the batch: "
                      "give the size of the batch a name");
  }
  if (!isOfSamplesAlone(x))
    return std::nullopt;
  if (!isMean)
    return Share{Share::Sum};
  return Share{Share::Mean, nullptr, x, SmallVector<int64_t>(axes)};
}

/// Whether an element of a sum is computed of its own sample, as far back as it is computed by elements: if
/// it was divided by a number of the whole batch, say, then sums of batches are not the joined one.
bool Shares::isOfSamplesAlone(Value value) {
  SmallVector<Value> todo{value};
  llvm::SmallDenseSet<Value> seen;
  while (!todo.empty()) {
    Operation *op = todo.pop_back_val().getDefiningOp();
    if (!op->hasTrait<nn::Elementwise>() && !isa<nn::ReshapeOp, nn::TransposeOp, nn::ExpandOp>(op))
      continue;
    for (Value operand : op->getOperands()) {
      if (!differing.contains(operand) || !seen.insert(operand).second)
        continue;
      if (batch && !hasSamples(operand)) {
        fail(op, "computes with a number of the whole batch before the sum over its samples");
        return false;
      }
      todo.push_back(operand);
    }
  }
  return true;
}

std::optional<Share> Shares::ofSum(Operation *op) {
  std::optional<Share> a = of(op->getOperand(0)), b = a ? of(op->getOperand(1)) : std::nullopt;
  if (!a || !b)
    return std::nullopt;
  for (auto [same, other, operand] : {std::tuple(*a, *b, 0), std::tuple(*b, *a, 1)}) {
    if (same.kind != Share::Same)
      continue;
    if (other.kind == Share::Sum && trained.contains(op->getOperand(operand)))
      return fail(op, "adds a sum over the batch and what is the same for each batch");
    return other;
  }
  if (a->kind != b->kind)
    return fail(op, "adds a sum and a mean over the batch");
  if (a->kind == Share::Mean && !weighAlike(*a, *b))
    return fail(op, "adds means that were divided by different numbers, such as that of the labels that "
                    "count and that of the rows");
  return a;
}

std::optional<Share> Shares::ofProduct(Operation *op) {
  for (int factor : {0, 1})
    if (!differing.contains(op->getOperand(factor)))
      return of(op->getOperand(1 - factor));
  return fail(op, "multiplies two numbers of the whole batch");
}

/// A sum of which each term counts as much as its part of another sum says: a mean.
std::optional<Share> Shares::ofQuotient(nn::DivOp op) {
  Value divisor = withoutFloor(op.getB());
  std::optional<Share> a = of(op.getA()), b = a ? of(divisor) : std::nullopt;
  if (!a || !b)
    return std::nullopt;
  if (b->kind == Share::Same)
    return a;
  bool isMean = a->kind == Share::Sum && b->kind == Share::Sum && !trained.contains(divisor) &&
                nn::elementCount(nn::shapeOf(divisor.getType())).isOne();
  if (!isMean)
    return fail(op, "divides by a number of the whole batch, and is not a sum over it divided by a sum of "
                    "weights");
  return Share{Share::Mean, divisor};
}

/// A weight that was given in a description, and not made up where none was known.
bool isGiven(Value weight) {
  Operation *op = withoutViews(weight).getDefiningOp();
  return !isa<nn::ConstantOp>(op) && !op->getAttrOfType<nn::LossReductionAttr>("reduction");
}

Value weightOf(ImplicitLocOpBuilder &builder, const Share &share) {
  if (share.weight) {
    nn::Expr weight(builder, share.weight);
    return reshape(weight, RankedTensorType::get({}, weight.elementType()));
  }
  if (!share.counted) // the same for each batch
    return nn::ConstantOp::create(
        builder, DenseElementsAttr::get(RankedTensorType::get({}, builder.getF64Type()), APFloat(1.0)));
  return nn::countAlong({builder, share.counted}, share.axes, builder.getF64Type());
}

} // namespace

std::optional<JoinedLoss> findJoinedLoss(train::FunctionOp function, ReportUnknown report) {
  auto loss = *function.getBody().getOps<train::LossOp>().begin();
  if (isGiven(loss.getWeight()))
    return JoinedLoss::Mean;
  Shares shares(function);
  std::optional<Share> share = shares.of(loss.getValue());
  if (!share) {
    report(shares.unknown, shares.why);
    return std::nullopt;
  }
  if (share->kind == Share::Sum)
    return JoinedLoss::Sum;
  ImplicitLocOpBuilder builder(loss.getLoc(), loss);
  loss.getWeightMutable().assign(weightOf(builder, *share));
  return JoinedLoss::Mean;
}

FailureOr<JoinedLoss> joinLosses(train::FunctionOp forward) {
  std::optional<JoinedLoss> found = findJoinedLoss(forward, [](Operation *unknown, StringRef why) {
    InFlightDiagnostic error = mlir::emitError(unknown->getLoc());
    if (StringRef node = nodeName(unknown->getLoc()); !node.empty())
      error << "node '" << node << "': ";
    error << "'" << unknown->getName().stripDialect() << "' " << why
          << ": the loss of several batches does not follow from theirs, so that gradients cannot be "
             "averaged over batches (--accumulate=mean); --accumulate=sum adds them as they are";
  });
  if (!found)
    return failure();
  return *found;
}

} // namespace dlc::backward
