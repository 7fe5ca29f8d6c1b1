//===- BinaryMetrics.h - what decisions between 0 and 1 are worth ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_BINARYMETRICS_H
#define DLC_TOOLS_DLC_TRAIN_BINARYMETRICS_H

#include "tools/dlc/train/ClassTables.h"
#include <cstdint>
#include <string>
#include <vector>

namespace dlc::tool::training {

/// auc, precision, recall or f1 of class 1, as scikit-learn defines them: a quotient of nothing is 0, the
/// area without rows of both classes NaN. Of rows with several decisions, the mean over these. A score above
/// the threshold decides for 1. Failure for a target that is neither 0 nor 1.
double binaryMetric(const std::string &metric, const std::vector<float> &scores,
                    const std::vector<float> &targets, int64_t perRow, double threshold);

/// The same decisions as counts, one matrix for each decision of a row.
std::vector<Confusion> binaryConfusions(const std::vector<float> &scores, const std::vector<float> &targets,
                                        int64_t perRow, double threshold);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_BINARYMETRICS_H
