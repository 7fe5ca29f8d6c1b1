//===- Profile.cpp - dlc profile ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Profile.h"
#include "tools/dlc/profile/Report.h"
#include "tools/dlc/profile/Runner.h"
#include "tools/dlc/profile/Stamps.h"
#include "tools/dlc/profile/Values.h"
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <sched.h>
#include <stdexcept>
#include <thread>

namespace dlc::tool {

namespace {

double median(std::vector<double> values) {
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

/// As many as the runtime takes for threads = 0.
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
    throw std::runtime_error(std::string("dlc: error: '") + model.name + "' was compiled without " +
                             functionNames[chosen] + ": compile it with --loss");
  return static_cast<dlc_function_kind>(chosen);
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

void run(const std::string &file, const ProfileOptions &options, const ProfileServices &services) {
  CompiledModel compiled(file, services);
  const dlc_model &model = compiled.model();
  const dlc_function_kind function = chooseFunction(model, options.function);
  const int threads = options.threads ? options.threads : availableCores();
  StampedModel stamped(model, function);
  std::vector<TimedLaunch> launches = allLaunches(stamped, compiled.launches(function));
  Tensors tensors(model, options.inputs, options.seed);
  const std::string weights = compiled.weights();
  Runner plain(model, function, tensors, weights, options.weights, threads),
      timed(stamped.model(), function, tensors, weights, options.weights, threads);

  // In turn, so that whatever else the machine does meets both; the first calls warm up.
  constexpr int warmUp = 3;
  constexpr size_t tracedSteps = 10;
  std::vector<double> plainTimes, timedTimes, clockTimes;
  std::vector<std::vector<double>> launchTimes(launches.size());
  std::vector<Step> traced;
  const int64_t begin = nanoseconds();
  for (int64_t step = -warmUp;; ++step) {
    const double withoutClock = callAlone(plain, stamped, threads);
    const double withClock = callAlone(timed, stamped, threads);
    if (step < 0)
      continue;
    const std::vector<int64_t> &times = stamped.times();
    plainTimes.push_back(withoutClock);
    timedTimes.push_back(withClock);
    clockTimes.push_back(double(times[1] - times[0]));
    for (size_t i = 0; i < launches.size(); ++i)
      launchTimes[i].push_back(double(times[i + 3] - times[i + 2]));
    if (traced.size() == tracedSteps)
      traced.erase(traced.begin());
    traced.emplace_back(times.begin() + 2, times.end());
    const int64_t done = step + 1;
    if (options.steps ? done >= options.steps
                      : done >= 20 && (nanoseconds() - begin > 1'000'000'000 || done == 5000))
      break;
  }
  const double clock = median(clockTimes);
  for (size_t i = 0; i < launches.size(); ++i)
    launches[i].nanoseconds = std::max(0.0, median(launchTimes[i]) - clock);

  const size_t arena = model.targets->arena_bytes;
  const bool withPairs = std::any_of(launches.begin(), launches.end(),
                                     [](const TimedLaunch &timed) { return timed.launch.addsPairs; });
  const Rates rates = measureRates(threads, arena, withPairs);
  std::printf("%s of %s: %.2f us on %d thread%s, the median of %zu calls\n", functionNames[function],
              model.name, median(plainTimes) * 1e-3, threads, threads == 1 ? "" : "s", plainTimes.size());
  std::printf("this machine: %.1f GFLOP/s in fp32 multiply-adds,", rates.operations);
  if (rates.pairs > 0)
    std::printf(" %.1f in pairs of bf16,", rates.pairs);
  std::printf(" %.1f GB/s reading and writing %.2f MB\n\n", rates.bytes, double(arena) * 1e-6);
  printTable(launches, rates, threads, clock, options.byNode);
  std::printf("\nwith the clock read between launches (%.0f ns each, taken off above) a call takes %.2f us\n",
              clock, median(timedTimes) * 1e-3);
  if (options.trace.empty())
    return;
  if (const std::string problem = services.writeFile(options.trace, traceOf(launches, traced));
      !problem.empty())
    throw std::runtime_error("dlc: error: " + problem);
}

void showValues(const std::string &file, const ProfileOptions &options, const ProfileServices &services) {
  CompiledModel compiled(file, services);
  const dlc_function_kind function = chooseFunction(compiled.model(), options.function);
  const std::vector<LaunchInfo> &launches = compiled.launches(function);
  WatchedModel watched(compiled.model(), function, launches);
  Tensors tensors(compiled.model(), options.inputs, options.seed);
  Runner runner(watched.model(), function, tensors, compiled.weights(), options.weights,
                options.threads ? options.threads : availableCores());
  int64_t calls = 0;
  do {
    watched.reset();
    runner.call();
  } while (++calls < std::max<int64_t>(options.steps, 1) && !hasNan(watched.values()));
  std::printf("%s of %s: what its launches give in call %lld\n\n", functionNames[function],
              compiled.model().name, static_cast<long long>(calls));
  printValues(launches, watched.values());
}

} // namespace

int profile(const std::string &file, const ProfileOptions &options, const ProfileServices &services) {
  try {
    (options.values ? showValues : run)(file, options, services);
    return 0;
  } catch (const std::exception &error) {
    if (*error.what())
      std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

} // namespace dlc::tool
