//===- Report.cpp - what came out, by operator
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/conformance/Report.h"
#include <array>
#include <cstdio>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

namespace conformance {

using Counts = std::array<int, 3>;

const char *nameOf(Outcome outcome) {
  static const char *const names[] = {"passed", "failed", "unsupported"};
  return names[static_cast<size_t>(outcome)];
}

static std::map<std::string, Counts> countByOperator(const std::vector<Result> &results, Counts &total) {
  std::map<std::string, Counts> counts;
  for (const Result &result : results) {
    ++counts[result.op][static_cast<size_t>(result.outcome)];
    ++total[static_cast<size_t>(result.outcome)];
  }
  return counts;
}

void print(const std::vector<Result> &results) {
  Counts total{};
  std::printf("%-36s %8s %8s %12s\n", "operator", "passed", "failed", "unsupported");
  for (const auto &[op, counts] : countByOperator(results, total))
    std::printf("%-36s %8d %8d %12d\n", op.c_str(), counts[0], counts[1], counts[2]);
  std::printf("%-36s %8d %8d %12d\n", "all", total[0], total[1], total[2]);
  for (const Result &result : results)
    if (result.outcome == Outcome::Failed)
      std::printf("failed: %s: %s\n", result.name.c_str(), result.reason.c_str());
}

bool writeJson(const std::vector<Result> &results, const std::filesystem::path &file) {
  Counts total{};
  nlohmann::ordered_json json;
  auto toJson = [](const Counts &counts) {
    return nlohmann::ordered_json{{"passed", counts[0]}, {"failed", counts[1]}, {"unsupported", counts[2]}};
  };
  auto byOperator = countByOperator(results, total);
  json = toJson(total);
  for (const auto &[op, counts] : byOperator)
    json["operators"][op] = toJson(counts);
  for (const Result &result : results)
    json["tests"].push_back({{"name", result.name},
                             {"operator", result.op},
                             {"outcome", nameOf(result.outcome)},
                             {"reason", result.reason}});
  std::ofstream stream(file);
  stream << json.dump(1, ' ', false, nlohmann::json::error_handler_t::replace) << "\n";
  return static_cast<bool>(stream.flush());
}

} // namespace conformance
