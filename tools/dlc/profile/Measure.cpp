//===- Measure.cpp - how long the launches of a function take --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Measure.h"
#include "tools/dlc/profile/CompiledModel.h"
#include "tools/dlc/profile/Runner.h"
#include "tools/dlc/profile/Stamps.h"
#include <algorithm>
#include <chrono>
#include <sched.h>
#include <stdexcept>
#include <thread>

namespace dlc::tool {

int availableCores() {
  cpu_set_t set;
  if (sched_getaffinity(0, sizeof set, &set) == 0)
    return CPU_COUNT(&set);
  return int(std::max(1u, std::thread::hardware_concurrency()));
}

dlc_function_kind chooseFunction(const dlc_model &model, const std::string &name) {
  uint32_t chosen = model.functions >> DLC_TRAIN_STEP & 1 ? DLC_TRAIN_STEP : DLC_PREDICT;
  if (!name.empty())
    chosen = static_cast<uint32_t>(std::find(std::begin(functionNames), std::end(functionNames), name) -
                                   std::begin(functionNames));
  if (!(model.functions >> chosen & 1))
    throw std::runtime_error(
        std::string("dlc: error: '") + model.name + "' was compiled without " + functionNames[chosen] +
        ": compile it with " +
        (chosen == DLC_VJP || chosen == DLC_JVP || chosen == DLC_HVP ? "--function=" + name : "--loss"));
  return static_cast<dlc_function_kind>(chosen);
}

namespace {

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// The launches of the table: those of the manifest, and copies between them.
std::vector<TimedLaunch> allLaunches(const StampedModel &stamped, const std::vector<LaunchInfo> &known) {
  std::vector<TimedLaunch> launches(stamped.launchCount());
  size_t next = 0;
  for (size_t i = 0; i < launches.size(); ++i)
    if (stamped.isCopy(i))
      launches[i].launch.kernel = "copy";
    else
      launches[i].launch = known[next++];
  return launches;
}

/// One call's time. After a call, the threads of an instance stay awake for part of a millisecond, on cores
/// that the other instance's threads need: they are given the time to fall asleep. Then calls are made until
/// this one's threads are awake, each on a core of its own.
double callAlone(Runner &runner, StampedModel &stamped, int threads) {
  auto call = [&] {
    stamped.reset();
    return runner.call();
  };
  if (threads > 1) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    const int64_t begin = nanoseconds();
    do
      call();
    while (nanoseconds() - begin < 2'000'000);
  }
  return call();
}

} // namespace

Measurement measure(const std::string &file, const ProfileOptions &options, const ProfileServices &services) {
  const CompiledModel compiled(file, services);
  return measure(compiled.model(), compiled.functions(), compiled.weights(), options);
}

Measurement measure(const dlc_model &model, const std::map<std::string, std::vector<LaunchInfo>> &functions,
                    const std::string &weights, const ProfileOptions &options) {
  Measurement result;
  result.model = model.name;
  result.function = chooseFunction(model, options.function);
  result.threads = options.threads ? options.threads : availableCores();
  result.arena = model.targets->arena_bytes;
  StampedModel stamped(model, result.function);
  std::vector<TimedLaunch> &launches = result.launches;
  const auto known = functions.find(functionNames[result.function]);
  launches = allLaunches(stamped, known == functions.end() ? std::vector<LaunchInfo>() : known->second);
  Tensors tensors(model, options.inputs, options.seed);
  Runner plain(model, result.function, tensors, weights, options.weights, result.threads),
      timed(stamped.model(), result.function, tensors, weights, options.weights, result.threads);

  // In turn, so that whatever else the machine does meets both; the first calls warm up.
  constexpr int warmUp = 3;
  constexpr size_t tracedSteps = 10;
  std::vector<double> plainTimes, timedTimes, clockTimes;
  std::vector<std::vector<double>> launchTimes(launches.size());
  const int64_t begin = nanoseconds();
  for (int64_t step = -warmUp;; ++step) {
    const double withoutClock = callAlone(plain, stamped, result.threads);
    const double withClock = callAlone(timed, stamped, result.threads);
    if (step < 0)
      continue;
    const std::vector<int64_t> &times = stamped.times();
    plainTimes.push_back(withoutClock);
    timedTimes.push_back(withClock);
    clockTimes.push_back(double(times[1] - times[0]));
    for (size_t i = 0; i < launches.size(); ++i)
      launchTimes[i].push_back(double(times[i + 3] - times[i + 2]));
    if (result.traced.size() == tracedSteps)
      result.traced.erase(result.traced.begin());
    result.traced.emplace_back(times.begin() + 2, times.end());
    const int64_t done = step + 1;
    if (options.steps ? done >= options.steps
                      : done >= 20 && (nanoseconds() - begin > 1'000'000'000 || done == 5000))
      break;
  }
  result.calls = plainTimes.size();
  result.clock = median(clockTimes);
  result.call = median(plainTimes);
  result.callWithClock = median(timedTimes);
  for (size_t i = 0; i < launches.size(); ++i)
    launches[i].nanoseconds = std::max(0.0, median(launchTimes[i]) - result.clock);
  const bool withPairs = std::any_of(launches.begin(), launches.end(),
                                     [](const TimedLaunch &timed) { return timed.launch.addsPairs; });
  result.rates = measureRates(result.threads, result.arena, withPairs);
  return result;
}

} // namespace dlc::tool
