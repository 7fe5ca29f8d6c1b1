//===- dlc/nn/upsampling.h - images of another size -------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are [batch, channels, ...] with one to three spatial dims of known sizes.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_UPSAMPLING_H
#define DLC_NN_UPSAMPLING_H

#include "dlc/nn/sizes.h"

namespace dlc::nn {

/// One factor for all spatial dims, or one for each: 2, or {2, 1.5}.
struct DLC_API Factors {
  /// None.
  Factors();
  /// One for all dims.
  template <typename Number>
    requires std::is_arithmetic_v<Number>
  /*implicit*/ Factors(Number factor) : Factors({double(factor)}) {
    isList = false;
  }
  /// One for each.
  /*implicit*/ Factors(std::initializer_list<double> factors);
  /// Copies.
  ///@{
  Factors(const Factors &);
  Factors(Factors &&) noexcept;
  Factors &operator=(const Factors &);
  Factors &operator=(Factors &&) noexcept;
  ~Factors();
  ///@}

  std::vector<double> each; ///< the numbers
  bool isList = false;      ///< whether there is one for each dim
};

/// Options of interpolate(): either the sizes of the result or the factors by which it is larger, and how its
/// elements are computed. Both of the two, or none, are an error.
struct InterpolateOptions {
  Sizes size{};           ///< of the result
  Factors scale_factor{}; ///< sizes of the result divided by those of x
  /// "nearest" or "nearest-exact" of any image; "linear", "bilinear", "trilinear" of one, two and three dims;
  /// "bicubic" of two; "area": the mean of what a result covers.
  const char *mode = "nearest";
  std::optional<bool> align_corners{}; ///< of the linear modes and bicubic: outer elements stay at the border
  bool recompute_scale_factor = false; ///< from the sizes, which are rounded down
  bool antialias = false;              ///< of bilinear and bicubic: smaller images are means
};

namespace functional {
/// x [batch, channels, sizes...] with other sizes, each element from its neighbours.
DLC_API Tensor interpolate(const Tensor &x, InterpolateOptions options, Where where = Where::current());
} // namespace functional

/// Options of Upsample: all of InterpolateOptions but antialias.
struct UpsampleOptions {
  Sizes size{};                        ///< of the result
  Factors scale_factor{};              ///< or sizes of the result divided by those of x
  const char *mode = "nearest";        ///< as of InterpolateOptions
  std::optional<bool> align_corners{}; ///< outer elements stay at the border
  bool recompute_scale_factor = false; ///< from the sizes, which are rounded down
};

/// functional::interpolate().
class DLC_API Upsample : public Layer {
public:
  explicit Upsample(UpsampleOptions options, Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  UpsampleOptions options;
};

/// Options of UpsamplingNearest2d and UpsamplingBilinear2d, which take images [batch, channels, height,
/// width]; Upsample has more modes.
struct UpsamplingOptions {
  Sizes size{};           ///< of the result
  Factors scale_factor{}; ///< or sizes of the result divided by those of x
};
/// The nearest element.
class DLC_API UpsamplingNearest2d : public Upsample {
public:
  explicit UpsamplingNearest2d(UpsamplingOptions options, Where where = Where::current());
  ~UpsamplingNearest2d() override;
};
/// Straight lines between elements; those at the border stay there.
class DLC_API UpsamplingBilinear2d : public Upsample {
public:
  explicit UpsamplingBilinear2d(UpsamplingOptions options, Where where = Where::current());
  ~UpsamplingBilinear2d() override;
};

} // namespace dlc::nn

#endif // DLC_NN_UPSAMPLING_H
