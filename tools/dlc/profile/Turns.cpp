//===- Turns.cpp - libraries timed against each other ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Turns.h"
#include "tools/dlc/profile/CompiledModel.h"
#include "tools/dlc/profile/Runner.h"
#include <algorithm>
#include <cstdio>
#include <limits>
#include <memory>
#include <stdexcept>

namespace dlc::tool {

namespace {

struct Side {
  Side(const std::string &manifest, const Digest &digest)
      : compiled(manifest,
                 {[](const std::string &, const std::string &) { return std::string(); }, {}, digest}),
        tensors(compiled.model(), {}, /*seed=*/0),
        runner(compiled.model(), DLC_TRAIN_STEP, tensors, compiled.weights(), "", /*threads=*/1) {}

  CompiledModel compiled;
  Tensors tensors;
  Runner runner;
  double least = std::numeric_limits<double>::infinity();
};

} // namespace

std::vector<double> timeInTurn(const std::vector<std::string> &manifests, const Digest &digest,
                               double secondsEach) {
  try {
    std::vector<std::unique_ptr<Side>> sides;
    for (const std::string &manifest : manifests)
      sides.push_back(std::make_unique<Side>(manifest, digest));
    // The first step of a turn finds the caches as another library left them.
    constexpr int turns = 10;
    for (int turn = 0; turn < turns; ++turn)
      for (const std::unique_ptr<Side> &side : sides) {
        side->runner.call();
        double spent = 0;
        do {
          const double time = side->runner.call();
          side->least = std::min(side->least, time);
          spent += time;
        } while (spent < secondsEach * 1e9 / turns);
      }
    std::vector<double> result;
    for (const std::unique_ptr<Side> &side : sides)
      result.push_back(side->least);
    return result;
  } catch (const std::exception &error) {
    std::fprintf(stderr, "%s\n", error.what());
    return {};
  }
}

} // namespace dlc::tool
