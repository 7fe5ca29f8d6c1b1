//===- Quantization.cpp - ONNX operators that round to a grid of integers
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// q = clip(round(x / scale) + zero, low, high) and x = (q - zero) * scale: Jacob et al. 2018, "Quantization
// and training of neural networks for efficient integer-arithmetic-only inference". The integers q are float
// numbers here, so that a gradient passes: as in PyTorch's fake_quantize_per_tensor_affine the rounding has
// the derivative 1 (straight-through estimator) and the limits hold it back from what lies outside.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Messages.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

#include <cmath>

using namespace mlir;

namespace dlc::onnx {

/// The numbers that a quantized tensor may have, which are multiples of a scale; one scale for all elements
/// or one for each index along an axis.
struct Grid {
  SmallVector<double> scales, zeros;
  SmallVector<int64_t> shape; ///< of both: broadcasts to the tensor's
  Type type;                  ///< of the float numbers
  bool hasZeros = false;
};

/// Nullopt after an error.
static std::optional<Grid> gridOf(Node &node) {
  const HostTensor *scale = node.constant(1), *zero = node.constant(2);
  for (auto [input, known] : {std::pair(1, scale), std::pair(2, zero)})
    if (node.has(input) && !known) {
      node.error("the scale and the zero point must be known at compile time, but '" + node.inputName(input) +
                 "' is computed or an input");
      return std::nullopt;
    }
  if (!scale->isFloat() || (zero && zero->isFloat())) {
    node.error("expects float numbers as scale and integers as zero point");
    return std::nullopt;
  }
  if (node.integer("block_size", 0) != 0) {
    node.error("attribute 'block_size' other than 0 is not supported");
    return std::nullopt;
  }
  Grid grid{{}, {}, {}, scale->type.getElementType()};
  int64_t count = scale->count();
  if (count != 1 || scale->type.getRank() > 1) {
    nn::Shape shape = node.shape(0);
    std::optional<int64_t> axis = node.axis(node.integer("axis", 1), shape.size());
    if (!axis)
      return std::nullopt;
    if (scale->type.getRank() != 1 || shape[*axis] != nn::Dim(count)) {
      node.error("expects a scale of one element or of shape " + nn::str(shape[*axis]) + ", got " +
                 nn::str(node.shape(1)));
      return std::nullopt;
    }
    grid.shape.assign(shape.size() - *axis, 1);
    grid.shape[0] = count;
  }
  if (zero && zero->count() != count) {
    node.error("expects a zero point of the scale's shape " + nn::str(node.shape(1)) + ", got " +
               nn::str(node.shape(2)));
    return std::nullopt;
  }
  for (int64_t i = 0; i < count; ++i) {
    grid.scales.push_back(scale->number(i));
    grid.zeros.push_back(zero ? zero->number(i) : 0);
    grid.hasZeros |= grid.zeros.back() != 0;
    // Compiled code takes smaller numbers for 0.
    if (!(grid.scales.back() >= std::numeric_limits<float>::min()) || !std::isfinite(grid.scales.back())) {
      node.error("a scale must be a finite number of at least 1.17549e-38, got " + str(grid.scales.back()));
      return std::nullopt;
    }
  }
  return grid;
}

static Value constantOf(Node &node, const Grid &grid, ArrayRef<double> numbers) {
  auto type = RankedTensorType::get(grid.shape, grid.type);
  if (grid.type.isF64())
    return nn::ConstantOp::create(node.b, DenseElementsAttr::get(type, numbers));
  SmallVector<float> narrow(numbers.begin(), numbers.end());
  return nn::ConstantOp::create(node.b, DenseElementsAttr::get(type, ArrayRef<float>(narrow)));
}

static Value quantized(Node &node, const Grid &grid, Value x, IntegerType type) {
  Value quotient = node.make<nn::DivOp>({x, constantOf(node, grid, grid.scales)});
  if (!quotient)
    return {};
  Value whole = nn::RoundOp::create(node.b, quotient, /*straight_through=*/true);
  if (grid.hasZeros)
    whole = node.make<nn::AddOp>({whole, constantOf(node, grid, grid.zeros)});
  unsigned bits = type.getWidth();
  double low = type.isSigned() ? -std::ldexp(1.0, bits - 1) : 0,
         high = std::ldexp(1.0, type.isSigned() ? bits - 1 : bits) - 1;
  return nn::ClipOp::create(node.b, whole, APFloat(low), APFloat(high));
}

static Value dequantized(Node &node, const Grid &grid, Value q) {
  if (grid.hasZeros)
    q = node.make<nn::SubOp>({q, constantOf(node, grid, grid.zeros)});
  return node.make<nn::MulOp>({q, constantOf(node, grid, grid.scales)});
}

static void quantize(Node &node) {
  IntegerType type = IntegerType::get(node.b.getContext(), 8, IntegerType::Unsigned);
  if (int64_t asked = node.integer("output_dtype", 0))
    if (type = narrowInteger(asked, node.b.getContext()); !type)
      return node.error("attribute 'output_dtype': " + unsupportedType(asked));
  if (const HostTensor *zero = node.constant(2))
    if (type = zero->stored; !type)
      return node.error("expects a zero point of 8 or 16 bits that is an initializer or a Constant, got '" +
                        node.inputName(2) + "'");
  std::optional<Grid> grid = gridOf(node);
  if (!grid)
    return;
  node.giveQuantized(quantized(node, *grid, nn::cast(node.expr(0), grid->type), type), type);
}

/// Element `i` of `tensor` belongs to this element of the grid.
static int64_t placeIn(const Grid &grid, RankedTensorType tensor, int64_t i) {
  int64_t inner = 1;
  for (int64_t dim : tensor.getShape().take_back(std::max<int64_t>(grid.shape.size(), 1) - 1))
    inner *= dim;
  return grid.shape.empty() ? 0 : i / inner % grid.shape.front();
}

/// Computed as ONNX Runtime does, in the scale's type.
static HostTensor dequantized(const Grid &grid, const HostTensor &q) {
  HostTensor result{RankedTensorType::get(q.type.getShape(), grid.type), {}, false};
  auto fill = [&](auto zero) {
    using Number = decltype(zero);
    result.data = frontend::TensorBytes::allocate(q.count() * sizeof(Number));
    for (int64_t i = 0; i < q.count(); ++i) {
      int64_t place = placeIn(grid, q.type, i);
      Number number = Number(q.number(i) - grid.zeros[place]) * Number(grid.scales[place]);
      std::memcpy(result.data.mutableData() + i * sizeof number, &number, sizeof number);
    }
  };
  grid.type.isF64() ? fill(0.0) : fill(0.0f);
  return result;
}

static void dequantize(Node &node) {
  if (int64_t asked = node.integer("output_dtype", 0))
    if (elementTypeOf(asked, node.b.getContext()) != node.elementType(1))
      return node.error("attribute 'output_dtype' must be the scale's type, got " + dataTypeName(asked));
  if (!node.quantizedType(0) && !isa<IntegerType>(node.elementType(0)))
    return node.error("expects integers, got " + typeName(node.elementType(0)));
  std::optional<Grid> grid = gridOf(node);
  if (!grid)
    return;
  const HostTensor *known = node.quantizedType(0) ? nullptr : node.constant(0);
  if (!known)
    return node.give(0, dequantized(node, *grid, nn::cast(node.expr(0), grid->type)));
  const HostTensor *zero = node.constant(2);
  IntegerType stored = known->stored ? known->stored : zero ? zero->stored : IntegerType();
  HostTensor numbers = dequantized(*grid, *known);
  Value weight = node.parameterFromIntegers(numbers);
  if (!weight)
    return node.give(0, std::move(numbers));
  // A layer's weights stay on their grid; biases of 32 bits have one that is finer than float32.
  node.give(0, stored ? dequantized(node, *grid, quantized(node, *grid, weight, stored)) : weight);
}

static const Operator quantizationOperators[] = {
    {"QuantizeLinear", 10, quantize, 2, 3, ""},
    {"QuantizeLinear", 13, quantize, 2, 3, "axis"},
    {"QuantizeLinear", 19, quantize, 2, 3, "axis saturate"},
    {"QuantizeLinear", 21, quantize, 2, 3, "axis saturate block_size output_dtype"},
    {"DequantizeLinear", 10, dequantize, 2, 3, ""},
    {"DequantizeLinear", 13, dequantize, 2, 3, "axis"},
    {"DequantizeLinear", 21, dequantize, 2, 3, "axis block_size"},
    {"DequantizeLinear", 23, dequantize, 2, 3, "axis block_size output_dtype"},
    {"com.microsoft.QuantizeLinear", 1, quantize, 2, 3, "axis"},
    {"com.microsoft.DequantizeLinear", 1, dequantize, 2, 3, "axis"},
};

ArrayRef<Operator> operatorsOfQuantization() { return quantizationOperators; }

} // namespace dlc::onnx
