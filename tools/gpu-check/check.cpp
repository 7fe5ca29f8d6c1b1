//===- check.cpp - a compiled model on a GPU beside the same one on the CPU --------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// usage: check MODEL DEVICE STEPS [TOLERANCE]
// For a model that trains and has code for both. Prints JSON lines, one for each section; the exit status is
// 1 where one of them is not as it should be. TOLERANCE: how far apart losses may be, relative to the CPU's;
// without it what f32 sums in different orders are apart.
//===----------------------------------------------------------------------===//
#include "tools/gpu-check/Models.h"
#include "tools/gpu-check/Report.h"
#include "tools/gpu-check/Training.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace {

using dlc::check::field;
using dlc::check::Training;

const char *name;
double lossTolerance = 1e-5;
bool allGood = true;

void report(const char *section, bool good, const std::string &fields) {
  dlc::check::report(name, section, good, fields);
  allGood &= good;
}

const dlc_model &compiled() { return dlc::check::modelNamed(name); }

double relative(double value, double expected) {
  const double apart = std::fabs(value - expected) / std::max(1e-6, std::fabs(expected));
  return std::isnan(apart) ? INFINITY : apart;
}

void compareTrajectories(const char *device, int steps) {
  Training cpu(compiled(), "cpu"), gpu(compiled(), device);
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
  const dlc_model &model = compiled();
  Training one(model, device), again(model, device), halves(model, device), late(model, device);
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
  Training cpu(compiled(), "cpu"), gpu(compiled(), device), back(compiled(), "cpu");
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

} // namespace

int main(int argc, char **argv) {
  if (argc != 4 && argc != 5) {
    fprintf(stderr, "usage: check MODEL DEVICE STEPS [TOLERANCE]\n");
    return 2;
  }
  name = argv[1];
  const int steps = atoi(argv[3]);
  lossTolerance = argc == 5 ? strtod(argv[4], nullptr) : lossTolerance;
  try {
    compareTrajectories(argv[2], steps);
    compareBits(argv[2], std::min(steps, 10));
    compareCheckpoints(argv[2], std::min(steps, 10), std::string(argv[0]) + ".safetensors");
  } catch (const dlc::check::Failed &failed) {
    report("error", false,
           field("status", dlc_status_string(failed.status)) + ", " + field("sentence", failed.what()));
  }
  return allGood ? 0 : 1;
}
