//===- Dims.h - arithmetic of sizes ------------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_DIMS_H
#define DLC_FRONTENDS_CPP_API_DIMS_H

#include "dlc/types.h"
#include <optional>

namespace dlc::detail {

/// How often `b` is in `a`, where that leaves no rest.
std::optional<Dim> quotient(const Dim &a, const Dim &b);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_DIMS_H
