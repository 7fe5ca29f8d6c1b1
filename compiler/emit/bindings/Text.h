//===- Text.h - names and patterns in generated files ----------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A model's own names may hold anything. What stands here makes identifiers of them, comments and literals,
// so that none of them ends what it is in.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_BINDINGS_TEXT_H
#define DLC_COMPILER_EMIT_BINDINGS_TEXT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/ADT/StringSet.h"
#include <string>
#include <utility>
#include <vector>

namespace dlc::emit::bindings {

/// What stands for "@name@" in patterns.
using Values = std::vector<std::pair<std::string, std::string>>;
/// `pattern` with values in their places, which are not looked at again.
std::string filled(llvm::StringRef pattern, const Values &values);

/// Text that ends no comment of any of the languages: printable characters of ASCII; others, and \, which
/// begins a character in Java, become '?'.
std::string inAnyComment(llvm::StringRef text);
/// The same where a comment is XML or HTML.
std::string inMarkup(llvm::StringRef text);

/// The text between two double quotes: `escape` says how a character is written that is not printable ASCII.
/// What is no UTF-8 becomes U+FFFD.
std::string literal(llvm::StringRef text, llvm::function_ref<std::string(uint32_t)> escape,
                    llvm::StringRef alsoEscaped = "\"\\");
std::string hexadecimal(uint32_t number, unsigned digits);

/// "train_step" as "trainStep" or "TrainStep".
std::string camel(llvm::StringRef name, bool upperFirst);

struct NameRules {
  const char *taken;       ///< keywords, and what a generated file uses itself: separated by blanks
  const char *before = ""; ///< stands before a name that would begin otherwise than with a letter
  bool foldsCase = false;  ///< names that differ in upper and lower case alone are the same
  unsigned longest = 200;  ///< characters of a name
};

/// Hands out different identifiers for C's, in order of asking.
class Names {
public:
  explicit Names(const NameRules &rules, llvm::StringRef alsoTaken = "");
  std::string unique(llvm::StringRef cName);

private:
  const NameRules &rules;
  llvm::StringSet<> used;
};

} // namespace dlc::emit::bindings

#endif // DLC_COMPILER_EMIT_BINDINGS_TEXT_H
