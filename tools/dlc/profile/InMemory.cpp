//===- InMemory.cpp - profiles of programs in this process ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/profile/InMemory.h"
#include <exception>

namespace dlc::tool {

ProfileInMemory profileInMemory(const dlc_model &model, const std::string &manifest,
                                const ProfileOptions &options) {
  ProfileInMemory result;
  try {
    const Measurement measured = measure(model, manifestOf(manifest).functions, "", options);
    result.text = textOf(measured, options.byNode, &result.lines);
    result.trace = traceOf(measured.launches, measured.traced);
    result.nanoseconds = measured.call;
    result.calls = int64_t(measured.calls);
    result.threads = measured.threads;
  } catch (const std::exception &error) {
    const std::string prefix = "dlc: error: ";
    result.error = error.what();
    if (result.error.rfind(prefix, 0) == 0)
      result.error.erase(0, prefix.size());
  }
  return result;
}

} // namespace dlc::tool
