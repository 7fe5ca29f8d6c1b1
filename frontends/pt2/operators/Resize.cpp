//===- Resize.cpp - ATen operators that give images another size -----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The size is given, or the ratio: then the size is rounded down, and positions are computed with the ratio.
//===----------------------------------------------------------------------===//
#include "frontends/common/Interpolation.h"
#include "frontends/pt2/Image.h"
#include "frontends/pt2/OperatorTables.h"
#include <cmath>

using namespace mlir;

namespace dlc::pt2 {

/// The ratio of a dim; nullopt where only sizes are given.
static std::optional<double> scaleOf(Node &node, unsigned i) {
  auto all = node.has("scale_factors") ? node.numbers("scale_factors") : std::nullopt;
  return all && i < all->size() ? std::optional((*all)[i]) : std::nullopt;
}

static void resize(Node &node, StringRef mode, int64_t spatial, bool antialias) {
  auto image = Image::read(node, "input", spatial);
  if (!image)
    return;
  std::optional<Numbers> sizes =
      node.has("output_size") ? perDim(node, "output_size", spatial, 1, 1) : std::nullopt;
  if (node.has("output_size") && !sizes)
    return;
  bool corners = node.boolean("align_corners", false);
  frontend::Interpolation how = frontend::pytorchInterpolation(mode, corners, antialias);
  Value y = image->x;
  for (int64_t i = 0; i < spatial && y; ++i) {
    int64_t from = image->sizes[i];
    std::optional<double> given = scaleOf(node, i);
    if (!sizes && !(given && *given > 0 && std::isfinite(*given)))
      return node.error("expects an output_size, or ratios above 0 for each spatial dim");
    double to = sizes ? double((*sizes)[i]) : std::floor(double(from) * *given);
    if (!(to >= 1 && to <= double(frontend::largestResized)) || from > frontend::largestResized)
      return node.error("spatial dim " + Twine(i) + " must have from 1 to " +
                        Twine(frontend::largestResized) + " elements before and after, got " + Twine(from) +
                        " and " + str(to));
    double scale = corners || !given ? to / double(from) : *given;
    bool copies = mode == "linear" && !antialias; // whatever the ratio is
    if (int64_t(to) == from && (scale == 1 || copies))
      continue;
    y = frontend::resample(node, y, i + 2, how,
                           frontend::pytorchAxis(mode, from, int64_t(to), scale, spatial + 2));
  }
  node.give(image->give(node, y));
}

template <int spatial> static void nearest(Node &node) { resize(node, "nearest", spatial, false); }
template <int spatial> static void nearestExact(Node &node) { resize(node, "nearest-exact", spatial, false); }
template <int spatial> static void linear(Node &node) { resize(node, "linear", spatial, false); }
static void linearAntialiased(Node &node) { resize(node, "linear", 2, true); }
static void cubic(Node &node) { resize(node, "cubic", 2, false); }
static void cubicAntialiased(Node &node) { resize(node, "cubic", 2, true); }

static constexpr const char *plain = "input output_size scale_factors";
static constexpr const char *cornered = "input output_size align_corners scale_factors";

static const Operator resizeOperators[] = {
    {"aten.upsample_nearest1d.vec", nearest<1>, plain},
    {"aten.upsample_nearest2d.vec", nearest<2>, plain},
    {"aten.upsample_nearest3d.vec", nearest<3>, plain},
    {"aten._upsample_nearest_exact1d.vec", nearestExact<1>, plain},
    {"aten._upsample_nearest_exact2d.vec", nearestExact<2>, plain},
    {"aten._upsample_nearest_exact3d.vec", nearestExact<3>, plain},
    {"aten.upsample_linear1d.vec", linear<1>, cornered},
    {"aten.upsample_bilinear2d.vec", linear<2>, cornered},
    {"aten.upsample_trilinear3d.vec", linear<3>, cornered},
    {"aten._upsample_bilinear2d_aa.vec", linearAntialiased, cornered},
    {"aten.upsample_bicubic2d.vec", cubic, cornered},
    {"aten._upsample_bicubic2d_aa.vec", cubicAntialiased, cornered},
};

ArrayRef<Operator> operatorsOfResize() { return resizeOperators; }

} // namespace dlc::pt2
