//===- Init.h - initial values of parameters ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_INIT_H
#define DLC_FRONTENDS_CPP_API_INIT_H

#include "frontends/cpp/api/Detail.h"

namespace dlc::detail {

/// Uniform numbers from -bound to bound.
Tensor uniformTensor(const std::vector<int64_t> &shape, double bound, const Where &where);
/// Normal numbers; row `zeroRow` is zero.
Tensor normalTensor(const std::vector<int64_t> &shape, double deviation, const Where &where,
                    std::optional<int64_t> zeroRow = std::nullopt);
/// One number everywhere.
Tensor filledTensor(const std::vector<int64_t> &shape, double number, const Where &where);
/// What PyTorch gives weights with `fanIn` inputs: kaiming_uniform_(a=sqrt(5)).
Tensor kaimingUniformTensor(const std::vector<int64_t> &shape, double fanIn, const Where &where);
/// Glorot and Bengio's, of a matrix.
Tensor xavierUniformTensor(const std::vector<int64_t> &shape, const Where &where);
/// Throws where a size of a layer is not above 0, or larger than any tensor.
void requirePositive(const char *name, int64_t value, const Where &where);

/// Throws where what a normalization adds to a variance is negative, infinite or NaN.
void requireEps(double eps, const Where &where);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_INIT_H
