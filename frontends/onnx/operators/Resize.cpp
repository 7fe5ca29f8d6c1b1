//===- Resize.cpp - ONNX Resize and Upsample
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What is read here of attributes and inputs, frontends/common/Interpolation.h makes weights of. Scales are
// numbers of single precision in the file, and 10 times 0.7 is below 7 unless the product is rounded to
// single precision, too, as ONNX's shape inference and onnxruntime do. PyTorch has the scale in double
// precision and decides with it; for files of PyTorch that number is found again.
//===----------------------------------------------------------------------===//
#include "frontends/common/Interpolation.h"
#include "frontends/onnx/Node.h"
#include "frontends/onnx/OperatorTables.h"
#include <cmath>

using namespace mlir;

namespace dlc::onnx {

using frontend::Interpolation;
using frontend::ResizedAxis;

//===-- Sizes --------------------------------------------------------------------===//

namespace {
/// Reads which axes are resized, and how. Reports errors.
class ResizeNode {
public:
  explicit ResizeNode(Node &node) : node(node), shape(node.shape(0)) {}

  /// How axes are resized, once all is read.
  Interpolation how;

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
      double written = node.isOfPyTorch() ? frontend::writtenScale(float(scale)) : scale;
      double to = node.isOfPyTorch() ? double(from) * written : double(float(from) * float(scale));
      if (!setSize(dim, axis, from, std::floor(to)))
        return false;
      axis.scale = written;
      if (isNearestOfPyTorch())
        axis.step = stepOf(axis);
      if (how.coordinates == "align_corners" && scale != 1 && scale * double(from) != double(axis.to))
        tellOfUnrounded(dim, axis);
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
      if (isNearestOfPyTorch())
        axis.step = stepOf(axis);
      if (!common || (policy == "not_larger" ? axis.scale < *common : axis.scale > *common))
        common = axis.scale;
    }
    if (policy != "stretch" && common)
      for (ResizedAxis &axis : axes) {
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

  void give() {
    Value y = node.value(0);
    bool isCropped = how.coordinates == "tf_crop_and_resize", isTorch = node.isOfPyTorch();
    bool asksForFirst = how.coordinates == "pytorch_half_pixel";
    if (isTorch && asksForFirst)
      how.coordinates = "half_pixel"; // what PyTorch itself computes
    for (auto [dim, axis] : llvm::zip_equal(dims, axes)) {
      // PyTorch's linear interpolation copies where the sizes are equal, whatever the scale is.
      bool isSame = axis.scale == 1 || (isTorch && how.mode == "linear" && !how.antialias);
      bool isWhole = axis.from == axis.to && isSame && (!isCropped || (axis.start == 0 && axis.end == 1));
      if (y && !isWhole)
        y = frontend::resample(node, y, dim, how, axis);
      if (isTorch && asksForFirst && axis.to == 1 && axis.from > 1)
        node.remark(
            "the one result along axis " + Twine(dim) +
            " is taken from the middle, as in PyTorch; by ONNX's definition of pytorch_half_pixel, and in "
            "onnxruntime, it is the first element");
    }
    node.give(0, y);
  }

  bool fail(const Twine &message) {
    node.error(message);
    return false;
  }

private:
  /// The two ways in which its exporters write the modes "nearest" and "nearest-exact".
  bool isNearestOfPyTorch() const {
    return node.isOfPyTorch() && how.mode == "nearest" &&
           ((how.coordinates == "asymmetric" && how.nearest == "floor") ||
            (how.coordinates == "half_pixel" && how.nearest == "round_prefer_ceil"));
  }
  float stepOf(const ResizedAxis &axis) const {
    return how.nearest == "floor" ? frontend::nearestStep(axis.from, axis.to, axis.scale, shape.size())
                                  : float(1 / axis.scale);
  }
  void tellOfUnrounded(int64_t dim, const ResizedAxis &axis) {
    how.alignsUnrounded = !node.isOfPyTorch();
    if (how.alignsUnrounded)
      node.remark("axis " + Twine(dim) + " has " + Twine(axis.from) + " elements, and the scale " +
                  str(axis.scale) + " makes " + str(axis.scale * double(axis.from)) +
                  " of them, which are rounded down; align_corners is computed with the number before it is "
                  "rounded, as in ONNX's reference, where PyTorch and onnxruntime take the rounded one; give "
                  "sizes in place of scales, and all agree");
  }
  bool checkCount(StringRef what, size_t count, unsigned perAxis) {
    return count == dims.size() * perAxis ||
           fail(what + " must have " + Twine(dims.size() * perAxis) + " entries for " + Twine(dims.size()) +
                " axes, got " + Twine(count));
  }
  bool setSize(int64_t dim, ResizedAxis &axis, int64_t from, double to) {
    if (!(to >= 1 && to <= double(frontend::largestResized)) || from < 1)
      return fail("axis " + Twine(dim) + " must have from 1 to " + Twine(frontend::largestResized) +
                  " elements before and after, got " + Twine(from) + " and " + str(to));
    axis = {from, int64_t(to), 1};
    return true;
  }

  Node &node;
  nn::Shape shape;
  SmallVector<int64_t> dims;
  SmallVector<ResizedAxis> axes;
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
  Interpolation &how = resize.how;
  how.mode = node.text("mode", "nearest");
  how.coordinates = "asymmetric";
  how.nearest = "floor";
  if (!isOneOf(resize, "mode", how.mode, {"nearest", "linear"}) || !resize.readAxes())
    return;
  if (node.has(1)) {
    auto scales = resize.numbers(1, "scales");
    if (scales && resize.useScales(*scales))
      resize.give();
    return;
  }
  auto given = node.numberList("scales");
  if (!given)
    return node.error("attribute 'scales' is missing");
  if (resize.useScales(SmallVector<double>(given->begin(), given->end())))
    resize.give();
}

static void resize(Node &node) {
  ResizeNode resize(node);
  Interpolation &how = resize.how;
  how.mode = node.text("mode", "nearest");
  how.coordinates = node.text("coordinate_transformation_mode", "half_pixel");
  how.nearest = node.text("nearest_mode", "round_prefer_floor");
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
  resize.give();
}

static constexpr const char *resizeAttributes =
    "coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value mode nearest_mode";
static constexpr const char *laterAttributes =
    "antialias axes coordinate_transformation_mode cubic_coeff_a exclude_outside extrapolation_value "
    "keep_aspect_ratio_policy mode nearest_mode";

static const Operator resizeOperators[] = {
    {"Upsample", 7, upsample, 1, 1, "mode scales"}, {"Upsample", 9, upsample, 2, 2, "mode"},
    {"Resize", 10, upsample, 2, 2, "mode"},         {"Resize", 11, resize, 3, 4, resizeAttributes},
    {"Resize", 13, resize, 1, 4, resizeAttributes}, {"Resize", 18, resize, 1, 4, laterAttributes},
};

ArrayRef<Operator> operatorsOfResize() { return resizeOperators; }

} // namespace dlc::onnx
