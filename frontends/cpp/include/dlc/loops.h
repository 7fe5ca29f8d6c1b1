//===- dlc/loops.h - loops that run as often as data say ---------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A C++ loop runs while the model is described, as often as the description says. These run in each call as
// often as a tensor says, up to a limit: the program has the body `max_trips` times, 1 to 512, computes all
// of them, and keeps what those gave that count. Gradients flow through these only: a run that does not count
// computes with what the loop began with. What a body divides by beside that, such as `count - i`, must be no
// zero in any run, as zero times an infinite derivative is NaN; write maximum(count - i, 1).
//
// A module in a body is the same in each run, as in PyTorch. Its buffers cannot move there: batch
// normalization must be without running statistics.
//===----------------------------------------------------------------------===//
#ifndef DLC_LOOPS_H
#define DLC_LOOPS_H

#include "dlc/tensor.h"
#include <functional>

namespace dlc {

/// What x is after `for (int64_t i = 0; i < count; ++i) x = body(i, x);`. `count` is one integer, and `body`
/// keeps the shape and the dtype of x, floating-point numbers. Where the count is an input, calls check that
/// it is from 0 to max_trips; where it is computed, a larger one gives NaN, and a negative one no run.
DLC_API Tensor for_loop(const Tensor &count, const std::function<Tensor(int64_t i, const Tensor &x)> &body,
                        const Tensor &x, int64_t max_trips, Where where = Where::current());

/// What the tensors are after `while (condition(tensors)) tensors = body(tensors);`, as torch.while_loop. The
/// condition is one truth value, and the body keeps shapes and dtypes. At least one of the tensors has
/// floating-point numbers: these are NaN where the condition is true after max_trips runs.
DLC_API std::vector<Tensor>
while_loop(const std::function<Tensor(const std::vector<Tensor> &)> &condition,
           const std::function<std::vector<Tensor>(const std::vector<Tensor> &)> &body,
           const std::vector<Tensor> &tensors, int64_t max_trips, Where where = Where::current());

/// The same of one tensor.
DLC_API Tensor while_loop(const std::function<Tensor(const Tensor &)> &condition,
                          const std::function<Tensor(const Tensor &)> &body, const Tensor &x,
                          int64_t max_trips, Where where = Where::current());

} // namespace dlc

#endif // DLC_LOOPS_H
