//===- ClassTables.h - what predictions are worth, class by class ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_CLASSTABLES_H
#define DLC_TOOLS_DLC_TRAIN_CLASSTABLES_H

#include <cstdint>
#include <string>
#include <vector>

namespace dlc::tool::training {

/// How often each label was predicted as each class: matrix[label][predicted].
struct Confusion {
  std::string of; ///< what is decided, where a sample has several decisions; else empty
  int64_t classes;
  std::vector<int64_t> matrix;
};

/// Precision, recall, F1 and samples of each class, and their mean over the classes that were predicted or
/// are there. `names` are the classes', or empty where they have numbers only.
std::string reportText(const Confusion &confusion, const std::vector<std::string> &names);
/// The matrix: a line for each label, a column for each prediction.
std::string confusionText(const Confusion &confusion, const std::vector<std::string> &names);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_CLASSTABLES_H
