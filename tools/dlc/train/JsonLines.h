//===- JsonLines.h - a row of numbers in each line ------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_JSONLINES_H
#define DLC_TOOLS_DLC_TRAIN_JSONLINES_H

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace dlc::tool::training {

/// A file with a JSON object in each line, which is added to where it exists. Each row is in the file when
/// the call returns. Numbers are written so that reading them gives the same double; those that are not
/// finite, which JSON does not have, are null. Errors are Failure, and name the file.
class JsonLines {
public:
  explicit JsonLines(const std::string &path);
  void add(const std::vector<std::pair<std::string, double>> &row) const;
  /// Cuts off the rows whose number `key` is larger than `most`, or which are no objects with one: a program
  /// that was killed may have written half a line.
  void cut(const std::string &key, int64_t most) const;

private:
  std::string path;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_JSONLINES_H
