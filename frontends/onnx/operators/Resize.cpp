//===- Resize.cpp - ONNX Resize and Upsample
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interpolation goes axis by axis: for each result along an axis the positions that it reads and their
// weights follow from attributes and sizes alone, and are constants of an nn.resample.
//===----------------------------------------------------------------------===//
#include "frontends/onnx/Node.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

/// Weights are stored: axes above this, or with more weights than `mostWeights`, are refused.
constexpr int64_t largestSize = int64_t(1) << 20, mostWeights = int64_t(1) << 24;

namespace {
/// The attributes.
struct Interpolation {
  std::string mode, coordinates, nearest;
  double cubic = -0.75, outside = 0; ///< `outside`: what tf_crop_and_resize has there
  bool excludesOutside = false, antialias = false;
};

/// One axis: its sizes, the scale between them, and what is cropped from it.
struct Axis {
  int64_t from, to;
  double scale, start = 0, end = 1;
};

/// What one result along an axis is made of.
struct Taps {
  SmallVector<std::pair<int64_t, double>> taps; ///< positions and weights
  bool isOutside = false;
};
} // namespace

/// Where in the input result `o` lies.
static double coordinate(const Interpolation &how, const Axis &axis, int64_t o) {
  double from = double(axis.from), exact = axis.scale * from, at = double(o); // `exact` size, before rounding
  if (how.coordinates == "align_corners")
    return exact == 1 ? 0 : at * (from - 1) / (exact - 1);
  if (how.coordinates == "asymmetric")
    return at / axis.scale;
  if (how.coordinates == "tf_crop_and_resize") {
    double length = (axis.end - axis.start) * (from - 1);
    return axis.start * (from - 1) + (exact == 1 ? length / 2 : at * length / (exact - 1));
  }
  if (how.coordinates == "pytorch_half_pixel" && axis.to == 1)
    return 0;
  double center = how.coordinates == "half_pixel_symmetric" ? from / 2 * (1 - double(axis.to) / exact) : 0;
  return center + (at + 0.5) / axis.scale - 0.5;
}

/// Keys' cubic convolution kernel.
static double cubicKernel(double x, double a) {
  x = std::fabs(x);
  if (x <= 1)
    return ((a + 2) * x - (a + 3)) * x * x + 1;
  return x < 2 ? ((a * x - 5 * a) * x + 8 * a) * x - 4 * a : 0;
}

static int64_t nearestPosition(const Interpolation &how, double x) {
  double low = std::floor(x);
  if (how.nearest == "floor")
    return int64_t(low);
  if (how.nearest == "ceil")
    return int64_t(std::ceil(x));
  return int64_t(x - low > 0.5 || (x - low == 0.5 && how.nearest == "round_prefer_ceil") ? low + 1 : low);
}

static Taps tapsOf(const Interpolation &how, const Axis &axis, int64_t o) {
  Taps result;
  double x = coordinate(how, axis, o);
  if (how.coordinates == "tf_crop_and_resize" && (x < 0 || x > double(axis.from - 1))) {
    result.isOutside = true;
    return result;
  }
  if (how.mode == "nearest") {
    result.taps.push_back({nearestPosition(how, x), 1.0});
  } else {
    // A wider kernel averages what a smaller result would skip.
    double shrink = how.antialias ? std::min(axis.scale, 1.0) : 1.0;
    bool isLinear = how.mode == "linear";
    double reach = (isLinear ? 1 : 2) / shrink;
    for (auto i = int64_t(std::floor(x - reach)); double(i) <= x + reach; ++i) {
      double distance = (double(i) - x) * shrink;
      double weight = isLinear ? std::max(0.0, 1 - std::fabs(distance)) : cubicKernel(distance, how.cubic);
      bool isExcluded = how.excludesOutside && (i < 0 || i >= axis.from);
      if (weight != 0 && !isExcluded)
        result.taps.push_back({i, weight});
    }
  }
  double total = 0;
  for (auto &[position, weight] : result.taps)
    total += weight;
  for (auto &[position, weight] : result.taps) {
    position = std::clamp<int64_t>(position, 0, axis.from - 1); // the edge goes on outside
    weight /= total;
  }
  return result;
}

static Value resample(Node &node, Value x, int64_t dim, const Interpolation &how, const Axis &axis) {
  std::vector<Taps> results;
  std::vector<int64_t> uses(axis.from, 0);
  int64_t taps = 1, mostUses = 1;
  bool anyOutside = false;
  for (int64_t o = 0; o < axis.to; ++o) {
    results.push_back(tapsOf(how, axis, o));
    taps = std::max<int64_t>(taps, results.back().taps.size());
    anyOutside |= results.back().isOutside;
    for (auto &[position, weight] : results.back().taps)
      mostUses = std::max(mostUses, ++uses[position]);
  }
  if (taps * axis.to > mostWeights || mostUses * axis.from > mostWeights) {
    node.error("axis " + Twine(dim) + " would need more than " + Twine(mostWeights) + " weights: from " +
               Twine(axis.from) + " to " + Twine(axis.to) + " elements");
    return {};
  }
  SmallVector<int64_t> positions(taps * axis.to, 0);
  SmallVector<double> weights(taps * axis.to, 0), outside(axis.to, 0);
  for (auto [o, result] : llvm::enumerate(results)) {
    for (auto [t, tap] : llvm::enumerate(result.taps))
      std::tie(positions[t * axis.to + o], weights[t * axis.to + o]) = tap;
    outside[o] = result.isOutside ? how.outside : 0;
  }
  Value y =
      node.make<nn::ResampleOp>({x}, {node.attr("axis", dim), node.attr("taps", taps),
                                      node.attr("positions", ArrayRef<int64_t>(positions)),
                                      node.b.getNamedAttr("weights", node.b.getDenseF64ArrayAttr(weights))});
  if (!y || !anyOutside)
    return y;
  SmallVector<int64_t> shape(nn::shapeOf(y).size() - dim, 1);
  shape[0] = axis.to;
  Type type = node.elementType(0);
  SmallVector<Attribute> elements;
  for (double value : outside)
    elements.push_back(node.b.getFloatAttr(type, value));
  auto constant = DenseElementsAttr::get(RankedTensorType::get(shape, type), elements);
  return node.make<nn::AddOp>({y, nn::ConstantOp::create(node.b, constant)});
}

//===-- Sizes --------------------------------------------------------------------===//

namespace {
/// Reads which axes are resized, and how. Reports errors.
class ResizeNode {
public:
  explicit ResizeNode(Node &node) : node(node), shape(node.shape(0)) {}

  bool readAxes() {
    dims = llvm::to_vector(llvm::seq<int64_t>(shape.size()));
    if (auto given = node.integerList("axes")) {
      dims.clear();
      for (int64_t number : *given) { // in their own order, which is that of scales, sizes and roi
        std::optional<int64_t> dim = node.axis(number, shape.size());
        if (!dim || llvm::is_contained(dims, *dim))
          return dim ? fail("axes names axis " + Twine(*dim) + " twice") : false;
        dims.push_back(*dim);
      }
    }
    axes.resize(dims.size());
    return true;
  }

  /// A list of `perAxis` numbers for each axis.
  std::optional<SmallVector<double>> numbers(int input, StringRef what, unsigned perAxis = 1) {
    const HostTensor *known = node.constant(input);
    if (!known) {
      fail(what + " must be known at compile time, but '" + node.inputName(input) +
           "' is computed or an input");
      return std::nullopt;
    }
    SmallVector<double> list;
    for (int64_t i = 0; i < std::min<int64_t>(known->count(), 1024); ++i)
      list.push_back(known->number(i));
    if (!checkCount(what, list.size(), perAxis))
      return std::nullopt;
    return list;
  }

  bool useScales(ArrayRef<double> scales) {
    if (!checkCount("scales", scales.size(), 1))
      return false;
    for (auto [dim, axis, scale] : llvm::zip_equal(dims, axes, scales)) {
      if (!(scale > 0) || !std::isfinite(scale))
        return fail("scales must be above 0 and finite, got " + str(scale));
      if (scale != 1 && !shape[dim].isStatic())
        return fail("axis " + Twine(dim) + " must have a static size, got " + shape[dim].str());
      int64_t from = shape[dim].factor;
      double to = std::floor(double(from) * scale);
      if (!setSize(dim, axis, from, to))
        return false;
      axis.scale = scale;
    }
    return true;
  }

  bool useSizes(int input) {
    std::optional<DimTensor> sizes = node.dims(input);
    if (!sizes)
      return fail("sizes must be known at compile time, but '" + node.inputName(input) +
                  "' is computed or an input");
    if (!checkCount("sizes", sizes->elements.size(), 1))
      return false;
    std::string policy = node.text("keep_aspect_ratio_policy", "stretch");
    if (policy != "stretch" && policy != "not_larger" && policy != "not_smaller")
      return fail("keep_aspect_ratio_policy must be stretch, not_larger or not_smaller, got '" + policy +
                  "'");
    std::optional<double> common;
    for (auto [dim, axis, size] : llvm::zip_equal(dims, axes, sizes->elements)) {
      if (size == shape[dim] && (policy == "stretch" || !size.isStatic())) {
        axis = {size.factor, size.factor, 1};
        continue;
      }
      if (!shape[dim].isStatic() || !size.isStatic())
        return fail("axis " + Twine(dim) + " must have static sizes, got " + shape[dim].str() + " and " +
                    size.str());
      if (!setSize(dim, axis, shape[dim].factor, double(size.factor)))
        return false;
      axis.scale = double(axis.to) / double(axis.from);
      if (!common || (policy == "not_larger" ? axis.scale < *common : axis.scale > *common))
        common = axis.scale;
    }
    if (policy != "stretch" && common)
      for (Axis &axis : axes) {
        axis.scale = *common;
        axis.to = int64_t(std::floor(double(axis.from) * *common + 0.5));
      }
    return true;
  }

  /// What is cropped: the starts of all axes, then their ends, in parts of the size.
  bool useCrop(int input) {
    auto crop = numbers(input, "roi", 2);
    if (!crop)
      return false;
    for (auto [i, axis] : llvm::enumerate(axes)) {
      axis.start = (*crop)[i];
      axis.end = (*crop)[axes.size() + i];
      if (!std::isfinite(axis.start) || !std::isfinite(axis.end))
        return fail("roi must be finite, got " + str(axis.start) + " and " + str(axis.end));
    }
    return true;
  }

  void give(const Interpolation &how) {
    Value y = node.value(0);
    bool isCropped = how.coordinates == "tf_crop_and_resize";
    for (auto [dim, axis] : llvm::zip_equal(dims, axes)) {
      bool isWhole =
          axis.from == axis.to && axis.scale == 1 && (!isCropped || (axis.start == 0 && axis.end == 1));
      if (y && !isWhole)
        y = resample(node, y, dim, how, axis);
    }
    node.give(0, y);
  }

  bool fail(const Twine &message) {
    node.error(message);
    return false;
  }

private:
  bool checkCount(StringRef what, size_t count, unsigned perAxis) {
    return count == dims.size() * perAxis ||
           fail(what + " must have " + Twine(dims.size() * perAxis) + " entries for " + Twine(dims.size()) +
                " axes, got " + Twine(count));
  }
  bool setSize(int64_t dim, Axis &axis, int64_t from, double to) {
    if (!(to >= 1 && to <= double(largestSize)) || from < 1)
      return fail("axis " + Twine(dim) + " must have from 1 to " + Twine(largestSize) +
                  " elements before and after, got " + Twine(from) + " and " + str(to));
    axis = {from, int64_t(to), 1};
    return true;
  }

  Node &node;
  nn::Shape shape;
  SmallVector<int64_t> dims;
  SmallVector<Axis> axes;
};
} // namespace

static bool isOneOf(ResizeNode &resize, StringRef what, StringRef value, ArrayRef<StringRef> known) {
  return llvm::is_contained(known, value) ||
         resize.fail(what + " must be one of " + llvm::join(known, ", ") + ", got '" + value + "'");
}

//===-- Operators ------------------------------------------------------------------===//

/// Upsample, and Resize before opset 11: scales only, and one way to round.
static void upsample(Node &node) {
  ResizeNode resize(node);
  Interpolation how{node.text("mode", "nearest"), "asymmetric", "floor"};
  if (!isOneOf(resize, "mode", how.mode, {"nearest", "linear"}) || !resize.readAxes())
    return;
  if (node.has(1)) {
    auto scales = resize.numbers(1, "scales");
    if (scales && resize.useScales(*scales))
      resize.give(how);
    return;
  }
  auto given = node.numberList("scales");
  if (!given)
    return node.error("attribute 'scales' is missing");
  if (resize.useScales(SmallVector<double>(given->begin(), given->end())))
    resize.give(how);
}

static void resize(Node &node) {
  ResizeNode resize(node);
  Interpolation how{node.text("mode", "nearest"), node.text("coordinate_transformation_mode", "half_pixel"),
                    node.text("nearest_mode", "round_prefer_floor")};
  how.cubic = node.number("cubic_coeff_a", -0.75);
  how.outside = node.number("extrapolation_value", 0);
  how.excludesOutside = node.integer("exclude_outside", 0) != 0;
  how.antialias = node.integer("antialias", 0) != 0;
  if (!isOneOf(resize, "mode", how.mode, {"nearest", "linear", "cubic"}) ||
      !isOneOf(resize, "coordinate_transformation_mode", how.coordinates,
               {"half_pixel", "half_pixel_symmetric", "pytorch_half_pixel", "align_corners", "asymmetric",
                "tf_crop_and_resize"}) ||
      !isOneOf(resize, "nearest_mode", how.nearest,
               {"round_prefer_floor", "round_prefer_ceil", "floor", "ceil"}) ||
      !resize.readAxes())
    return;
  // An empty tensor stands for an input that is not given.
  auto isGiven = [&](int input) {
    return node.has(input) && !llvm::is_contained(node.shape(input), nn::Dim(0));
  };
  if (isGiven(2) == isGiven(3))
    return node.error("expects either scales or sizes, got " + Twine(isGiven(2) ? "both" : "none"));
  if (isGiven(2)) {
    auto scales = resize.numbers(2, "scales");
    if (!scales || !resize.useScales(*scales))
      return;
  } else if (!resize.useSizes(3)) {
    return;
  }
  if (how.coordinates == "tf_crop_and_resize" && !resize.useCrop(1))
    return;
  resize.give(how);
}

static constexpr const char *resizeAttributes =
    "coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value mode nearest_mode";
static constexpr const char *laterAttributes =
    "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value "
    "keep_aspect_ratio_policy mode nearest_mode";

static const Operator operators[] = {
    {"Upsample", 7, upsample, 1, 1, "mode scales"}, {"Upsample", 9, upsample, 2, 2, "mode"},
    {"Resize", 10, upsample, 2, 2, "mode"},         {"Resize", 11, resize, 3, 4, resizeAttributes},
    {"Resize", 13, resize, 1, 4, resizeAttributes}, {"Resize", 18, resize, 1, 4, laterAttributes},
};

ArrayRef<Operator> operatorsOfResize() { return operators; }

} // namespace dlc::onnx
