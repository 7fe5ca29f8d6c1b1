//===- Report.cpp - what a profile prints and writes -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Report.h"
#include "tools/dlc/Printable.h"
#include <algorithm>
#include <cstdarg>
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

/// As std::printf prints it.
__attribute__((format(printf, 1, 2))) std::string format(const char *form, ...) {
  char text[1024];
  va_list arguments;
  va_start(arguments, form);
  const int length = std::vsnprintf(text, sizeof text, form, arguments);
  va_end(arguments);
  return std::string(text, std::min(size_t(std::max(length, 0)), sizeof text - 1));
}

/// A line for each kernel, or `byNode` for each node of the model; those that take longest first.
std::vector<Line> linesOf(const Measurement &measured, bool byNode) {
  std::vector<Line> lines;
  for (const TimedLaunch &timed : measured.launches) {
    const std::string &name = byNode ? timed.launch.node : timed.launch.kernel;
    auto line =
        std::find_if(lines.begin(), lines.end(), [&](const Line &known) { return known.name == name; });
    if (line == lines.end()) {
      line = lines.insert(lines.end(), Line());
      line->name = name;
    }
    line->add(timed, measured.rates, measured.threads);
  }
  std::sort(lines.begin(), lines.end(), [](const Line &a, const Line &b) {
    return a.nanoseconds != b.nanoseconds ? a.nanoseconds > b.nanoseconds : a.name < b.name;
  });
  for (Line &line : lines)
    line.name = line.name.empty() ? "(no node)" : printable(line.name);
  return lines;
}

/// `total` is the sum of all lines.
std::string tableOf(const std::vector<Line> &lines, const Line &total, double resolution, bool byNode) {
  int width = 8;
  for (const Line &line : lines)
    width = std::max(width, std::min(int(line.name.size()), 60));
  std::string text = format("%-*s  launches   time us  share   GFLOP/s     GB/s  of limit  bound by\n", width,
                            byNode ? "node" : "kernel");
  // Else noise would be divided by noise.
  auto isMeasured = [&](const Line &line) {
    return line.nanoseconds > 0 && line.nanoseconds >= resolution * double(line.count);
  };
  auto add = [&](const Line &line) {
    text += line.name + std::string(size_t(std::max(0, width - int(line.name.size()))), ' ');
    text += format("  %8lld %9.2f", static_cast<long long>(line.count), line.nanoseconds * 1e-3);
    if (isMeasured(total))
      text += format(" %5.1f %%", 100 * line.nanoseconds / total.nanoseconds);
    else
      text += format(" %5s  ", "-");
    if (!isMeasured(line))
      text += format(" %9s %8s   %7s  -\n", "-", "-", "-");
    else
      text += format(" %9.1f %8.1f   %5.1f %%  %s\n", line.operations / line.nanoseconds,
                     line.bytes / line.nanoseconds, 100 * line.limit / line.nanoseconds, line.boundBy());
  };
  for (const Line &line : lines)
    add(line);
  add(total);
  return text;
}

} // namespace

std::string textOf(const Measurement &measured, bool byNode, std::vector<TimedLine> *named) {
  const Rates &rates = measured.rates;
  std::string text = format("%s of ", functionNames[measured.function]) + measured.model +
                     format(": %.2f us on %d thread%s, the median of %zu calls\n", measured.call * 1e-3,
                            measured.threads, measured.threads == 1 ? "" : "s", measured.calls);
  text += format("this machine: %.1f GFLOP/s in fp32 multiply-adds,", rates.operations);
  if (rates.pairs > 0)
    text += format(" %.1f in pairs of bf16,", rates.pairs);
  text += format(" %.1f GB/s reading and writing %.2f MB\n\n", rates.bytes, double(measured.arena) * 1e-6);
  const std::vector<Line> lines = linesOf(measured, byNode);
  Line total;
  total.name = "all";
  for (const TimedLaunch &timed : measured.launches)
    total.add(timed, rates, measured.threads);
  text += tableOf(lines, total, measured.clock, byNode);
  text +=
      format("\nwith the clock read between launches (%.0f ns each, taken off above) a call takes %.2f us\n",
             measured.clock, measured.callWithClock * 1e-3);
  if (named)
    for (const Line &line : lines)
      named->push_back({line.name, line.count, line.nanoseconds});
  return text;
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
