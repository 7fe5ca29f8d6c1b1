//===- Interpolation.h - images of another size ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Interpolation goes axis by axis: for each result along an axis the positions that it reads and their
// weights follow from attributes and sizes alone, and are constants of an nn.resample.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_INTERPOLATION_H
#define DLC_FRONTENDS_COMMON_INTERPOLATION_H

#include "frontends/common/OpMaker.h"
#include "llvm/ADT/SmallVector.h"
#include <optional>
#include <string>

namespace dlc::frontend {

/// How it is done, in the words of ONNX's Resize.
struct Interpolation {
  std::string mode; ///< nearest, linear or cubic
  std::string coordinates, nearest;
  double cubic = -0.75, outside = 0; ///< `outside`: what tf_crop_and_resize has there
  bool excludesOutside = false, antialias = false;
  /// Whether the length of the results that align_corners divides by is the scale times the operand's, before
  /// it is rounded down, as in ONNX's reference; else it is the number of results, as in PyTorch.
  bool alignsUnrounded = false;
};

/// One axis: its sizes, the scale between them, and what is cropped from it.
struct ResizedAxis {
  int64_t from, to;
  double scale, start = 0, end = 1;
  /// How far apart results lie in the operand, where the nearest elements are found with that: in single
  /// precision, as PyTorch does.
  std::optional<float> step{};
};

/// Attributes of nn.resample, and which results lie outside of what is cropped.
struct Resampling {
  int64_t taps = 1;
  llvm::SmallVector<int64_t> positions;
  llvm::SmallVector<double> weights;
  llvm::SmallVector<bool> isOutside;
};

/// Weights are stored: sizes above this, and more weights than `mostWeights`, are refused.
constexpr int64_t largestResized = int64_t(1) << 20, mostWeights = int64_t(1) << 24;

/// The ratio of small whole numbers that a scale in single precision was rounded from: 0.7 of 0.699999988,
/// 4 / 3 of 1.33333337. The scale itself where there is none.
double writtenScale(float scale);

/// The step of PyTorch's mode "nearest" for a tensor of `rank` dims: images of two spatial dims are copied,
/// and their elements doubled, where the sizes say so, whatever the scale is.
float nearestStep(int64_t from, int64_t to, double scale, int64_t rank);

/// None where there would be more than `mostWeights`.
std::optional<Resampling> resamplingOf(const Interpolation &how, const ResizedAxis &axis);

/// PyTorch's way for a mode nearest, nearest-exact, linear or cubic.
Interpolation pytorchInterpolation(llvm::StringRef mode, bool alignCorners, bool antialias);
/// One axis of a tensor of `rank` dims, by the same modes.
ResizedAxis pytorchAxis(llvm::StringRef mode, int64_t from, int64_t to, double scale, int64_t rank);

/// Resizes a dim of `x`; null after an error.
mlir::Value resample(OpMaker &maker, mlir::Value x, int64_t dim, const Interpolation &how,
                     const ResizedAxis &axis);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_INTERPOLATION_H
