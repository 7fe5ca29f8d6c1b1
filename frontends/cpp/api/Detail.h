//===- Detail.h - what the public functions share ------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_DETAIL_H
#define DLC_FRONTENDS_CPP_API_DETAIL_H

#include "dlc/ops.h"
#include "frontends/cpp/record/Recorder.h"

namespace dlc::detail {

/// The arguments of a call that are tensors; the others are null (tensorIn).
std::vector<Tensor> tensorsOf(std::initializer_list<const Tensor *> arguments);

/// Elements of the largest tensor; dialects/nn/Dims.h has the same number.
constexpr int64_t largestTensor = int64_t(1) << 36;

/// While it lives, everything stands where the user called, and not in the library's sources. The outermost
/// counts.
class At {
public:
  explicit At(const Where &where);
  ~At();
  At(const At &) = delete;

private:
  bool isOutermost;
};

/// `result`, detached while a NoGrad lives (api/Autograd.cpp).
Tensor unlessNoGrad(const Tensor &result, const Where &where);

/// The path of the module that is being computed; "" where none is (api/Scope.cpp).
std::string currentModule();
/// Whether a module is being computed.
bool isModuleComputing();

/// `where`, or the place of the outermost At; and the module.
Where effective(const Where &where);
record::Place placeOf(const Where &where);

[[noreturn]] void fail(const std::string &message, const Where &where);

/// A warning on standard error, once for each line.
void warn(const std::string &message, const Where &where);
/// What is no reason to worry, likewise.
void note(const std::string &message, const Where &where);
/// A warning at the line that computed a tensor.
void warnAt(const Tensor &tensor, const std::string &message);

/// "float32 [64, 10]".
std::string describe(const Tensor &tensor);

/// At the line that computed a tensor.
[[noreturn]] void failAt(const Tensor &tensor, const std::string &message);

// What a user's function makes of gradients (api/Function.cpp).
/// While one is called.
class InBackward {
public:
  InBackward();
  ~InBackward();
  InBackward(const InBackward &) = delete;
};
/// Throws where what it made of a gradient does not fit what it is the gradient of.
void checkGradient(const char *function, const Tensor &gradient, const Tensor &of);

/// Whether a NoGrad lives (api/Autograd.cpp).
bool isNoGrad();
/// Has `to` what backward() added up for `from` (api/Backward.cpp).
void moveGradient(uint32_t from, uint32_t to);

/// The value, or an exception.
template <typename T> T unwrap(record::Outcome<T> outcome, const Where &where) {
  if (!outcome.value)
    fail(outcome.error, where);
  return std::move(*outcome.value);
}

/// All results, or the only result, of an operation.
std::vector<Tensor> applyAll(const char *operation, const std::vector<Tensor> &operands,
                             const record::Attributes &attributes, const Where &where,
                             const std::vector<record::Type> &types = {});
Tensor apply(const char *operation, const std::vector<Tensor> &operands, const record::Attributes &attributes,
             const Where &where, const std::vector<record::Type> &types = {});

/// Slices of x along a dim, by indices from 0 up to its size; those of the index `padding` get no gradient.
Tensor slicesAt(const Tensor &x, const Tensor &indices, int64_t dim, std::optional<int64_t> padding,
                const Where &where);
/// The size of a dim that `function` needs to know.
int64_t staticSize(const char *function, const Tensor &x, int64_t dim, const Where &where);
/// `dim` counted from the front.
int64_t frontDim(int64_t dim, int64_t rank, const Where &where);
/// A rank-0 constant.
Tensor scalar(double number, DType dtype, const Where &where);
Tensor constant(const std::vector<double> &elements, const std::vector<int64_t> &shape, DType dtype,
                const Where &where);
/// The constant of the numbers that `numbers` makes, given how many there are; an error where there cannot be
/// so many.
Tensor constant(const std::vector<int64_t> &shape, DType dtype, const Where &where,
                const std::function<std::vector<double>(int64_t)> &numbers);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_DETAIL_H
