//===- Error.h ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A sentence about the last failure, of bounded size: reporting an error allocates nothing.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_ERROR_H
#define DLC_RUNTIME_CORE_ERROR_H

#include "dlc/runtime.h"

namespace dlc::runtime {

struct Error {
  char text[1024] = "";

  /// Formats the sentence and returns `status`, so that callers can `return error.fail(...)`.
  dlc_status fail(dlc_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));

  /// Adds a text, behind `separator` where there is one already.
  void append(const char *separator, const char *more);

  /// Copies the sentence to a caller's buffer, cut to fit; does nothing for NULL or size 0.
  void copyTo(char *buffer, size_t bytes) const;
};

/// A sentence about something that is no failure, but that the caller may not expect.
struct Remark {
  char text[512] = "";
};

/// A name out of an untrusted file, made fit to print: cut, and without control characters.
struct Printable {
  char text[128];
  explicit Printable(const char *name);
};

} // namespace dlc::runtime

#endif
