//===- dlc/custom.h - operations of one's own, in C and CUDA C++ --------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_CUSTOM_H
#define DLC_CUSTOM_H

#include "dlc/ops.h"
#include <map>

namespace dlc {

/// All outputs of an operation that `file` describes (docs/custom-ops.md), by its name there. Its code
/// becomes part of the compiled model, and computes nothing before: the outputs have no elements while the
/// model is described.
///
///     Tensor y = custom("custom-ops.json", "BiasSwish", {x, bias, beta})[0];
///
/// `attributes` are numbers by name; those of the type int must be whole.
DLC_API std::vector<Tensor> custom(const std::string &file, const std::string &name,
                                   const std::vector<Tensor> &inputs,
                                   const std::map<std::string, double> &attributes = {},
                                   Where where = Where::current());

} // namespace dlc

#endif // DLC_CUSTOM_H
