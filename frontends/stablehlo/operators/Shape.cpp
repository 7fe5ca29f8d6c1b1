//===- Shape.cpp - operations of StableHLO that move elements, and constants ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/stablehlo/Node.h"

using namespace mlir;

namespace dlc::stablehlo {

//===-- Constants ------------------------------------------------------------------===//

/// Small whole numbers may be sizes.
static void constant(Node &node) {
  Known known;
  known.constant = node.op->getAttrOfType<ElementsAttr>("value");
  auto type = dyn_cast<RankedTensorType>(node.op->getResult(0).getType());
  if (!known.constant || known.constant.getType() != type || !isa<DenseElementsAttr>(known.constant))
    return node.error("expects its numbers as value");
  Type element = type.getElementType();
  if (type.getRank() <= 1 && type.getNumElements() <= nn::maxRank &&
      (element.isSignlessInteger(32) || element.isSignlessInteger(64))) {
    known.sizes.emplace();
    for (APInt number : cast<DenseElementsAttr>(known.constant).getValues<APInt>())
      known.sizes->push_back(nn::Dim(number.getSExtValue()));
  }
  node.give(std::move(known));
}

static void giveIota(Node &node, ArrayRef<nn::Dim> shape) {
  int64_t axis = node.number("iota_dimension", -1);
  if (axis < 0 || axis >= int64_t(shape.size()))
    return node.error("expects a dim of the result as iota_dimension, got " + Twine(axis));
  Type type = node.resultType();
  if (!node.checkSize(shape) || type.isInteger(1))
    return;
  node.give(Value(nn::IotaOp::create(node.b, nn::tensorType(shape, type), axis)));
}
static void iota(Node &node) {
  if (std::optional<nn::Shape> shape = node.resultShape())
    giveIota(node, *shape);
  else
    node.error("expects a result of known shape");
}
static void dynamicIota(Node &node) {
  if (std::optional<nn::Shape> shape = node.sizes(0))
    giveIota(node, *shape);
}

//===-- Shapes ---------------------------------------------------------------------===//

static void giveReshaped(Node &node, ArrayRef<nn::Dim> shape) {
  Value x = node.value(0);
  if (!x)
    return;
  if (nn::elementCount(nn::shapeOf(x)) != nn::elementCount(shape))
    return node.error("cannot give " + nn::str(nn::shapeOf(x)) + " the shape " + nn::str(shape));
  node.give(node.reshape(x, shape));
}
static void reshape(Node &node) {
  std::optional<nn::Shape> shape = node.resultShape();
  if (node.known(0).sizes && shape && shape->size() <= 1 && nn::elementCount(*shape).isStatic() &&
      nn::elementCount(*shape).factor == int64_t(node.known(0).sizes->size()))
    return node.giveSizes(*node.known(0).sizes);
  if (!shape)
    return node.error("expects a result of known shape");
  giveReshaped(node, *shape);
}
static void dynamicReshape(Node &node) {
  if (std::optional<nn::Shape> shape = node.sizes(1))
    giveReshaped(node, *shape);
}

/// Dim i of the operand is dim dims[i] of the result; it is stretched where it is 1.
static void giveStretched(Node &node, ArrayRef<nn::Dim> shape) {
  Value x = node.value(0);
  std::optional<Numbers> places = node.dims("broadcast_dimensions", shape.size());
  if (!x || !places || !node.checkSize(shape))
    return;
  nn::Shape small = nn::shapeOf(x), between(shape.size(), nn::Dim(1));
  if (places->size() != small.size())
    return node.error("expects a place for each of the " + Twine(small.size()) +
                      " dims of the operand, got " + Twine(places->size()));
  Numbers order = llvm::to_vector(llvm::seq<int64_t>(places->size()));
  llvm::sort(order, [&](int64_t a, int64_t b) { return (*places)[a] < (*places)[b]; });
  for (auto [dim, place] : llvm::zip_equal(small, *places)) {
    if (!dim.isOne() && dim != shape[place])
      return node.error("cannot stretch " + nn::str(small) + " to " + nn::str(shape));
    between[place] = dim;
  }
  node.give(node.expand(node.reshape(node.transpose(x, order), between), shape));
}
static void broadcastInDim(Node &node) {
  if (std::optional<nn::Shape> shape = node.resultShape())
    return giveStretched(node, *shape);
  node.error("expects a result of known shape");
}
static void dynamicBroadcastInDim(Node &node) {
  if (std::optional<nn::Shape> shape = node.sizes(1))
    giveStretched(node, *shape);
}
static void broadcast(Node &node) {
  if (std::optional<nn::Shape> shape = node.resultShape())
    node.give(node.expand(node.value(0), *shape));
}

static void getDimensionSize(Node &node) {
  nn::Shape shape = node.shape(0);
  int64_t dim = node.number("dimension", -1);
  if (dim < 0 || dim >= int64_t(shape.size()))
    return node.error("expects a dim of the operand, got " + Twine(dim));
  node.giveSizes({shape[dim]});
}

//===-- Orders ---------------------------------------------------------------------===//

static void transpose(Node &node) {
  Value x = node.value(0);
  std::optional<Numbers> permutation = x ? node.dims("permutation", nn::shapeOf(x).size()) : std::nullopt;
  if (!permutation)
    return;
  if (permutation->size() != nn::shapeOf(x).size())
    return node.error("expects all dims in their new order");
  node.give(node.transpose(x, *permutation));
}

static void reverse(Node &node) {
  Value x = node.value(0);
  std::optional<Numbers> dims = x ? node.dims("dimensions", nn::shapeOf(x).size()) : std::nullopt;
  if (!dims)
    return;
  for (int64_t dim : *dims)
    if (!nn::shapeOf(x)[dim].isStatic())
      return node.error("expects known sizes of dims that are reversed, got shape " +
                        nn::str(nn::shapeOf(x)));
  llvm::sort(*dims);
  node.give(nn::ReverseOp::create(node.b, x, *dims).getY());
}

//===-- Parts and wholes -------------------------------------------------------------===//

static void concatenate(Node &node) {
  int64_t axis = node.number("dimension", -1);
  bool areSizes = axis == 0;
  nn::Shape sizes;
  for (unsigned i = 0; areSizes && i < node.count(); ++i) {
    auto type = dyn_cast<RankedTensorType>(node.op->getOperand(i).getType());
    areSizes = node.known(i).sizes && type && type.getRank() == 1;
    if (areSizes)
      sizes.append(*node.known(i).sizes);
  }
  if (areSizes && sizes.size() <= size_t(nn::maxRank))
    return node.giveSizes(sizes);
  SmallVector<Value> parts;
  for (unsigned i = 0; i < node.count(); ++i)
    if (parts.push_back(node.value(i)); !parts.back())
      return;
  if (axis < 0 || axis >= int64_t(nn::shapeOf(parts.front()).size()))
    return node.error("expects a dim of the operands, got " + Twine(axis));
  node.give(parts.size() == 1 ? parts.front() : node.make<nn::ConcatOp>(parts, node.attr("axis", axis)));
}

/// Whether [start, limit) are places of a dim; of an open one, all of them.
static bool isPart(Node &node, const nn::Dim &dim, int64_t start, int64_t limit, int64_t stride) {
  bool fits = dim.isStatic() && start >= 0 && start <= limit && limit <= dim.factor && stride >= 1;
  if (!fits)
    node.error("takes the places " + Twine(start) + ":" + Twine(limit) + ":" + Twine(stride) +
               " of a dim of size " + dim.str() + ", expected a part of a dim of known size");
  return fits;
}

static void giveSlice(Node &node, ArrayRef<int64_t> starts, ArrayRef<int64_t> limits,
                      ArrayRef<int64_t> strides) {
  Value y = node.value(0);
  nn::Shape shape = y ? nn::shapeOf(y) : nn::Shape();
  for (auto [i, dim] : llvm::enumerate(shape)) {
    bool isWhole = starts[i] == 0 && strides[i] == 1 &&
                   (dim.isStatic() ? limits[i] == dim.factor
                                   : node.op->getResult(0).getType() == node.op->getOperand(0).getType());
    if (isWhole)
      continue;
    if (!isPart(node, dim, starts[i], limits[i], strides[i]))
      return;
    y = node.part(y, i, starts[i], limits[i], strides[i]);
  }
  node.give(y);
}

static void slice(Node &node) {
  size_t rank = node.rank(0);
  auto starts = node.perDim("start_indices", rank, 0), limits = node.perDim("limit_indices", rank, 0);
  auto strides = node.perDim("strides", rank, 1);
  if (starts && limits && strides)
    giveSlice(node, *starts, *limits, *strides);
}

/// Where the places are known: they are moved into the operand, as StableHLO says.
static void dynamicSlice(Node &node) {
  nn::Shape shape = node.shape(0);
  auto sizes = node.perDim("slice_sizes", shape.size(), 0);
  if (!sizes)
    return;
  if (node.count() != shape.size() + 1)
    return node.error("expects a place for each dim");
  Numbers starts, limits;
  for (auto [i, dim] : llvm::enumerate(shape)) {
    std::optional<Numbers> place = node.integers(i + 1);
    if (!place || place->size() != 1)
      return;
    if (!dim.isStatic() || (*sizes)[i] < 0 || (*sizes)[i] > dim.factor)
      return node.error("expects parts of dims of known sizes, got shape " + nn::str(shape));
    starts.push_back(std::clamp<int64_t>(place->front(), 0, dim.factor - (*sizes)[i]));
    limits.push_back(starts.back() + (*sizes)[i]);
  }
  giveSlice(node, starts, limits, Numbers(shape.size(), 1));
}

/// A slice whose bounds are operands, as programs with open sizes have it.
static void realDynamicSlice(Node &node) {
  auto starts = node.integers(1), limits = node.integers(2), strides = node.integers(3);
  size_t rank = node.rank(0);
  if (!starts || !limits || !strides)
    return;
  if (starts->size() != rank || limits->size() != rank || strides->size() != rank)
    return node.error("expects bounds for each dim");
  giveSlice(node, *starts, *limits, *strides);
}

/// Negative padding takes elements away.
static void pad(Node &node) {
  Value x = node.value(0);
  nn::Shape shape = x ? nn::shapeOf(x) : nn::Shape();
  auto low = node.perDim("edge_padding_low", shape.size(), 0),
       high = node.perDim("edge_padding_high", shape.size(), 0),
       interior = node.perDim("interior_padding", shape.size(), 0);
  if (!x || !low || !high || !interior)
    return;
  std::optional<double> value = node.splat(1);
  if (!value)
    return node.unsupported("padding that is computed");
  Numbers before, after;
  for (size_t i = 0; i < shape.size(); ++i) {
    if ((*interior)[i] < 0 || std::max({(*interior)[i], std::abs((*low)[i]), std::abs((*high)[i])}) > maxDim)
      return node.error("expects padding from 0 to " + Twine(maxDim));
    before.push_back(std::max<int64_t>((*low)[i], 0));
    after.push_back(std::max<int64_t>((*high)[i], 0));
  }
  auto mode = nn::PadModeAttr::get(node.b.getContext(), nn::PadMode::constant);
  Value y = node.make<nn::PadOp>({x}, {node.b.getNamedAttr("mode", mode), node.attr("low", before),
                                       node.attr("high", after), node.attr("interior", *interior),
                                       node.attr("value", *value)});
  for (size_t i = 0; y && i < shape.size(); ++i) {
    int64_t first = std::max<int64_t>(-(*low)[i], 0), dropped = std::max<int64_t>(-(*high)[i], 0);
    if (first == 0 && dropped == 0)
      continue;
    nn::Dim size = nn::shapeOf(y)[i];
    if (!isPart(node, size, first, size.isStatic() ? size.factor - dropped : 0, 1))
      return;
    y = node.part(y, i, first, size.factor - dropped);
  }
  node.give(y);
}

/// Nothing is moved across it; here nothing has to be.
static void barrier(Node &node) {
  if (node.count() != 1)
    return node.unsupported("several operands");
  node.give(node.known(0));
}

static const Operator shapeOperators[] = {
    {"stablehlo.constant", constant, 0},
    {"stablehlo.iota", iota, 0},
    {"stablehlo.dynamic_iota", dynamicIota, 1},
    {"stablehlo.reshape", reshape, 1},
    {"stablehlo.dynamic_reshape", dynamicReshape, 2},
    {"stablehlo.broadcast", broadcast, 1},
    {"stablehlo.broadcast_in_dim", broadcastInDim, 1},
    {"stablehlo.dynamic_broadcast_in_dim", dynamicBroadcastInDim, 2},
    {"stablehlo.get_dimension_size", getDimensionSize, 1},
    {"stablehlo.transpose", transpose, 1},
    {"stablehlo.reverse", reverse, 1},
    {"stablehlo.concatenate", concatenate, -1},
    {"stablehlo.slice", slice, 1},
    {"stablehlo.dynamic_slice", dynamicSlice, -1},
    {"stablehlo.real_dynamic_slice", realDynamicSlice, 4},
    {"stablehlo.pad", pad, 2},
    {"stablehlo.optimization_barrier", barrier, -1},
};

ArrayRef<Operator> operatorsOfShape() { return shapeOperators; }

} // namespace dlc::stablehlo
