//===- dlc/nn/dropout.h - elements that are left out by chance ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Srivastava et al. 2014. In training steps only: evaluation and prediction have the tensor as it is. Where
// the probability is 1, all is 0, and so is the gradient.
//===----------------------------------------------------------------------===//
#ifndef DLC_NN_DROPOUT_H
#define DLC_NN_DROPOUT_H

#include "dlc/nn/module.h"

namespace dlc::nn {

namespace functional {

#define DLC_DROPOUT(name)                                                                                    \
  DLC_API Tensor name(const Tensor &x, double p = 0.5, bool training = true, Where where = Where::current());
/// Elements are 0 with the probability `p`; the others are divided by 1 - p.
DLC_DROPOUT(dropout)
/// The same of whole channels: x [batch, channels, ...], or [channels, ...] without a batch; dropout2d takes
/// three dims as [batch, channels, places], as PyTorch does. Tompson et al. 2014.
///@{
DLC_DROPOUT(dropout1d)
DLC_DROPOUT(dropout2d)
DLC_DROPOUT(dropout3d)
///@}
/// What is left out becomes the number that SELU goes to, and mean 0 and variance 1 remain (Klambauer et al.
/// 2017): elements, or whole channels (the first two dims).
///@{
DLC_DROPOUT(alpha_dropout)
DLC_DROPOUT(feature_alpha_dropout)
///@}
#undef DLC_DROPOUT

} // namespace functional

#define DLC_DROPOUT(Name)                                                                                    \
  class DLC_API Name : public Layer {                                                                        \
  public:                                                                                                    \
    explicit Name(double p = 0.5, Where where = Where::current());                                           \
    Tensor computed(Tensor x) override;                                                                      \
                                                                                                             \
  private:                                                                                                   \
    double p;                                                                                                \
  };
/// functional::dropout() in training mode.
DLC_DROPOUT(Dropout)
/// functional::dropout1d() in training mode.
DLC_DROPOUT(Dropout1d)
/// functional::dropout2d() in training mode.
DLC_DROPOUT(Dropout2d)
/// functional::dropout3d() in training mode.
DLC_DROPOUT(Dropout3d)
/// functional::alpha_dropout() in training mode.
DLC_DROPOUT(AlphaDropout)
/// functional::feature_alpha_dropout() in training mode.
DLC_DROPOUT(FeatureAlphaDropout)
#undef DLC_DROPOUT

} // namespace dlc::nn

#endif // DLC_NN_DROPOUT_H
