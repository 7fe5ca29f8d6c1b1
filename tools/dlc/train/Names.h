//===- Names.h - names in messages -----------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_NAMES_H
#define DLC_TOOLS_DLC_TRAIN_NAMES_H

#include "tools/dlc/Printable.h"
#include <cstdint>
#include <string>

namespace dlc::tool::training {

/// A name out of a file as a line may have it: cut, and without control characters.
inline std::string shortName(const std::string &name) {
  constexpr size_t most = 60;
  return printable(name.size() > most ? name.substr(0, most) + "..." : name);
}

/// "a, b, c"; of more than 20 names the first ones, and how many there are in all. `nameOf` takes their
/// numbers.
template <typename NameOf> std::string shortList(int64_t count, const NameOf &nameOf) {
  constexpr int64_t most = 20;
  std::string text;
  for (int64_t i = 0; i < count && i < most; ++i)
    text += (i ? ", " : "") + shortName(nameOf(i));
  return count > most ? text + " ... (" + std::to_string(count) + " in all)" : text;
}

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_NAMES_H
