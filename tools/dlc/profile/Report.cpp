//===- Report.cpp - what a profile prints and writes -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Report.h"
#include "tools/dlc/Printable.h"
#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

namespace dlc::tool {

namespace {

/// Launches that one line stands for.
struct Line {
  std::string name;
  int64_t count = 0;
  double nanoseconds = 0;
  double operations = 0, bytes = 0;
  double arithmetic = 0, memory = 0; ///< nanoseconds that these would take at the machine's rates
  double limit = 0;                  ///< the sum of each launch's larger one
  double waiting = 0;                ///< nanoseconds of launches with fewer chunks than threads

  void add(const TimedLaunch &timed, const Rates &rates, int threads) {
    const double rate = timed.launch.addsPairs && rates.pairs > 0 ? rates.pairs : rates.operations;
    const double compute = double(timed.launch.operations) / rate,
                 move = double(timed.launch.bytes) / rates.bytes;
    ++count;
    nanoseconds += timed.nanoseconds;
    operations += double(timed.launch.operations);
    bytes += double(timed.launch.bytes);
    arithmetic += compute;
    memory += move;
    limit += std::max(compute, move);
    if (timed.launch.chunks < threads)
      waiting += timed.nanoseconds;
  }

  /// What explains at least half of the time.
  const char *boundBy() const {
    if (2 * limit >= nanoseconds)
      return arithmetic >= memory ? "multiply-adds" : "memory";
    return 2 * waiting >= nanoseconds && waiting > 0 ? "few chunks" : "latency";
  }
};

} // namespace

void printTable(const std::vector<TimedLaunch> &launches, const Rates &rates, int threads, double resolution,
                bool byNode) {
  std::vector<Line> lines;
  Line total;
  total.name = "all";
  for (const TimedLaunch &timed : launches) {
    const std::string &name = byNode ? timed.launch.node : timed.launch.kernel;
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const Line &known) { return known.name == name; });
    if (line == lines.end()) {
      line = lines.insert(lines.end(), Line());
      line->name = name;
    }
    line->add(timed, rates, threads);
    total.add(timed, rates, threads);
  }
  std::sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) {
    return a.nanoseconds != b.nanoseconds ? a.nanoseconds > b.nanoseconds : a.name < b.name;
  });
  lines.push_back(total);
  int width = 8;
  for (Line &line : lines) {
    line.name = line.name.empty() ? "(no node)" : printable(line.name);
    width = std::max(width, std::min(int(line.name.size()), 60));
  }
  std::printf("%-*s  launches   time us  share   GFLOP/s     GB/s  of limit  bound by\n", width,
              byNode ? "node" : "kernel");
  // Else noise would be divided by noise.
  auto isMeasured = [&](const Line &line) {
    return line.nanoseconds > 0 && line.nanoseconds >= resolution * double(line.count);
  };
  for (const Line &line : lines) {
    std::printf("%-*s  %8lld %9.2f", width, line.name.c_str(), static_cast<long long>(line.count),
                line.nanoseconds * 1e-3);
    if (isMeasured(total))
      std::printf(" %5.1f %%", 100 * line.nanoseconds / total.nanoseconds);
    else
      std::printf(" %5s  ", "-");
    if (!isMeasured(line))
      std::printf(" %9s %8s   %7s  -\n", "-", "-", "-");
    else
      std::printf(" %9.1f %8.1f   %5.1f %%  %s\n", line.operations / line.nanoseconds,
                  line.bytes / line.nanoseconds, 100 * line.limit / line.nanoseconds, line.boundBy());
  }
}

std::string traceOf(const std::vector<TimedLaunch> &launches, const std::vector<Step> &steps) {
  using Json = nlohmann::ordered_json;
  Json events = Json::array();
  for (const Step &step : steps)
    for (size_t i = 0; i < launches.size(); ++i) {
      const LaunchInfo &launch = launches[i].launch;
      events.push_back(
          {{"name", launch.kernel},
           {"cat", launch.node},
           {"ph", "X"},
           {"ts", double(step[i] - steps.front().front()) * 1e-3},
           {"dur", double(step[i + 1] - step[i]) * 1e-3},
           {"pid", 1},
           {"tid", 1},
           {"args", {{"node", launch.node}, {"operations", launch.operations}, {"bytes", launch.bytes}}}});
    }
  const Json trace = {{"traceEvents", events}, {"displayTimeUnit", "ns"}};
  return trace.dump(1, ' ', false, Json::error_handler_t::replace) + '\n';
}

} // namespace dlc::tool
