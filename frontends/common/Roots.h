//===- Roots.h - what exporters write for functions without an operator ===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch's standard deviation, cosine similarity, p-norm and logsigmoid have derivatives where those of the
// formulas that its exporters write have none: a root at 0, the logarithm of what has become 0. The formulas
// are recognized, so that training goes on as it does in PyTorch.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_ROOTS_H
#define DLC_FRONTENDS_COMMON_ROOTS_H

#include "dialects/nn/Expr.h"

namespace dlc::frontend {

/// x^exponent, 0 < exponent < 1. Where x is a variance, a product of two sums of squares or, for the exponent
/// 1/p, a sum of p-th powers, its derivative at 0 is 0, as that of the function which was exported.
nn::Expr root(nn::Expr x, double exponent);

/// sqrt(sum of x^2) over the axes (|x| without axes), whose derivative is 0 where it is 0.
nn::Expr norm(nn::Expr x, llvm::ArrayRef<int64_t> axes, bool keepdims);

/// x^(1/p), x being a sum of p-th powers of absolute values: a norm, whose derivative is 0 where it is 0.
nn::Expr rootOfPowers(nn::Expr x, int64_t p);

/// ln x; that of a sigmoid without computing the sigmoid, which may round to 0.
nn::Expr logarithm(nn::Expr x);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_ROOTS_H
