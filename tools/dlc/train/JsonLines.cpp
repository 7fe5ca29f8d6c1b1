//===- JsonLines.cpp - a row of numbers in each line ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/JsonLines.h"
#include "tools/dlc/BoundedJson.h"
#include "tools/dlc/train/Arrays.h"
#include <cmath>
#include <filesystem>
#include <fstream>

namespace dlc::tool::training {

using Json = nlohmann::ordered_json;

static bool isUpTo(const std::string &line, const std::string &key, int64_t most) {
  try {
    return wholeNumber(parseBounded<Json>(line).at(key)) <= most;
  } catch (const std::exception &) {
    return false;
  }
}

JsonLines::JsonLines(const std::string &path) : path(path) {
  if (!std::ofstream(path, std::ios::app))
    throw Failure(path + ": cannot be written");
}

void JsonLines::add(const std::vector<std::pair<std::string, double>> &row) const {
  Json json;
  for (const auto &[name, value] : row)
    if (!std::isfinite(value))
      json[name] = nullptr;
    else if (value == std::floor(value) && std::abs(value) < 1e15)
      json[name] = int64_t(value);
    else
      json[name] = value;
  std::ofstream stream(path, std::ios::app);
  stream << json.dump() + '\n';
  if (!stream.flush())
    throw Failure(path + ": cannot be written");
}

void JsonLines::cut(const std::string &key, int64_t most) const {
  std::ifstream stream(path);
  std::string line;
  uintmax_t kept = 0;
  for (uintmax_t at = 0; std::getline(stream, line) && !stream.eof() && isUpTo(line, key, most);)
    kept = at += line.size() + 1;
  std::error_code failed;
  std::filesystem::resize_file(path, kept, failed);
  if (failed)
    throw Failure(path + ": cannot be written: " + failed.message());
}

} // namespace dlc::tool::training
