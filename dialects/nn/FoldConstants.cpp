//===- FoldConstants.cpp - nn: operations on constants
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Exporters compute shapes with operations, and formulas bring constants along (1/n of a mean). What is
// small and known is computed here, in the element type's precision and only where the result is exactly
// rounded and finite: a program computes the same bits with and without folding. FoldElements.cpp computes
// single elements.
//===----------------------------------------------------------------------===//
#include "dialects/nn/FoldConstants.h"
#include "dialects/nn/Infer.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace nn;

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
    FoldedElement element = foldElement(op, x);
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
  return isa<ReduceMaxOp>(op) ? llvm::APIntOps::smax(a, b) : llvm::APIntOps::smin(a, b);
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
