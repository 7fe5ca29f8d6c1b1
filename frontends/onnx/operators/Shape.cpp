//===- Shape.cpp - ONNX operators of the family Shape: views and joins
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Operators that take parts of tensors are in Part.cpp.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"

using namespace mlir;

namespace dlc::onnx {

//===-- Views ----------------------------------------------------------------------===//

/// The first 1 with as many elements before it as lie before the rows of x, or before the batch in its dim.
static std::optional<size_t> placeOfOneRow(const nn::Dim &before, const nn::Dim &rows,
                                           ArrayRef<nn::Dim> target) {
  for (const nn::Dim &expected : {before, before * nn::Dim(rows.factor)}) {
    nn::Dim left = 1;
    for (auto [place, dim] : llvm::enumerate(target)) {
      if (dim.isOne() && left == expected)
        return place;
      if (dim.factor < 1)
        break;
      left = left * dim;
    }
  }
  return std::nullopt;
}

/// Where the file has one row and the batch was opened, a shape of numbers is meant for one row. The batch is
/// in place of a 1. Without one, a dim is as many times larger: where dims are joined, the one before the
/// elements that lie behind the rows in x, else the one that the rows begin in. That rows stay rows is shown
/// later (Rebatch.h).
static void reshapeEachRow(const nn::Dim &batch, ArrayRef<nn::Dim> x, SmallVectorImpl<nn::Dim> &target) {
  auto hasRows = [&](const nn::Dim &dim) { return llvm::is_contained(dim.names, batch.names.front()); };
  const auto *rows = llvm::find_if(x, hasRows);
  if (rows == x.end() || llvm::any_of(target, hasRows))
    return;
  size_t axis = rows - x.begin(), place = 0;
  nn::Dim before = nn::elementCount(x.take_front(axis)), left = 1;
  if (std::optional<size_t> one = placeOfOneRow(before, *rows, target)) {
    target[*one] = batch;
    return;
  }
  if (llvm::any_of(target, [](const nn::Dim &dim) { return dim.factor < 1; }))
    return; // one dim is as large as it has to be
  while (place < target.size() && left != before)
    left = left * target[place++];
  if (place == target.size())
    return;
  nn::Dim behind = nn::elementCount(x.drop_front(axis + 1)) * nn::Dim(rows->factor);
  bool joins =
      target.size() < x.size() && place > 0 && nn::elementCount(ArrayRef(target).drop_front(place)) == behind;
  nn::Dim &larger = target[joins ? place - 1 : place];
  larger = larger * batch;
}

/// 0 keeps a dim (without `allowzero`), -1 stands for what is left.
static void reshape(Node &node) {
  nn::Shape x = node.shape(0), y;
  std::optional<DimTensor> target = node.dims(1);
  if (!target) {
    (void)node.integers(1, "the shape");
    return;
  }
  if (std::optional<nn::Dim> batch = node.openedBatch())
    reshapeEachRow(*batch, x, target->elements);
  bool allowZero = node.integer("allowzero", 0) != 0;
  std::optional<size_t> open;
  for (const nn::Dim &dim : target->elements) {
    if (dim.isStatic() && dim.factor == -1) {
      if (open)
        return node.error("the shape has two dims of -1");
      open = y.size();
      y.push_back(1);
    } else if (dim.isStatic() && dim.factor == 0 && !allowZero) {
      if (y.size() >= x.size())
        return node.error("the shape keeps dim " + Twine(y.size()) + " of an operand of shape " + nn::str(x));
      y.push_back(x[y.size()]);
    } else if (dim.factor < 0 || dim.factor > maxDim) {
      return node.error("the shape has a dim of " + dim.str());
    } else {
      y.push_back(dim);
    }
  }
  if (!node.checkSize(y))
    return;
  nn::Dim total = nn::elementCount(x), others = nn::elementCount(y);
  if (open) {
    std::optional<nn::Dim> rest = nn::divide(total, others);
    if (!rest)
      return node.error("cannot reshape " + nn::str(x) + " into parts of " + others.str() + " elements");
    y[*open] = *rest;
  }
  node.give(0, node.reshape(node.value(0), y));
}

static void flatten(Node &node) {
  nn::Shape shape = node.shape(0);
  int64_t rank = shape.size(), axis = node.integer("axis", 1);
  if (axis < -rank || axis > rank)
    return node.error("axis " + Twine(axis) + " is not in [" + Twine(-rank) + ", " + Twine(rank) + "]");
  ArrayRef<nn::Dim> dims(shape);
  axis += axis < 0 ? rank : 0;
  node.give(0, node.reshape(node.value(0), {nn::elementCount(dims.take_front(axis)),
                                            nn::elementCount(dims.drop_front(axis))}));
}

/// Axes are an attribute, from opset 13 on an input; nullopt with `isGiven` after an error.
static std::optional<SmallVector<int64_t>> axesOf(Node &node, int64_t rank, bool &isGiven) {
  std::optional<SmallVector<int64_t>> given = node.integerList("axes");
  isGiven = given || node.has(1);
  if (node.has(1))
    given = node.integers(1, "axes");
  return given ? node.axes(*given, rank) : std::nullopt;
}

static void squeeze(Node &node) {
  nn::Shape x = node.shape(0), y;
  bool isGiven;
  std::optional<SmallVector<int64_t>> axes = axesOf(node, x.size(), isGiven);
  if (isGiven && !axes)
    return;
  for (auto [i, dim] : llvm::enumerate(x)) {
    bool drop = axes ? llvm::is_contained(*axes, int64_t(i)) : dim.isOne();
    if (drop && !dim.isOne())
      return node.error("dim " + Twine(i) + " has the size " + dim.str() + ", not 1");
    if (!drop)
      y.push_back(dim);
  }
  node.give(0, node.reshape(node.value(0), y));
}

static void unsqueeze(Node &node) {
  nn::Shape x = node.shape(0), y;
  std::optional<SmallVector<int64_t>> given = node.integerList("axes");
  if (!given && !(given = node.integers(1, "axes")))
    return;
  std::optional<SmallVector<int64_t>> axes = node.axes(*given, x.size() + given->size());
  if (!axes)
    return;
  auto next = x.begin();
  for (size_t i = 0; i < x.size() + axes->size(); ++i)
    y.push_back(llvm::is_contained(*axes, int64_t(i)) ? nn::Dim(1) : *next++);
  node.give(0, node.reshape(node.value(0), y));
}

/// Axes that count from the end are not in ONNX, but in files of PyTorch's older exporter (movedim).
static void transpose(Node &node) {
  SmallVector<int64_t> reversed = llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(node.rank(0))));
  SmallVector<int64_t> permutation = node.integerList("perm").value_or(reversed);
  for (int64_t &axis : permutation)
    axis += axis < 0 ? node.rank(0) : 0;
  node.give(0, node.make<nn::TransposeOp>({node.value(0)}, node.attr("permutation", permutation)));
}

//===-- Repetition -------------------------------------------------------------------===//

static void expand(Node &node) {
  std::optional<DimTensor> target = node.dims(1);
  if (!target) {
    (void)node.integers(1, "the shape");
    return;
  }
  for (const nn::Dim &dim : target->elements)
    if (dim.factor < 0 || dim.factor > maxDim)
      return node.error("the shape has a dim of " + dim.str());
  std::optional<nn::Shape> shape = nn::broadcast(node.shape(0), target->elements);
  if (!shape)
    return node.error("cannot expand " + nn::str(node.shape(0)) + " to " + nn::str(target->elements));
  node.give(0, node.expand(node.value(0), *shape));
}

/// Each dim is split into (1, size), the first stretched, both joined again.
static void tile(Node &node) {
  nn::Shape x = node.shape(0), split, stretched, y;
  std::optional<DimTensor> repeats = node.dims(1);
  if (!repeats)
    return node.error("repeats must be known at compile time, but '" + node.inputName(1) +
                      "' is computed or an input");
  if (repeats->elements.size() != x.size())
    return node.error("expects " + Twine(x.size()) + " repeats, got " + Twine(repeats->elements.size()));
  for (auto [dim, count] : llvm::zip_equal(x, repeats->elements)) {
    if (count.factor < 0 || count.factor > maxDim)
      return node.error("cannot repeat " + Twine(count.factor) + " times");
    split.append({nn::Dim(1), dim});
    stretched.append({count, dim});
    y.push_back(dim * count);
  }
  node.give(0, node.reshape(node.expand(node.reshape(node.value(0), split), stretched), y));
}

/// Where the batch was opened, what all rows share (a class token) has one row still.
static void repeatForRows(Node &node, const nn::Dim &batch, MutableArrayRef<Value> inputs) {
  nn::Shape rows(node.rank(0), nn::Dim(1));
  for (Value input : inputs)
    for (auto [dim, row] : llvm::zip(nn::shapeOf(input), rows))
      if (llvm::is_contained(dim.names, batch.names.front()))
        row = dim;
  for (Value &input : inputs) {
    nn::Shape shape = nn::shapeOf(input);
    for (auto [dim, row] : llvm::zip(shape, rows))
      if (dim.isOne() && !row.isOne())
        dim = row;
    input = node.expand(input, shape);
  }
}

static void concat(Node &node) {
  std::optional<int64_t> axis = node.axis(node.integer("axis", 1), node.rank(0));
  if (!axis)
    return;
  SmallVector<Value> inputs;
  for (int i = 0; i < node.inputCount(); ++i) {
    if (!node.has(i))
      return node.error("input " + Twine(i) + " is missing");
    inputs.push_back(node.value(i));
  }
  if (std::optional<nn::Dim> batch = node.openedBatch(); batch && !llvm::is_contained(inputs, Value()))
    repeatForRows(node, *batch, inputs);
  node.give(0,
            inputs.size() == 1 ? inputs.front() : node.make<nn::ConcatOp>(inputs, node.attr("axis", *axis)));
}

//===-- Depth and space --------------------------------------------------------------===//

/// Batch, channels, height, width and the block size; nullopt after an error.
static std::optional<std::pair<nn::Shape, int64_t>> readImage(Node &node) {
  nn::Shape shape = node.shape(0);
  int64_t block = node.integer("blocksize", 0);
  if (shape.size() != 4 || !shape[1].isStatic() || !shape[2].isStatic() || !shape[3].isStatic())
    node.error("expects images (batch, channels, height, width) of static size, got shape " + nn::str(shape));
  else if (block < 1 || block > maxDim)
    node.error("blocksize must be in [1, " + Twine(maxDim) + "], got " + Twine(block));
  else
    return std::pair(shape, block);
  return std::nullopt;
}

/// `x` seen as `parts`, in the order of `permutation`, as images of shape `result`.
static void rearrange(Node &node, ArrayRef<nn::Dim> parts, ArrayRef<int64_t> permutation,
                      ArrayRef<nn::Dim> result) {
  Value moved =
      node.make<nn::TransposeOp>({node.reshape(node.value(0), parts)}, node.attr("permutation", permutation));
  node.give(0, node.reshape(moved, result));
}

/// In mode DCR the block's positions are counted before the channels, in mode CRD after them.
static void depthToSpace(Node &node) {
  auto image = readImage(node);
  if (!image)
    return;
  auto &[shape, block] = *image;
  std::string mode = node.text("mode", "DCR");
  if (mode != "DCR" && mode != "CRD")
    return node.error("mode must be DCR or CRD, got '" + mode + "'");
  int64_t channels = shape[1].factor, height = shape[2].factor, width = shape[3].factor;
  if (channels % block != 0 || channels / block % block != 0)
    return node.error("blocksize^2 must divide the number of channels, got blocksize " + Twine(block) +
                      " and " + Twine(channels) + " channels");
  int64_t depth = channels / block / block;
  nn::Shape result{shape[0], depth, height * block, width * block};
  if (mode == "DCR")
    return rearrange(node, {shape[0], block, block, depth, height, width}, {0, 3, 4, 1, 5, 2}, result);
  rearrange(node, {shape[0], depth, block, block, height, width}, {0, 1, 4, 2, 5, 3}, result);
}

static void spaceToDepth(Node &node) {
  auto image = readImage(node);
  if (!image)
    return;
  auto &[shape, block] = *image;
  int64_t channels = shape[1].factor, height = shape[2].factor, width = shape[3].factor;
  if (height % block != 0 || width % block != 0)
    return node.error("blocksize must divide height and width, got blocksize " + Twine(block) + " and " +
                      Twine(height) + "x" + Twine(width));
  rearrange(node, {shape[0], channels, height / block, block, width / block, block}, {0, 3, 5, 1, 2, 4},
            {shape[0], channels * block * block, height / block, width / block});
}

static const Operator shapeOperators[] = {
    {"Reshape", 5, reshape, 2, 2, ""},
    {"Reshape", 14, reshape, 2, 2, "allowzero"},
    {"Flatten", 1, flatten, 1, 1, "axis"},
    {"Squeeze", 1, squeeze, 1, 1, "axes"},
    {"Squeeze", 13, squeeze, 1, 2, ""},
    {"Unsqueeze", 1, unsqueeze, 1, 1, "axes"},
    {"Unsqueeze", 13, unsqueeze, 2, 2, ""},
    {"Transpose", 1, transpose, 1, 1, "perm"},
    {"Expand", 8, expand, 2, 2, ""},
    {"Tile", 6, tile, 2, 2, ""},
    {"DepthToSpace", 1, depthToSpace, 1, 1, "blocksize"},
    {"DepthToSpace", 11, depthToSpace, 1, 1, "blocksize mode"},
    {"SpaceToDepth", 1, spaceToDepth, 1, 1, "blocksize"},
    {"Concat", 4, concat, 1, anyNumber, "axis"},
};

ArrayRef<Operator> operatorsOfShape() { return shapeOperators; }

} // namespace dlc::onnx
