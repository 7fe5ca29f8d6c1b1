//===- JsonReader.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The reader behind safetensors headers. An unescaped string is never longer than its escaped form, so
// it fits where it was read from, with its closing quote's place for the NUL.
//===----------------------------------------------------------------------===//
#include "runtime/core/JsonReader.h"

#include <cstdlib>
#include <cstring>

namespace dlc::runtime {

void JsonReader::skipSpace() {
  while (next < length &&
         (text[next] == ' ' || text[next] == '\t' || text[next] == '\n' || text[next] == '\r'))
    ++next;
}

bool JsonReader::accept(char c) {
  skipSpace();
  if (next == length || text[next] != c)
    return false;
  ++next;
  return true;
}

bool JsonReader::atEnd() {
  skipSpace();
  return next == length;
}

bool JsonReader::integer(int64_t &value) {
  skipSpace();
  size_t first = next;
  value = 0;
  for (; next < length && text[next] >= '0' && text[next] <= '9'; ++next)
    if (__builtin_mul_overflow(value, int64_t{10}, &value) ||
        __builtin_add_overflow(value, int64_t{text[next] - '0'}, &value))
      return false;
  if (next == first || (text[first] == '0' && next - first > 1))
    return false;
  return next == length || (text[next] != '.' && text[next] != 'e' && text[next] != 'E');
}

bool JsonReader::number(double &value) {
  skipSpace();
  char digits[64];
  size_t count = 0, at = next;
  auto take = [&](const char *wanted) {
    const bool isTaken = at < length && text[at] && strchr(wanted, text[at]) && count + 1 < sizeof digits;
    if (isTaken)
      digits[count++] = text[at++];
    return isTaken;
  };
  auto takeDigits = [&] {
    const size_t before = count;
    while (take("0123456789")) {
    }
    return count > before;
  };
  take("-");
  const size_t first = count;
  if (!takeDigits() || (digits[first] == '0' && count - first > 1))
    return false;
  if (take(".") && !takeDigits())
    return false;
  if (take("eE")) {
    take("+-");
    if (!takeDigits())
      return false;
  }
  digits[count] = 0;
  value = strtod(digits, nullptr);
  next = at;
  return true;
}

bool JsonReader::word(const char *word) {
  skipSpace();
  const size_t count = strlen(word);
  if (length - next < count || memcmp(text + next, word, count) != 0)
    return false;
  next += count;
  return true;
}

bool JsonReader::isNext(char c) {
  skipSpace();
  return next < length && text[next] == c;
}

/// Length of the valid UTF-8 sequence at `at` (RFC 3629), 0 if there is none.
size_t JsonReader::utf8Length(size_t at) const {
  auto byte = [&](size_t i) { return static_cast<unsigned char>(at + i < length ? text[at + i] : 0); };
  auto follows = [&](size_t i, unsigned low = 0x80, unsigned high = 0xbf) {
    return byte(i) >= low && byte(i) <= high;
  };
  unsigned lead = byte(0);
  if (lead < 0x80)
    return 1;
  if (lead >= 0xc2 && lead <= 0xdf)
    return follows(1) ? 2 : 0;
  if (lead >= 0xe0 && lead <= 0xef)
    return follows(1, lead == 0xe0 ? 0xa0 : 0x80, lead == 0xed ? 0x9f : 0xbf) && follows(2) ? 3 : 0;
  if (lead >= 0xf0 && lead <= 0xf4)
    return follows(1, lead == 0xf0 ? 0x90 : 0x80, lead == 0xf4 ? 0x8f : 0xbf) && follows(2) && follows(3) ? 4
                                                                                                          : 0;
  return 0;
}

bool JsonReader::string(const char *&value) {
  if (!accept('"'))
    return false;
  size_t out = next;
  value = text + out;
  while (next < length) {
    unsigned char c = static_cast<unsigned char>(text[next]);
    if (c == '"') {
      ++next;
      text[out] = 0;
      return true;
    }
    if (c < 0x20)
      return false;
    if (c == '\\') {
      if (!escape(out))
        return false;
      continue;
    }
    size_t bytes = utf8Length(next);
    if (bytes == 0)
      return false;
    for (; bytes > 0; --bytes)
      text[out++] = text[next++];
  }
  return false;
}

bool JsonReader::hex4(uint32_t &value) {
  value = 0;
  if (length - next < 4)
    return false;
  for (int i = 0; i < 4; ++i) {
    char c = text[next++];
    uint32_t digit;
    if (c >= '0' && c <= '9')
      digit = static_cast<uint32_t>(c - '0');
    else if (c >= 'a' && c <= 'f')
      digit = static_cast<uint32_t>(c - 'a' + 10);
    else if (c >= 'A' && c <= 'F')
      digit = static_cast<uint32_t>(c - 'A' + 10);
    else
      return false;
    value = value * 16 + digit;
  }
  return true;
}

void JsonReader::appendUtf8(uint32_t code, size_t &out) {
  auto put = [&](uint32_t byte) { text[out++] = static_cast<char>(byte); };
  if (code < 0x80) {
    put(code);
  } else if (code < 0x800) {
    put(0xc0 | code >> 6);
    put(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    put(0xe0 | code >> 12);
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  } else {
    put(0xf0 | code >> 18);
    put(0x80 | (code >> 12 & 0x3f));
    put(0x80 | (code >> 6 & 0x3f));
    put(0x80 | (code & 0x3f));
  }
}

/// Called at a backslash; `out` is where the unescaped character goes.
bool JsonReader::escape(size_t &out) {
  if (length - next < 2)
    return false;
  char kind = text[next + 1];
  next += 2;
  static constexpr char plain[] = "\"\\/bfnrt", meaning[] = "\"\\/\b\f\n\r\t";
  for (size_t i = 0; i + 1 < sizeof plain; ++i)
    if (plain[i] == kind) {
      text[out++] = meaning[i];
      return true;
    }
  uint32_t code;
  if (kind != 'u' || !hex4(code) || code == 0)
    return false;
  if (code >= 0xd800 && code <= 0xdfff) { // the first half of a pair
    uint32_t low;
    if (code >= 0xdc00 || length - next < 6 || text[next] != '\\' || text[next + 1] != 'u')
      return false;
    next += 2;
    if (!hex4(low) || low < 0xdc00 || low > 0xdfff)
      return false;
    code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
  }
  appendUtf8(code, out);
  return true;
}

} // namespace dlc::runtime
