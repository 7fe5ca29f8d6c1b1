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

/// How the window of a convolution moves.
struct ConvOptions {
  Sizes stride = 1;
  Padding padding = 0;
  Sizes dilation = 1;
  int64_t groups = 1;
};
struct ConvTransposeOptions {
  Sizes stride = 1, padding = 0, output_padding = 0, dilation = 1;
  int64_t groups = 1;
};

/// weight [out, in / groups, kernel...], bias [out] or none (Tensor()).
#define DLC_CONVOLUTION(name, Options)                                                                       \
  DLC_API Tensor name(const Tensor &x, const Tensor &weight, const Tensor &bias = {}, Options options = {},  \
                      Where where = Where::current());
DLC_CONVOLUTION(conv1d, ConvOptions)
DLC_CONVOLUTION(conv2d, ConvOptions)
DLC_CONVOLUTION(conv3d, ConvOptions)
/// weight [in, out / groups, kernel...].
DLC_CONVOLUTION(conv_transpose1d, ConvTransposeOptions)
DLC_CONVOLUTION(conv_transpose2d, ConvTransposeOptions)
DLC_CONVOLUTION(conv_transpose3d, ConvTransposeOptions)
#undef DLC_CONVOLUTION

} // namespace functional

struct ConvOptions {
  Sizes stride = 1;
  Padding padding = 0;
  Sizes dilation = 1;
  int64_t groups = 1;
  bool bias = true;
  const char *padding_mode = "zeros"; ///< or "reflect", "replicate", "circular"
};
struct ConvTransposeOptions {
  Sizes stride = 1, padding = 0, output_padding = 0;
  int64_t groups = 1;
  bool bias = true;
  Sizes dilation = 1;
};

/// What the convolutions share. weight [out, in / groups, kernel...] and bias [out] are uniform in
/// +-1/sqrt(in / groups * elements of the kernel).
class DLC_API Convolution : public Module {
public:
  Tensor forward(Tensor x) override;

protected:
  Convolution(int64_t spatial, int64_t in_channels, int64_t out_channels, const Sizes &kernel_size,
              const ConvOptions &options, const Where &where);

private:
  int64_t spatial;
  ConvOptions options;
  std::vector<int64_t> around; ///< elements before and after each spatial dim, last dim first
};

/// The gradients of convolutions by their images, as layers. weight [in, out / groups, kernel...].
class DLC_API TransposedConvolution : public Module {
public:
  Tensor forward(Tensor x) override;

protected:
  TransposedConvolution(int64_t spatial, int64_t in_channels, int64_t out_channels, const Sizes &kernel_size,
                        const ConvTransposeOptions &options, const Where &where);

private:
  int64_t spatial;
  ConvTransposeOptions options;
};

#define DLC_CONVOLUTION(Name, Base, Options, spatial)                                                        \
  class DLC_API Name : public Base {                                                                         \
  public:                                                                                                    \
    Name(int64_t in_channels, int64_t out_channels, Sizes kernel_size, Options options = {},                 \
         Where where = Where::current())                                                                     \
        : Base(spatial, in_channels, out_channels, kernel_size, options, where) {}                           \
  };
DLC_CONVOLUTION(Conv1d, Convolution, ConvOptions, 1)
DLC_CONVOLUTION(Conv2d, Convolution, ConvOptions, 2)
DLC_CONVOLUTION(Conv3d, Convolution, ConvOptions, 3)
DLC_CONVOLUTION(ConvTranspose1d, TransposedConvolution, ConvTransposeOptions, 1)
DLC_CONVOLUTION(ConvTranspose2d, TransposedConvolution, ConvTransposeOptions, 2)
DLC_CONVOLUTION(ConvTranspose3d, TransposedConvolution, ConvTransposeOptions, 3)
#undef DLC_CONVOLUTION

} // namespace dlc::nn

#endif // DLC_NN_CONV_H
