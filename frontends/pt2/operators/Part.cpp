//===- Part.cpp - ATen operators of the family Shape: parts, joining, padding --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

//===-- Parts and wholes -------------------------------------------------------------===//

static Value joined(Node &node, ArrayRef<Value> parts, int64_t dim) {
  return parts.size() == 1 ? parts.front() : node.make<nn::ConcatOp>(parts, node.attr("axis", dim));
}

/// Empty tensors of one dim are left out, as PyTorch does.
static void cat(Node &node) {
  SmallVector<Value> parts;
  for (Value part : node.values("tensors")) {
    if (!part)
      return;
    if (nn::shapeOf(part) != nn::Shape{nn::Dim(0)})
      parts.push_back(node.cast(part, node.resultType()));
  }
  if (parts.empty())
    return;
  if (std::optional<int64_t> dim = node.dim("dim", 0, nn::shapeOf(parts.front()).size()))
    node.give(joined(node, parts, *dim));
}

static void stack(Node &node) {
  SmallVector<Value> parts;
  std::optional<int64_t> dim;
  for (Value part : node.values("tensors")) {
    nn::Shape shape = part ? nn::shapeOf(part) : nn::Shape();
    dim = node.axis(node.integer("dim", 0), shape.size() + 1);
    if (!part || !dim)
      return;
    shape.insert(shape.begin() + *dim, nn::Dim(1));
    parts.push_back(node.reshape(node.cast(part, node.resultType()), shape));
  }
  if (!parts.empty())
    node.give(joined(node, parts, *dim));
}

/// The places [start, start + length) of a dim. An open one is taken whole.
static Value narrowed(Node &node, Value x, int64_t dim, int64_t start, int64_t length, int64_t step = 1) {
  return node.part(x, dim, start, start + length, step);
}

/// Parts of these sizes one after the other.
static void splitInto(Node &node, int64_t dim, ArrayRef<int64_t> sizes) {
  Value x = node.value("self");
  SmallVector<Value> parts;
  int64_t start = 0;
  for (int64_t size : sizes) {
    parts.push_back(narrowed(node, x, dim, start, size));
    start += size;
    if (!parts.back())
      return;
  }
  node.giveAll(parts);
}

/// The size of a dim that is taken apart; nullopt after an error.
static std::optional<int64_t> knownSize(Node &node, int64_t dim) {
  nn::Shape shape = node.shape("self");
  if (dim < int64_t(shape.size()) && shape[dim].isStatic())
    return shape[dim].factor;
  node.error("expects a known size of the dim that is taken apart, got shape " + nn::str(shape));
  return std::nullopt;
}

static void split(Node &node) {
  std::optional<int64_t> dim = node.dim("dim", 0, node.rank("self"));
  std::optional<int64_t> size = dim ? knownSize(node, *dim) : std::nullopt;
  int64_t each = node.integer("split_size", 0);
  if (!size)
    return;
  if (each < 1)
    return node.error("split_size must be at least 1, got " + Twine(each));
  Numbers sizes;
  for (int64_t rest = *size; rest > 0 && sizes.size() < size_t(maxDim); rest -= each) {
    sizes.push_back(std::min(each, rest));
    if (int64_t(sizes.size()) > node.outputCount())
      break; // more than there are names for
  }
  splitInto(node, *dim, sizes);
}
static void splitWithSizes(Node &node) {
  std::optional<int64_t> dim = node.dim("dim", 0, node.rank("self"));
  std::optional<Numbers> sizes = dim ? node.integers("split_sizes") : std::nullopt;
  if (!sizes)
    return;
  for (int64_t size : *sizes)
    if (size < 0 || size > maxDim)
      return node.error("a part has the size " + Twine(size));
  splitInto(node, *dim, *sizes);
}
static void chunk(Node &node) {
  std::optional<int64_t> dim = node.dim("dim", 0, node.rank("self"));
  std::optional<int64_t> size = dim ? knownSize(node, *dim) : std::nullopt;
  int64_t count = node.integer("chunks", 1);
  if (!size)
    return;
  if (count < 1 || count > maxDim || *size < 1)
    return node.error("expects at least one part of at least one element, got " + Twine(count) +
                      " parts of " + Twine(*size));
  int64_t each = (*size + count - 1) / count;
  Numbers sizes;
  for (int64_t rest = *size; rest > 0 && int64_t(sizes.size()) <= node.outputCount(); rest -= each)
    sizes.push_back(std::min(each, rest));
  splitInto(node, *dim, sizes);
}

/// One place of a dim, which is dropped.
static Value selected(Node &node, Value x, int64_t dim, int64_t index) {
  if (!x)
    return {};
  nn::Shape shape = nn::shapeOf(x);
  Value one = narrowed(node, x, dim, index, 1);
  shape.erase(shape.begin() + dim);
  return node.reshape(one, shape);
}

static void select(Node &node) {
  std::optional<int64_t> dim = node.dim("dim", 0, node.rank("self"));
  std::optional<int64_t> size = dim ? knownSize(node, *dim) : std::nullopt;
  int64_t index = node.integer("index", 0);
  if (!size)
    return;
  if (index < -*size || index >= *size)
    return node.error("index " + Twine(index) + " is not in [" + Twine(-*size) + ", " + Twine(*size) + ")");
  node.give(selected(node, node.value("self"), *dim, index < 0 ? index + *size : index));
}

static void unbind(Node &node) {
  std::optional<int64_t> dim = node.dim("dim", 0, node.rank("self"));
  std::optional<int64_t> size = dim ? knownSize(node, *dim) : std::nullopt;
  SmallVector<Value> parts;
  for (int64_t i = 0; size && i < *size && i <= node.outputCount(); ++i) {
    parts.push_back(selected(node, node.value("self"), *dim, i));
    if (!parts.back())
      return;
  }
  if (size)
    node.giveAll(parts);
}

/// As in Python: negative places count from the end, and those outside are the nearest inside.
static void slice(Node &node) {
  nn::Shape shape = node.shape("self");
  std::optional<int64_t> dim = node.dim("dim", 0, shape.size());
  if (!dim || shape.empty())
    return;
  bool isToEnd = !node.has("end") || node.isSize("end", shape[*dim]);
  int64_t start = node.integer("start", 0), step = node.integer("step", 1);
  int64_t end = isToEnd ? std::numeric_limits<int64_t>::max() : node.integer("end", 0);
  if (step < 1)
    return node.error("step must be at least 1, got " + Twine(step));
  if (!shape[*dim].isStatic()) {
    bool isWhole = start == 0 && step == 1 && end > maxDim;
    if (!isWhole)
      return node.error("a part of an open dim (" + shape[*dim].str() +
                        "), whose size only the program that is run "
                        "knows, is not supported");
    return node.give(node.value("self"));
  }
  int64_t size = shape[*dim].factor;
  auto inside = [&](int64_t place) { return std::clamp<int64_t>(place < 0 ? place + size : place, 0, size); };
  int64_t first = inside(start), last = std::max(inside(end), first);
  if (first == 0 && last == size && step == 1)
    return node.give(node.value("self"));
  node.give(narrowed(node, node.value("self"), *dim, first, last - first, step));
}

static void narrow(Node &node) {
  std::optional<int64_t> dim = node.dim("dim", 0, node.rank("self"));
  std::optional<int64_t> size = dim ? knownSize(node, *dim) : std::nullopt;
  int64_t start = node.integer("start", 0), length = node.integer("length", 0);
  if (!size)
    return;
  start += start < 0 ? *size : 0;
  if (start < 0 || length < 0 || start > *size || length > *size - start)
    return node.error("the part of " + Twine(length) + " elements at " + Twine(start) +
                      " is not in a dim of " + Twine(*size));
  node.give(narrowed(node, node.value("self"), *dim, start, length));
}

/// `x` with other elements at the places [start, start + length) of a dim.
static Value replaced(Node &node, Value x, Value part, int64_t dim, int64_t start, int64_t length) {
  int64_t size = nn::shapeOf(x)[dim].factor;
  SmallVector<Value> parts;
  if (start > 0)
    parts.push_back(narrowed(node, x, dim, 0, start));
  parts.push_back(part);
  if (start + length < size)
    parts.push_back(narrowed(node, x, dim, start + length, size - start - length));
  return llvm::is_contained(parts, Value()) ? Value() : joined(node, parts, dim);
}

/// What a write into one place of a dim becomes without writes.
static void selectScatter(Node &node) {
  std::optional<int64_t> dim = node.dim("dim", 0, node.rank("self"));
  std::optional<int64_t> size = dim ? knownSize(node, *dim) : std::nullopt;
  int64_t index = node.integer("index", 0);
  if (!size)
    return;
  if (index < -*size || index >= *size)
    return node.error("index " + Twine(index) + " is not in [" + Twine(-*size) + ", " + Twine(*size) + ")");
  nn::Shape shape = node.shape("self");
  shape[*dim] = nn::Dim(1);
  Value part = node.reshape(node.operand("src", node.resultType()), shape);
  if (part)
    node.give(replaced(node, node.value("self"), part, *dim, index < 0 ? index + *size : index, 1));
}

/// Replaces a slice of a tensor.
static void sliceScatter(Node &node) {
  nn::Shape shape = node.shape("self");
  std::optional<int64_t> dim = node.dim("dim", 0, shape.size());
  Value part = dim ? node.operand("src", node.resultType()) : Value();
  if (!part || shape.empty())
    return;
  if (nn::shapeOf(part) == shape)
    return node.give(part);
  std::optional<int64_t> size = knownSize(node, *dim);
  if (!size)
    return;
  if (node.integer("step", 1) != 1)
    return node.unsupported("a step other than 1");
  auto inside = [&](int64_t place) {
    return std::clamp<int64_t>(place < 0 ? place + *size : place, 0, *size);
  };
  int64_t first = inside(node.integer("start", 0));
  int64_t last = std::max(inside(node.integer("end", std::numeric_limits<int64_t>::max())), first);
  shape[*dim] = nn::Dim(last - first);
  if (nn::shapeOf(part) != shape)
    return node.error("expects elements of shape " + nn::str(shape) + ", got " + nn::str(nn::shapeOf(part)));
  node.give(replaced(node, node.value("self"), part, *dim, first, last - first));
}

//===-- Padding ------------------------------------------------------------------------===//

/// `padding` has the numbers before and behind for each dim, the last dim first.
static void pad(Node &node, nn::PadMode mode, StringRef argument, double value) {
  int64_t rank = node.rank("self");
  std::optional<Numbers> numbers = node.integers(argument);
  if (!numbers)
    return;
  if (numbers->size() % 2 != 0 || int64_t(numbers->size()) > 2 * rank)
    return node.error("expects two numbers for each of at most " + Twine(rank) + " dims, got " +
                      Twine(numbers->size()));
  Numbers low(rank, 0), high(rank, 0), none(rank, 0);
  for (size_t i = 0; i < numbers->size(); i += 2) {
    low[rank - 1 - i / 2] = (*numbers)[i];
    high[rank - 1 - i / 2] = (*numbers)[i + 1];
  }
  for (int64_t number : *numbers)
    if (number < 0 || number > maxDim)
      return node.unsupported("padding of " + Twine(number) + "; cut elements off with a slice");
  auto attribute = nn::PadModeAttr::get(node.b.getContext(), mode);
  node.give(
      node.make<nn::PadOp>({node.value("self")}, {node.b.getNamedAttr("mode", attribute),
                                                  node.attr("low", low), node.attr("high", high),
                                                  node.attr("interior", none), node.attr("value", value)}));
}

static void padByName(Node &node) {
  std::string mode = node.text("mode", "constant");
  if (mode != "constant" && mode != "reflect" && mode != "replicate" && mode != "circular")
    return node.error("mode must be constant, reflect, replicate or circular, got '" + mode + "'");
  pad(node,
      mode == "constant"    ? nn::PadMode::constant
      : mode == "reflect"   ? nn::PadMode::reflect
      : mode == "replicate" ? nn::PadMode::edge
                            : nn::PadMode::wrap,
      "pad", node.number("value", 0));
}
static void padConstant(Node &node) { pad(node, nn::PadMode::constant, "pad", node.number("value", 0)); }
static void padReflect(Node &node) { pad(node, nn::PadMode::reflect, "padding", 0); }
static void padReplicate(Node &node) { pad(node, nn::PadMode::edge, "padding", 0); }

static const Operator partOperators[] = {
    {"aten.cat", cat, "tensors dim"},
    {"aten.concat", cat, "tensors dim"},
    {"aten.stack", stack, "tensors dim"},
    {"aten.split.Tensor", split, "self split_size dim", Sharing::View},
    {"aten.split_with_sizes", splitWithSizes, "self split_sizes dim", Sharing::View},
    {"aten.split.sizes", splitWithSizes, "self split_sizes split_size dim", Sharing::View},
    {"aten.chunk", chunk, "self chunks dim", Sharing::View},
    {"aten.unbind", unbind, "self dim", Sharing::View},
    {"aten.select.int", select, "self dim index", Sharing::View},
    {"aten.slice.Tensor", slice, "self dim start end step", Sharing::View},
    {"aten.select_scatter", selectScatter, "self src dim index"},
    {"aten.slice_scatter", sliceScatter, "self src dim start end step"},
    {"aten.narrow", narrow, "self dim start length", Sharing::View},
    {"aten.pad", padByName, "self pad mode value"},
    {"aten.constant_pad_nd", padConstant, "self pad value"},
    {"aten.reflection_pad1d", padReflect, "self padding"},
    {"aten.reflection_pad2d", padReflect, "self padding"},
    {"aten.reflection_pad3d", padReflect, "self padding"},
    {"aten.replication_pad1d", padReplicate, "self padding"},
    {"aten.replication_pad2d", padReplicate, "self padding"},
    {"aten.replication_pad3d", padReplicate, "self padding"},
};

ArrayRef<Operator> operatorsOfPart() { return partOperators; }

} // namespace dlc::pt2
