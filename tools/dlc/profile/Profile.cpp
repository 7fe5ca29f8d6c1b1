//===- Profile.cpp - dlc profile ---------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/Profile.h"
#include "tools/dlc/profile/Report.h"
#include "tools/dlc/profile/Runner.h"
#include "tools/dlc/profile/Values.h"
#include <algorithm>
#include <cstdio>
#include <stdexcept>

namespace dlc::tool {

namespace {

void showTimes(const std::string &file, const ProfileOptions &options, const ProfileServices &services) {
  const Measurement measured = measure(file, options, services);
  std::fputs(textOf(measured, options.byNode).c_str(), stdout);
  if (options.trace.empty())
    return;
  if (const std::string problem =
          services.writeFile(options.trace, traceOf(measured.launches, measured.traced));
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
    (options.values ? showValues : showTimes)(file, options, services);
    return 0;
  } catch (const std::exception &error) {
    if (*error.what())
      std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
}

} // namespace dlc::tool
