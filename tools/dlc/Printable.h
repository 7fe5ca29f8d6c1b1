//===- Printable.h - names as a terminal may have them -----------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_PRINTABLE_H
#define DLC_TOOLS_DLC_PRINTABLE_H

#include <algorithm>
#include <string>

namespace dlc::tool {

/// A model's names may hold anything: what a terminal might obey is not shown.
inline std::string printable(std::string text) {
  std::replace_if(text.begin(), text.end(), [](char c) { return (c >= 0 && c < ' ') || c == 0x7f; }, '?');
  return text;
}

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_PRINTABLE_H
