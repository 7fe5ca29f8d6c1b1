//===- dlc/nn/pooling.h - one number for each window -----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Images are [batch, channels, ...] or [channels, ...] with one to three spatial dims of known sizes.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_POOLING_H
#define DLC_NN_POOLING_H

#include "dlc/nn/sizes.h"

namespace dlc::nn {

/// Without a stride, windows lie side by side.
struct MaxPoolOptions {
  Sizes stride{};
  Sizes padding = 0, dilation = 1;
  bool ceil_mode = false; ///< a last window may end outside
};
struct AvgPoolOptions {
  Sizes stride{};
  Sizes padding = 0;
  bool ceil_mode = false, count_include_pad = true;
  std::optional<int64_t> divisor_override{};
};
struct LPPoolOptions {
  Sizes stride{};
  bool ceil_mode = false;
};

namespace functional {

#define DLC_POOL(name, Options)                                                                              \
  DLC_API Tensor name(const Tensor &x, Sizes kernel_size, Options options = {},                              \
                      Where where = Where::current());
DLC_POOL(max_pool1d, MaxPoolOptions)
DLC_POOL(max_pool2d, MaxPoolOptions)
DLC_POOL(max_pool3d, MaxPoolOptions)
DLC_POOL(avg_pool1d, AvgPoolOptions)
DLC_POOL(avg_pool2d, AvgPoolOptions)
DLC_POOL(avg_pool3d, AvgPoolOptions)
#undef DLC_POOL

/// The p-th root of the sum of p-th powers.
#define DLC_POOL(name)                                                                                       \
  DLC_API Tensor name(const Tensor &x, double norm_type, Sizes kernel_size, LPPoolOptions options = {},      \
                      Where where = Where::current());
DLC_POOL(lp_pool1d)
DLC_POOL(lp_pool2d)
DLC_POOL(lp_pool3d)
#undef DLC_POOL

/// As many windows as the result has elements; they are of nearly one size.
#define DLC_POOL(name)                                                                                       \
  DLC_API Tensor name(const Tensor &x, OutputSizes output_size, Where where = Where::current());
DLC_POOL(adaptive_max_pool1d)
DLC_POOL(adaptive_max_pool2d)
DLC_POOL(adaptive_max_pool3d)
DLC_POOL(adaptive_avg_pool1d)
DLC_POOL(adaptive_avg_pool2d)
DLC_POOL(adaptive_avg_pool3d)
#undef DLC_POOL

} // namespace functional

class DLC_API MaxPooling : public Module {
public:
  Tensor forward(Tensor x) override;

protected:
  MaxPooling(int64_t spatial, const Sizes &kernel_size, const MaxPoolOptions &options, const Where &where);

private:
  int64_t spatial;
  Sizes kernel;
  MaxPoolOptions options;
};

class DLC_API AvgPooling : public Module {
public:
  Tensor forward(Tensor x) override;

protected:
  AvgPooling(int64_t spatial, const Sizes &kernel_size, const AvgPoolOptions &options, const Where &where);

private:
  int64_t spatial;
  Sizes kernel;
  AvgPoolOptions options;
};

class DLC_API LPPooling : public Module {
public:
  Tensor forward(Tensor x) override;

protected:
  LPPooling(int64_t spatial, double norm_type, const Sizes &kernel_size, const LPPoolOptions &options,
            const Where &where);

private:
  int64_t spatial;
  double p;
  Sizes kernel;
  LPPoolOptions options;
};

class DLC_API AdaptivePooling : public Module {
public:
  Tensor forward(Tensor x) override;

protected:
  AdaptivePooling(int64_t spatial, bool isMax, const OutputSizes &output_size, const Where &where);

private:
  int64_t spatial;
  bool isMax;
  OutputSizes sizes;
};

#define DLC_POOL(Name, Base, Options, spatial)                                                               \
  class DLC_API Name : public Base {                                                                         \
  public:                                                                                                    \
    explicit Name(Sizes kernel_size, Options options = {}, Where where = Where::current())                   \
        : Base(spatial, kernel_size, options, where) {}                                                      \
  };
DLC_POOL(MaxPool1d, MaxPooling, MaxPoolOptions, 1)
DLC_POOL(MaxPool2d, MaxPooling, MaxPoolOptions, 2)
DLC_POOL(MaxPool3d, MaxPooling, MaxPoolOptions, 3)
DLC_POOL(AvgPool1d, AvgPooling, AvgPoolOptions, 1)
DLC_POOL(AvgPool2d, AvgPooling, AvgPoolOptions, 2)
DLC_POOL(AvgPool3d, AvgPooling, AvgPoolOptions, 3)
#undef DLC_POOL

#define DLC_POOL(Name, spatial)                                                                              \
  class DLC_API Name : public LPPooling {                                                                    \
  public:                                                                                                    \
    Name(double norm_type, Sizes kernel_size, LPPoolOptions options = {}, Where where = Where::current())    \
        : LPPooling(spatial, norm_type, kernel_size, options, where) {}                                      \
  };
DLC_POOL(LPPool1d, 1)
DLC_POOL(LPPool2d, 2)
DLC_POOL(LPPool3d, 3)
#undef DLC_POOL

#define DLC_POOL(Name, spatial, isMax)                                                                       \
  class DLC_API Name : public AdaptivePooling {                                                              \
  public:                                                                                                    \
    explicit Name(OutputSizes output_size, Where where = Where::current())                                   \
        : AdaptivePooling(spatial, isMax, output_size, where) {}                                             \
  };
DLC_POOL(AdaptiveMaxPool1d, 1, true)
DLC_POOL(AdaptiveMaxPool2d, 2, true)
DLC_POOL(AdaptiveMaxPool3d, 3, true)
DLC_POOL(AdaptiveAvgPool1d, 1, false)
DLC_POOL(AdaptiveAvgPool2d, 2, false)
DLC_POOL(AdaptiveAvgPool3d, 3, false)
#undef DLC_POOL

} // namespace dlc::nn

#endif // DLC_NN_POOLING_H
