//===- Loss.h - what losses share ----------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Where the compiler has an operation of a loss it is used: its second result is the number by which a mean
// was divided, from which evaluation averages over batches.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_LOSS_H
#define DLC_FRONTENDS_CPP_API_LOSS_H

#include "frontends/cpp/api/Detail.h"

namespace dlc::detail {

/// The mean or the sum of the losses of all rows, or these ("none").
Tensor reduce(const Tensor &losses, const std::string &reduction, const Where &where);
/// A loss that is an operation; without a value where the reduction is "none".
Tensor lossOperation(const char *operation, const std::vector<Tensor> &operands, const std::string &reduction,
                     record::Attributes attributes, const Where &where);
void requireSameShape(const char *function, const Tensor &x, const Tensor &target, const Where &where);
/// max(x, 0), whose derivative at 0 is 1 as that of PyTorch's clamp_min.
Tensor notBelowZero(const Tensor &x);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_LOSS_H
