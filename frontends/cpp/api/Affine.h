//===- Affine.h - weights and biases of normalizations -----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_AFFINE_H
#define DLC_FRONTENDS_CPP_API_AFFINE_H

#include "dlc/nn/module.h"
#include "frontends/cpp/api/Init.h"

namespace dlc::detail {

/// Registers ones and zeros of this shape.
void registerAffine(nn::Module &module, const std::vector<int64_t> &shape, bool weight, bool bias,
                    const Where &where);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_AFFINE_H
