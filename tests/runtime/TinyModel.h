//===- TinyModel.h --------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model as the compiler would describe it, written by hand: scores = x * weight + bias, loss = mean over
// the rows of |scores - onehot(label)|^2, SGD with momentum. Its weight is stored transposed, and
// some of its kernels have several chunks. Small enough to check by a page of plain loops.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_RUNTIME_TINYMODEL_H
#define DLC_TESTS_RUNTIME_TINYMODEL_H

#include "dlc/abi.h"

#include <string>
#include <vector>

namespace tiny {

constexpr int64_t batch = 4, inputs = 3, outputs = 2;
constexpr uint64_t fingerprint = 0x0123456789abcdefu;

/// The description; tests change copies of it.
const dlc_model &model();

/// The same with the weight and the constant in the file "tiny.safetensors".
dlc_model modelWithWeightsFile();

/// The tiny model with other functions: `model` refers to the rest.
struct OtherTables {
  OtherTables();
  OtherTables(const OtherTables &) = delete;
  OtherTables &operator=(const OtherTables &) = delete;

  /// The function does nothing but run `kernel`.
  void replace(dlc_function_kind function, dlc_kernel kernel);
  /// The function runs `kernel` at its end.
  void append(dlc_function_kind function, dlc_kernel kernel, const std::vector<dlc_place> &buffers);
  /// After a change of what the tables are made of.
  void describe();

  dlc_model model;
  dlc_target target;
  dlc_function functions[DLC_FUNCTIONS];
  std::vector<dlc_kernel_info> kernels;
  std::vector<dlc_launch> launches[DLC_FUNCTIONS];
  std::vector<dlc_place> places[DLC_FUNCTIONS];
  std::vector<dlc_axis> copySizes; ///< shared by all functions
};

struct Options {
  int threads = 1;
  bool checkFinite = false;
  const char *weights = nullptr;
  const dlc_model *model = nullptr;
  const char *device = nullptr;
};

/// Creates an instance and destroys it at the end; the test fails where create fails.
class Instance {
public:
  explicit Instance(const Options &options = {});
  ~Instance() { dlc_instance_destroy(handle); }
  Instance(const Instance &) = delete;
  Instance &operator=(const Instance &) = delete;
  operator dlc_instance *() const { return handle; }

  /// All that is saved, in logical form: two instances are equal if these are.
  std::vector<float> read(const char *name) const;
  std::vector<float> state() const;
  std::string lastError() const { return dlc_instance_last_error(handle); }

private:
  dlc_instance *handle = nullptr;
};

/// A batch that changes with `step`.
struct Batch {
  explicit Batch(int step);
  float x[batch * inputs];
  int64_t labels[batch];
  const void *pointers[2] = {x, labels};
};

/// Runs `steps` training steps, the first on batch number `first`.
void train(dlc_instance *instance, int first, int steps);

} // namespace tiny

#endif
