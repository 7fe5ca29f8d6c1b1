//===- Text.cpp - numbers as Python writes them, and names in a row ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Text.h"
#include <cstdio>
#include <cstdlib>

namespace dlc::detail {

/// With as few digits as give the same number again.
std::string pythonNumber(double number) {
  char text[40];
  if (number < 1e16 && number > -1e16 && number == double(int64_t(number))) {
    std::snprintf(text, sizeof text, "%.1f", number);
    return text;
  }
  for (int digits = 1; digits <= 17; ++digits) {
    std::snprintf(text, sizeof text, "%.*g", digits, number);
    if (std::strtod(text, nullptr) == number)
      break;
  }
  return text;
}

std::string pythonTuple(const std::vector<int64_t> &numbers) {
  std::string text = "(";
  for (size_t i = 0; i < numbers.size(); ++i)
    text += (i ? ", " : "") + std::to_string(numbers[i]);
  return text + (numbers.size() == 1 ? ",)" : ")");
}

std::string pythonSizes(const nn::Sizes &sizes) {
  if (sizes.isList)
    return pythonTuple(sizes.each);
  return sizes.each.empty() ? "None" : std::to_string(sizes.each[0]);
}

std::string listed(const std::vector<std::string> &names) {
  constexpr size_t most = 4;
  std::string text;
  for (size_t i = 0; i < std::min(names.size(), most); ++i)
    text += (i ? ", '" : "'") + names[i] + "'";
  return text + (names.size() > most ? " and " + std::to_string(names.size() - most) + " more" : "");
}

} // namespace dlc::detail
