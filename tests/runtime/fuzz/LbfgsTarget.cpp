//===- LbfgsTarget.cpp ---------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loads arbitrary bytes as the state of L-BFGS: refused, or taken and then as good as any other.
//===----------------------------------------------------------------------===//
#include "dlc/lbfgs.h"
#include "tests/runtime/fuzz/Targets.h"

namespace {

constexpr int64_t count = 3;

dlc_status bowl(void *, const double *values, double *loss, double *gradient) {
  *loss = 0;
  for (int64_t i = 0; i < count; ++i) {
    *loss += static_cast<double>(i + 1) * values[i] * values[i];
    gradient[i] = 2 * static_cast<double>(i + 1) * values[i];
  }
  return DLC_OK;
}

} // namespace

bool fuzzLbfgs(const uint8_t *bytes, size_t size) {
  using fuzz::require;
  fuzz::MemoryFile file(bytes, size);
  dlc_lbfgs_options options = dlc_lbfgs_defaults();
  options.history = 4;
  dlc_lbfgs *lbfgs = nullptr;
  require(dlc_lbfgs_create(count, &options, &lbfgs) == DLC_OK, "create failed");
  char error[256] = "";
  const dlc_status status = dlc_lbfgs_load(lbfgs, file.path().c_str(), error, sizeof error);
  require(status == DLC_OK || (status == DLC_BAD_FILE && *error), "unexpected status, or no sentence");
  double values[count] = {1, -2, 3}, loss;
  // With a history of any numbers a step may fail, with its status; it must not read or write elsewhere.
  const dlc_status step = dlc_lbfgs_step(lbfgs, values, bowl, nullptr, &loss);
  require(status == DLC_OK || step == DLC_OK, "a refused file changed the state");
  dlc_lbfgs_destroy(lbfgs);
  return status == DLC_OK;
}

#ifdef DLC_LIBFUZZER
extern "C" int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size) {
  fuzzLbfgs(bytes, size);
  return 0;
}
#endif
