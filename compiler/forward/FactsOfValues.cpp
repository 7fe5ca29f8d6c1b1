//===- FactsOfValues.cpp - what is known of all values of a function -------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// One walk over the function, in the program's order: a graph may be a million operations deep.
//===----------------------------------------------------------------------===//
#include "compiler/forward/FactsOfValues.h"
#include "compiler/forward/Intervals.h"
#include "dialects/nn/Dims.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>

using namespace mlir;
using namespace dlc::forward;

FactsOfValues::FactsOfValues(train::FunctionOp function) {
  for (Operation &op : function.getBody().front())
    for (OpResult result : op.getResults()) {
      ValueFacts known = derive(&op, result.getResultNumber());
      if (std::isnan(known.low) || std::isnan(known.high)) // of infinite constants, such as masks
        known = ValueFacts();
      facts.try_emplace(result, known);
    }
}

const ValueFacts &FactsOfValues::of(Value value) const {
  static const ValueFacts nothing;
  auto found = facts.find(value);
  return found == facts.end() ? nothing : found->second;
}

//===-- Where values come from -----------------------------------------------------===//

static ValueFacts ofNumbers(ElementsAttr attribute) {
  ValueFacts result;
  result.constant = true;
  auto numbers = dyn_cast_or_null<DenseFPElementsAttr>(attribute);
  if (!numbers || numbers.empty())
    return result;
  result.low = std::numeric_limits<double>::infinity();
  result.high = -result.low;
  for (const APFloat &number : numbers) {
    double value = number.convertToDouble();
    if (std::isnan(value))
      return {};
    result.low = std::min(result.low, value);
    result.high = std::max(result.high, value);
  }
  return result;
}

ValueFacts FactsOfValues::read(train::ReadOp op) const {
  auto program = op->getParentOfType<train::ProgramOp>();
  auto state = dyn_cast<train::StateOp>(SymbolTable::lookupSymbolIn(program, op.getSymbol()));
  ValueFacts result;
  if (!state)
    return result;
  if (state.isTrainable())
    result.reached = result.linear = result.parameter = true;
  else if (state.getKind() != train::StateKind::Buffer && state.getInitialAttr())
    result = ofNumbers(state.getInitialAttr());
  return result;
}

/// A trained matrix can scale a product to any size; a matrix of probabilities takes averages. (With trained
/// parameters on both sides, which may be the same, the product could be a square.)
ValueFacts FactsOfValues::product(nn::MatMulOp op) const {
  const ValueFacts &a = of(op.getA()), &b = of(op.getB());
  int64_t rank = cast<RankedTensorType>(op.getType()).getRank();
  ValueFacts result;
  result.reached = result.linear =
      a.linear != b.linear || ((a.parameter || b.parameter) && op.getA() != op.getB());
  if (a.parameter || b.parameter)
    result.features = b.parameter ? rank - 1 : rank - 2;
  if (result.linear)
    return result;
  int64_t rankOfA = cast<RankedTensorType>(op.getA().getType()).getRank();
  if (a.sumsToOne == rankOfA - (op.getTransposeA() ? 2 : 1)) {
    result.low = b.low;
    result.high = b.high;
  }
  return result;
}

/// A convolution's channels lie along axis 1, and a trained weight can scale them to any size.
template <typename Op> static ValueFacts convolution(const ValueFacts &x, const ValueFacts &weight, Op op) {
  ValueFacts result;
  result.reached = result.linear =
      x.linear != weight.linear || (weight.parameter && op->getOperand(0) != op->getOperand(1));
  result.features = 1;
  return result;
}

/// Sums of neighbours with fixed weights: the axes stay what they are.
static ValueFacts resampled(const ValueFacts &x) {
  ValueFacts result;
  result.features = x.features;
  return result;
}

/// x / (sum of x): probabilities that a model makes without a softmax. A divisor kept from zero is larger.
ValueFacts FactsOfValues::quotient(nn::DivOp op) const {
  const ValueFacts &a = of(op.getA()), &b = of(op.getB());
  ValueFacts result = dlc::forward::quotient(a, b);
  Value divisor = op.getB();
  bool isLarger = false;
  for (Operation *made = divisor.getDefiningOp(); made; made = divisor.getDefiningOp()) {
    bool adds = isa<nn::AddOp>(made) && of(made->getOperand(1)).constant && of(made->getOperand(1)).low >= 0;
    bool bounds = isa<nn::MaxOp>(made) && of(made->getOperand(1)).constant;
    bool clips =
        isa<nn::ClipOp>(made) && of(made->getResult(0)).high == std::numeric_limits<double>::infinity();
    if (!adds && !bounds && !clips && !isa<nn::ExpandOp>(made))
      break;
    isLarger |= !isa<nn::ExpandOp>(made);
    divisor = made->getOperand(0);
  }
  auto sum = divisor.getDefiningOp<nn::SumOp>();
  if (!sum || sum.getX() != op.getA() || !sum.getKeepdims() || !(a.low >= 0))
    return result;
  result.low = 0;
  result.high = 1;
  if (!isLarger && sum.getAxes().size() == 1)
    result.sumsToOne = sum.getAxes().front();
  return result;
}

//===-- Moves --------------------------------------------------------------------===//

/// Where dim `axis` of `from` is in `to`, a reshape of it, if it is one dim there too.
static std::optional<int64_t> axisAfterReshape(Type from, Type to, int64_t axis) {
  nn::Shape before = nn::shapeOf(from), after = nn::shapeOf(to);
  nn::Dim outer = nn::elementCount(ArrayRef(before).take_front(axis)), product = 1;
  for (auto [i, dim] : llvm::enumerate(after)) {
    if (product == outer && dim == before[axis])
      return i;
    product = product * dim;
  }
  return std::nullopt;
}

std::optional<int64_t> dlc::forward::axisAfterMove(Operation *op, int64_t axis) {
  Type from = op->getOperand(0).getType(), to = op->getResult(0).getType();
  int64_t rankFrom = cast<RankedTensorType>(from).getRank(), rankTo = cast<RankedTensorType>(to).getRank();
  if (isa<nn::ReshapeOp>(op))
    return axisAfterReshape(from, to, axis);
  if (auto transpose = dyn_cast<nn::TransposeOp>(op))
    return std::distance(transpose.getPermutation().begin(), llvm::find(transpose.getPermutation(), axis));
  int64_t moved = axis, shift = rankTo - rankFrom;
  if (isa<nn::ExpandOp>(op))
    moved += shift;
  else if (auto gather = dyn_cast<nn::GatherOp>(op)) {
    int64_t taken = gather.getAxis();
    if (axis == taken)
      return std::nullopt;
    moved += axis > taken ? shift : 0;
  }
  if (nn::shapeOf(from)[axis] != nn::shapeOf(to)[moved])
    return std::nullopt;
  return moved;
}

/// An operation that gives elements of its operands, perhaps beside a constant.
ValueFacts FactsOfValues::moved(Operation *op) const {
  ValueFacts result = of(op->getOperand(0));
  unsigned operands = isa<nn::ConcatOp>(op) ? op->getNumOperands() : 1; // others may be indices
  for (unsigned i = 1; i < operands; ++i)
    result = unionOf(result, of(op->getOperand(i)));
  if (auto pad = dyn_cast<nn::PadOp>(op); pad && pad.getMode() == nn::PadMode::constant) {
    double value = pad.getValue().convertToDouble();
    result.low = std::min(result.low, value);
    result.high = std::max(result.high, value);
  }
  auto follow = [&](std::optional<int64_t> &axis) {
    if (axis)
      axis = axisAfterMove(op, *axis);
  };
  bool isWhole = isa<nn::ReshapeOp, nn::TransposeOp, nn::ExpandOp, nn::ReverseOp>(op);
  if (isWhole || isa<nn::SliceOp, nn::GatherOp>(op)) {
    follow(result.sumsToOne);
    follow(result.expSumsToOne);
    follow(result.features);
  } else {
    result.sumsToOne = result.expSumsToOne = std::nullopt;
  }
  return result;
}

//===-- All operations ---------------------------------------------------------------===//

static ValueFacts between(double low, double high, bool reached) {
  ValueFacts result;
  result.low = low;
  result.high = high;
  result.reached = reached;
  return result;
}

/// Scaled and shifted by parameters, whatever goes in.
static ValueFacts normalized(const ValueFacts &scale, const ValueFacts &bias) {
  ValueFacts result;
  result.reached = result.linear = scale.parameter || bias.parameter;
  return result;
}

ValueFacts FactsOfValues::derive(Operation *op, unsigned result) const {
  if (auto type = dyn_cast<RankedTensorType>(op->getResult(result).getType());
      type && type.getElementType().isInteger(1))
    return between(0, 1, /*reached=*/false);
  return llvm::TypeSwitch<Operation *, ValueFacts>(op)
      .Case([&](nn::ConstantOp constant) { return ofNumbers(constant.getValue()); })
      .Case([&](train::ReadOp read) { return this->read(read); })
      .Case([&](nn::MatMulOp matmul) { return product(matmul); })
      .Case<nn::ConvOp, nn::ConvTransposeOp>(
          [&](auto conv) { return convolution(of(conv->getOperand(0)), of(conv->getOperand(1)), conv); })
      .Case([&](nn::ResampleOp resample) { return resampled(of(resample.getX())); })
      .Case([&](nn::DivOp div) { return quotient(div); })
      .Case([&](nn::SoftmaxOp softmax) {
        ValueFacts facts = between(0, 1, of(softmax.getX()).linear);
        if (!softmax.getEmptyToZero())
          facts.sumsToOne = softmax.getAxis();
        return facts;
      })
      .Case([&](nn::LogSoftmaxOp softmax) {
        ValueFacts facts = between(-infinity, 0, of(softmax.getX()).linear);
        facts.expSumsToOne = softmax.getAxis();
        return facts;
      })
      .Case<nn::LayerNormOp, nn::BatchNormOp, nn::BatchNormInferenceOp, train::BatchNormOp>([&](auto norm) {
        return result == 0 ? normalized(of(norm.getScale()), of(norm.getBias())) : ValueFacts();
      })
      .Case([&](nn::RandomUniformOp) { return between(0, 1, /*reached=*/false); })
      .Case([&](nn::DropoutOp dropout) {
        const ValueFacts &x = of(dropout.getX());
        double scale = 1 / (1 - dropout.getRatio().convertToDouble());
        ValueFacts facts = between(std::min(0.0, x.low * scale), std::max(0.0, x.high * scale), x.reached);
        facts.linear = x.linear;
        facts.features = x.features;
        return facts;
      })
      .Case<nn::ReshapeOp, nn::TransposeOp, nn::ExpandOp, nn::ReverseOp, nn::SliceOp, nn::GatherOp,
            nn::ConcatOp, nn::PadOp>([&](Operation *move) { return moved(move); })
      .Case<nn::MeanOp, nn::ReduceMaxOp, nn::ReduceMinOp>([&](auto reduction) {
        const ValueFacts &x = of(reduction.getX());
        ValueFacts facts = between(x.low, x.high, x.linear);
        facts.linear = x.linear;
        return facts;
      })
      .Case([&](nn::SumOp sum) { return sumOf(of(sum.getX()), sum); })
      .Default([&](Operation *other) {
        auto operands = llvm::map_to_vector(other->getOperands(), [&](Value value) { return of(value); });
        return elementwise(other, operands);
      });
}
