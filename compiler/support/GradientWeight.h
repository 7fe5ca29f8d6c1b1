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

/// The names of states of a program for ranks (train::isOfRank): the weight of the labels of all ranks, by
/// which each divides its loss; the rank's share of the loss; and, if random numbers are drawn for samples, at
/// which row of the batch of all ranks its own begin; and, if means are taken over the batch, how many rows that has.
/// Where a rank adds up the gradients of several batches: 0 before the first of them, else 1.
constexpr llvm::StringLiteral wholeWeightName = "whole_weight", partLossName = "part_loss",
                              firstRowName = "first_row", wholeRowsName = "whole_rows",
                              hasGradientsName = "has_gradients";

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_GRADIENTWEIGHT_H
