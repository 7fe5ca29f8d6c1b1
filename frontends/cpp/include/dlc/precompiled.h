//===- dlc/precompiled.h - what `dlc precompile` compiles ---------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// GCC leaves it to each program that reads a compiled header to instantiate the templates that inline
// functions of the header name, whether the program calls these or not: those of the standard library's
// <string> name most members of strings of five types of characters. What a constant expression calls is
// instantiated at once, and then the compiled header has it. No program need include this.
//===----------------------------------------------------------------------===//
#ifndef DLC_PRECOMPILED_H
#define DLC_PRECOMPILED_H

#include "dlc/dlc.h"

#if !defined __clang__ && __cpp_lib_constexpr_string >= 201907L // strings in constant expressions
namespace dlc::detail {

/// Calls what inline functions of <string> call.
template <typename Char> constexpr bool callsStrings() {
  const Char text[] = {'a', 'b', 0};
  std::basic_string<Char> first(text, 2), dashes(3, Char('-')), moved(std::move(dashes));
  first += moved;
  std::basic_string<Char> copy(first.data(), first.data() + first.size());
  return std::basic_string_view<Char>(text, 2).length() == 2 && copy.c_str()[0] == first[0];
}
static_assert(callsStrings<char>() && callsStrings<wchar_t>() && callsStrings<char8_t>() &&
              callsStrings<char16_t>() && callsStrings<char32_t>());

} // namespace dlc::detail
#endif

#endif // DLC_PRECOMPILED_H
