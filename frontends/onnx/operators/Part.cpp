//===- Part.cpp - ONNX operators of the family Shape: parts, padding, indices
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

//===-- Slice, Split ---------------------------------------------------------------===//

/// What nn.slice wants, dims taken whole to start with.
struct Range {
  SmallVector<int64_t> starts, limits, steps, reversed;

  explicit Range(ArrayRef<nn::Dim> shape) {
    for (const nn::Dim &dim : shape) {
      starts.push_back(0);
      limits.push_back(dim.isStatic() ? dim.factor : -1);
      steps.push_back(1);
    }
  }
  Value take(Node &node, Value x) const {
    return node.make<nn::SliceOp>(
        {x}, {node.attr("starts", starts), node.attr("limits", limits), node.attr("steps", steps)});
  }
};

/// One axis of a Slice. Going backwards is a slice of the reversed dim.
static void narrow(Node &node, Range &range, int64_t axis, const nn::Dim &dim, int64_t start, int64_t end,
                   int64_t step) {
  if (step == 0)
    return node.error("the step of axis " + Twine(axis) + " is 0");
  if (!dim.isStatic()) {
    if (start != 0 || step != 1 || end < maxDim - 1)
      node.error(
          "axis " + Twine(axis) + " has the size " + dim.str() +
          ", of which all can be taken, the first place or the last one: other parts would have sizes such "
          "as " +
          dim.str() + " - 1, which dlc does not have. Give " + dim.str() +
          " a fixed size, or cut the data before they are given to the model");
    return;
  }
  int64_t size = dim.factor;
  auto clamp = [&](int64_t position, int64_t low, int64_t high) {
    position += position < 0 ? size : 0;
    return std::min(std::max(position, low), high);
  };
  if (step > 0) {
    range.starts[axis] = clamp(start, 0, size);
    range.limits[axis] = clamp(end, 0, size);
    range.steps[axis] = std::min(step, maxDim);
    return;
  }
  range.reversed.push_back(axis);
  range.starts[axis] = std::min(size - 1 - clamp(start, -1, size - 1), size);
  range.limits[axis] = size - 1 - clamp(end, -1, size - 1);
  range.steps[axis] = std::min(-std::max(step, -maxDim), maxDim);
}

/// The ends of a Slice. One that is the size of a named dim becomes the axis' own and goes to `open`, with
/// its position: so many rows of a table are read.
static std::optional<SmallVector<int64_t>> sliceEnds(Node &node,
                                                     SmallVectorImpl<std::pair<size_t, nn::Dim>> &open) {
  std::optional<DimTensor> known = node.dims(2);
  auto isNegative = [](const nn::Dim &end) { return !end.isStatic() && end.factor < 0; };
  if (!known || llvm::any_of(known->elements, isNegative))
    return node.integers(2, "ends");
  SmallVector<int64_t> ends;
  for (auto [i, end] : llvm::enumerate(known->elements)) {
    ends.push_back(end.isStatic() ? end.factor : std::numeric_limits<int64_t>::max());
    if (!end.isStatic())
      open.push_back({i, end});
  }
  return ends;
}

/// The index of the one position that a slice takes of an axis of any size (at least 1): 0 for [0:1], -1 for
/// [-1:]; else nullopt.
static std::optional<int64_t> onlyPlace(const nn::Dim &dim, int64_t start, int64_t end, int64_t step) {
  if (dim.isStatic() || step != 1)
    return std::nullopt;
  return start == 0 && end == 1             ? std::optional<int64_t>(0)
         : start == -1 && end >= maxDim - 1 ? std::optional<int64_t>(-1)
                                            : std::nullopt;
}

static Value place(Node &node, Value x, int64_t axis, int64_t index) {
  auto type = RankedTensorType::get({1}, node.b.getI64Type());
  Value indices = nn::ConstantOp::create(node.b, DenseElementsAttr::get(type, ArrayRef(index)));
  return node.make<nn::GatherOp>({x, indices}, node.attr("axis", axis));
}

/// The first `count` places along an axis that is at least as long; null after an error.
static Value beginning(Node &node, Value x, int64_t axis, const nn::Dim &count) {
  const nn::Dim size = x ? nn::shapeOf(x)[axis] : count;
  if (!x || size == count)
    return x;
  std::optional<int64_t> most = node.trainingSize({count});
  if (!size.isStatic() || (most && *most > size.factor)) {
    node.error("axis " + Twine(axis) + " has the size " + size.str() + ", which may be less than " +
               count.str() + (most ? ", of up to " + std::to_string(*most) : std::string()));
    return {};
  }
  Value places = nn::IotaOp::create(node.b, nn::tensorType({count}, node.b.getI64Type()), 0);
  return node.make<nn::GatherOp>({x, places}, node.attr("axis", axis));
}

static void slice(Node &node) {
  nn::Shape shape = node.shape(0);
  bool inputs = node.since >= 10;
  SmallVector<std::pair<size_t, nn::Dim>> open;
  auto starts = inputs ? node.integers(1, "starts") : node.integerList("starts");
  auto ends = inputs ? sliceEnds(node, open) : node.integerList("ends");
  if (!starts || !ends)
    return inputs ? void() : node.error("starts and ends are missing");
  auto all = llvm::to_vector(llvm::seq<int64_t>(starts->size()));
  std::optional<SmallVector<int64_t>> axes = node.integerList("axes").value_or(all);
  std::optional<SmallVector<int64_t>> steps = SmallVector<int64_t>(starts->size(), 1);
  if (inputs && node.has(3))
    axes = node.integers(3, "axes");
  if (inputs && node.has(4))
    steps = node.integers(4, "steps");
  if (!axes || !steps || !node.axes(*axes, shape.size()))
    return;
  if (ends->size() != starts->size() || axes->size() != starts->size() || steps->size() != starts->size())
    return node.error("starts, ends, axes and steps have different lengths");
  for (auto &[i, end] : open)
    if ((*starts)[i] != 0 || (*steps)[i] != 1)
      return node.error("an end that is the size " + end.str() + " needs the start 0 and the step 1");
  Range range(shape);
  SmallVector<std::pair<int64_t, int64_t>> places;
  for (auto [start, end, axis, step] : llvm::zip_equal(*starts, *ends, *axes, *steps)) {
    int64_t counted = *node.axis(axis, shape.size());
    if (std::optional<int64_t> index = onlyPlace(shape[counted], start, end, step))
      places.push_back({counted, *index});
    else
      narrow(node, range, counted, shape[counted], start, end, step);
  }
  Value x = node.value(0);
  llvm::sort(range.reversed);
  if (!range.reversed.empty())
    x = nn::ReverseOp::create(node.b, x, range.reversed);
  x = range.take(node, x);
  for (auto [axis, index] : places)
    x = place(node, x, axis, index);
  for (auto &[i, end] : open)
    x = beginning(node, x, *node.axis((*axes)[i], shape.size()), end);
  node.give(0, x);
}

/// Sizes from an attribute, an input (13) or a number of parts (18, the last one smaller); else equal parts.
static std::optional<SmallVector<int64_t>> splitSizes(Node &node, int64_t size) {
  if (node.has(1))
    return node.integers(1, "the sizes of the parts");
  if (std::optional<SmallVector<int64_t>> given = node.integerList("split"))
    return given;
  int64_t count = node.integer("num_outputs", node.outputCount());
  if (count <= 0 || count != node.outputCount() || (node.since < 18 && size % count != 0)) {
    node.error("cannot split " + Twine(size) + " into " + Twine(node.outputCount()) + " equal parts");
    return std::nullopt;
  }
  int64_t part = llvm::divideCeil(size, count);
  SmallVector<int64_t> sizes;
  for (int64_t i = 0; i < count; ++i)
    sizes.push_back(std::max<int64_t>(0, std::min(part, size - i * part)));
  return sizes;
}

static void split(Node &node) {
  nn::Shape shape = node.shape(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), shape.size());
  if (!axis)
    return;
  if (!shape[*axis].isStatic())
    return node.error("axis " + Twine(*axis) + " has the size " + shape[*axis].str() +
                      " and cannot be split");
  int64_t size = shape[*axis].factor, start = 0;
  std::optional<SmallVector<int64_t>> sizes = splitSizes(node, size);
  if (!sizes)
    return;
  if (sizes->size() != size_t(node.outputCount()))
    return node.error("expects one size for each of " + Twine(node.outputCount()) + " outputs, got " +
                      Twine(sizes->size()));
  for (auto [i, part] : llvm::enumerate(*sizes)) {
    if (part < 0 || part > size - start)
      return node.error("parts do not add up to " + Twine(size));
    Range range(shape);
    range.starts[*axis] = start;
    range.limits[*axis] = start += part;
    node.give(i, range.take(node, node.value(0)));
  }
  if (start != size)
    node.error("parts add up to " + Twine(start) + ", not " + Twine(size));
}

//===-- Pad ------------------------------------------------------------------------===//

/// The number in constant padding; nullopt after an error.
static std::optional<double> padValue(Node &node) {
  if (!node.has(2))
    return node.anyNumber("value", 0);
  std::optional<double> known = node.fixedNumber(2);
  if (!known)
    node.error("the value must be known at compile time, but '" + node.inputName(2) +
               "' is computed, trained or an input");
  return known;
}

static void pad(Node &node) {
  nn::Shape shape = node.shape(0);
  std::string modeName = node.text("mode", "constant");
  std::optional<nn::PadMode> mode = nn::symbolizePadMode(modeName);
  if (!mode)
    return node.error("mode '" + modeName + "' is not supported");
  auto pads = node.since >= 11 ? node.integers(1, "pads") : node.integerList("pads");
  std::optional<double> value = padValue(node);
  std::optional<SmallVector<int64_t>> axes = llvm::to_vector(llvm::seq<int64_t>(shape.size()));
  if (node.has(3))
    axes = node.integers(3, "axes");
  if (!pads || !value || !axes || !node.axes(*axes, shape.size()))
    return pads || node.since >= 11 ? void() : node.error("pads are missing");
  if (pads->size() != 2 * axes->size())
    return node.error("expects " + Twine(2 * axes->size()) + " pads, got " + Twine(pads->size()));
  SmallVector<int64_t> low(shape.size(), 0), high = low, interior = low;
  Range crop(shape);
  bool crops = false;
  for (auto [i, axis] : llvm::enumerate(*axes)) {
    int64_t counted = *node.axis(axis, shape.size());
    int64_t before = (*pads)[i], after = (*pads)[i + axes->size()];
    if (std::max(before, after) > maxDim || std::min(before, after) < -maxDim)
      return node.error("pads are too large");
    low[counted] = std::max<int64_t>(before, 0);
    high[counted] = std::max<int64_t>(after, 0);
    if (before >= 0 && after >= 0)
      continue;
    // Negative padding cuts off.
    crops = true;
    if (!shape[counted].isStatic())
      return node.error("axis " + Twine(counted) + " has the size " + shape[counted].str() +
                        " and cannot be cut");
    crop.starts[counted] = std::max<int64_t>(-before, 0);
    crop.limits[counted] = shape[counted].factor - std::max<int64_t>(-after, 0);
  }
  Value x = crops ? crop.take(node, node.value(0)) : node.value(0);
  auto modeAttribute = nn::PadModeAttr::get(node.b.getContext(), *mode);
  node.give(0, node.make<nn::PadOp>({x}, {node.b.getNamedAttr("mode", modeAttribute), node.attr("low", low),
                                          node.attr("high", high), node.attr("interior", interior),
                                          node.attr("value", *value)}));
}

//===-- Gather ---------------------------------------------------------------------===//

static void gather(Node &node) {
  nn::Shape shape = node.shape(0);
  std::optional<int64_t> axis = node.axis(node.integer("axis", 0), shape.size());
  if (!axis)
    return;
  const nn::Dim &size = shape[*axis];
  if (const HostTensor *indices = node.constant(1); indices && !indices->isFloat() && size.isStatic())
    for (int64_t i = 0, n = indices->splat ? 1 : indices->count(); i < n; ++i)
      if (int64_t index = indices->integer(i); index < -size.factor || index >= size.factor)
        return node.error("index " + Twine(index) + " is not in [" + Twine(-size.factor) + ", " + size.str() +
                          ")");
  node.limitIndices(node.value(1), -size.factor, size);
  SmallVector<mlir::NamedAttribute> attributes = {node.attr("axis", *axis)};
  if (std::optional<int64_t> padding = node.paddingIndex())
    attributes.push_back(node.attr("padding", *padding));
  node.give(0, node.make<nn::GatherOp>({node.value(0), node.value(1)}, attributes));
}

static const Operator partOperators[] = {
    {"Slice", 1, slice, 1, 1, "starts ends axes"},
    {"Slice", 10, slice, 3, 5, ""},
    {"Split", 2, split, 1, 1, "axis split"},
    {"Split", 13, split, 1, 2, "axis"},
    {"Split", 18, split, 1, 2, "axis num_outputs"},
    {"Pad", 2, pad, 1, 1, "mode pads value"},
    {"Pad", 11, pad, 2, 3, "mode"},
    {"Pad", 18, pad, 2, 4, "mode"},
    {"Gather", 1, gather, 2, 2, "axis"},
};

ArrayRef<Operator> operatorsOfPart() { return partOperators; }

} // namespace dlc::onnx
