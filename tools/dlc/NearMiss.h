//===- NearMiss.h - what a mistyped word was meant to be -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_NEARMISS_H
#define DLC_TOOLS_DLC_NEARMISS_H

#include <functional>
#include <string>
#include <vector>

namespace dlc::tool {

/// The known word that takes the fewest changes of a letter to get from `word`, two neighbours exchanged
/// being one; "" where none is near.
std::string nearest(const std::string &word, const std::vector<std::string> &known);

/// "; did you mean 'adam'?" for a word that is near to a known one; else "".
std::string didYouMean(const std::string &word, const std::vector<std::string> &known);

/// A check of an option, as CLI11 takes it, that takes one of some words.
std::function<std::string(const std::string &)> oneOf(const std::vector<std::string> &known);

/// "; did you mean 'compile'?" for a command that dlc does not have.
std::string commandHint(const std::string &command);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_NEARMISS_H
