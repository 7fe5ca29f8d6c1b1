//===- check.cpp - a compiled model on a GPU beside the same one on the CPU --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: check NAME DEVICE STEPS TIMED_STEPS [TOLERANCE]
// Linked with a library that trains and has code for both, whose description is the symbol MODEL. Prints JSON
// lines, one for each section; the exit status is 1 where one of them is not as it should be.
// TIMED_STEPS 0: nothing is timed. TOLERANCE: how far apart losses may be, relative to the CPU's; without it
// what f32 sums in different orders are apart.
//===----------------------------------------------------------------------===//
#include "tools/gpu-check/Training.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>

extern "C" const dlc_model compiled __asm__(MODEL);

namespace {

using dlc::check::Training;
using Clock = std::chrono::steady_clock;

const char *name;
double lossTolerance = 1e-5;
bool allGood = true;

/// One line of JSON, on the way at once: what comes after it may never end.
void report(const char *section, bool good, const std::string &fields) {
  printf("{\"model\": \"%s\", \"section\": \"%s\", \"ok\": %s%s%s}\n", name, section, good ? "true" : "false",
         fields.empty() ? "" : ", ", fields.c_str());
  fflush(stdout);
  allGood &= good;
}

std::string field(const char *key, double value) {
  char text[96];
  snprintf(text, sizeof text, "\"%s\": %.6g", key, value);
  return text;
}

/// JSON has no quotes and control characters in its texts.
std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    result += c == '"' || c == '\\'                ? std::string("\\") + c
              : static_cast<unsigned char>(c) < 32 ? " "
                                                   : std::string(1, c);
  return result + "\"";
}

double relative(double value, double expected) {
  const double apart = std::fabs(value - expected) / std::max(1e-6, std::fabs(expected));
  return std::isnan(apart) ? INFINITY : apart;
}

void compareTrajectories(const char *device, int steps) {
  Training cpu(compiled, "cpu"), gpu(compiled, device);
  double worst = 0, first = 0, last = 0;
  for (int i = 0; i < steps; ++i) {
    const double expected = cpu.step(i);
    last = gpu.step(i);
    first = i ? first : last;
    worst = std::max(worst, relative(last, expected));
  }
  report("trajectory", worst <= lossTolerance,
         field("steps", steps) + ", " + field("first_loss", first) + ", " + field("last_loss", last) + ", " +
             field("loss_error", worst) + ", " + field("parameter_error", Training::distance(gpu, cpu)));
  if (gpu.has(DLC_EVAL_STEP)) {
    const auto expected = cpu.evaluate(steps), metrics = gpu.evaluate(steps);
    const double error = relative(metrics[0], expected[0]);
    report("evaluation", error <= 10 * lossTolerance && metrics[1] == expected[1],
           field("loss_error", error));
  }
  if (gpu.has(DLC_PREDICT)) {
    const auto expected = cpu.predict(steps), predicted = gpu.predict(steps);
    double largest = 1e-6, error = 0;
    for (size_t i = 0; i < expected.size(); ++i) {
      largest = std::max<double>(largest, std::fabs(expected[i]));
      const double apart = std::fabs(double(expected[i]) - predicted.at(i));
      error = std::isnan(apart) ? INFINITY : std::max(error, apart);
    }
    report("prediction", error / largest <= 10 * lossTolerance, field("error", error / largest));
  }
}

void compareBits(const char *device, int steps) {
  Training one(compiled, device), again(compiled, device), halves(compiled, device), late(compiled, device);
  bool sameAgain = true, sameHalves = true;
  float loss = 0;
  for (int i = 0; i < steps; ++i) {
    loss = one.step(i);
    sameAgain &= again.step(i) == loss;
    sameHalves &= halves.halfSteps(i) == loss;
    late.stepWithoutLoss(i);
  }
  const bool sameLate = late.lastLoss() == loss && late.state() == one.state();
  report("repeated", sameAgain && again.state() == one.state(), field("steps", steps));
  report("two_halves", sameHalves && halves.state() == one.state(), field("steps", steps));
  report("without_waiting", sameLate, field("steps", steps));
}

/// What the CPU has begun goes on on the GPU, and what the GPU saves is what the CPU loads.
void compareCheckpoints(const char *device, int steps, const std::string &file) {
  Training cpu(compiled, "cpu"), gpu(compiled, device), back(compiled, "cpu");
  for (int i = 0; i < steps; ++i)
    cpu.step(i);
  cpu.save(file);
  gpu.load(file);
  const bool sameBits = gpu.state() == cpu.state();
  double worst = 0;
  for (int i = steps; i < 2 * steps; ++i) {
    const double expected = cpu.step(i);
    worst = std::max(worst, relative(gpu.step(i), expected));
  }
  gpu.save(file);
  back.load(file);
  remove(file.c_str());
  report("checkpoint", sameBits && worst <= lossTolerance && back.state() == gpu.state(),
         field("steps", steps) + ", " + field("loss_error", worst));
}

/// Microseconds of a call, sorted.
template <typename Call> std::vector<double> times(int count, Call call) {
  std::vector<double> all;
  for (int i = 0; i < count; ++i) {
    const auto begin = Clock::now();
    call(i);
    all.push_back(std::chrono::duration<double, std::micro>(Clock::now() - begin).count());
  }
  std::sort(all.begin(), all.end());
  return all;
}

void timeSteps(const char *device, int steps) {
  const auto begin = Clock::now();
  Training gpu(compiled, device);
  const double create = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  for (int i = 0; i < 20; ++i)
    gpu.step(0);
  const auto waiting = times(steps, [&](int) { gpu.step(0); });
  // Many steps without a wait between: the time of a graph, where the GPU is the slower side.
  const auto queued = times(10, [&](int) {
    for (int i = 0; i < steps; ++i)
      gpu.stepWithoutLoss(0);
    gpu.lastLoss();
  });
  report("time", true,
         field("create_ms", create) + ", " + field("step_us_median", waiting[waiting.size() / 2]) + ", " +
             field("step_us_min", waiting.front()) + ", " +
             field("step_us_p90", waiting[waiting.size() * 9 / 10]) + ", " +
             field("queued_step_us_median", queued[queued.size() / 2] / steps) + ", " +
             field("queued_step_us_min", queued.front() / steps));
}

} // namespace

int main(int argc, char **argv) {
  if (argc != 5 && argc != 6) {
    fprintf(stderr, "usage: check NAME DEVICE STEPS TIMED_STEPS [TOLERANCE]\n");
    return 2;
  }
  name = argv[1];
  const int steps = atoi(argv[3]), timed = atoi(argv[4]);
  lossTolerance = argc == 6 ? strtod(argv[5], nullptr) : lossTolerance;
  try {
    compareTrajectories(argv[2], steps);
    compareBits(argv[2], std::min(steps, 10));
    compareCheckpoints(argv[2], std::min(steps, 10), std::string(argv[0]) + ".safetensors");
    if (timed > 0)
      timeSteps(argv[2], timed);
  } catch (const dlc::check::Failed &failed) {
    report("error", false,
           std::string("\"status\": \"") + dlc_status_string(failed.status) +
               "\", \"sentence\": " + quoted(failed.what()));
  }
  return allGood ? 0 : 1;
}
