//===- NearMiss.h - what a mistyped word was meant to be -------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_NEARMISS_H
#define DLC_TOOLS_DLC_NEARMISS_H

#include <string>
#include <vector>

namespace dlc::tool {

/// The known word that takes the fewest changes of a letter to get from `word`, two neighbours exchanged
/// being one; "" where none is near.
std::string nearest(const std::string &word, const std::vector<std::string> &known);

/// "; did you mean 'compile'?" for a command that dlc does not have.
std::string commandHint(const std::string &command);

} // namespace dlc::tool

#endif // DLC_TOOLS_DLC_NEARMISS_H
