//===- JsonReader.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads the JSON of a safetensors header: strings, non-negative integers, and the punctuation around
// them. The header comes from outside, so nothing is read past its end and nothing is guessed: what is
// not JSON as RFC 8259 has it fails.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_JSONREADER_H
#define DLC_RUNTIME_CORE_JSONREADER_H

#include <cstddef>
#include <cstdint>

namespace dlc::runtime {

class JsonReader {
public:
  /// `text` is overwritten: strings are unescaped in place.
  JsonReader(char *text, size_t length) : text(text), length(length) {}

  /// Skips white space, then takes `c` if it is next.
  bool accept(char c);

  /// A string, as UTF-8 with a NUL at its end; a string that contains U+0000 fails.
  bool string(const char *&value);

  /// An integer from 0 to INT64_MAX, without fraction or exponent.
  bool integer(int64_t &value);

  /// Any number, in the locale of C (PointLocale).
  bool number(double &value);

  /// Skips white space, then takes "true", "false" or "null" if it is next.
  bool word(const char *word);

  /// Whether `c` is next behind white space.
  bool isNext(char c);

  /// True if nothing but white space is left.
  bool atEnd();

  size_t position() const { return next; }

private:
  void skipSpace();
  bool escape(size_t &out);
  bool hex4(uint32_t &value);
  size_t utf8Length(size_t at) const;
  void appendUtf8(uint32_t code, size_t &out);

  char *text;
  size_t length;
  size_t next = 0;
};

} // namespace dlc::runtime

#endif
