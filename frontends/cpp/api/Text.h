//===- Text.h - numbers as Python writes them, and names in a row ------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_CPP_API_TEXT_H
#define DLC_FRONTENDS_CPP_API_TEXT_H

#include "dlc/nn/sizes.h"

namespace dlc::detail {

/// As printf's %.{digits}{format} in a program in C, where `format` is e, f or g.
std::string formatted(double number, char format, int digits);
/// "0.5", "1.0", "1e-05".
std::string pythonNumber(double number);
/// "(3,)", "(3, 5)".
std::string pythonTuple(const std::vector<int64_t> &numbers);
/// As it was given: "3" or "(3, 5)"; "None".
std::string pythonSizes(const nn::Sizes &sizes);
inline const char *pythonBool(bool value) { return value ? "True" : "False"; }

/// "'fc.weight', 'fc.bias' and 3 more".
std::string listed(const std::vector<std::string> &names);

} // namespace dlc::detail

#endif // DLC_FRONTENDS_CPP_API_TEXT_H
