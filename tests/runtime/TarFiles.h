//===- TarFiles.h ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Tar files, for tests.
//===----------------------------------------------------------------------===//
#ifndef DLC_TESTS_RUNTIME_TARFILES_H
#define DLC_TESTS_RUNTIME_TARFILES_H

#include <cstdint>
#include <string>

namespace tar {

inline std::string octal(uint64_t value, size_t digits) {
  std::string text(digits, '0');
  for (size_t i = digits; i-- > 0; value >>= 3)
    text[i] = static_cast<char>('0' + (value & 7));
  return text + '\0';
}

/// A header and its bytes, filled up.
inline std::string member(const std::string &name, const std::string &bytes, char kind = '0',
                          const std::string &prefix = "", bool isBinarySize = false) {
  std::string header(512, '\0');
  header.replace(0, name.size(), name);
  header.replace(124, 12,
                 isBinarySize ? std::string("\x80", 1) + std::string(9, '\0') +
                                    static_cast<char>(bytes.size() >> 8) + static_cast<char>(bytes.size())
                              : octal(bytes.size(), 11));
  header[156] = kind;
  header.replace(257, 8,
                 std::string("ustar\0"
                             "00",
                             8));
  header.replace(345, prefix.size(), prefix);
  uint64_t sum = 8 * ' ';
  for (const char c : header)
    sum += static_cast<unsigned char>(c);
  header.replace(148, 8, octal(sum, 6) + " ");
  return header + bytes + std::string((512 - bytes.size() % 512) % 512, '\0');
}

inline const std::string end(1024, '\0');

/// "LENGTH key=value\n".
inline std::string record(const std::string &key, const std::string &value) {
  const std::string rest = " " + key + "=" + value + "\n";
  size_t length = rest.size() + 1;
  while (std::to_string(length).size() + rest.size() != length)
    ++length;
  return std::to_string(length) + rest;
}

} // namespace tar

#endif
