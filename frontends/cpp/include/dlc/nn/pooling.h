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

/// How windows lie whose largest elements are taken.
struct MaxPoolOptions {
  Sizes stride{};         ///< elements from one window to the next; without it they lie side by side
  Sizes padding = 0;      ///< places on both sides, which are never the largest
  Sizes dilation = 1;     ///< elements from one of a window's to the next
  bool ceil_mode = false; ///< a last window may end outside
};
/// How windows lie whose means are taken.
struct AvgPoolOptions {
  Sizes stride{};                            ///< as of MaxPoolOptions
  Sizes padding = 0;                         ///< zeros on both sides
  bool ceil_mode = false;                    ///< a last window may end outside
  bool count_include_pad = true;             ///< a mean counts the zeros
  std::optional<int64_t> divisor_override{}; ///< divides the sum in place of the number of elements
};
/// How windows lie whose norms are taken.
struct LPPoolOptions {
  Sizes stride{};         ///< as of MaxPoolOptions
  bool ceil_mode = false; ///< a last window may end outside
};

namespace functional {

#define DLC_POOL(name, Options)                                                                              \
  DLC_API Tensor name(const Tensor &x, Sizes kernel_size, Options options = {},                              \
                      Where where = Where::current());
/// The largest element of each window, whose gradient goes to the first of equal ones.
///@{
DLC_POOL(max_pool1d, MaxPoolOptions)
DLC_POOL(max_pool2d, MaxPoolOptions)
DLC_POOL(max_pool3d, MaxPoolOptions)
///@}
/// The mean of each window.
///@{
DLC_POOL(avg_pool1d, AvgPoolOptions)
DLC_POOL(avg_pool2d, AvgPoolOptions)
DLC_POOL(avg_pool3d, AvgPoolOptions)
///@}
#undef DLC_POOL

#define DLC_POOL(name)                                                                                       \
  DLC_API Tensor name(const Tensor &x, double norm_type, Sizes kernel_size, LPPoolOptions options = {},      \
                      Where where = Where::current());
/// The p-th root of the sum of p-th powers of each window, p being `norm_type`.
///@{
DLC_POOL(lp_pool1d)
DLC_POOL(lp_pool2d)
DLC_POOL(lp_pool3d)
///@}
#undef DLC_POOL

// As many windows as the result has elements; they are of nearly one size.
#define DLC_POOL(name)                                                                                       \
  DLC_API Tensor name(const Tensor &x, OutputSizes output_size, Where where = Where::current());
/// The largest element of each of so many windows.
///@{
DLC_POOL(adaptive_max_pool1d)
DLC_POOL(adaptive_max_pool2d)
DLC_POOL(adaptive_max_pool3d)
///@}
/// The mean of each of so many windows.
///@{
DLC_POOL(adaptive_avg_pool1d)
DLC_POOL(adaptive_avg_pool2d)
DLC_POOL(adaptive_avg_pool3d)
///@}
#undef DLC_POOL

} // namespace functional

/// What the poolings with the largest element share.
class DLC_API MaxPooling : public Layer {
public:
  Tensor computed(Tensor x) override;

protected:
  MaxPooling(int64_t spatial, const Sizes &kernel_size, const MaxPoolOptions &options, const Where &where);

private:
  int64_t spatial;
  Sizes kernel;
  MaxPoolOptions options;
};

/// What the poolings with the mean share.
class DLC_API AvgPooling : public Layer {
public:
  Tensor computed(Tensor x) override;

protected:
  AvgPooling(int64_t spatial, const Sizes &kernel_size, const AvgPoolOptions &options, const Where &where);

private:
  int64_t spatial;
  Sizes kernel;
  AvgPoolOptions options;
};

/// What the poolings with a norm share.
class DLC_API LPPooling : public Layer {
public:
  Tensor computed(Tensor x) override;

protected:
  LPPooling(int64_t spatial, double norm_type, const Sizes &kernel_size, const LPPoolOptions &options,
            const Where &where);

private:
  int64_t spatial;
  double p;
  Sizes kernel;
  LPPoolOptions options;
};

/// What the poolings to a given size share.
class DLC_API AdaptivePooling : public Layer {
public:
  Tensor computed(Tensor x) override;

protected:
  AdaptivePooling(int64_t spatial, bool isMax, const OutputSizes &output_size, const Where &where);

private:
  int64_t spatial;
  bool isMax;
  OutputSizes sizes;
};

#define DLC_POOL(Name, Base, Options)                                                                        \
  class DLC_API Name : public Base {                                                                         \
  public:                                                                                                    \
    explicit Name(Sizes kernel_size, Options options = {}, Where where = Where::current());                  \
    ~Name() override;                                                                                        \
  };
/// functional::max_pool1d().
DLC_POOL(MaxPool1d, MaxPooling, MaxPoolOptions)
/// functional::max_pool2d().
DLC_POOL(MaxPool2d, MaxPooling, MaxPoolOptions)
/// functional::max_pool3d().
DLC_POOL(MaxPool3d, MaxPooling, MaxPoolOptions)
/// functional::avg_pool1d().
DLC_POOL(AvgPool1d, AvgPooling, AvgPoolOptions)
/// functional::avg_pool2d().
DLC_POOL(AvgPool2d, AvgPooling, AvgPoolOptions)
/// functional::avg_pool3d().
DLC_POOL(AvgPool3d, AvgPooling, AvgPoolOptions)
#undef DLC_POOL

#define DLC_POOL(Name)                                                                                       \
  class DLC_API Name : public LPPooling {                                                                    \
  public:                                                                                                    \
    Name(double norm_type, Sizes kernel_size, LPPoolOptions options = {}, Where where = Where::current());   \
    ~Name() override;                                                                                        \
  };
/// functional::lp_pool1d().
DLC_POOL(LPPool1d)
/// functional::lp_pool2d().
DLC_POOL(LPPool2d)
/// functional::lp_pool3d().
DLC_POOL(LPPool3d)
#undef DLC_POOL

#define DLC_POOL(Name)                                                                                       \
  class DLC_API Name : public AdaptivePooling {                                                              \
  public:                                                                                                    \
    explicit Name(OutputSizes output_size, Where where = Where::current());                                  \
    ~Name() override;                                                                                        \
  };
/// functional::adaptive_max_pool1d().
DLC_POOL(AdaptiveMaxPool1d)
/// functional::adaptive_max_pool2d().
DLC_POOL(AdaptiveMaxPool2d)
/// functional::adaptive_max_pool3d().
DLC_POOL(AdaptiveMaxPool3d)
/// functional::adaptive_avg_pool1d().
DLC_POOL(AdaptiveAvgPool1d)
/// functional::adaptive_avg_pool2d().
DLC_POOL(AdaptiveAvgPool2d)
/// functional::adaptive_avg_pool3d().
DLC_POOL(AdaptiveAvgPool3d)
#undef DLC_POOL

} // namespace dlc::nn

#endif // DLC_NN_POOLING_H
