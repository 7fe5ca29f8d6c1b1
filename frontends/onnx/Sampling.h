//===- Sampling.h - images read at computed places -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GridSample and DeformConv read an image between its pixels: a weighted sum of the pixels around a point.
// Pixels are read with nn.gather, and the weights are formulas of the point, so image and point both have a
// gradient. Where a coordinate is moved into the image, the gradient is PyTorch's: 0 at the border and
// beyond.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_ONNX_SAMPLING_H
#define DLC_FRONTENDS_ONNX_SAMPLING_H

#include "frontends/onnx/Node.h"

namespace dlc::onnx {

/// A place along one dim, as an index in the image, and what its pixel counts for.
struct Tap {
  nn::Expr index, weight;
};
using Taps = llvm::SmallVector<Tap>;

/// How an image is read along one of its dims.
class Sampling {
public:
  enum class Mode { Nearest, Linear, Cubic };
  enum class Padding { Zeros, Border, Reflection };

  /// `aligned`: images are reflected at the outer pixels' centres, else at their edges.
  Sampling(Mode mode, Padding padding, bool aligned, double size)
      : mode(mode), padding(padding), aligned(aligned), size(size) {}

  /// The places to read for `x`, which counts pixels; 0 is the centre of the first one.
  Taps taps(nn::Expr x) const;

private:
  nn::Expr atBorder(nn::Expr x) const;
  nn::Expr reflected(nn::Expr x) const;
  nn::Expr moved(nn::Expr x) const;
  Tap tap(nn::Expr place, nn::Expr weight) const;
  Taps cubic(nn::Expr x) const;

  Mode mode;
  Padding padding;
  bool aligned;
  double size;
};

/// Reads `images` [n, channels, sizes...] at points [n, places...], whose taps are given for each size:
/// [n, places..., channels]. Null after an error.
mlir::Value readBetween(Node &node, mlir::Value images, llvm::ArrayRef<Taps> taps);

} // namespace dlc::onnx

#endif // DLC_FRONTENDS_ONNX_SAMPLING_H
