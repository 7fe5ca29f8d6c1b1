//===- Normalization.h - arithmetic of batch normalization ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The arithmetic of batch normalization, for `nn.batch_norm` and `train.batch_norm`. Channels are dim 1.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_INTERPRET_NORMALIZATION_H
#define DLC_COMPILER_INTERPRET_NORMALIZATION_H

#include "compiler/interpret/Evaluation.h"

namespace dlc::interpret {

/// Mean and biased variance of each channel.
void channelStatistics(const Tensor &x, Tensor &mean, Tensor &variance);
/// y = (x - mean) / sqrt(variance + epsilon) * scale + bias.
void normalizeChannels(const Tensor &x, const Tensor &scale, const Tensor &bias, const Tensor &mean,
                       const Tensor &variance, double epsilon, Tensor &y);

} // namespace dlc::interpret

#endif // DLC_COMPILER_INTERPRET_NORMALIZATION_H
