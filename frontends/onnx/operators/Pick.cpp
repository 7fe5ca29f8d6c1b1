//===- Pick.cpp - ONNX operators of the family Shape: elements by their places
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Triangles, diagonals and ones at given places: what exporters make masks with.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

/// Zero below diagonal `k` of each matrix, or above it.
static void trilu(Node &node) {
  nn::Shape shape = node.shape(0), row(2, nn::Dim(1)), column = row;
  size_t rank = shape.size();
  if (rank < 2 || !shape[rank - 2].isStatic() || !shape[rank - 1].isStatic())
    return node.error("expects matrices of a static size, got x of shape " + nn::str(shape));
  int64_t k = 0;
  if (node.has(1)) {
    std::optional<SmallVector<int64_t>> given = node.integers(1, "k");
    if (!given)
      return;
    if (given->size() != 1)
      return node.error("k must be one number, got " + Twine(given->size()));
    k = std::min(std::max(given->front(), -maxDim), maxDim);
  }
  row[1] = shape[rank - 1];
  column[0] = shape[rank - 2];
  Type i64 = node.b.getI64Type(), element = node.elementType(0);
  nn::Expr j(node.b, nn::IotaOp::create(node.b, nn::tensorType(row, i64), 1));
  nn::Expr i(node.b, nn::IotaOp::create(node.b, nn::tensorType(column, i64), 0));
  nn::Expr diagonal(node.b, node.scalar(double(k), i64)), limit = i + diagonal;
  nn::Expr keeps = node.integer("upper", 1) != 0 ? nn::greaterEqual(j, limit) : nn::lessEqual(j, limit);
  Value x = node.value(0), zero = node.scalar(0, element);
  node.give(0, node.make<nn::SelectOp>({keeps, x, zero}));
}

/// Ones along diagonal `k` of a matrix, else zeros.
static void eyeLike(Node &node) {
  nn::Shape shape = node.shape(0);
  if (shape.size() != 2)
    return node.error("expects a matrix, got input of shape " + nn::str(shape));
  int64_t to = node.integer("dtype", 0);
  Type element = to ? elementTypeOf(to, node.b.getContext()) : node.elementType(0);
  if (!element)
    return node.error("the type " + dataTypeName(to) + " is not supported");
  double k = double(std::min(std::max(node.integer("k", 0), -maxDim), maxDim));
  Type i64 = node.b.getI64Type();
  nn::Expr row(node.b, nn::IotaOp::create(node.b, nn::tensorType({shape[0], nn::Dim(1)}, i64), 0).getY());
  nn::Expr column(node.b, nn::IotaOp::create(node.b, nn::tensorType({nn::Dim(1), shape[1]}, i64), 1).getY());
  node.give(0, nn::cast(nn::equal(column, row + k), element));
}

/// values[1] where the new dim's position is the index, else values[0].
static void oneHot(Node &node) {
  nn::Shape shape = node.shape(0);
  std::optional<SmallVector<int64_t>> given;
  if (const HostTensor *depth = node.constant(1); depth && depth->count() == 1)
    given = SmallVector<int64_t>{depth->isFloat() ? int64_t(depth->number(0)) : depth->integer(0)};
  std::optional<int64_t> axis = node.axis(node.integer("axis", -1), shape.size() + 1);
  if (!axis)
    return;
  if (!given || given->front() < 1 || given->front() > maxDim)
    return node.error("depth must be one number of 1 or more that is known at compile time, got '" +
                      node.inputName(1) + "'" + (given ? " = " + std::to_string(given->front()) : ""));
  if (node.shape(2) != nn::Shape{2})
    return node.error("expects two values, off and on, got shape " + nn::str(node.shape(2)));
  int64_t depth = given->front();
  nn::Shape positions(shape.size() + 1, nn::Dim(1));
  positions[*axis] = depth;
  shape.insert(shape.begin() + *axis, nn::Dim(1));
  Type i64 = node.b.getI64Type();
  Value indices = node.reshape(nn::cast(node.expr(0), i64), shape);
  auto value = [&](int64_t which) { return node.reshape(node.part(node.value(2), 0, which, which + 1), {}); };
  Value off = value(0), on = value(1);
  if (!indices || !off || !on)
    return;
  // A negative index counts from the end; one that is out of range hits nothing.
  nn::Expr index(node.b, indices), isNegative = nn::less(index, index.scalar(0));
  nn::Expr counted = nn::select(isNegative, index + double(depth), index);
  nn::Expr position(node.b, nn::IotaOp::create(node.b, nn::tensorType(positions, i64), *axis).getY());
  node.give(0, node.make<nn::SelectOp>({nn::equal(position, counted), on, off}));
}

static const Operator pickOperators[] = {
    {"Trilu", 14, trilu, 1, 2, "upper"},
    {"EyeLike", 9, eyeLike, 1, 1, "dtype k"},
    {"OneHot", 9, oneHot, 3, 3, "axis"},
};

ArrayRef<Operator> operatorsOfPick() { return pickOperators; }

} // namespace dlc::onnx
