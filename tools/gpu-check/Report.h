//===- Report.h -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Lines of JSON, on the way at once: what comes after them may never end.
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_GPUCHECK_REPORT_H
#define DLC_TOOLS_GPUCHECK_REPORT_H

#include <cstdio>
#include <string>

namespace dlc::check {

/// JSON has no quotes and control characters in its texts.
inline std::string quoted(const std::string &text) {
  std::string result = "\"";
  for (char c : text)
    result += c == '"' || c == '\\'                ? std::string("\\") + c
              : static_cast<unsigned char>(c) < 32 ? " "
                                                   : std::string(1, c);
  return result + "\"";
}

inline std::string field(const char *key, double value) {
  char text[96];
  snprintf(text, sizeof text, "\"%s\": %.6g", key, value);
  return text;
}

inline std::string field(const char *key, const std::string &value) {
  return quoted(key) + ": " + quoted(value);
}

/// One line; the fields are separated by commas.
inline void report(const std::string &model, const char *section, bool good, const std::string &fields) {
  printf("{\"model\": %s, \"section\": \"%s\", \"ok\": %s%s%s}\n", quoted(model).c_str(), section,
         good ? "true" : "false", fields.empty() ? "" : ", ", fields.c_str());
  fflush(stdout);
}

} // namespace dlc::check

#endif
