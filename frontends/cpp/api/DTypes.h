//===- DTypes.h - arrays of the runtime and of C++ ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_DTYPES_H
#define DLC_FRONTENDS_CPP_API_DTYPES_H

#include "dlc/array.h"

namespace dlc::detail {

/// The dtype that the runtime calls so, a dlc_dtype.
DType dtypeOf(int64_t runtime);
/// "[64, 784]".
std::string textOf(const std::vector<int64_t> &shape);
Array arrayOf(const View &view);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_DTYPES_H
