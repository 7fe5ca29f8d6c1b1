//===- NotFinite.cpp - where data have a number that is none ---------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Data are not looked through while they are read: only once something computed from them is not finite.
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/DataSet.h"
#include <cmath>

namespace dlc::tool::training {

namespace {

template <typename Float> std::string findIn(const Column &column, const DataSet &data) {
  const dlc_input &input = *column.input;
  std::vector<Float> values(size_t(elementCount(input.rank - 1, input.shape + 1)));
  for (int64_t i = 0; i < data.samples(); ++i) {
    readSample(column, data.place(i), values.data());
    for (size_t k = 0; k < values.size(); ++k)
      if (!std::isfinite(values[k]))
        return column.place + ": sample " + std::to_string(data.place(i) + 1) +
               (input.rank == 2 ? ", column " : ", number ") + std::to_string(k + 1) + " of " +
               std::to_string(values.size()) + " is " + (std::isnan(values[k]) ? "nan" : "infinite");
  }
  return "";
}

template <typename Integer> bool areAll(const void *values, int64_t count, int64_t wanted) {
  const auto *labels = static_cast<const Integer *>(values);
  for (int64_t i = 0; i < count; ++i)
    if (labels[i] != wanted)
      return false;
  return count > 0;
}

} // namespace

std::string findIgnored(const DataSet &data, const Batches &batches) {
  for (size_t i = 0; i < data.columns->size(); ++i) {
    const Column &column = (*data.columns)[i];
    const dlc_input &input = *column.input;
    if (!input.is_target || !input.is_index || input.ignore_index == INT64_MIN)
      continue;
    const int64_t labels = batches.rows() * elementCount(input.rank - 1, input.shape + 1);
    const void *values = batches.arrays()[i];
    if (input.dtype == DLC_I64 ? areAll<int64_t>(values, labels, input.ignore_index)
                               : areAll<int32_t>(values, labels, input.ignore_index))
      return column.place + ": all " + std::to_string(labels) + " labels of the batch are " +
             std::to_string(input.ignore_index) + ", which target '" + input.name +
             "' ignores: leave out such samples, make batches larger, or ignore another label "
             "(--ignore-index)";
  }
  return "";
}

std::string findNotFinite(const DataSet &data) {
  std::string found;
  for (const Column &column : *data.columns) {
    if (found.empty() && column.input->dtype == DLC_F32)
      found = findIn<float>(column, data);
    if (found.empty() && column.input->dtype == DLC_F64)
      found = findIn<double>(column, data);
  }
  return found;
}

} // namespace dlc::tool::training
