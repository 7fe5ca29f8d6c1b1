//===- Training.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An instance of any compiled model, fed with numbers that depend on the step only: two of them can be
// compared, wherever they run.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_GPUCHECK_TRAINING_H
#define DLC_TOOLS_GPUCHECK_TRAINING_H

#include "dlc/abi.h"

#include <map>
#include <stdexcept>
#include <string>
#include <vector>

namespace dlc::check {

/// A call that was not DLC_OK.
struct Failed : std::runtime_error {
  Failed(dlc_status status, const std::string &sentence) : std::runtime_error(sentence), status(status) {}
  dlc_status status;
};

class Training {
public:
  /// `device` as in dlc_create_options. Parameters that have no initial values in the library get some, which
  /// depend on their shapes only; constants of the program are read from the file constants.safetensors in
  /// `folder`.
  Training(const dlc_model &model, const char *device, const std::string &folder = "");
  ~Training();
  Training(const Training &) = delete;
  Training &operator=(const Training &) = delete;

  float step(int number);
  void stepWithoutLoss(int number);
  float halfSteps(int number); ///< grad_step, then apply
  float lastLoss();            ///< waits for it
  std::vector<double> evaluate(int number);
  std::vector<float> predict(int number); ///< the outputs that are f32
  bool has(dlc_function_kind function) const { return model.functions >> function & 1; }
  dlc_instance &handle() { return *instance; }

  void save(const std::string &file);
  void load(const std::string &file);

  /// Parameters, running statistics and the state of the optimizer, bit for bit.
  std::vector<std::vector<unsigned char>> state();
  /// The largest difference of one of the f32 parameters, in units of the largest number of its tensor.
  static double distance(Training &one, Training &other);

private:
  void addInitialValues(const std::string &folder);
  void fill(int step);
  void expect(dlc_status status);

  dlc_model model; ///< a copy of the library's, with initial values for all that has some
  std::vector<dlc_symbol> symbols;
  std::map<std::string, std::vector<unsigned char>> initial; ///< of those that the library has none of
  dlc_instance *instance = nullptr;
  std::vector<std::vector<unsigned char>> values; ///< of the inputs
  std::vector<const void *> inputs;
  int filled = -1;
};

} // namespace dlc::check

#endif
