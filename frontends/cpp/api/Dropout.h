//===- Dropout.h - dropout inside of other layers
//---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_DROPOUT_H
#define DLC_FRONTENDS_CPP_API_DROPOUT_H

#include "frontends/cpp/api/Detail.h"

namespace dlc::detail {

/// Throws where `p` is no probability.
void requireProbability(const std::string &function, double p, const Where &where);
/// Dropout, as in training; x itself where `p` is 0.
Tensor drop(const Tensor &x, double p, const Where &where);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_DROPOUT_H
