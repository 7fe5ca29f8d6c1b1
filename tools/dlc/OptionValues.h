//===- OptionValues.h - what values of options may be --------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Checks, as CLI11 takes them, return a sentence about what is wrong, "" where nothing is; readers throw
// CLI::ValidationError with the option and what was expected.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_OPTIONVALUES_H
#define DLC_TOOLS_DLC_OPTIONVALUES_H

#include <charconv>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>

namespace dlc::tool {

/// A finite number above 0. In place of CLI::PositiveNumber, whose error spells out the largest number there
/// is.
std::string isPositive(const std::string &text);

/// A whole number above 0, which 64 bits hold. CLI::Range takes larger ones for the largest.
std::string isCount(const std::string &text);

/// A name of a file or folder. A script's variable that is not set gives none.
std::string isPath(const std::string &text);

/// A name of a picture: FILE.svg.
std::string isPicture(const std::string &text);

/// A number above 0 and below 1.
std::string isFraction(const std::string &text);

/// "dynamic", or a number that it may become.
std::string isLossScale(const std::string &text);

/// Integers are read to the end, and not around it: -1 is no unsigned number.
template <typename Number> std::string isWhole(const std::string &text) {
  Number value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error == std::errc() && end == text.data() + text.size())
    return "";
  return "expected a whole number from " + std::to_string(std::numeric_limits<Number>::min()) + " to " +
         std::to_string(std::numeric_limits<Number>::max()) + ", got '" + text + "'";
}

/// A whole number that may stand for a label: the smallest one means "none" in a compiled model.
std::string isIgnoreIndex(const std::string &text);

/// "1500000", "64M": a number of bytes for the option `flag`; K, M and G are powers of 1024.
int64_t bytesIn(const std::string &text, const std::string &flag);

/// The sizes "128" or "1..128" in `value`, a part of the text of the option `flag`; `expected` says how they
/// are written. Both are equal where there is one.
std::pair<int64_t, int64_t> sizesIn(std::string_view value, const std::string &flag, const std::string &text,
                                    const char *expected);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_OPTIONVALUES_H
