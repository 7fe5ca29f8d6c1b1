//===- dlc/nn/conv.h - convolutions --------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are [batch, channels, ...] or [channels, ...] with one to three spatial dims of known sizes.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_CONV_H
#define DLC_NN_CONV_H

#include "dlc/nn/sizes.h"

namespace dlc::nn {

namespace functional {

/// How the window of a convolution moves over an image.
struct ConvOptions {
  Sizes stride = 1;    ///< elements from one window to the next
  Padding padding = 0; ///< zeros on both sides
  Sizes dilation = 1;  ///< elements from one of a window's to the next
  int64_t groups = 1;  ///< the channels' parts, each of which has weights of its own
};
/// The same for transposed convolutions.
struct ConvTransposeOptions {
  Sizes stride = 1;         ///< elements of the result from one window to the next
  Sizes padding = 0;        ///< elements of the result that are cut off on both sides
  Sizes output_padding = 0; ///< elements more at the end
  Sizes dilation = 1;       ///< elements from one of a window's to the next
  int64_t groups = 1;       ///< the channels' parts, each of which has weights of its own
};

/// Sums of products of windows with weights (a cross-correlation, as in PyTorch): x [batch, in, sizes...],
/// weight [out, in / groups, kernel...], bias [out] or none (Tensor()); the result [batch, out, windows...].
///@{
#define DLC_CONVOLUTION(name, Options)                                                                       \
  DLC_API Tensor name(const Tensor &x, const Tensor &weight, const Tensor &bias = {}, Options options = {},  \
                      Where where = Where::current());
DLC_CONVOLUTION(conv1d, ConvOptions)
DLC_CONVOLUTION(conv2d, ConvOptions)
DLC_CONVOLUTION(conv3d, ConvOptions)
///@}
/// The gradient of such a convolution by its image: x [batch, in, sizes...], weight [in, out / groups,
/// kernel...].
///@{
DLC_CONVOLUTION(conv_transpose1d, ConvTransposeOptions)
DLC_CONVOLUTION(conv_transpose2d, ConvTransposeOptions)
DLC_CONVOLUTION(conv_transpose3d, ConvTransposeOptions)
///@}
#undef DLC_CONVOLUTION

} // namespace functional

/// What follows the sizes of a convolution.
struct ConvOptions {
  Sizes stride = 1;                   ///< elements from one window to the next
  Padding padding = 0;                ///< elements on both sides
  Sizes dilation = 1;                 ///< elements from one of a window's to the next
  int64_t groups = 1;                 ///< divides both numbers of channels
  bool bias = true;                   ///< whether it has one
  const char *padding_mode = "zeros"; ///< or "reflect", "replicate", "circular"
};
/// What follows the sizes of a transposed convolution.
struct ConvTransposeOptions {
  Sizes stride = 1;         ///< elements of the result from one window to the next
  Sizes padding = 0;        ///< elements of the result that are cut off on both sides
  Sizes output_padding = 0; ///< elements more at the end; less than stride or dilation
  int64_t groups = 1;       ///< divides both numbers of channels
  bool bias = true;         ///< whether it has one
  Sizes dilation = 1;       ///< elements from one of a window's to the next
};

/// What the convolutions share. weight [out, in / groups, kernel...] and bias [out] are uniform in
/// +-1/sqrt(in / groups * elements of the kernel).
class DLC_API Convolution : public Layer {
public:
  /// Copies share the parameters.
  ///@{
  Convolution(const Convolution &);
  Convolution &operator=(const Convolution &);
  ~Convolution() override;
  ///@}
  Tensor computed(Tensor x) override;

protected:
  Convolution(int64_t spatial, int64_t in_channels, int64_t out_channels, const Sizes &kernel_size,
              const ConvOptions &options, const Where &where);

private:
  int64_t spatial;
  ConvOptions options;
  std::vector<int64_t> around; ///< elements before and after each spatial dim, last dim first
};

/// The gradients of convolutions by their images, as layers. weight [in, out / groups, kernel...].
class DLC_API TransposedConvolution : public Layer {
public:
  Tensor computed(Tensor x) override;

protected:
  TransposedConvolution(int64_t spatial, int64_t in_channels, int64_t out_channels, const Sizes &kernel_size,
                        const ConvTransposeOptions &options, const Where &where);

private:
  int64_t spatial;
  ConvTransposeOptions options;
};

#define DLC_CONVOLUTION(Name, Base, Options)                                                                 \
  class DLC_API Name : public Base {                                                                         \
  public:                                                                                                    \
    Name(int64_t in_channels, int64_t out_channels, Sizes kernel_size, Options options = {},                 \
         Where where = Where::current());                                                                    \
    ~Name() override;                                                                                        \
    Name() = delete;               /* write nn::Name conv = register_module("conv", nn::Name(3, 8, 3)) */    \
    Name(std::nullptr_t) = delete; /* write nn::Name conv = register_module("conv", nn::Name(3, 8, 3)) */    \
  };
/// A convolution of [batch, channels, length].
DLC_CONVOLUTION(Conv1d, Convolution, ConvOptions) // write nn::Conv1d conv = register_module("conv", nn::Conv1d(3, 8, 3))
/// A convolution of [batch, channels, height, width].
DLC_CONVOLUTION(Conv2d, Convolution, ConvOptions) // write nn::Conv2d conv = register_module("conv", nn::Conv2d(3, 8, 3))
/// A convolution of [batch, channels, depth, height, width].
DLC_CONVOLUTION(Conv3d, Convolution, ConvOptions) // write nn::Conv3d conv = register_module("conv", nn::Conv3d(3, 8, 3))
/// A transposed convolution of [batch, channels, length].
DLC_CONVOLUTION(ConvTranspose1d, TransposedConvolution, ConvTransposeOptions) // write nn::ConvTranspose1d conv = register_module("conv", nn::ConvTranspose1d(3, 8, 3))
/// A transposed convolution of [batch, channels, height, width].
DLC_CONVOLUTION(ConvTranspose2d, TransposedConvolution, ConvTransposeOptions) // write nn::ConvTranspose2d conv = register_module("conv", nn::ConvTranspose2d(3, 8, 3))
/// A transposed convolution of [batch, channels, depth, height, width].
DLC_CONVOLUTION(ConvTranspose3d, TransposedConvolution, ConvTransposeOptions) // write nn::ConvTranspose3d conv = register_module("conv", nn::ConvTranspose3d(3, 8, 3))
#undef DLC_CONVOLUTION

} // namespace dlc::nn

#endif // DLC_NN_CONV_H
