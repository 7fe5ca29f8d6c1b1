//===- PackedElements.h - numbers as packed elements ---------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_PACKEDELEMENTS_H
#define DLC_FRONTENDS_CPP_API_PACKEDELEMENTS_H

#include "frontends/cpp/record/Recorder.h"

namespace dlc::detail {

/// The numbers as elements of the dtype, to which they are rounded, to nearest even.
record::Elements pack(const std::vector<double> &numbers, const std::vector<int64_t> &shape, DType dtype);
/// Elements that are all one number.
record::Elements packSplat(double number, const std::vector<int64_t> &shape, DType dtype);
std::vector<double> unpack(const record::Elements &elements);
/// The bytes of one element.
int64_t bytesOf(DType dtype);
int64_t countOf(const std::vector<int64_t> &shape);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_PACKEDELEMENTS_H
