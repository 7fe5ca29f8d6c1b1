//===- Arrays.h - arrays of samples ----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_ARRAYS_H
#define DLC_TOOLS_DLC_TRAIN_ARRAYS_H

#include "tools/dlc/ElementBytes.h"
#include <charconv>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

namespace dlc::tool::training {

/// What ends a training; the text is printed behind "dlc: error: ".
struct Failure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Runs a command; 1 after an exception, which is printed. Where it has no text, the compiler has said it.
int guarded(const std::function<int()> &run);

/// A dlc_array that is released with its owner.
class Array {
public:
  Array() = default;
  Array(Array &&other) noexcept : value(std::exchange(other.value, {})) {}
  Array &operator=(Array &&other) noexcept {
    std::swap(value, other.value);
    return *this;
  }
  ~Array() { dlc_array_free(&value); }

  dlc_array *operator->() { return &value; }
  const dlc_array *operator->() const { return &value; }
  dlc_array *get() { return &value; }
  const dlc_array *get() const { return &value; }

  int64_t samples() const { return value.rank > 0 ? value.shape[0] : 0; }
  int64_t elements() const;

private:
  dlc_array value = {};
};

const char *dtypeName(uint32_t dtype);
/// As many digits as tell a number from its neighbours.
template <typename Number> std::string digitsOf(Number value) {
  char text[64];
  return {text, std::to_chars(text, text + sizeof text, value).ptr};
}
/// "3x32x32": the shape without its first axis, "one number" where nothing is left.
std::string rowText(int64_t rank, const int64_t *shape);

/// The array as the model takes it: in the input's dtype, with its shape behind the samples. Axes of size 1
/// do not count, and numbers in a row may become an image. Failure with `place`, where the values come from,
/// else.
Array fitTo(const dlc_input &input, Array array, const std::string &place);
/// The same in two parts, for samples that come one by one: of the shape of all of them, with the samples
/// before it ...
void checkShape(const dlc_input &input, int64_t rank, const int64_t *shape, const std::string &place);
/// ... and of the values of one.
void fitRow(const dlc_input &input, const dlc_array &row, void *to, const std::string &place, int64_t sample);

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_ARRAYS_H
