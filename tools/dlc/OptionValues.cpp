//===- OptionValues.cpp - what values of options may be ------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "tools/dlc/OptionValues.h"
#include <CLI/CLI.hpp>

namespace dlc::tool {

std::string isFraction(const std::string &text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && value > 0 && value < 1)
    return "";
  return "expected a number above 0 and below 1, got '" + text + "'";
}

std::string isLossScale(const std::string &text) {
  double value = 0;
  if (text == "dynamic" || (CLI::detail::lexical_cast(text, value) && value >= 0x1p-100 && value <= 0x1p100))
    return "";
  return "expected dynamic, or a number from 2^-100 to 2^100, got '" + text + "'";
}

std::string isPositive(const std::string &text) {
  double value = 0;
  if (CLI::detail::lexical_cast(text, value) && value > 0 && value < std::numeric_limits<float>::max())
    return "";
  return "expected a finite number above 0, got '" + text + "'";
}

std::string isCount(const std::string &text) {
  int64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size() && value > 0)
    return "";
  return "expected a whole number from 1 to " + std::to_string(std::numeric_limits<int64_t>::max()) +
         ", got '" + text + "'";
}

std::string isPath(const std::string &text) {
  if (text == "-") // which elsewhere is where programs print
    return "expected a name, got '-'; texts (--emit) are printed where no output is named";
  return text.empty() ? "expected a name, got ''" : "";
}

std::string isPicture(const std::string &text) {
  constexpr std::string_view ending = ".svg";
  const bool fits =
      text.size() > ending.size() && text.compare(text.size() - ending.size(), ending.size(), ending) == 0;
  return fits ? "" : "pictures are written as SVG: expected a name such as run.svg, got '" + text + "'";
}

std::string isIgnoreIndex(const std::string &text) {
  if (text == std::to_string(std::numeric_limits<int64_t>::min()))
    return "expected a number above " + text;
  return isWhole<int64_t>(text);
}

int64_t bytesIn(const std::string &text, const std::string &flag) {
  int64_t number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  std::string_view unit(end, text.data() + text.size() - end);
  int shift = unit == "K" ? 10 : unit == "M" ? 20 : unit == "G" ? 30 : 0;
  bool isLarge = error == std::errc() && number > std::numeric_limits<int64_t>::max() >> shift;
  if (error != std::errc() || number < 1 || isLarge || (shift == 0 && !unit.empty()))
    throw CLI::ValidationError(
        flag, "expected a whole number of bytes above 0, which may end in K, M or G; got '" + text + "'");
  return number << shift;
}

std::pair<int64_t, int64_t> sizesIn(std::string_view value, const std::string &flag, const std::string &text,
                                    const char *expected) {
  auto number = [&](std::string_view digits) {
    int64_t value = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (error != std::errc() || end != digits.data() + digits.size() || value < 1)
      throw CLI::ValidationError(flag, std::string("expected ") + expected + ", got '" + text + "'");
    return value;
  };
  size_t dots = value.find("..");
  std::pair<int64_t, int64_t> range;
  if (dots == std::string_view::npos)
    range.first = range.second = number(value);
  else
    range = {number(value.substr(0, dots)), number(value.substr(dots + 2))};
  if (range.first != range.second && range.first != 1)
    throw CLI::ValidationError(flag, "a range starts at 1, got '" + text + "'");
  return range;
}

} // namespace dlc::tool
