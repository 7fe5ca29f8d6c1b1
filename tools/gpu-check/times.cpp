//===- times.cpp - how fast compiled models are on a GPU ----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: times DEVICE copy BYTES COUNT
//        times DEVICE steps MODEL FOLDER COUNT
//        times DEVICE kernels MODEL FOLDER FUNCTION MILLISECONDS
// FOLDER has what belongs to the model: constants.safetensors, where it has some, and counts, lines with a
// kernel's name, its operations and its bytes. Prints JSON lines.
//===----------------------------------------------------------------------===//
#include "tools/gpu-check/KernelTimes.h"
#include "tools/gpu-check/Models.h"
#include "tools/gpu-check/Report.h"
#include "tools/gpu-check/Training.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>

namespace {

using namespace dlc::check;
using Clock = std::chrono::steady_clock;

/// Microseconds of a call, sorted.
template <typename Call> std::vector<double> times(int count, Call call) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) {
    const auto begin = Clock::now();
    call();
    all.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::sort(all.begin(), all.end());
  return all;
}

/// Fewer than `count` where they would take more than a second, but at least three.
int affordable(int count, double microsecondsOfOne) {
  constexpr double most = 1e6;
  return std::max(3, static_cast<int>(std::min<double>(count, most / std::max(1.0, microsecondsOfOne))));
}

void timeSteps(const char *device, const std::string &name, const std::string &folder, int count) {
  const auto begin = Clock::now();
  Training gpu(modelNamed(name), device, folder);
  const double create = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  const double first = times(2, [&] { gpu.step(0); }).front();
  const int steps = affordable(count, first), rounds = count < 10 ? 1 : 3;
  times(std::min(steps, 20), [&] { gpu.step(0); });
  const auto waiting = times(steps, [&] { gpu.step(0); });
  // Many steps without a wait between: the time of a graph, where the GPU is the slower side.
  const auto queued = times(rounds, [&] {
    for (int i = 0; i < steps; ++i)
      gpu.stepWithoutLoss(0);
    gpu.lastLoss();
  });
  report(name, "step", true,
         field("create_ms", create) + ", " + field("steps", steps) + ", " +
             field("step_us_median", waiting[waiting.size() / 2]) + ", " +
             field("step_us_min", waiting.front()) + ", " +
             field("step_us_p90", waiting[waiting.size() * 9 / 10]) + ", " +
             field("queued_step_us_median", queued[queued.size() / 2] / steps) + ", " +
             field("queued_step_us_min", queued.front() / steps));
}

struct Count {
  double operations = 0, bytes = 0;
};

std::map<std::string, Count> countsIn(const std::string &file) {
  std::ifstream stream(file);
  std::map<std::string, Count> counts;
  std::string kernel;
  for (Count count; stream >> kernel >> count.operations >> count.bytes;)
    counts[kernel] = count;
  if (counts.empty())
    throw std::runtime_error(file + " has no kernels");
  return counts;
}

void timeEachKernel(const char *device, const std::string &name, const std::string &folder,
                    const std::string &function, double milliseconds) {
  Training gpu(modelNamed(name), device, folder);
  const bool trains = function == "train_step";
  if (trains)
    gpu.step(0);
  else
    gpu.predict(0);
  const auto counts = countsIn(folder + "/counts");
  double all = 0;
  uint32_t launches = 0;
  timeKernels(gpu.handle(), trains ? DLC_TRAIN_STEP : DLC_PREDICT, milliseconds, [&](const KernelTime &time) {
    const Count &count = counts.at(time.kernel);
    report(name, "kernel", true,
           field("kernel", time.kernel) + ", " + field("launches", time.launches) + ", " +
               field("us", time.microseconds) + ", " + field("operations", count.operations) + ", " +
               field("bytes", count.bytes));
    all += time.launches * time.microseconds;
    launches += time.launches;
  });
  report(name, "kernels", true,
         field("function", function) + ", " + field("launches", launches) + ", " + field("us", all));
}

} // namespace

int main(int argc, char **argv) {
  const std::string what = argc > 3 ? argv[2] : "";
  try {
    if (what == "copy" && argc == 5) {
      const double rate = copyRate(argv[1], strtoull(argv[3], nullptr, 10), atoi(argv[4]));
      report("", "copy", true, field("bytes", strtod(argv[3], nullptr)) + ", " + field("gb_per_s", rate));
    } else if (what == "steps" && argc == 6) {
      timeSteps(argv[1], argv[3], argv[4], atoi(argv[5]));
    } else if (what == "kernels" && argc == 7) {
      timeEachKernel(argv[1], argv[3], argv[4], argv[5], strtod(argv[6], nullptr));
    } else {
      fprintf(stderr, "usage: times DEVICE copy BYTES COUNT | steps MODEL FOLDER COUNT |\n"
                      "                    kernels MODEL FOLDER FUNCTION MILLISECONDS\n");
      return 2;
    }
  } catch (const std::exception &error) {
    report(argc > 3 ? argv[3] : "", "error", false, field("sentence", error.what()));
    return 1;
  }
  return 0;
}
