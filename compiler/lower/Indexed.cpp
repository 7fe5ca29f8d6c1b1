//===- Indexed.cpp - nn operations that compute positions ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Pad and gather read elements at positions that the body computes; positions outside the tensor are clamped,
// then their elements discarded; a tensor without elements is not read. scatter_add goes the other way: each
// element of the result adds up the updates whose index is its own, in order.
//===----------------------------------------------------------------------===//
#include "compiler/lower/Positions.h"
#include "compiler/lower/ScalarOps.h"
#include "dialects/train/ZerosBefore.h"

using namespace mlir::arith;

namespace dlc::lower {

//===-- Pad --------------------------------------------------------------------===//

// Where a padded position reads along one dim of `size` elements; `inside` becomes whether it is not padding.
static Value padSource(ImplicitLocOpBuilder &b, nn::PadOp op, unsigned dim, int64_t size, Value at,
                       Value &inside) {
  Value zero = constantIndex(b, 0), sizeValue = constantIndex(b, size);
  Value from = SubIOp::create(b, at, constantIndex(b, op.getLow()[dim]));
  switch (op.getMode()) {
  case nn::PadMode::edge:
    return clamp(b, from, sizeValue);
  case nn::PadMode::wrap: {
    Value remainder = RemSIOp::create(b, from, sizeValue);
    Value isNegative = CmpIOp::create(b, CmpIPredicate::slt, remainder, zero);
    return SelectOp::create(b, isNegative, AddIOp::create(b, remainder, sizeValue), remainder);
  }
  case nn::PadMode::reflect: {
    // |from|, mirrored once more at the last element: (size-1) - |(size-1) - |from||.
    auto magnitude = [&](Value x) -> Value { return MaxSIOp::create(b, x, SubIOp::create(b, zero, x)); };
    Value last = constantIndex(b, size - 1);
    Value beyond = magnitude(SubIOp::create(b, last, magnitude(from)));
    return clamp(b, SubIOp::create(b, last, beyond), sizeValue);
  }
  case nn::PadMode::constant:
    break;
  }
  inside = require(b, inside, from, CmpIPredicate::sge, 0);
  if (int64_t interior = op.getInterior()[dim]) {
    Value pitch = constantIndex(b, interior + 1);
    inside = require(b, inside, RemSIOp::create(b, from, pitch), CmpIPredicate::eq, 0);
    from = DivSIOp::create(b, from, pitch);
  }
  inside = require(b, inside, from, CmpIPredicate::slt, size);
  return clamp(b, from, sizeValue);
}

// How many zeros stand before the tensor along each loop; nullopt where the nest does more than put zeros
// around.
static std::optional<SmallVector<int64_t>> zerosAround(nn::PadOp op, const Space &space) {
  if (op.getMode() != nn::PadMode::constant || !op.getValue().isPosZero())
    return std::nullopt;
  SmallVector<int64_t> zeros;
  for (auto [dim, size] : llvm::enumerate(nn::shapeOf(op.getX().getType()))) {
    int64_t low = op.getLow()[dim], high = op.getHigh()[dim];
    if (low < 0 || high < 0 || op.getInterior()[dim] != 0 || size.isOne() != (space.loops[dim] < 0))
      return std::nullopt;
    if (!size.isOne())
      zeros.push_back(low);
  }
  return zeros;
}

static void lowerPad(nn::PadOp op, Lowering &lowering) {
  nn::Shape shape = nn::shapeOf(op.getX().getType());
  Space space(nn::shapeOf(op.getY().getType()));
  mlir::Type type = storedType(op.getX().getType().getElementType());
  if (isEmpty(op.getX().getType())) // there is padding only
    return lowering.replace(op.getY(), numberAttr(type, op.getValue().convertToDouble()));
  Value x = lowering.tensor(op.getX());
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange) {
    Value inside = always(b);
    SmallVector<Value> positions;
    for (unsigned dim = 0; dim < shape.size(); ++dim) {
      Value at = position(b, space, dim);
      bool isPadded = op.getLow()[dim] != 0 || op.getHigh()[dim] != 0 || op.getInterior()[dim] != 0;
      positions.push_back(isPadded ? padSource(b, op, dim, shape[dim].factor, at, inside) : at);
    }
    Value element = elementAt(b, x, shape, positions);
    return SelectOp::create(b, inside, element, constant(b, type, op.getValue().convertToDouble()))
        .getResult();
  };
  Value padded = lowering.generic(space, {}, type, body);
  if (auto zeros = zerosAround(op, space))
    train::setZerosBefore(padded.getDefiningOp(), *zeros);
  lowering.replace(op.getY(), padded);
}

//===-- Gather and scatter -----------------------------------------------------===//

// An index as a position: negative ones count from the end.
static Value fromEnd(ImplicitLocOpBuilder &b, Value index, const nn::Dim &dim) {
  Value at = IndexCastOp::create(b, b.getIndexType(), index);
  Value isNegative = CmpIOp::create(b, CmpIPredicate::slt, at, constantIndex(b, 0));
  return SelectOp::create(b, isNegative, AddIOp::create(b, at, sizeOf(b, dim)), at);
}

static void lowerGather(nn::GatherOp op, Lowering &lowering) {
  nn::Shape shape = nn::shapeOf(op.getX().getType()), indexShape = nn::shapeOf(op.getIndices().getType());
  Space space(nn::shapeOf(op.getY().getType()));
  unsigned axis = op.getAxis();
  Value x = lowering.tensor(op.getX());
  AffineMap map = lowering.map(space, indexShape,
                               [&](unsigned dim) { return space.position(axis + dim, op.getContext()); });
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange read) {
    SmallVector<Value> positions;
    for (unsigned dim = 0; dim < axis; ++dim)
      positions.push_back(position(b, space, dim));
    Value index = fromEnd(b, read[0], shape[axis]);
    positions.push_back(clamp(b, index, sizeOf(b, shape[axis])));
    for (unsigned dim = axis + indexShape.size(); dim < space.dims.size(); ++dim)
      positions.push_back(position(b, space, dim));
    return elementAt(b, x, shape, positions);
  };
  mlir::Type type = op.getX().getType().getElementType();
  lowering.replace(op.getY(), lowering.generic(space, Read{op.getIndices(), map}, type, body));
}

// The space is the result's dims, then those of the indices, which are summed over.
static void lowerScatterAdd(nn::ScatterAddOp op, Lowering &lowering) {
  nn::Shape dims = nn::shapeOf(op.getY().getType()), indexShape = nn::shapeOf(op.getIndices().getType());
  nn::Shape updateShape = nn::shapeOf(op.getUpdates().getType());
  unsigned rank = dims.size(), axis = op.getAxis(), indexRank = indexShape.size();
  nn::Dim size = dims[axis];
  dims.append(indexShape);
  Space space(dims, indexRank);
  mlir::MLIRContext *context = op.getContext();
  AffineMap indexMap =
      lowering.map(space, indexShape, [&](unsigned dim) { return space.position(rank + dim, context); });
  AffineMap updateMap = lowering.map(space, updateShape, [&](unsigned dim) {
    if (dim < axis)
      return space.position(dim, context);
    bool isIndex = dim < axis + indexRank;
    return space.position(isIndex ? rank + dim - axis : dim - indexRank + 1, context);
  });
  mlir::Type type = op.getY().getType().getElementType();
  auto body = [&](ImplicitLocOpBuilder &b, ValueRange read) -> Value {
    Value index = fromEnd(b, read[0], size), at = position(b, space, axis);
    Value isTarget = CmpIOp::create(b, CmpIPredicate::eq, index, at);
    Value update = SelectOp::create(b, isTarget, read[1], constant(b, type, 0));
    return space.hasReduction() ? add(b, read[2], update) : update;
  };
  Read reads[] = {{op.getIndices(), indexMap}, {op.getUpdates(), updateMap}};
  mlir::TypedAttr zero = lowering.builder().getZeroAttr(type);
  lowering.replace(
      op.getY(), lowering.generic(space, reads, type, body, space.hasReduction() ? zero : mlir::TypedAttr()));
}

void addIndexedLowerings(Lowerings &table) {
  table.add<nn::PadOp>(lowerPad);
  table.add<nn::GatherOp>(lowerGather);
  table.add<nn::ScatterAddOp>(lowerScatterAdd);
}

} // namespace dlc::lower
