//===- Indices.cpp - elements at given indices
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Indices.h"

using namespace mlir;

namespace dlc::onnx {

/// Refuses indices outside [-size, size) where they are known.
static bool checkIndices(Node &node, function_ref<int64_t(int64_t)> sizeOf) {
  const HostTensor *known = node.constant(1);
  if (!known || known->isFloat())
    return true;
  for (int64_t i = 0, count = known->count(); i < count; ++i) {
    int64_t index = known->integer(known->splat ? 0 : i), size = sizeOf(i);
    if (index >= -size && index < size)
      continue;
    node.error("index " + Twine(index) + " is not in [" + Twine(-size) + ", " + Twine(size) + ")");
    return false;
  }
  return true;
}

Value indicesOf(Node &node) {
  if (isa<IntegerType>(node.elementType(1)) && !node.elementType(1).isInteger(1))
    return nn::cast(node.expr(1), node.b.getI64Type());
  node.error("indices must be integers, got '" + node.inputName(1) + "'");
  return {};
}

/// Whether indices of one element each fit x: as many dims, none larger but along the axis.
static bool fits(Node &node, int64_t axis) {
  nn::Shape x = node.shape(0), indices = node.shape(1);
  bool good = x.size() == indices.size();
  for (size_t d = 0; good && d < x.size(); ++d)
    good = int64_t(d) == axis || indices[d] == x[d] ||
           (indices[d].isStatic() && x[d].isStatic() && indices[d].factor <= x[d].factor);
  if (!good)
    node.error("expects indices of as many dims as x, and not larger but along axis " + Twine(axis) +
               ", got " + nn::str(indices) + " and x of shape " + nn::str(x));
  return good;
}

std::optional<int64_t> axisOfElements(Node &node) {
  nn::Shape shape = node.shape(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), shape.size());
  if (!axis || !fits(node, *axis))
    return std::nullopt;
  const nn::Dim &size = shape[*axis];
  if (size.isStatic() && !checkIndices(node, [&](int64_t) { return size.factor; }))
    return std::nullopt;
  node.limitIndices(node.value(1), size.isStatic() ? -size.factor : 0, size);
  return axis;
}

Rows rowsAt(Node &node, int64_t batch) {
  nn::Shape x = node.shape(0), shape = node.shape(1);
  ArrayRef<nn::Dim> dims(x);
  int64_t depth = shape.empty() || !shape.back().isStatic() ? 0 : shape.back().factor;
  int64_t rank = x.size(), limit = rank - batch;
  Rows rows;
  if (batch < 0 || batch >= int64_t(shape.size()) || batch >= rank || depth < 1 || depth > limit) {
    node.error("expects positions along 1 to " + Twine(std::max<int64_t>(limit, 0)) +
               " dims in the last dim of the indices, got indices of shape " + nn::str(shape) +
               " and x of shape " + nn::str(x) +
               (batch ? ", batch_dims " + std::to_string(batch) : std::string()));
    return rows;
  }
  for (int64_t d = 0; d < batch; ++d)
    if (x[d] != shape[d]) {
      node.error("expects equal batch dims, got indices of shape " + nn::str(shape) + " and x of shape " +
                 nn::str(x));
      return rows;
    }
  ArrayRef<nn::Dim> indexed = dims.slice(batch, depth);
  // The first may be a named dim: no place needs its size, and no known index can be too large for it.
  auto limitOf = [](const nn::Dim &dim) { return dim.isStatic() ? dim.factor : nn::maxElements; };
  if (!staticCount(node, indexed.drop_front()) ||
      !checkIndices(node, [&](int64_t i) { return limitOf(indexed[i % depth]); }))
    return rows;
  if (depth == 1 && indexed[0].isStatic())
    node.limitIndices(node.value(1), -indexed[0].factor, indexed[0]);
  Value indices = indicesOf(node);
  if (!indices)
    return rows;
  nn::Shape outer(shape.begin(), shape.end() - 1);
  std::optional<nn::Expr> place;
  int64_t stride = 1, last = shape.size() - 1;
  for (int64_t d = depth - 1; d >= 0; stride *= indexed[d].factor, --d) {
    Value index = node.reshape(node.part(indices, last, d, d + 1), outer);
    if (!index)
      return rows;
    nn::Expr size = nn::countAlong(node.expr(0), {batch + d}, node.b.getI64Type());
    nn::Expr part = counted({node.b, index}, size) * double(stride);
    place = place ? *place + part : part;
  }
  for (int64_t d = batch - 1; d >= 0; --d) {
    nn::Shape along(outer.size(), nn::Dim(1));
    along[d] = outer[d];
    std::optional<int64_t> inner = staticCount(node, dims.slice(d + 1, batch + depth - d - 1));
    if (!inner)
      return rows;
    nn::Expr row(node.b, nn::IotaOp::create(node.b, nn::tensorType(along, node.b.getI64Type()), d).getY());
    place = *place + row * double(*inner);
  }
  rows.rest.assign(dims.begin() + batch + depth, dims.end());
  rows.joined = {nn::elementCount(dims.take_front(batch + depth))};
  rows.joined.append(rows.rest);
  rows.places = *place;
  return rows;
}

} // namespace dlc::onnx
