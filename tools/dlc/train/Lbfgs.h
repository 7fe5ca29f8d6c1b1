//===- Lbfgs.h - L-BFGS in place of a compiled update ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_LBFGS_H
#define DLC_TOOLS_DLC_TRAIN_LBFGS_H

#include "dlc/lbfgs.h"
#include "tools/dlc/train/Instance.h"

namespace dlc::tool::training {

/// Steps of --optimizer=lbfgs, each of several passes over one batch. The model is compiled with sgd, whose
/// rate is 0: its update counts the step, and moves averages of the parameters, and nothing else.
class Lbfgs {
public:
  Lbfgs(const LbfgsSettings &settings, Instance &instance);
  Lbfgs(const Lbfgs &) = delete;
  Lbfgs &operator=(const Lbfgs &) = delete;
  ~Lbfgs() { dlc_lbfgs_destroy(handle); }

  /// The loss before the step; not finite where a loss or a gradient is not, and then nothing has changed.
  float step(int64_t rows, const void *const *inputs);

  /// What is remembered between steps, beside the checkpoint of the same step. Other steps' files are removed
  /// when that checkpoint is written.
  void save(const std::string &folder, int64_t step);
  void removeOthers(const std::string &folder, int64_t step);
  void load(const std::string &folder, int64_t step);

private:
  Instance &instance;
  dlc_lbfgs *handle = nullptr;
  std::vector<double> values;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_LBFGS_H
