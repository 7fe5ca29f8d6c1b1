//===- Text.cpp - numbers as Python writes them, and names in a row ----------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "frontends/cpp/api/Text.h"
#include <charconv>

namespace dlc::detail {

/// The functions of <charconv> write a point, whatever the program's language is; printf and std::to_string
/// do not.
std::string formatted(double number, char format, int digits) {
  const std::chars_format kind = format == 'f'   ? std::chars_format::fixed
                                 : format == 'e' ? std::chars_format::scientific
                                                 : std::chars_format::general;
  char text[400]; // the largest double has 309 digits before the point
  const std::to_chars_result result = std::to_chars(text, text + sizeof text, number, kind, digits);
  return {text, result.ptr};
}

/// With as few digits as give the same number again.
std::string pythonNumber(double number) {
  if (number < 1e16 && number > -1e16 && number == double(int64_t(number)))
    return formatted(number, 'f', 1);
  std::string text;
  for (int digits = 1; digits <= 17; ++digits) {
    text = formatted(number, 'g', digits);
    double read = 0;
    std::from_chars(text.data(), text.data() + text.size(), read);
    if (read == number)
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
