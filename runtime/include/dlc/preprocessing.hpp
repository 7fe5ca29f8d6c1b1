//===- dlc/preprocessing.hpp - what was done to the data, in C++ -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// dlc/preprocessing.h as a class of C++17, for programs with compiled models and for sessions of dlc/dlc.h.
//===----------------------------------------------------------------------===//
#ifndef DLC_PREPROCESSING_HPP
#define DLC_PREPROCESSING_HPP

#include "dlc/data.hpp"
#include "dlc/preprocessing.h"

namespace dlc::data {

/// What dlc train did to its data, of the file preprocessing.json beside the weights.
class Preprocessing {
public:
  explicit Preprocessing(const std::string &path) : preprocessing(nullptr, dlc_preprocessing_free) {
    dlc_preprocessing *read = nullptr;
    char error[512] = "";
    if (const dlc_status status = dlc_preprocessing_read(path.c_str(), &read, error, sizeof error);
        status != DLC_OK)
      throw Error(status, error);
    preprocessing.reset(read);
  }
  /// Changes rows of `row_values` numbers each as those of an input were changed in training.
  void apply(const std::string &input, int64_t rows, int64_t row_values, float *values) const {
    char error[512] = "";
    if (const dlc_status status = dlc_preprocessing_apply(preprocessing.get(), input.c_str(), rows,
                                                          row_values, values, error, sizeof error);
        status != DLC_OK)
      throw Error(status, error);
  }
  /// The columns of a table that the input takes, so changed.
  Array table(const std::string &input, const Table &from) const {
    return Array::from([&](auto... to) {
      return dlc_preprocessing_table(preprocessing.get(), input.c_str(), from.get(), to...);
    });
  }
  /// The names of these columns.
  std::vector<std::string> columns(const std::string &input) const {
    std::vector<std::string> names;
    for (int32_t i = 0; i < dlc_preprocessing_column_count(preprocessing.get(), input.c_str()); ++i)
      names.push_back(dlc_preprocessing_column(preprocessing.get(), input.c_str(), i));
    return names;
  }
  /// The words of the classes, in the order of their numbers.
  std::vector<std::string> classes() const {
    const dlc_classes *all = dlc_preprocessing_classes(preprocessing.get());
    std::vector<std::string> names;
    for (int64_t i = 0; i < dlc_classes_count(all); ++i)
      names.push_back(dlc_classes_name(all, i));
    return names;
  }

  /// The loss that was trained with, where it is one of classes or of yes and no; else "".
  std::string loss() const {
    const char *name = dlc_preprocessing_loss(preprocessing.get());
    return name ? name : "";
  }

private:
  std::unique_ptr<dlc_preprocessing, decltype(&dlc_preprocessing_free)> preprocessing;
};

} // namespace dlc::data

#endif // DLC_PREPROCESSING_HPP
