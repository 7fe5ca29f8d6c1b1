//===- Extras.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Entries of the caller's own in a checkpoint: numbers and texts by name. They stand in the metadata of a
// safetensors file, whose keys and values are texts, and are kept as such.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_EXTRAS_H
#define DLC_RUNTIME_CORE_EXTRAS_H

#include "runtime/core/Memory.h"

namespace dlc::runtime {

class Extras {
public:
  enum class Kind { Number, Text };
  /// What an entry's key in the metadata begins with, before its name.
  static const char *prefixOf(Kind kind) { return kind == Kind::Number ? "dlc.number." : "dlc.text."; }
  /// The name in a key of the metadata, and its kind; NULL in the key of anything else.
  static const char *nameIn(const char *key, Kind &kind);

  /// UTF-8 of at most so many bytes, and of one at least; without control characters.
  static bool isName(const char *name);
  static bool isText(const char *text);
  /// Whether the text is a number and nothing else. `isSet` becomes false where there is no memory to find it
  /// out.
  static bool parse(const char *text, double &number, bool &isSet);

  /// Whether one more of this value fits in: all of them are looked through where one is read or written.
  bool hasRoom(const char *value) const;

  /// The value of an entry; NULL where there is none of this kind.
  const char *find(Kind kind, const char *name) const;
  /// Replaces an entry of this name, of any kind. False where memory is short, and then nothing changes.
  bool set(Kind kind, const char *name, const char *value);
  void remove(const char *name);
  bool copy(const Extras &other);
  void swap(Extras &other) { entries.swap(other.entries); }

  /// The key of an entry, and its value behind it; NULL behind the last one.
  const char *first() const { return entries.size() ? entries.data() : nullptr; }
  const char *next(const char *key) const;
  static const char *valueOf(const char *key) { return key + strlen(key) + 1; }

private:
  bool append(Array<char> &to, const char *key, const char *value) const;
  Array<char> entries; ///< keys and values in turn, each with its NUL
};

} // namespace dlc::runtime

#endif
