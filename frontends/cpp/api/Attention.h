//===- Attention.h - attention with several masks ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_ATTENTION_H
#define DLC_FRONTENDS_CPP_API_ATTENTION_H

#include "frontends/cpp/api/Detail.h"

namespace dlc::detail {

struct Attention {
  Tensor q, k, v;
  std::vector<Tensor> masks;  ///< truth values: what counts
  std::vector<Tensor> biases; ///< added to the scores
  bool isCausal = false, isGrouped = false;
  std::optional<double> scale{};
  double dropout = 0;
};
struct Attended {
  Tensor values; ///< [..., queries, size]
  Tensor shares; ///< [..., queries, keys]: what each value counts, after dropout
};
Attended attend(const Attention &attention, const Where &where);

/// A mask that a user gives: truth values, of which true means that a key counts, or does not where it
/// `hides`; or floats of the queries' dtype, which are added. Others are refused, as PyTorch does.
void addMask(Attention &attention, const char *name, const Tensor &mask, bool hides, const Where &where);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_ATTENTION_H
