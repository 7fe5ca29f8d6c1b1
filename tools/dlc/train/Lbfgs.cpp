//===- Lbfgs.cpp - L-BFGS in place of a compiled update --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/train/Lbfgs.h"
#include <algorithm>
#include <exception>
#include <filesystem>
#include <limits>

namespace dlc::tool::training {

namespace {

namespace fs = std::filesystem;

std::string pathOf(const std::string &folder, int64_t step) {
  return folder + "/lbfgs-" + std::to_string(step) + ".safetensors";
}

/// A pass over the batch, for a C function, through which nothing may be thrown.
struct Pass {
  Instance &instance;
  int64_t rows;
  const void *const *inputs;
  std::exception_ptr error = {};
};

dlc_status evaluatePass(void *context, const double *values, double *loss, double *gradient) {
  Pass &pass = *static_cast<Pass *>(context);
  try {
    pass.instance.writeTrained(values);
    *loss = pass.instance.addGradients(pass.rows, pass.inputs, /*isFirst=*/true);
    pass.instance.readGradients(gradient);
    return DLC_OK;
  } catch (...) {
    pass.error = std::current_exception();
    return DLC_INVALID_ARGUMENT;
  }
}

} // namespace

Lbfgs::Lbfgs(const LbfgsSettings &settings, Instance &instance) : instance(instance) {
  if (instance.lossScale() != 0)
    throw Failure(
        "--optimizer=lbfgs: --precision=fp16 changes the scale of the loss between the passes of a step, "
        "whose losses are compared; train with bf16 or fp32");
  values.resize(size_t(instance.trainedCount()));
  const int32_t evaluations = settings.evaluations
                                  ? settings.evaluations
                                  : std::max(1, int32_t(int64_t(settings.iterations) * 5 / 4));
  const dlc_lbfgs_options options = {
      settings.rate, settings.gradientTolerance, settings.changeTolerance, settings.iterations,
      evaluations,   settings.history,           settings.strongWolfe};
  const dlc_status status = dlc_lbfgs_create(int64_t(values.size()), &options, &handle);
  if (status == DLC_OUT_OF_MEMORY)
    throw Failure("--optimizer=lbfgs: there is no memory for " + std::to_string(settings.history) +
                  " times twice the parameters in double precision; choose a smaller --history-size");
  if (status != DLC_OK)
    throw Failure("--optimizer=lbfgs: expected --lr, --max-iter, --max-eval and --history-size above 0, and "
                  "tolerances of at least 0");
}

float Lbfgs::step(int64_t rows, const void *const *inputs) {
  Pass pass{instance, rows, inputs};
  instance.readTrained(values.data());
  double loss = 0;
  const dlc_status status = dlc_lbfgs_step(handle, values.data(), evaluatePass, &pass, &loss);
  instance.writeTrained(values.data());
  if (pass.error)
    std::rethrow_exception(pass.error);
  if (status != DLC_OK)
    return std::numeric_limits<float>::quiet_NaN();
  instance.apply();
  return float(loss);
}

void Lbfgs::save(const std::string &folder, int64_t step) {
  char error[1024];
  if (dlc_lbfgs_save(handle, pathOf(folder, step).c_str(), error, sizeof error) != DLC_OK)
    throw Failure(error);
}

void Lbfgs::removeOthers(const std::string &folder, int64_t step) {
  std::error_code error;
  const fs::path kept = pathOf(folder, step);
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error)) {
    const std::string name = entry.path().filename().string();
    if (name.rfind("lbfgs-", 0) == 0 && entry.path().extension() == ".safetensors" &&
        entry.path().filename() != kept.filename())
      fs::remove(entry.path(), error);
  }
}

void Lbfgs::load(const std::string &folder, int64_t step) {
  char error[1024];
  if (dlc_lbfgs_load(handle, pathOf(folder, step).c_str(), error, sizeof error) != DLC_OK)
    throw Failure(std::string(error) + "; it belongs to the checkpoint, and both are needed to go on");
}

} // namespace dlc::tool::training
