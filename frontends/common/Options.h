//===- Options.h - what the user says about a model that is read -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_OPTIONS_H
#define DLC_FRONTENDS_COMMON_OPTIONS_H

#include "llvm/ADT/StringRef.h"
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace dlc::frontend {

/// A layer or a loop that is written out more often makes a program that nobody wants to wait for.
constexpr int64_t maxCopies = 512;

/// What files of all kinds have that hold a graph of operators.
struct ImportOptions {
  /// The bytes of the file, where they are in memory; then its path names it in messages, and its folder is
  /// where data may lie that the model keeps in other files.
  std::optional<std::string_view> contents;
  /// Large tensors stay in the file, from where they go to another one. For a process that ends with that:
  /// nobody may change the file in its place as long as there is the program.
  bool staysMapped = false;
  /// The program's symbol; empty: made from the file's name.
  std::string name;
  /// Size of the first symbolic leading dim of the inputs; 0: not given, an error where it is needed.
  int64_t batch = 0;
  /// Whether training takes any size up to it.
  bool openBatch = false;
  /// Sizes of symbolic dims by the model's names: {n, n} fixes a dim, {1, n} bounds it, also in
  /// training. The batch stays a named dim either way.
  std::map<std::string, std::pair<int64_t, int64_t>> dims;
  /// Only predictions are wanted: dropout is left out, and what only evaluation can do is allowed.
  bool predictOnly = false;
  /// Nothing is compiled to be run: symbolic dims need no size, and have the bound 1 where none is given.
  bool anySizes = false;
  /// Names of what is to be trained (globs are none): also what would be taken for a number of a formula.
  std::vector<std::string> train;
  /// Globs of what the user leaves untrained.
  std::vector<std::string> freeze;
  /// Remark on everything that concerns training, not only on what is other than the file says.
  bool verbose = false;
};

/// A C identifier for a program whose file is called `stem`.
std::string programName(llvm::StringRef stem);

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_OPTIONS_H
