//===- FoldConstants.cpp - nn: operations on constants
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters compute shapes with operations, and formulas bring constants along (1/n of a mean). What is
// small and known is computed here, in the element type's precision and only where the result is exactly
// rounded and finite: a program computes the same bits with and without folding.
//===----------------------------------------------------------------------===//
#include "dialects/nn/FoldConstants.h"
#include "dialects/nn/Infer.h"
#include "llvm/ADT/TypeSwitch.h"
#include <cmath>
#include <variant>

using namespace mlir;
using namespace nn;

//===-- Single elements --------------------------------------------------------===//

/// A truth value is an integer of one bit, which is not a sign.
using Element = std::variant<APFloat, APInt>;
using Result = std::optional<Element>;

static APInt signedMax(APInt a, APInt b) { return a.sgt(b) ? a : b; }
static APInt signedMin(APInt a, APInt b) { return a.slt(b) ? a : b; }

/// What floats and integers have in common.
template <typename Number> static Result evaluateNumber(Operation *op, ArrayRef<Number> x) {
  if (isa<AddOp>(op))
    return x[0] + x[1];
  if (isa<SubOp>(op))
    return x[0] - x[1];
  if (isa<MulOp>(op))
    return x[0] * x[1];
  if (isa<NegOp>(op))
    return -x[0];
  return std::nullopt;
}

/// Of a root in double precision, the rounding to float32 is that of the exact root.
static Result squareRoot(const APFloat &x) {
  bool isExact;
  APFloat root(std::sqrt(x.convertToDouble()));
  root.convert(x.getSemantics(), APFloat::rmNearestTiesToEven, &isExact);
  return root;
}

static Result evaluateReal(Operation *op, ArrayRef<APFloat> x) {
  APFloat zero = APFloat::getZero(x[0].getSemantics());
  if (Result result = evaluateNumber(op, x))
    return result;
  if (isa<DivOp>(op))
    return x[0] / x[1];
  if (isa<MaxOp>(op))
    return llvm::maximum(x[0], x[1]);
  if (isa<MinOp>(op))
    return llvm::minimum(x[0], x[1]);
  if (isa<AbsOp>(op))
    return abs(x[0]);
  if (isa<ReluOp>(op))
    return llvm::maximum(x[0], zero);
  if (isa<SqrtOp>(op))
    return squareRoot(x[0]);
  return std::nullopt;
}

static Result evaluateInteger(Operation *op, ArrayRef<APInt> x) {
  if (Result result = evaluateNumber(op, x))
    return result;
  if (isa<DivOp>(op)) // the smallest number by -1 is itself
    return x[1].isZero() ? x[1] : x[0].sdiv(x[1]);
  if (isa<MaxOp>(op))
    return signedMax(x[0], x[1]);
  if (isa<MinOp>(op))
    return signedMin(x[0], x[1]);
  if (isa<AbsOp>(op))
    return x[0].abs();
  if (isa<SignOp>(op))
    return APInt(x[0].getBitWidth(), x[0].isZero() ? 0 : x[0].isNegative() ? -1 : 1, /*isSigned=*/true);
  if (isa<ReluOp>(op))
    return signedMax(x[0], APInt::getZero(x[0].getBitWidth()));
  if (isa<LogicalNotOp>(op))
    return ~x[0];
  if (isa<LogicalAndOp>(op))
    return x[0] & x[1];
  if (isa<LogicalOrOp>(op))
    return x[0] | x[1];
  if (isa<LogicalXorOp>(op))
    return x[0] ^ x[1];
  return std::nullopt;
}

static bool holds(Comparison predicate, bool less, bool equal, bool greater) {
  switch (predicate) {
  case Comparison::eq:
    return equal;
  case Comparison::ne:
    return !equal;
  case Comparison::lt:
    return less;
  case Comparison::le:
    return less || equal;
  case Comparison::gt:
    return greater;
  case Comparison::ge:
    return greater || equal;
  }
  llvm_unreachable("all predicates are handled");
}

static Element compare(Comparison predicate, const Element &a, const Element &b) {
  bool less, equal;
  bool greater;
  if (auto *x = std::get_if<APFloat>(&a)) {
    APFloat::cmpResult order = x->compare(std::get<APFloat>(b));
    less = order == APFloat::cmpLessThan;
    equal = order == APFloat::cmpEqual;
    greater = order == APFloat::cmpGreaterThan;
  } else {
    const APInt &p = std::get<APInt>(a), &q = std::get<APInt>(b);
    bool truth = p.getBitWidth() == 1;
    less = truth ? p.ult(q) : p.slt(q);
    equal = p == q;
    greater = !less && !equal;
  }
  return APInt(1, holds(predicate, less, equal, greater));
}

static Result cast(const Element &x, Type to) {
  if (to.isTF32()) // of which there are no constants
    return std::nullopt;
  if (to.isInteger(1))
    return std::visit([](const auto &number) -> Element { return APInt(1, !number.isZero()); }, x);
  if (auto *integer = std::get_if<APInt>(&x)) {
    bool truth = integer->getBitWidth() == 1;
    if (isa<IntegerType>(to))
      return truth ? integer->zextOrTrunc(to.getIntOrFloatBitWidth())
                   : integer->sextOrTrunc(to.getIntOrFloatBitWidth());
    APFloat real(llvm::cast<FloatType>(to).getFloatSemantics());
    real.convertFromAPInt(*integer, /*IsSigned=*/!truth, APFloat::rmNearestTiesToEven);
    return real;
  }
  APFloat real = std::get<APFloat>(x);
  if (auto type = dyn_cast<FloatType>(to)) {
    bool losesInformation;
    real.convert(type.getFloatSemantics(), APFloat::rmNearestTiesToEven, &losesInformation);
    return real;
  }
  llvm::APSInt integer(to.getIntOrFloatBitWidth(), /*isUnsigned=*/false);
  bool exact;
  if (real.convertToInteger(integer, APFloat::rmTowardZero, &exact) == APFloat::opInvalidOp)
    return std::nullopt; // out of range
  return APInt(integer);
}

static Result evaluate(Operation *op, ArrayRef<Element> x) {
  if (auto castOp = dyn_cast<CastOp>(op))
    return cast(x[0], castOp.getTo());
  if (auto compareOp = dyn_cast<CompareOp>(op))
    return compare(compareOp.getPredicate(), x[0], x[1]);
  if (isa<SelectOp>(op))
    return std::get<APInt>(x[0]).isZero() ? x[2] : x[1];
  if (std::holds_alternative<APFloat>(x[0])) {
    auto reals = llvm::map_to_vector(x, [](const Element &e) { return std::get<APFloat>(e); });
    return evaluateReal(op, reals);
  }
  auto integers = llvm::map_to_vector(x, [](const Element &e) { return std::get<APInt>(e); });
  return evaluateInteger(op, integers);
}

//===-- Whole constants --------------------------------------------------------===//

static SmallVector<Element> elementsOf(DenseElementsAttr constant, bool onlyFirst) {
  SmallVector<Element> elements;
  int64_t count = onlyFirst ? 1 : constant.getNumElements();
  if (isa<FloatType>(constant.getElementType()))
    llvm::append_range(
        elements, llvm::make_range(constant.value_begin<APFloat>(), constant.value_begin<APFloat>() + count));
  else
    llvm::append_range(
        elements, llvm::make_range(constant.value_begin<APInt>(), constant.value_begin<APInt>() + count));
  return elements;
}

/// None where an element is no number to rely on.
static DenseElementsAttr constantOf(RankedTensorType type, ArrayRef<Element> elements) {
  if (isa<FloatType>(type.getElementType())) {
    auto reals = llvm::map_to_vector(elements, [](const Element &e) { return std::get<APFloat>(e); });
    bool finite = llvm::all_of(reals, [](const APFloat &real) { return real.isFinite(); });
    return finite ? DenseElementsAttr::get(type, reals) : DenseElementsAttr();
  }
  auto integers = llvm::map_to_vector(elements, [](const Element &e) { return std::get<APInt>(e); });
  return DenseElementsAttr::get(type, integers);
}

static DenseElementsAttr foldElementwise(Operation *op, RankedTensorType type,
                                         ArrayRef<DenseElementsAttr> operands) {
  bool splat = llvm::all_of(operands, [](DenseElementsAttr operand) { return operand.isSplat(); });
  if (!splat && type.getNumElements() > largestFoldedConstant)
    return {};
  SmallVector<SmallVector<Element>> inputs;
  for (DenseElementsAttr operand : operands)
    inputs.push_back(elementsOf(operand, /*onlyFirst=*/splat));

  SmallVector<Element> elements;
  for (int64_t i = 0, count = splat ? 1 : type.getNumElements(); i < count; ++i) {
    SmallVector<Element> x;
    for (auto [operand, input] : llvm::zip_equal(operands, inputs))
      x.push_back(input[splat ? 0 : broadcastIndex(i, type.getShape(), operand.getType().getShape())]);
    Result element = evaluate(op, x);
    if (!element)
      return {};
    elements.push_back(*element);
  }
  return constantOf(type, elements);
}

/// What a reduction starts from; none for operations that are not exact in any order.
static std::optional<APInt> neutralInteger(Operation *op, unsigned bits) {
  if (isa<SumOp>(op))
    return APInt::getZero(bits);
  if (isa<ProdOp>(op))
    return APInt(bits, 1);
  if (isa<ReduceMaxOp>(op))
    return APInt::getSignedMinValue(bits);
  if (isa<ReduceMinOp>(op))
    return APInt::getSignedMaxValue(bits);
  return std::nullopt;
}

static APInt combine(Operation *op, const APInt &a, const APInt &b) {
  if (isa<SumOp>(op))
    return a + b;
  if (isa<ProdOp>(op))
    return a * b;
  return isa<ReduceMaxOp>(op) ? signedMax(a, b) : signedMin(a, b);
}

static DenseElementsAttr foldIntegerReduction(Operation *op, ArrayRef<int64_t> axes, RankedTensorType type,
                                              DenseElementsAttr x) {
  auto from = llvm::cast<RankedTensorType>(x.getType());
  std::optional<APInt> neutral = neutralInteger(op, type.getElementTypeBitWidth());
  if (!neutral || from.getNumElements() > largestFoldedConstant)
    return {};
  // The result with its reduced dims kept: broadcasting it to x pairs the elements.
  SmallVector<int64_t> kept(from.getShape());
  for (int64_t axis : axes)
    kept[axis] = 1;
  SmallVector<APInt> results(type.getNumElements(), *neutral);
  for (auto [i, element] : llvm::enumerate(x.getValues<APInt>())) {
    APInt &result = results[broadcastIndex(i, from.getShape(), kept)];
    result = combine(op, result, element);
  }
  return DenseElementsAttr::get(type, results);
}

/// A sum of ones counts, whatever the order; other sums of real numbers depend on it.
static DenseElementsAttr foldCount(RankedTensorType type, DenseElementsAttr x) {
  if (!x.isSplat() || !x.getSplatValue<APFloat>().isExactlyValue(1) || type.getNumElements() == 0)
    return {};
  APFloat count = x.getSplatValue<APFloat>();
  APInt number(64, x.getNumElements() / type.getNumElements());
  if (count.convertFromAPInt(number, /*IsSigned=*/true, APFloat::rmNearestTiesToEven) != APFloat::opOK)
    return {};
  return DenseElementsAttr::get(type, count);
}

static DenseElementsAttr foldReduction(Operation *op, ArrayRef<int64_t> axes, RankedTensorType type,
                                       DenseElementsAttr x) {
  if (isa<IntegerType>(type.getElementType()))
    return foldIntegerReduction(op, axes, type, x);
  return isa<SumOp>(op) ? foldCount(type, x) : DenseElementsAttr();
}

//===-- The dialect's hook -------------------------------------------------------===//

LogicalResult ConstantFolder::fold(Operation *op, ArrayRef<Attribute> operands,
                                   SmallVectorImpl<OpFoldResult> &results) const {
  SmallVector<DenseElementsAttr> constants;
  for (Attribute operand : operands) {
    auto constant = dyn_cast_or_null<DenseElementsAttr>(operand);
    if (!constant)
      return failure();
    constants.push_back(constant);
  }
  if (constants.empty() || op->getNumResults() != 1)
    return failure();
  auto type = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  if (!type || !type.hasStaticShape())
    return failure();

  DenseElementsAttr result;
  if (op->hasTrait<nn::Elementwise>())
    result = foldElementwise(op, type, constants);
  else
    result = llvm::TypeSwitch<Operation *, DenseElementsAttr>(op)
                 .Case<SumOp, ProdOp, ReduceMaxOp, ReduceMinOp>([&](auto reduction) {
                   return foldReduction(op, reduction.getAxes(), type, constants[0]);
                 })
                 .Default([&](Operation *) { return foldMove(op, type, constants); });
  if (!result)
    return failure();
  results.push_back(result);
  return success();
}
