//===- Elementwise.cpp - elementwise nn operations to linalg ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A table from operation to scalar body; broadcasting is in the indexing maps.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Lowering.h"
#include "compiler/lower/ScalarOps.h"

using namespace mlir::arith; // scalar operations only, see the table

namespace dlc::lower {

namespace math = mlir::math;

/// The elementwise generic of an operation whose operands broadcast to its result.
template <typename Op> static void lowerElementwise(Op op, Lowering &lowering, Body body) {
  Value result = op->getResult(0);
  nn::Shape shape = nn::shapeOf(result.getType());
  Space space(shape);
  SmallVector<Read> reads;
  for (Value operand : op->getOperands())
    reads.push_back(lowering.broadcast(space, operand, shape.size()));
  mlir::Type elementType = mlir::cast<mlir::RankedTensorType>(result.getType()).getElementType();
  lowering.replace(result, lowering.generic(space, reads, elementType, body));
}

#define SCALAR_BODY(Op, EXPRESSION)                                                                          \
  table.add<nn::Op>(+[](nn::Op op, Lowering &lowering) {                                                     \
    lowerElementwise(op, lowering, [&]([[maybe_unused]] ImplicitLocOpBuilder &b, ValueRange x) -> Value {    \
      [[maybe_unused]] mlir::Type type = x[0].getType();                                                     \
      [[maybe_unused]] bool isFloat = mlir::isa<mlir::FloatType>(type);                                      \
      return EXPRESSION;                                                                                     \
    });                                                                                                      \
  });

static CmpFPredicate floatPredicate(nn::Comparison comparison) {
  switch (comparison) {
  case nn::Comparison::eq:
    return CmpFPredicate::OEQ;
  case nn::Comparison::ne:
    return CmpFPredicate::UNE;
  case nn::Comparison::lt:
    return CmpFPredicate::OLT;
  case nn::Comparison::le:
    return CmpFPredicate::OLE;
  case nn::Comparison::gt:
    return CmpFPredicate::OGT;
  case nn::Comparison::ge:
    return CmpFPredicate::OGE;
  }
  llvm_unreachable("all comparisons are listed");
}

static CmpIPredicate integerPredicate(nn::Comparison comparison, bool isUnsigned) {
  switch (comparison) {
  case nn::Comparison::eq:
    return CmpIPredicate::eq;
  case nn::Comparison::ne:
    return CmpIPredicate::ne;
  case nn::Comparison::lt:
    return isUnsigned ? CmpIPredicate::ult : CmpIPredicate::slt;
  case nn::Comparison::le:
    return isUnsigned ? CmpIPredicate::ule : CmpIPredicate::sle;
  case nn::Comparison::gt:
    return isUnsigned ? CmpIPredicate::ugt : CmpIPredicate::sgt;
  case nn::Comparison::ge:
    return isUnsigned ? CmpIPredicate::uge : CmpIPredicate::sge;
  }
  llvm_unreachable("all comparisons are listed");
}

static Value compareScalars(ImplicitLocOpBuilder &b, nn::Comparison comparison, Value x, Value y) {
  if (mlir::isa<mlir::FloatType>(x.getType()))
    return CmpFOp::create(b, floatPredicate(comparison), x, y);
  return CmpIOp::create(b, integerPredicate(comparison, isUnsigned(x.getType())), x, y);
}

static Value isPositive(ImplicitLocOpBuilder &b, Value x) {
  return compareScalars(b, nn::Comparison::gt, x, constant(b, x.getType(), 0));
}

// -1, 0 or 1; 0 for NaN, as PyTorch has it.
static Value signOf(ImplicitLocOpBuilder &b, Value x) {
  mlir::Type type = x.getType();
  Value zero = constant(b, type, 0);
  Value isNegative = compareScalars(b, nn::Comparison::lt, x, zero);
  Value below = SelectOp::create(b, isNegative, constant(b, type, -1), zero);
  Value isAbove = isPositive(b, x), one = constant(b, type, 1);
  return SelectOp::create(b, isAbove, one, below);
}

// One instruction on vectors, where a maximum that keeps NaN takes three.
static Value reluOf(ImplicitLocOpBuilder &b, Value x) {
  Value zero = constant(b, x.getType(), 0);
  return SelectOp::create(b, compareScalars(b, nn::Comparison::lt, x, zero), zero, x);
}

static Value leakyReluOf(ImplicitLocOpBuilder &b, Value x, double alpha) {
  Value isAbove = isPositive(b, x);
  Value scaled = MulFOp::create(b, constant(b, x.getType(), alpha), x);
  return SelectOp::create(b, isAbove, x, scaled);
}

static Value sigmoidOf(ImplicitLocOpBuilder &b, Value x) {
  Value one = constant(b, x.getType(), 1);
  Value e = math::ExpOp::create(b, NegFOp::create(b, x));
  return DivFOp::create(b, one, AddFOp::create(b, one, e));
}

// Limits outside an integer type's range, or infinite, do not limit.
static Value clipTo(ImplicitLocOpBuilder &b, Value x, double low, double high) {
  double range = mlir::isa<mlir::FloatType>(x.getType())
                     ? std::numeric_limits<double>::infinity()
                     : std::ldexp(1.0, x.getType().getIntOrFloatBitWidth() - 1);
  if (low > -range)
    x = larger(b, x, constant(b, x.getType(), low));
  if (high < range)
    x = smaller(b, x, constant(b, x.getType(), high));
  return x;
}

void addElementwiseLowerings(Lowerings &table) {
  // clang-format off
  SCALAR_BODY(NegOp, isFloat ? Value(NegFOp::create(b, x[0])) : SubIOp::create(b, constant(b, type, 0), x[0]))
  SCALAR_BODY(AbsOp, isFloat ? Value(math::AbsFOp::create(b, x[0])) : math::AbsIOp::create(b, x[0]))
  SCALAR_BODY(SignOp, signOf(b, x[0]))
  SCALAR_BODY(ExpOp, math::ExpOp::create(b, x[0]))
  SCALAR_BODY(LogOp, math::LogOp::create(b, x[0]))
  SCALAR_BODY(Expm1Op, math::ExpM1Op::create(b, x[0]))
  SCALAR_BODY(Log1pOp, math::Log1pOp::create(b, x[0]))
  SCALAR_BODY(SqrtOp, math::SqrtOp::create(b, x[0]))
  SCALAR_BODY(RsqrtOp, math::RsqrtOp::create(b, x[0]))
  SCALAR_BODY(ReciprocalOp, DivFOp::create(b, constant(b, type, 1), x[0]))
  SCALAR_BODY(ErfOp, math::ErfOp::create(b, x[0]))
  SCALAR_BODY(ErfcOp, math::ErfcOp::create(b, x[0]))
  SCALAR_BODY(SinOp, math::SinOp::create(b, x[0]))
  SCALAR_BODY(CosOp, math::CosOp::create(b, x[0]))
  SCALAR_BODY(AtanOp, math::AtanOp::create(b, x[0]))
  SCALAR_BODY(FloorOp, math::FloorOp::create(b, x[0]))
  SCALAR_BODY(CeilOp, math::CeilOp::create(b, x[0]))
  SCALAR_BODY(RoundOp, math::RoundEvenOp::create(b, x[0]))
  SCALAR_BODY(TanhOp, math::TanhOp::create(b, x[0]))
  SCALAR_BODY(SigmoidOp, sigmoidOf(b, x[0]))
  SCALAR_BODY(ReluOp, reluOf(b, x[0]))
  SCALAR_BODY(LeakyReluOp, leakyReluOf(b, x[0], op.getAlpha().convertToDouble()))
  SCALAR_BODY(ClipOp, clipTo(b, x[0], op.getLow().convertToDouble(), op.getHigh().convertToDouble()))
  SCALAR_BODY(LogicalNotOp, XOrIOp::create(b, x[0], ConstantIntOp::create(b, 1, 1)))
  SCALAR_BODY(CastOp, convert(b, x[0], op.getTo()))
  SCALAR_BODY(AddOp, add(b, x[0], x[1]))
  SCALAR_BODY(SubOp, isFloat ? Value(SubFOp::create(b, x[0], x[1])) : SubIOp::create(b, x[0], x[1]))
  SCALAR_BODY(MulOp, multiply(b, x[0], x[1]))
  SCALAR_BODY(DivOp, isFloat ? Value(DivFOp::create(b, x[0], x[1])) : integerQuotient(b, x[0], x[1]))
  SCALAR_BODY(PowOp, isFloat ? Value(math::PowFOp::create(b, x[0], x[1])) : integerPower(b, x[0], x[1]))
  SCALAR_BODY(FmaOp, math::FmaOp::create(b, x[0], x[1], x[2]))
  SCALAR_BODY(MaxOp, larger(b, x[0], x[1]))
  SCALAR_BODY(MinOp, smaller(b, x[0], x[1]))
  SCALAR_BODY(LogicalAndOp, AndIOp::create(b, x[0], x[1]))
  SCALAR_BODY(LogicalOrOp, OrIOp::create(b, x[0], x[1]))
  SCALAR_BODY(LogicalXorOp, XOrIOp::create(b, x[0], x[1]))
  SCALAR_BODY(CompareOp, compareScalars(b, op.getPredicate(), x[0], x[1]))
  SCALAR_BODY(SelectOp, SelectOp::create(b, x[0], x[1], x[2]))
  // clang-format on
}

#undef SCALAR_BODY

} // namespace dlc::lower
