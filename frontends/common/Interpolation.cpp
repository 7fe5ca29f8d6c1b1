//===- Interpolation.cpp - images of another size ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/common/Interpolation.h"
#include "llvm/ADT/STLExtras.h"
#include <algorithm>
#include <cmath>

using namespace mlir;

namespace dlc::frontend {

namespace {
/// What one result along an axis is made of.
struct Taps {
  llvm::SmallVector<std::pair<int64_t, double>> taps; ///< positions and weights
  bool isOutside = false;
};
} // namespace

double writtenScale(float scale) {
  // Continued fractions give the ratios with the smallest denominators. A ratio of larger ones than these may
  // be near by chance.
  constexpr double largest = 1000;
  double rest = scale, before[2] = {0, 1}, now[2] = {1, 0}; // numerators and denominators
  for (int i = 0; i < 16; ++i) {
    double whole = std::floor(rest), next[2];
    for (int part : {0, 1})
      next[part] = whole * now[part] + before[part], before[part] = now[part], now[part] = next[part];
    if (!(now[1] <= largest) || rest == whole)
      break;
    if (float(now[0] / now[1]) == scale)
      return now[0] / now[1];
    rest = 1 / (rest - whole);
  }
  return now[1] <= largest && float(now[0] / now[1]) == scale ? now[0] / now[1] : double(scale);
}

float nearestStep(int64_t from, int64_t to, double scale, int64_t rank) {
  if (rank == 4 && (to == from || to == 2 * from))
    return to == from ? 1.0f : 0.5f;
  return float(1 / scale);
}

/// Where in the input result `o` lies.
template <typename Real>
static Real coordinate(const Interpolation &how, const ResizedAxis &axis, int64_t o) {
  Real from = Real(axis.from), to = Real(axis.to), scale = Real(axis.scale), at = Real(o);
  if (how.coordinates == "align_corners") {
    Real length = how.alignsUnrounded ? scale * from : to;
    return length == 1 ? 0 : at * (from - 1) / (length - 1);
  }
  if (how.coordinates == "asymmetric")
    return at / scale;
  if (how.coordinates == "tf_crop_and_resize") {
    Real start = Real(axis.start), length = (Real(axis.end) - start) * (from - 1);
    return start * (from - 1) + (axis.to == 1 ? length / 2 : at * length / (to - 1));
  }
  if (how.coordinates == "pytorch_half_pixel" && axis.to == 1)
    return 0;
  Real center = how.coordinates == "half_pixel_symmetric" ? from / 2 * (1 - to / (scale * from)) : 0;
  return center + (at + Real(0.5)) / scale - Real(0.5);
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

static Taps tapsOf(const Interpolation &how, const ResizedAxis &axis, int64_t o) {
  Taps result;
  if (axis.step) {
    float place = how.nearest == "floor" ? float(o) : float(o) + 0.5f;
    result.taps.push_back({std::min(int64_t(place * *axis.step), axis.from - 1), 1.0});
    return result;
  }
  // Which element is nearest is decided in single precision, as everyone does: where results lie just between
  // two elements, another precision decides otherwise.
  double x = how.mode == "nearest" ? coordinate<float>(how, axis, o) : coordinate<double>(how, axis, o);
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

std::optional<Resampling> resamplingOf(const Interpolation &how, const ResizedAxis &axis) {
  std::vector<Taps> results;
  std::vector<int64_t> uses(axis.from, 0);
  int64_t taps = 1, mostUses = 1;
  for (int64_t o = 0; o < axis.to; ++o) {
    results.push_back(tapsOf(how, axis, o));
    taps = std::max<int64_t>(taps, results.back().taps.size());
    for (auto &[position, weight] : results.back().taps)
      mostUses = std::max(mostUses, ++uses[position]);
  }
  if (taps * axis.to > mostWeights || mostUses * axis.from > mostWeights)
    return std::nullopt;
  Resampling resampling{
      taps, llvm::SmallVector<int64_t>(taps * axis.to, 0), llvm::SmallVector<double>(taps * axis.to, 0), {}};
  for (auto [o, result] : llvm::enumerate(results)) {
    for (auto [t, tap] : llvm::enumerate(result.taps))
      std::tie(resampling.positions[t * axis.to + o], resampling.weights[t * axis.to + o]) = tap;
    resampling.isOutside.push_back(result.isOutside);
  }
  return resampling;
}

Interpolation pytorchInterpolation(llvm::StringRef mode, bool alignCorners, bool antialias) {
  Interpolation how;
  how.mode = mode.split('-').first.str();
  how.coordinates = alignCorners ? "align_corners" : "half_pixel";
  how.nearest = mode == "nearest" ? "floor" : "round_prefer_ceil";
  if (antialias) { // PyTorch has other constants there
    how.cubic = -0.5;
    how.excludesOutside = how.antialias = true;
  }
  return how;
}

ResizedAxis pytorchAxis(llvm::StringRef mode, int64_t from, int64_t to, double scale, int64_t rank) {
  ResizedAxis axis{from, to, scale};
  if (mode.starts_with("nearest"))
    axis.step = mode == "nearest" ? nearestStep(from, to, scale, rank) : float(1 / scale);
  return axis;
}

mlir::Value resample(OpMaker &maker, Value x, int64_t dim, const Interpolation &how,
                     const ResizedAxis &axis) {
  std::optional<Resampling> found = resamplingOf(how, axis);
  if (!found) {
    maker.error("axis " + Twine(dim) + " would need more than " + Twine(mostWeights) + " weights: from " +
                Twine(axis.from) + " to " + Twine(axis.to) + " elements");
    return {};
  }
  Value y = maker.make<nn::ResampleOp>(
      {x}, {maker.attr("axis", dim), maker.attr("taps", found->taps),
            maker.attr("positions", ArrayRef<int64_t>(found->positions)),
            maker.b.getNamedAttr("weights", maker.b.getDenseF64ArrayAttr(found->weights))});
  if (!y || !llvm::is_contained(found->isOutside, true))
    return y;
  SmallVector<int64_t> shape(nn::shapeOf(y).size() - dim, 1);
  shape[0] = axis.to;
  Type type = nn::elementTypeOf(x);
  SmallVector<Attribute> elements;
  for (bool isOutside : found->isOutside)
    elements.push_back(maker.b.getFloatAttr(type, isOutside ? how.outside : 0));
  auto constant = DenseElementsAttr::get(RankedTensorType::get(shape, type), elements);
  return maker.make<nn::AddOp>({y, nn::ConstantOp::create(maker.b, constant)});
}

} // namespace dlc::frontend
