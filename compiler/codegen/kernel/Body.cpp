//===- Body.cpp - scalar bodies computed on vectors ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/codegen/kernel/Body.h"
#include "compiler/analysis/Reductions.h"
#include "compiler/codegen/kernel/Clamped.h"
#include "compiler/codegen/kernel/Narrow.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"

using namespace mlir;

namespace dlc::codegen {

/// The position of a loop: a scalar, or one position per lane.
static Value loopPosition(Builder &b, const Point &point, int64_t loop) {
  Value position = arith::IndexCastOp::create(b, b.getIndexType(), point.loops[loop].materialize(b));
  if (!point.isVector() || loop != point.laneDim)
    return position;
  auto type = VectorType::get({point.lanes}, b.getIndexType());
  Value start = vector::BroadcastOp::create(b, type, position);
  return arith::AddIOp::create(b, start, vector::StepOp::create(b, type));
}

/// A divisor that the processor can divide by: where an integer quotient has no value (a zero divisor,
/// also in lanes that are masked off, or the one quotient that overflows) it becomes 1.
static Value safeDivisor(Builder &b, Value dividend, Value divisor) {
  Type type = divisor.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto constant = [&](const APInt &number) -> Value {
    TypedAttr value = b.getIntegerAttr(getElementTypeOrSelf(type), number);
    if (auto vector = dyn_cast<VectorType>(type))
      value = DenseElementsAttr::get(vector, cast<Attribute>(value));
    return arith::ConstantOp::create(b, value);
  };
  auto equal = [&](Value x, const APInt &number) -> Value {
    return arith::CmpIOp::create(b, arith::CmpIPredicate::eq, x, constant(number));
  };
  Value isLeast = equal(dividend, APInt::getSignedMinValue(width));
  Value isMinusOne = equal(divisor, APInt::getAllOnes(width));
  Value overflows = arith::AndIOp::create(b, isLeast, isMinusOne);
  Value bad = arith::OrIOp::create(b, equal(divisor, APInt::getZero(width)), overflows);
  return arith::SelectOp::create(b, bad, constant(APInt(width, 1)), divisor);
}

/// Whether an operation on narrow floats gives one of them without rounding.
static bool isExact(Operation &op) {
  return isa<arith::ConstantOp, arith::SelectOp, arith::NegFOp, arith::MaximumFOp, arith::MinimumFOp,
             arith::MaxNumFOp, arith::MinNumFOp, math::AbsFOp>(op);
}

/// The same operation on vectors if any operand is one, in f32 where its floats are narrow.
static void emitElementwise(Builder &b, Operation &op, const Point &point, IRMapping &values) {
  SmallVector<Value> operands;
  for (Value operand : op.getOperands())
    operands.push_back(values.lookupOrDefault(operand));
  bool varies = llvm::any_of(operands, [](Value v) { return isa<VectorType>(v.getType()); });
  SmallVector<Type> types = llvm::map_to_vector(op.getResultTypes(), registerType);
  if (auto constant = dyn_cast<arith::ConstantOp>(op)) {
    values.map(constant.getResult(),
               arith::ConstantOp::create(b, registerConstant(constant.getValue())).getResult());
    return;
  }
  // Conversions to and from narrow floats round in f32, or do nothing there.
  if (isa<arith::ExtFOp, arith::TruncFOp>(op) && types[0] == getElementTypeOrSelf(operands[0].getType())) {
    Type narrow = op.getResultTypes()[0];
    values.map(op.getResult(0), isNarrow(narrow) ? roundedTo(b, narrow, operands[0]) : operands[0]);
    return;
  }
  if (varies) {
    for (Value &operand : operands)
      operand = asVector(b, point, operand);
    for (Type &type : types)
      type = VectorType::get({point.lanes}, type);
  }
  if (isa<arith::DivSIOp, arith::RemSIOp>(op) && !getElementTypeOrSelf(types[0]).isIndex())
    operands[1] = safeDivisor(b, operands[0], operands[1]);
  OperationState state(b.getLoc(), op.getName(), operands, types, op.getAttrs());
  state.propertiesAttr = op.getPropertiesAsAttribute();
  Operation *made = b.create(state);
  for (auto [result, value] : llvm::zip_equal(op.getResults(), made->getResults()))
    values.map(result, isNarrow(result.getType()) && !isExact(op) ? roundedTo(b, result.getType(), value)
                                                                  : Value(value));
}

/// An element at computed positions. Where lanes differ in the position of their loop alone, they read as
/// operands are read: neighbours as one vector.
static Value emitExtract(KernelFunction &kernel, tensor::ExtractOp extract, const Point &point,
                         const IRMapping &values) {
  auto memory = kernel.memoryOf(extract.getTensor());
  assert(memory && "bodies read tensors that are in memory");
  SmallVector<Value> positions;
  SmallVector<int64_t> varying;
  bool isPlain = true;
  for (auto [axis, position] : llvm::enumerate(extract.getIndices())) {
    positions.push_back(values.lookupOrDefault(position));
    if (!isa<VectorType>(positions.back().getType()))
      continue;
    varying.push_back(axis);
    isPlain &= bool(position.getDefiningOp<linalg::IndexOp>());
  }
  Builder &b = kernel.builder();
  if (isPlain && varying.size() == 1)
    return loadAlongLanes(b, *memory, positions, varying.front(), point);
  if (varying.size() == 1)
    if (Value loaded = loadBetweenLimits(b, *memory, extract, positions, varying.front(), point, values))
      return loaded;
  return loadIndirect(b, *memory, positions, point);
}

/// One operation of a body at a point.
static void emitOperation(KernelFunction &kernel, Operation &inner, const Point &point, IRMapping &values,
                          RandomWords *words) {
  Builder &b = kernel.builder();
  if (auto index = dyn_cast<linalg::IndexOp>(inner)) {
    values.map(index.getResult(), loopPosition(b, point, index.getDim()));
  } else if (auto extract = dyn_cast<tensor::ExtractOp>(inner)) {
    values.map(extract.getResult(), emitExtract(kernel, extract, point, values));
  } else if (auto random = dyn_cast<train::RandomBitsOp>(inner)) {
    values.map(random.getResult(), emitRandomBits(b, random, values, point, words));
  } else if (auto size = dyn_cast<train::DimSizeOp>(inner)) {
    values.map(size.getResult(),
               arith::IndexCastOp::create(b, b.getIndexType(), kernel.namedSize(size.getDim()).materialize(b))
                   .getResult());
  } else {
    emitElementwise(b, inner, point, values);
  }
}

void emitOperations(KernelFunction &kernel, ArrayRef<Operation *> operations, const Point &point,
                    IRMapping &values) {
  for (Operation *operation : operations)
    emitOperation(kernel, *operation, point, values, nullptr);
}

Value emitPart(KernelFunction &kernel, linalg::GenericOp op, Value wanted, ArrayRef<Value> arguments,
               const Point &point, RandomWords *words) {
  IRMapping values;
  llvm::SetVector<Value> needed = analysis::neededFor(op, wanted);
  for (auto [argument, value] : llvm::zip_equal(op.getBody()->getArguments(), arguments))
    if (needed.contains(argument))
      values.map(argument, value);
  for (Operation &inner : op.getBody()->without_terminator())
    if (llvm::any_of(inner.getResults(), [&](Value result) { return needed.contains(result); }))
      emitOperation(kernel, inner, point, values, words);
  return values.lookup(wanted);
}

/// The sum of a depthwise convolution's body, which takes up the product without rounding it: it has the same
/// bits in a register tile and in other loops.
static arith::AddFOp fusedSum(linalg::GenericOp op) {
  auto sum = op.getBlock()->getTerminator()->getOperand(0).getDefiningOp<arith::AddFOp>();
  return sum && analysis::isDepthwise(op) && !isNarrow(sum.getType()) ? sum : arith::AddFOp();
}

static void emitFused(Builder &b, arith::AddFOp sum, const Point &point, IRMapping &values) {
  auto product = sum.getRhs().getDefiningOp<arith::MulFOp>();
  SmallVector<Value> operands;
  for (Value operand : {product.getLhs(), product.getRhs(), sum.getLhs()})
    operands.push_back(values.lookup(operand));
  if (llvm::any_of(operands, [](Value operand) { return isa<VectorType>(operand.getType()); }))
    for (Value &operand : operands)
      operand = asVector(b, point, operand);
  values.map(sum.getResult(), math::FmaOp::create(b, operands[0], operands[1], operands[2]).getResult());
}

SmallVector<Value> emitBody(KernelFunction &kernel, linalg::GenericOp op, ArrayRef<Value> arguments,
                            const Point &point, RandomWords *words) {
  Builder &b = kernel.builder();
  IRMapping values;
  values.map(op.getBlock()->getArguments(), arguments);
  arith::AddFOp fused = fusedSum(op);
  for (Operation &inner : op.getBlock()->without_terminator()) {
    if (&inner == fused)
      emitFused(b, fused, point, values);
    else
      emitOperation(kernel, inner, point, values, words);
  }
  SmallVector<Value> results;
  for (Value yielded : op.getBlock()->getTerminator()->getOperands()) {
    // A value from outside the body is a constant of the kernel.
    if (!values.contains(yielded) && yielded.getParentBlock() != op.getBlock())
      emitElementwise(b, *yielded.getDefiningOp(), point, values);
    results.push_back(values.lookup(yielded));
  }
  return results;
}

TypedAttr neutralElement(Operation *combiner) {
  std::optional<TypedAttr> neutral = arith::getNeutralElement(combiner);
  assert(neutral && "combinerOf admits only operations with a neutral element");
  return registerConstant(*neutral);
}

Value combine(Builder &b, Operation *combiner, Value x, Value y) {
  OperationState state(b.getLoc(), combiner->getName(), ValueRange{x, y}, x.getType(), combiner->getAttrs());
  state.propertiesAttr = combiner->getPropertiesAsAttribute();
  return b.create(state)->getResult(0);
}

SmallVector<Value> neutralElements(Builder &b, linalg::GenericOp op, ArrayRef<Point> points) {
  SmallVector<Value> result;
  for (const Point &point : points)
    for (unsigned index = 0; index < op.getNumResults(); ++index) {
      Value neutral = arith::ConstantOp::create(b, neutralElement(analysis::combinerOf(op, index)));
      result.push_back(asVector(b, point, neutral));
    }
  return result;
}

SmallVector<Value> combineAll(Builder &b, linalg::GenericOp op, ArrayRef<Value> x, ArrayRef<Value> y) {
  SmallVector<Value> result;
  for (size_t i = 0; i < x.size(); ++i)
    result.push_back(combine(b, analysis::combinerOf(op, i % op.getNumResults()), x[i], y[i]));
  return result;
}

Value combineLanes(Builder &b, Operation *combiner, Value vector) {
  int64_t lanes = cast<VectorType>(vector.getType()).getNumElements();
  for (; lanes > 1; lanes /= 2) {
    SmallVector<int64_t> low, high;
    for (int64_t lane = 0; lane < lanes / 2; ++lane) {
      low.push_back(lane);
      high.push_back(lane + lanes / 2);
    }
    Value lowHalf = vector::ShuffleOp::create(b, vector, vector, low);
    Value highHalf = vector::ShuffleOp::create(b, vector, vector, high);
    vector = combine(b, combiner, lowHalf, highHalf);
  }
  return vector::ExtractOp::create(b, vector, ArrayRef<int64_t>{0});
}

} // namespace dlc::codegen
