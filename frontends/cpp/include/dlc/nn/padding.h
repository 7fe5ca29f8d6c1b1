//===- dlc/nn/padding.h - padding of images, and channels that become places ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_PADDING_H
#define DLC_NN_PADDING_H

#include "dlc/nn/sizes.h"

namespace dlc::nn {

namespace functional {

/// Elements before and after the last dim, then before and after the one before it, and so on. What they
/// hold: `value` ("constant"), the mirrored element ("reflect"), the nearest one ("replicate"), the one from
/// the opposite side ("circular").
DLC_API Tensor pad(const Tensor &x, const std::vector<int64_t> &around, const std::string &mode = "constant",
                   double value = 0, Where where = Where::current());

/// [..., channels * f^2, height, width] to [..., channels, f height, f width]. Shi et al. 2016.
DLC_API Tensor pixel_shuffle(const Tensor &x, int64_t upscale_factor, Where where = Where::current());
/// And back.
DLC_API Tensor pixel_unshuffle(const Tensor &x, int64_t downscale_factor, Where where = Where::current());
/// Channels of all groups in turn, of [batch, channels, ...]. Zhang et al. 2017.
DLC_API Tensor channel_shuffle(const Tensor &x, int64_t groups, Where where = Where::current());

} // namespace functional

/// What the padding modules share; `around` as functional::pad has it, or one number for all sides.
class DLC_API PaddingModule : public Layer {
public:
  /// Copies share the parameters.
  ///@{
  PaddingModule(const PaddingModule &);
  PaddingModule &operator=(const PaddingModule &);
  ~PaddingModule() override;
  ///@}
  Tensor computed(Tensor x) override;

protected:
  PaddingModule(int64_t spatial, const Sizes &around, const char *mode, std::optional<double> value,
                const Where &where);

private:
  std::vector<int64_t> around;
  std::string mode;
  double value;
};

#define DLC_PADDING(Name)                                                                                    \
  class DLC_API Name : public PaddingModule {                                                                \
  public:                                                                                                    \
    explicit Name(Sizes padding, Where where = Where::current());                                            \
    ~Name() override;                                                                                        \
  };
/// Zeros around [..., length].
DLC_PADDING(ZeroPad1d)
/// Zeros around [..., height, width].
DLC_PADDING(ZeroPad2d)
/// Zeros around [..., depth, height, width].
DLC_PADDING(ZeroPad3d)
/// Mirrored elements around [..., length].
DLC_PADDING(ReflectionPad1d)
/// Mirrored elements around [..., height, width].
DLC_PADDING(ReflectionPad2d)
/// Mirrored elements around [..., depth, height, width].
DLC_PADDING(ReflectionPad3d)
/// The nearest elements around [..., length].
DLC_PADDING(ReplicationPad1d)
/// The nearest elements around [..., height, width].
DLC_PADDING(ReplicationPad2d)
/// The nearest elements around [..., depth, height, width].
DLC_PADDING(ReplicationPad3d)
/// Elements from the opposite side around [..., length].
DLC_PADDING(CircularPad1d)
/// Elements from the opposite side around [..., height, width].
DLC_PADDING(CircularPad2d)
/// Elements from the opposite side around [..., depth, height, width].
DLC_PADDING(CircularPad3d)
#undef DLC_PADDING

#define DLC_PADDING(Name)                                                                                    \
  class DLC_API Name : public PaddingModule {                                                                \
  public:                                                                                                    \
    Name(Sizes padding, double value, Where where = Where::current());                                       \
    ~Name() override;                                                                                        \
  };
/// One number around [..., length].
DLC_PADDING(ConstantPad1d)
/// One number around [..., height, width].
DLC_PADDING(ConstantPad2d)
/// One number around [..., depth, height, width].
DLC_PADDING(ConstantPad3d)
#undef DLC_PADDING

/// functional::pixel_shuffle().
class DLC_API PixelShuffle : public Layer {
public:
  explicit PixelShuffle(int64_t upscale_factor, Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  int64_t factor;
};

/// functional::pixel_unshuffle().
class DLC_API PixelUnshuffle : public Layer {
public:
  explicit PixelUnshuffle(int64_t downscale_factor, Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  int64_t factor;
};

/// functional::channel_shuffle().
class DLC_API ChannelShuffle : public Layer {
public:
  explicit ChannelShuffle(int64_t groups, Where where = Where::current());
  Tensor computed(Tensor x) override;

private:
  int64_t groups;
};

} // namespace dlc::nn

#endif // DLC_NN_PADDING_H
