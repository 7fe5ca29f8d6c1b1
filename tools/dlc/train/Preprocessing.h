//===- Preprocessing.h - what was done to the data -------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_PREPROCESSING_H
#define DLC_TOOLS_DLC_TRAIN_PREPROCESSING_H

#include "tools/dlc/train/DataSet.h"
#include "tools/dlc/train/Sources.h"

namespace dlc::tool::training {

constexpr const char *preprocessingFile = "preprocessing.json";

/// What a program has to do to its inputs before it asks the trained model, and which words its classes were,
/// as JSON;
/// "" where nothing was done. `scales` has none for inputs that stayed as they were.
std::string describePreprocessing(const dlc_model &model, const std::vector<std::vector<Scale>> &scales,
                                  const ClassNames &classes);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_PREPROCESSING_H
