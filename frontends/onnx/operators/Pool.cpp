//===- Pool.cpp - ONNX operators of the family Pool
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Averages are sums over windows times constants; p-norms are roots of sums of powers. Global pooling has one
// window.
//===----------------------------------------------------------------------===//
#include "frontends/common/Roots.h"
#include "frontends/common/Windows.h"
#include "frontends/onnx/OperatorTables.h"
#include "frontends/onnx/WindowAttributes.h"

using namespace mlir;

namespace dlc::onnx {

using frontend::rootOfPowers;

//===-- Maximum ----------------------------------------------------------------===//

/// Positions in a plane of `sizes` counted with the first dim as the fastest one (storage_order 1).
static nn::Expr columnMajor(nn::Expr positions, ArrayRef<int64_t> sizes) {
  std::optional<nn::Expr> result;
  nn::Expr rest = positions;
  int64_t rowStride = nn::elementCount(nn::Shape(sizes.begin(), sizes.end())).factor, columnStride = 1;
  for (int64_t size : sizes) {
    rowStride /= size;
    nn::Expr coordinate = rest / double(rowStride); // of integers: rounded down
    rest = rest - coordinate * double(rowStride);
    nn::Expr part = coordinate * double(columnStride);
    result = result ? *result + part : part;
    columnStride *= size;
  }
  return *result;
}

/// Where the largest elements are among all elements of the input.
static nn::Expr elementNumbers(Node &node, nn::Expr positions, ArrayRef<int64_t> sizes) {
  nn::Shape shape = nn::shapeOf(positions.type()), planes{shape[0], shape[1]};
  Type i64 = node.b.getI64Type();
  nn::Expr inPlane = nn::cast(positions, i64);
  if (node.integer("storage_order", 0) != 0)
    inPlane = columnMajor(inPlane, sizes);
  nn::Dim plane = nn::elementCount(nn::Shape(sizes.begin(), sizes.end()));
  planes.append(sizes.size(), nn::Dim(1));
  auto count = nn::tensorType({shape[0] * shape[1]}, i64);
  nn::Expr numbers(node.b, nn::IotaOp::create(node.b, count, 0));
  return inPlane + nn::reshape(numbers * double(plane.factor), nn::tensorType(planes, i64));
}

static void giveMaximum(Node &node, const WindowAttributes &windows) {
  auto op = node.makeOp<nn::MaxPoolOp>({node.value(0)}, windows.operation(node));
  if (!op)
    return;
  node.give(0, op.getY());
  if (node.wants(1))
    node.give(1, elementNumbers(node, {node.b, op.getPositions()}, windows.sizes));
}

static void maxPool(Node &node) {
  int64_t order = node.integer("storage_order", 0);
  if (order != 0 && order != 1)
    return node.error("storage_order must be 0 or 1, got " + Twine(order));
  if (auto windows = readWindows(node, node.shape(0)))
    giveMaximum(node, *windows);
}

//===-- Sums -------------------------------------------------------------------===//

/// The sums over the windows of `x`; null after an error.
static Value sums(Node &node, const WindowAttributes &windows, Value x) {
  return node.make<nn::SumPoolOp>({x}, windows.operation(node));
}

static void averagePool(Node &node) {
  auto windows = readWindows(node, node.shape(0));
  if (windows)
    node.give(0, frontend::averageOfWindows(node, node.value(0), windows->windows, windows->sizes,
                                            windows->high, node.integer("count_include_pad", 0) != 0));
}

/// The exponent of a norm; nullopt after an error.
static std::optional<int64_t> readExponent(Node &node) {
  int64_t p = node.integer("p", 2);
  if (p >= 1)
    return p;
  node.error("p must be at least 1, got " + Twine(p));
  return std::nullopt;
}

static nn::Expr powers(nn::Expr x, int64_t p) {
  if (p == 2)
    return x * x;
  nn::Expr size = nn::abs(x);
  return p == 1 ? size : nn::pow(size, x.scalar(double(p)));
}

static void lpPool(Node &node) {
  auto windows = readWindows(node, node.shape(0));
  auto p = readExponent(node);
  Value total = windows && p ? sums(node, *windows, powers(node.expr(0), *p)) : Value();
  if (total)
    node.give(0, rootOfPowers({node.b, total}, *p));
}

//===-- Global -----------------------------------------------------------------===//

/// The spatial dims; nullopt after an error.
static std::optional<SmallVector<int64_t>> spatialAxes(Node &node) {
  int64_t rank = node.rank(0);
  if (rank >= 3)
    return llvm::to_vector(llvm::seq<int64_t>(2, rank));
  node.error("expects a batch, channels and at least one spatial dim, got input of shape " +
             nn::str(node.shape(0)));
  return std::nullopt;
}

static void globalAveragePool(Node &node) {
  if (auto axes = spatialAxes(node))
    node.give(0, nn::mean(node.expr(0), *axes, /*keepdims=*/true));
}

/// One window, not a reduction: of equal largest elements one gets the whole gradient, as of adaptive pooling
/// in PyTorch.
static void globalMaxPool(Node &node) {
  nn::Shape shape = node.shape(0);
  SmallVector<int64_t> kernel;
  for (const nn::Dim &dim : llvm::drop_begin(shape, std::min<size_t>(2, shape.size())))
    kernel.push_back(dim.factor);
  if (auto windows = readWindows(node, shape, kernel))
    giveMaximum(node, *windows);
}

static void globalLpPool(Node &node) {
  auto axes = spatialAxes(node);
  auto p = readExponent(node);
  if (axes && p)
    node.give(0, rootOfPowers(nn::sum(powers(node.expr(0), *p), *axes, /*keepdims=*/true), *p));
}

static const Operator poolOperators[] = {
    {"MaxPool", 1, maxPool, 1, 1, "auto_pad kernel_shape pads strides"},
    {"MaxPool", 8, maxPool, 1, 1, "auto_pad kernel_shape pads storage_order strides"},
    {"MaxPool", 10, maxPool, 1, 1, "auto_pad ceil_mode dilations kernel_shape pads storage_order strides"},
    {"AveragePool", 1, averagePool, 1, 1, "auto_pad kernel_shape pads strides"},
    {"AveragePool", 7, averagePool, 1, 1, "auto_pad count_include_pad kernel_shape pads strides"},
    {"AveragePool", 10, averagePool, 1, 1, "auto_pad ceil_mode count_include_pad kernel_shape pads strides"},
    {"AveragePool", 19, averagePool, 1, 1,
     "auto_pad ceil_mode count_include_pad dilations kernel_shape pads strides"},
    {"LpPool", 2, lpPool, 1, 1, "auto_pad kernel_shape p pads strides"},
    {"LpPool", 18, lpPool, 1, 1, "auto_pad ceil_mode dilations kernel_shape p pads strides"},
    {"GlobalAveragePool", 1, globalAveragePool, 1, 1, ""},
    {"GlobalMaxPool", 1, globalMaxPool, 1, 1, ""},
    {"GlobalLpPool", 2, globalLpPool, 1, 1, "p"},
};

ArrayRef<Operator> operatorsOfPool() { return poolOperators; }

} // namespace dlc::onnx
