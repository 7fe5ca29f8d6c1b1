//===- Shape.cpp - ATen operators of shapes and orders ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Node.h"
#include "frontends/pt2/OperatorTables.h"

using namespace mlir;

namespace dlc::pt2 {

//===-- Shapes ---------------------------------------------------------------------===//

/// `y` with a size for what is -1, so that it has the elements of `x`; nullopt after an error.
static std::optional<nn::Shape> completed(Node &node, ArrayRef<nn::Dim> x, nn::Shape y) {
  std::optional<size_t> open;
  for (auto [i, dim] : llvm::enumerate(y)) {
    if (dim.isStatic() && dim.factor == -1) {
      if (open)
        return node.error("the shape has two dims of -1"), std::nullopt;
      open = i;
      dim = nn::Dim(1);
    } else if (dim.factor < 0 || dim.factor > maxDim) {
      return node.error("the shape has a dim of " + dim.str()), std::nullopt;
    }
  }
  if (!node.checkSize(y))
    return std::nullopt;
  nn::Dim total = nn::elementCount(x), others = nn::elementCount(y);
  if (!open)
    return y;
  std::optional<nn::Dim> rest = others == nn::Dim(0) ? std::nullopt : nn::divide(total, others);
  if (!rest)
    return node.error("cannot give " + nn::str(x) + " the shape " + nn::str(y)), std::nullopt;
  y[*open] = *rest;
  return y;
}

static void view(Node &node, StringRef argument) {
  Value x = node.value("self");
  std::optional<nn::Shape> given = x ? node.sizes(argument) : std::nullopt;
  if (!given)
    return;
  if (std::optional<nn::Shape> shape = completed(node, nn::shapeOf(x), *given))
    node.give(node.reshape(x, *shape));
}
static void viewAs(Node &node) { view(node, "size"); }
static void reshape(Node &node) { view(node, "shape"); }

static void flatten(Node &node) {
  nn::Shape shape = node.shape("self"), y;
  int64_t rank = shape.size();
  std::optional<int64_t> first = node.dim("start_dim", 0, rank), last = node.dim("end_dim", -1, rank);
  if (!first || !last)
    return;
  if (rank == 0)
    return node.give(node.reshape(node.value("self"), {nn::Dim(1)}));
  if (*first > *last)
    return node.error("start_dim " + Twine(*first) + " is behind end_dim " + Twine(*last));
  ArrayRef<nn::Dim> dims(shape);
  y.append(dims.begin(), dims.begin() + *first);
  y.push_back(nn::elementCount(dims.slice(*first, *last - *first + 1)));
  y.append(dims.begin() + *last + 1, dims.end());
  node.give(node.reshape(node.value("self"), y));
}

static void unflatten(Node &node) {
  nn::Shape shape = node.shape("self");
  std::optional<int64_t> dim = node.dim("dim", 0, shape.size());
  std::optional<nn::Shape> sizes = dim ? node.sizes("sizes") : std::nullopt;
  if (!sizes || shape.empty())
    return;
  std::optional<nn::Shape> parts = completed(node, {shape[*dim]}, *sizes);
  if (!parts)
    return;
  nn::Shape y(shape.begin(), shape.begin() + *dim);
  y.append(*parts);
  y.append(shape.begin() + *dim + 1, shape.end());
  node.give(node.reshape(node.value("self"), y));
}

/// Drops dims of size 1: those that are named, or all.
static void squeeze(Node &node) {
  nn::Shape shape = node.shape("self"), y;
  std::optional<Numbers> dims;
  if (shape.empty())
    return node.give(node.value("self"));
  dims = node.dims("dim", shape.size());
  if (!dims)
    return;
  for (auto [i, dim] : llvm::enumerate(shape))
    if (!llvm::is_contained(*dims, int64_t(i)) || !dim.isOne())
      y.push_back(dim);
  node.give(node.reshape(node.value("self"), y));
}

static void unsqueeze(Node &node) {
  nn::Shape shape = node.shape("self");
  std::optional<int64_t> dim = node.axis(node.integer("dim", 0), shape.size() + 1);
  if (!dim)
    return;
  shape.insert(shape.begin() + *dim, nn::Dim(1));
  node.give(node.reshape(node.value("self"), shape));
}

//===-- Orders ---------------------------------------------------------------------===//

static void permute(Node &node) {
  int64_t rank = node.rank("self");
  std::optional<Numbers> dims = node.integers("dims");
  if (!dims)
    return;
  for (int64_t &each : *dims)
    each += each < 0 ? rank : 0;
  node.give(node.transpose(node.value("self"), *dims));
}

static void exchange(Node &node, int64_t first, int64_t second) {
  Numbers permutation = llvm::to_vector(llvm::seq<int64_t>(node.rank("self")));
  if (!permutation.empty())
    std::swap(permutation[first], permutation[second]);
  node.give(node.transpose(node.value("self"), permutation));
}
static void transposeDims(Node &node, StringRef a, StringRef b) {
  int64_t rank = node.rank("self");
  std::optional<int64_t> first = node.dim(a, 0, rank), second = node.dim(b, 1, rank);
  if (first && second)
    exchange(node, *first, *second);
}
static void transpose(Node &node) { transposeDims(node, "dim0", "dim1"); }
static void swapAxes(Node &node) { transposeDims(node, "axis0", "axis1"); }
static void matrixTranspose(Node &node) {
  int64_t rank = node.rank("self");
  if (rank < 2)
    return node.give(node.value("self"));
  exchange(node, rank - 2, rank - 1);
}
static void reversedDims(Node &node) {
  node.give(node.transpose(node.value("self"),
                           llvm::to_vector(llvm::reverse(llvm::seq<int64_t>(node.rank("self"))))));
}

/// Moves some dims to other places; the rest keeps its order.
static void moveDims(Node &node) {
  int64_t rank = node.rank("self");
  std::optional<Numbers> from = node.integers("source"), to = node.integers("destination");
  if (!from || !to)
    return;
  if (from->size() != to->size())
    return node.error("expects as many places as dims to move, got " + Twine(to->size()) + " and " +
                      Twine(from->size()));
  Numbers permutation(rank, -1);
  SmallVector<bool> moved(rank, false);
  for (auto [source, destination] : llvm::zip_equal(*from, *to)) {
    std::optional<int64_t> s = node.axis(source, rank), d = node.axis(destination, rank);
    if (!s || !d)
      return;
    if (moved[*s] || permutation[*d] != -1)
      return node.error("moves a dim twice");
    moved[*s] = true;
    permutation[*d] = *s;
  }
  int64_t next = 0;
  for (int64_t &place : permutation) {
    while (place == -1 && moved[next])
      ++next;
    if (place == -1)
      place = next++;
  }
  node.give(node.transpose(node.value("self"), permutation));
}

static void flip(Node &node) {
  Value x = node.value("self");
  std::optional<Numbers> given = x ? node.integers("dims") : std::nullopt;
  std::optional<Numbers> dims = given ? node.axes(*given, nn::shapeOf(x).size()) : std::nullopt;
  if (!dims)
    return;
  for (int64_t dim : *dims)
    if (!nn::shapeOf(x)[dim].isStatic())
      return node.error("expects known sizes of dims that are reversed, got shape " +
                        nn::str(nn::shapeOf(x)));
  node.give(nn::ReverseOp::create(node.b, x, *dims).getY());
}

static void roll(Node &node) {
  Value x = node.value("self");
  std::optional<Numbers> shifts = node.integers("shifts"),
                         dims = node.has("dims") ? node.integers("dims") : std::nullopt;
  if (!x || !shifts || !dims || dims->size() != shifts->size())
    return node.unsupported("shifts without a dim for each");
  for (auto [shift, given] : llvm::zip_equal(*shifts, *dims)) {
    nn::Shape shape = nn::shapeOf(x);
    std::optional<int64_t> dim = node.axis(given, shape.size());
    if (!dim)
      return;
    if (!shape[*dim].isStatic())
      return node.error("expects a known size of a dim that is rolled, got shape " + nn::str(shape));
    int64_t size = shape[*dim].factor, by = size ? (shift % size + size) % size : 0;
    if (by == 0)
      continue;
    Value end = node.part(x, *dim, size - by, size), start = node.part(x, *dim, 0, size - by);
    if (!(x = node.make<nn::ConcatOp>({end, start}, node.attr("axis", *dim))))
      return;
  }
  node.give(x);
}

//===-- Repetition -------------------------------------------------------------------===//

/// -1 keeps a dim; new ones stand in front.
static void expand(Node &node) {
  nn::Shape shape = node.shape("self");
  std::optional<nn::Shape> sizes = node.sizes("size");
  if (!sizes)
    return;
  if (sizes->size() < shape.size())
    return node.error("expects at least " + Twine(shape.size()) + " sizes, got " + nn::str(*sizes));
  size_t added = sizes->size() - shape.size();
  for (auto [i, dim] : llvm::enumerate(*sizes))
    if (dim.isStatic() && dim.factor == -1 && i >= added)
      dim = shape[i - added];
  std::optional<nn::Shape> both = nn::broadcast(shape, *sizes);
  if (!both || *both != *sizes)
    return node.error("cannot expand " + nn::str(shape) + " to " + nn::str(*sizes));
  node.give(node.expand(node.value("self"), *sizes));
}
static void expandAs(Node &node) { node.give(node.expand(node.value("self"), node.shape("other"))); }

/// Each dim is split into (1, size), the first stretched, both joined again.
static void repeat(Node &node, StringRef argument) {
  nn::Shape x = node.shape("self"), split, stretched, y;
  std::optional<nn::Shape> repeats = node.sizes(argument);
  if (!repeats)
    return;
  while (repeats->size() < x.size())
    repeats->insert(repeats->begin(), nn::Dim(1));
  while (x.size() < repeats->size())
    x.insert(x.begin(), nn::Dim(1));
  for (auto [dim, count] : llvm::zip_equal(x, *repeats)) {
    if (count.factor < 0 || count.factor > maxDim)
      return node.error("cannot repeat " + Twine(count.factor) + " times");
    split.append({nn::Dim(1), dim});
    stretched.append({count, dim});
    y.push_back(dim * count);
  }
  node.give(node.reshape(node.expand(node.reshape(node.value("self"), split), stretched), y));
}
static void repeatDims(Node &node) { repeat(node, "repeats"); }
static void tile(Node &node) { repeat(node, "dims"); }

//===-- Depth and space ------------------------------------------------------------------===//

/// [.., channels * r^2, height, width] as [.., channels, height * r, width * r], or back.
template <bool isBack> static void shuffle(Node &node) {
  nn::Shape shape = node.shape("self");
  int64_t r = node.integer(isBack ? "downscale_factor" : "upscale_factor", 1), rank = shape.size();
  if (rank < 3 || r < 1 || r > maxDim)
    return node.error("expects channels, height and width and a factor above 0, got shape " + nn::str(shape));
  for (int64_t i = rank - 3; i < rank; ++i)
    if (!shape[i].isStatic() ||
        shape[i].factor % (isBack ? (i == rank - 3 ? 1 : r) : (i == rank - 3 ? r * r : 1)))
      return node.error("the factor " + Twine(r) + " does not divide the shape " + nn::str(shape));
  int64_t c = shape[rank - 3].factor, h = shape[rank - 2].factor, w = shape[rank - 1].factor;
  nn::Dim outer = nn::elementCount(ArrayRef<nn::Dim>(shape).drop_back(3));
  nn::Shape y(shape.begin(), shape.end() - 3), parts;
  Numbers order;
  if (isBack) {
    parts = {outer, c, h / r, r, w / r, r};
    order = {0, 1, 3, 5, 2, 4};
    y.append({nn::Dim(c * r * r), nn::Dim(h / r), nn::Dim(w / r)});
  } else {
    parts = {outer, c / (r * r), r, r, h, w};
    order = {0, 1, 4, 2, 5, 3};
    y.append({nn::Dim(c / (r * r)), nn::Dim(h * r), nn::Dim(w * r)});
  }
  node.give(node.reshape(node.transpose(node.reshape(node.value("self"), parts), order), y));
}

static const Operator shapeOperators[] = {
    {"aten.view.default", viewAs, "self size", Sharing::View},
    {"aten._unsafe_view", viewAs, "self size"},
    {"aten.reshape", reshape, "self shape", Sharing::View},
    {"aten.flatten.using_ints", flatten, "self start_dim end_dim", Sharing::View},
    {"aten.unflatten.int", unflatten, "self dim sizes", Sharing::View},
    {"aten.squeeze", squeeze, "self dim", Sharing::View},
    {"aten.unsqueeze", unsqueeze, "self dim", Sharing::View},
    {"aten.permute", permute, "self dims", Sharing::View},
    {"aten.transpose.int", transpose, "self dim0 dim1", Sharing::View},
    {"aten.swapaxes", swapAxes, "self axis0 axis1", Sharing::View},
    {"aten.swapdims", transpose, "self dim0 dim1", Sharing::View},
    {"aten.t", matrixTranspose, "self", Sharing::View},
    {"aten.mT", matrixTranspose, "self", Sharing::View},
    {"aten.numpy_T", reversedDims, "self", Sharing::View},
    {"aten.movedim", moveDims, "self source destination", Sharing::View},
    {"aten.flip", flip, "self dims"},
    {"aten.roll", roll, "self shifts dims"},
    {"aten.expand", expand, "self size", Sharing::View},
    {"aten.broadcast_to", expand, "self size", Sharing::View},
    {"aten.expand_as", expandAs, "self other", Sharing::View},
    {"aten.repeat", repeatDims, "self repeats"},
    {"aten.tile", tile, "self dims"},
    {"aten.pixel_shuffle", shuffle<false>, "self upscale_factor"},
    {"aten.pixel_unshuffle", shuffle<true>, "self downscale_factor"},
};

ArrayRef<Operator> operatorsOfShape() { return shapeOperators; }

} // namespace dlc::pt2
