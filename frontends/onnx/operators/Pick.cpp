//===- Pick.cpp - ONNX operators of the family Shape: triangles, single elements
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What exporters make masks and pads with.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"

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

/// Elements or slices at positions along the first dims: rows of a tensor in which these dims are one.
static void gatherNd(Node &node) {
  nn::Shape shape = node.shape(0);
  const HostTensor *indices = node.constant(1);
  if (!indices || indices->isFloat())
    return node.error("indices must be integers known at compile time, but '" + node.inputName(1) +
                      "' is computed or an input");
  if (node.integer("batch_dims", 0) != 0)
    return node.error("batch_dims other than 0 are not supported");
  ArrayRef<int64_t> places = indices->type.getShape();
  if (places.empty() || places.back() < 1 || places.back() > int64_t(shape.size()))
    return node.error("expects positions along 1 to " + Twine(shape.size()) + " dims, got indices of shape " +
                      nn::str(node.shape(1)));
  size_t depth = places.back();
  for (const nn::Dim &dim : ArrayRef<nn::Dim>(shape).take_front(depth))
    if (!dim.isStatic())
      return node.error("expects positions along dims of a static size, got x of shape " + nn::str(shape));
  HostTensor rows{RankedTensorType::get(places.drop_back(), node.b.getI64Type()), {}, false};
  if (rows.count() > 1 << 20)
    return node.error("indices of shape " + nn::str(node.shape(1)) + " are too many");
  for (int64_t i = 0, count = rows.count(); i < count; ++i) {
    int64_t row = 0;
    for (size_t d = 0; d < depth; ++d) {
      int64_t size = shape[d].factor,
              at = indices->integer(indices->splat ? 0 : i * int64_t(depth) + int64_t(d));
      if (at < -size || at >= size)
        return node.error("index " + Twine(at) + " is not in [" + Twine(-size) + ", " + Twine(size) + ")");
      row = row * size + (at < 0 ? at + size : at);
    }
    const char *bytes = reinterpret_cast<const char *>(&row);
    rows.data.insert(rows.data.end(), bytes, bytes + sizeof row);
  }
  ArrayRef<nn::Dim> dims(shape);
  nn::Shape joined = {nn::elementCount(dims.take_front(depth))};
  joined.append(dims.begin() + depth, dims.end());
  Value x = node.reshape(node.value(0), joined);
  Value which = nn::ConstantOp::create(node.b, rows.denseAttribute());
  node.give(0, node.make<nn::GatherOp>({x, which}, node.attr("axis", int64_t(0))));
}

static const Operator operators[] = {
    {"Trilu", 14, trilu, 1, 2, "upper"},
    {"GatherND", 11, gatherNd, 2, 2, ""},
    {"GatherND", 12, gatherNd, 2, 2, "batch_dims"},
};

ArrayRef<Operator> operatorsOfPick() { return operators; }

} // namespace dlc::onnx
