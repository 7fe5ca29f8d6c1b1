//===- GradientWeight.h - the weight of accumulated gradients --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_GRADIENTWEIGHT_H
#define DLC_COMPILER_SUPPORT_GRADIENTWEIGHT_H

#include "llvm/ADT/StringRef.h"

namespace dlc {

/// The name of the state with the weight of the labels that gradients are the mean over, by which programs
/// read it as they read a gradient.
constexpr llvm::StringLiteral gradientWeightName = "gradient_weight";

/// The names of two states of a program for ranks (train::isOfRank): the weight of the labels of all ranks,
/// by which each divides its loss, and the rank's share of the loss.
constexpr llvm::StringLiteral wholeWeightName = "whole_weight", partLossName = "part_loss";

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_GRADIENTWEIGHT_H
