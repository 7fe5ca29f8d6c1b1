//===- MetricNames.h - what --metrics and --monitor may say ----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_METRICNAMES_H
#define DLC_TOOLS_DLC_TRAIN_METRICNAMES_H

#include <string>
#include <vector>

namespace dlc::tool::training {

/// Metrics of models that predict classes, or yes and no.
inline const std::vector<std::string> metricsOfClasses = {"accuracy", "top5", "precision",
                                                          "recall",   "f1",   "auc"};
inline const std::vector<std::string> metricsOfValues = {"mae", "r2"};
/// What is no number, but a table behind the last epoch.
inline const std::vector<std::string> metricTables = {"classes", "confusion"};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_METRICNAMES_H
