//===- Random.cpp - random numbers to linalg --------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/lower/Lowering.h"
#include <cmath>

using namespace mlir::arith;

namespace dlc::lower {

// The element's row (the number made of all leading positions) and column, as nn.dropout defines them.
// `first`: the position of the first element along the first dim, where the tensor is a part of another;
// null: 0.
static std::pair<Value, Value> rowAndColumn(ImplicitLocOpBuilder &b, const Space &space, Value first) {
  auto position = [&](unsigned dim) -> Value {
    Value here = space.loops[dim] < 0 ? constantIndex(b, 0)
                                      : mlir::linalg::IndexOp::create(b, space.loops[dim]).getResult();
    return dim == 0 && first ? AddIOp::create(b, here, first).getResult() : here;
  };
  unsigned rank = space.dims.size();
  if (rank == 0)
    return {constantIndex(b, 0), constantIndex(b, 0)};
  if (rank == 1)
    return {constantIndex(b, 0), position(0)};
  Value row = position(0);
  for (unsigned dim = 1; dim + 1 < rank; ++dim) {
    Value before = MulIOp::create(b, row, sizeOf(b, space.dims[dim]));
    row = AddIOp::create(b, before, position(dim));
  }
  return {row, position(rank - 1)};
}

namespace {
/// What makes the bits of the elements of a tensor.
struct RandomBits {
  const Space &space;
  nn::Shape shape;
  Value rng;

  Value of(ImplicitLocOpBuilder &b, int64_t stream) {
    Value seed = mlir::tensor::ExtractOp::create(b, rng, constantIndex(b, 0));
    Value draws = mlir::tensor::ExtractOp::create(b, rng, constantIndex(b, 1));
    Value first;
    if (mlir::cast<mlir::RankedTensorType>(rng.getType()).getDimSize(0) == 3) {
      Value number = mlir::tensor::ExtractOp::create(b, rng, constantIndex(b, 2));
      first = IndexCastOp::create(b, b.getIndexType(), number);
    }
    auto [row, column] = rowAndColumn(b, space, first);
    Value columns = shape.empty() ? constantIndex(b, 1) : sizeOf(b, shape.back());
    return train::RandomBitsOp::create(b, b.getI32Type(), seed, draws, row, column, columns,
                                       b.getI64IntegerAttr(stream));
  }
};
} // namespace

static void lowerDropout(nn::DropoutOp op, Lowering &lowering) {
  nn::Shape shape = nn::shapeOf(op.getX().getType());
  Space space(shape);
  double ratio = op.getRatio().convertToDouble();
  mlir::Type type = op.getX().getType().getElementType();
  RandomBits random{space, shape, lowering.tensor(op.getRng())};
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange x) -> Value {
    Value bits = random.of(b, op.getStream());
    Value threshold = ConstantIntOp::create(b, std::lround(ratio * 65536), 32);
    Value isKept = CmpIOp::create(b, CmpIPredicate::uge, bits, threshold);
    // A product, not a choice between x and 0: PyTorch's dropout hides no NaN either.
    Value scale = constant(b, type, 1 / (1 - ratio)), none = constant(b, type, 0);
    return MulFOp::create(b, x[0], SelectOp::create(b, isKept, scale, none));
  };
  lowering.replace(op.getY(),
                   lowering.generic(space, lowering.broadcast(space, op.getX(), shape.size()), type, body));
}

/// A float32 holds k + 1/2 of 23 bits exactly.
static void lowerRandomUniform(nn::RandomUniformOp op, Lowering &lowering) {
  nn::Shape shape = nn::shapeOf(op.getY().getType());
  Space space(shape);
  mlir::Type type = op.getY().getType().getElementType();
  RandomBits random{space, shape, lowering.tensor(op.getRng())};
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange) -> Value {
    Value upper = random.of(b, op.getStream()), lower = random.of(b, op.getStream() + 1);
    Value shifted = MulIOp::create(b, upper, ConstantIntOp::create(b, 1 << 7, 32));
    Value rest = ShRUIOp::create(b, lower, ConstantIntOp::create(b, 9, 32));
    Value k = SIToFPOp::create(b, type, AddIOp::create(b, shifted, rest));
    Value middle = AddFOp::create(b, k, constant(b, type, 0.5));
    return MulFOp::create(b, middle, constant(b, type, std::ldexp(1.0, -23)));
  };
  lowering.replace(op.getY(), lowering.generic(space, {}, type, body));
}

void addRandomLowerings(Lowerings &table) {
  table.add<nn::DropoutOp>(lowerDropout);
  table.add<nn::RandomUniformOp>(lowerRandomUniform);
}

} // namespace dlc::lower
