//===- FortranText.cpp - lines and types of Fortran --------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/bindings/FortranText.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include <algorithm>

using namespace llvm;

namespace dlc::emit::bindings {

StringRef fortran::typeOf(StringRef dtype) {
  return StringSwitch<StringRef>(dtype)
      .Case("f32", "real(c_float)")
      .Case("f64", "real(c_double)")
      .Case("i32", "integer(c_int32_t)")
      .Case("i64", "integer(c_int64_t)")
      .Cases({"bf16", "f16"}, "integer(c_int16_t)")
      .Case("u8", "integer(c_int8_t)")
      .Default("logical(c_bool)");
}

std::string fortran::quoted(StringRef text) {
  std::string result = "'";
  for (char c : text)
    result += c == '\''    ? "''"
              : isPrint(c) ? std::string(1, c)
                           : "'//char(" + std::to_string(uint8_t(c)) + ")//'";
  return result + "'";
}

/// Where a comment begins, which is not inside of a text.
static size_t commentOf(StringRef line) {
  bool isText = false;
  for (size_t i = 0; i < line.size(); ++i) {
    isText ^= line[i] == '\'';
    if (line[i] == '!' && !isText)
      return i;
  }
  return line.size();
}

std::string fortran::wrapped(StringRef text) {
  constexpr size_t longest = 130;
  std::string result;
  auto add = [&](StringRef line, const char *next) {
    for (; line.size() > longest; line = line.drop_front(longest))
      result += line.take_front(longest).str() + next;
    result += line.str() + "\n";
  };
  while (!text.empty()) {
    auto [line, rest] = text.split('\n');
    text = rest;
    const size_t comment = line.size() > longest ? commentOf(line) : line.size();
    if (comment < line.size())
      add(line.drop_front(comment), "\n! ");
    StringRef code = line.take_front(comment).rtrim();
    if (!code.empty() || comment == line.size())
      add(code, "&\n&");
  }
  return result;
}

std::string fortran::wide(StringRef extent) {
  StringRef digits = extent.take_while(isDigit);
  return ((digits.empty() ? "1" : digits) + "_c_int64_t" + (digits.empty() ? " * " : "") +
          extent.drop_front(digits.size()))
      .str();
}

std::vector<std::string> fortran::reversed(std::vector<std::string> extents) {
  std::reverse(extents.begin(), extents.end());
  return extents;
}

} // namespace dlc::emit::bindings
