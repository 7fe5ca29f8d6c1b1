//===- Upsampling.cpp - images of another size --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Axis by axis, each by weights that the sizes give (frontends/common/Interpolation.h).
//===----------------------------------------------------------------------===//
#include "dlc/nn/upsampling.h"
#include "dlc/nn/pooling.h"
#include "frontends/cpp/api/Text.h"
#include "frontends/cpp/api/Window.h"
#include <cmath>

namespace dlc::nn {
using namespace detail;

namespace {

/// A mode by PyTorch's name.
struct Mode {
  const char *name;
  const char *each; ///< what is done along each dim
  int64_t spatial;  ///< of the images that it is for; 0: of all
  bool hasCorners;  ///< there is a choice of align_corners
  bool hasAntialias;
};
constexpr Mode modes[] = {
    {"nearest", "nearest", 0, false, false}, {"nearest-exact", "nearest-exact", 0, false, false},
    {"linear", "linear", 1, true, false},    {"bilinear", "linear", 2, true, true},
    {"bicubic", "cubic", 2, true, true},     {"trilinear", "linear", 3, true, false},
    {"area", "area", 0, false, false},
};

const Mode &modeNamed(const std::string &name, const Where &where) {
  std::string known;
  for (const Mode &mode : modes) {
    if (name == mode.name)
      return mode;
    known += std::string(known.empty() ? "" : ", ") + mode.name;
  }
  fail("mode: expected one of " + known + ", got '" + name + "'", where);
}

/// What is known without an image.
void checkOptions(const InterpolateOptions &options, const Where &where) {
  const Mode &mode = modeNamed(options.mode, where);
  if (options.size.each.empty() == options.scale_factor.each.empty())
    fail(std::string("interpolate: expected either size or scale_factor, got ") +
             (options.size.each.empty() ? "none" : "both"),
         where);
  if (options.align_corners && !mode.hasCorners)
    fail(std::string("align_corners: the mode ") + mode.name + " has no such choice", where);
  if (options.antialias && (!mode.hasAntialias || options.align_corners.value_or(false)))
    fail("antialias: expected the mode bilinear or bicubic without align_corners, got " +
             std::string(mode.name),
         where);
  if (options.recompute_scale_factor && options.scale_factor.each.empty())
    fail("recompute_scale_factor: expected scale_factor, got size", where);
  for (double factor : options.scale_factor.each)
    if (!(factor > 0) || !std::isfinite(factor))
      fail("scale_factor: expected numbers above 0, got " + pythonNumber(factor), where);
}

} // namespace

Tensor functional::interpolate(const Tensor &x, InterpolateOptions options, Where where) {
  At at(where);
  checkOptions(options, where);
  const Mode &mode = modeNamed(options.mode, where);
  int64_t spatial = x.dim() - 2;
  if (spatial < 1 || spatial > 3 || (mode.spatial && spatial != mode.spatial))
    fail(std::string("interpolate: the mode ") + mode.name + " takes [batch, channels, and " +
             (mode.spatial ? std::to_string(mode.spatial) : "1 to 3") + " spatial dims], got " + describe(x),
         where);
  Image image("interpolate", x, spatial, where);
  std::vector<double> factors = options.scale_factor.each;
  if (factors.size() == 1)
    factors.resize(spatial, factors[0]);
  if (!factors.empty() && int64_t(factors.size()) != spatial)
    fail("scale_factor: expected one number, or one for each of " + std::to_string(spatial) +
             " spatial dims, got " + std::to_string(factors.size()),
         where);
  Numbers sizes;
  if (factors.empty())
    sizes = perDim("size", options.size, spatial, 1, where);
  for (size_t i = 0; i < factors.size(); ++i)
    sizes.push_back(int64_t(std::floor(double(image.sizes[i]) * factors[i])));
  if (std::string(mode.each) == "area") {
    OutputSizes all{};
    all.each.assign(sizes.begin(), sizes.end());
    return spatial == 1   ? adaptive_avg_pool1d(x, all)
           : spatial == 2 ? adaptive_avg_pool2d(x, all)
                          : adaptive_avg_pool3d(x, all);
  }
  bool corners = options.align_corners.value_or(false);
  bool fromSizes = factors.empty() || options.recompute_scale_factor || corners;
  Tensor y = x;
  for (int64_t i = 0; i < spatial; ++i) {
    double scale = fromSizes ? double(sizes[i]) / double(image.sizes[i]) : factors[i];
    bool isLinear = std::string(mode.each) == "linear" && !options.antialias; // copies, whatever the scale is
    if (sizes[i] == image.sizes[i] && (scale == 1 || isLinear))
      continue;
    auto resized = record::Recorder::get().resize(
        y.id(), i + 2, {mode.each, corners, options.antialias, sizes[i], scale}, placeOf(where));
    if (!resized.value)
      fail("interpolate: " + resized.error, where);
    y = unlessNoGrad(Tensor::of(*resized.value), where);
  }
  return y;
}

Upsample::Upsample(UpsampleOptions given, Where where) : options(given) {
  checkOptions({options.size, options.scale_factor, options.mode, options.align_corners,
                options.recompute_scale_factor},
               where);
  std::string text = "size=" + pythonSizes(options.size);
  const std::vector<double> &factors = options.scale_factor.each;
  if (!factors.empty()) {
    text = options.scale_factor.isList ? "scale_factor=(" : "scale_factor=";
    for (size_t i = 0; i < factors.size(); ++i)
      text += (i ? ", " : "") + pythonNumber(factors[i]);
    if (options.scale_factor.isList)
      text += factors.size() == 1 ? ",)" : ")";
  }
  set_description(text + ", mode='" + options.mode + "'");
}

Tensor Upsample::computed(Tensor x) {
  return functional::interpolate(x,
                                 {options.size, options.scale_factor, options.mode, options.align_corners,
                                  options.recompute_scale_factor},
                                 caller());
}

UpsamplingNearest2d::UpsamplingNearest2d(UpsamplingOptions options, Where where)
    : Upsample({options.size, options.scale_factor, "nearest"}, where) {}
UpsamplingNearest2d::~UpsamplingNearest2d() = default;
UpsamplingBilinear2d::UpsamplingBilinear2d(UpsamplingOptions options, Where where)
    : Upsample({options.size, options.scale_factor, "bilinear", true}, where) {}
UpsamplingBilinear2d::~UpsamplingBilinear2d() = default;

} // namespace dlc::nn
