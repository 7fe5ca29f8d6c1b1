//===- CheckedJson.h - the values of a JSON file that a user wrote ---------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Nothing in such a file is trusted: not its size, not how deep it is nested, not what stands where.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_COMMON_CHECKEDJSON_H
#define DLC_FRONTENDS_COMMON_CHECKEDJSON_H

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/JSON.h"

namespace dlc::frontend {

/// What a text may be at most.
struct JsonLimits {
  uint64_t bytes = 1 << 20;
  int nesting = 16; ///< the parser calls itself for each level
};

/// Reads values and checks that they are what is expected. `where` names the place in messages. The first
/// thing that is wrong is kept; after it, what is read means nothing.
class CheckedJson {
public:
  /// What a file of at most a megabyte holds.
  static llvm::Expected<llvm::json::Value> parseFile(llvm::StringRef path);
  static llvm::Expected<llvm::json::Value> parse(llvm::StringRef text, const JsonLimits &limits);

  /// The text at a key; "" where it is missing and may be.
  std::string text(const llvm::json::Object &object, llvm::StringRef key, const std::string &where,
                   bool needed = true);
  /// The list at a key; none where it is missing and may be.
  const llvm::json::Array *list(const llvm::json::Object &object, llvm::StringRef key,
                                const std::string &where, bool needed);
  /// The object at a key; none where it is missing and may be.
  const llvm::json::Object *object(const llvm::json::Object &object, llvm::StringRef key,
                                   const std::string &where, bool needed = true);
  /// The whole number at a key; 0 after a failure.
  int64_t integer(const llvm::json::Object &object, llvm::StringRef key, const std::string &where);
  bool boolean(const llvm::json::Object &object, llvm::StringRef key, const std::string &where);
  /// The objects of a list.
  void forEach(const llvm::json::Array *objects, const std::string &where,
               llvm::function_ref<void(const llvm::json::Object &, const std::string &)> visit);
  void checkKeys(const llvm::json::Object &object, const std::string &where,
                 std::initializer_list<llvm::StringRef> known);

  void fail(const llvm::Twine &message) {
    if (!hasFailed())
      firstProblem = message.str();
  }
  bool hasFailed() const { return !firstProblem.empty(); }
  const std::string &problem() const { return firstProblem; }

private:
  std::string firstProblem;
};

} // namespace dlc::frontend

#endif // DLC_FRONTENDS_COMMON_CHECKEDJSON_H
