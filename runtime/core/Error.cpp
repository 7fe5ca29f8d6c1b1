//===- Error.cpp ----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Error sentences, and the names of the status codes.
//===----------------------------------------------------------------------===//
#include "runtime/core/Error.h"
#include "runtime/core/PointLocale.h"

#include <cstdarg>
#include <cstdio>
#include <cstring>

namespace dlc::runtime {

dlc_status Error::fail(dlc_status status, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  const PointLocale locale;
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  return status;
}

void Error::append(const char *separator, const char *more) {
  const size_t length = strlen(text);
  snprintf(text + length, sizeof text - length, "%s%s", length ? separator : "", more);
}

void Error::copyTo(char *buffer, size_t bytes) const {
  if (buffer && bytes)
    snprintf(buffer, bytes, "%s", text);
}

Printable::Printable(const char *name) {
  size_t length = 0;
  for (; name[length] && length < sizeof text - 4; ++length) {
    unsigned char c = static_cast<unsigned char>(name[length]);
    text[length] = c < 0x20 || c == 0x7f ? '?' : name[length];
  }
  strcpy(text + length, name[length] ? "..." : "");
}

} // namespace dlc::runtime

extern "C" const char *dlc_status_string(dlc_status status) {
  switch (status) {
  case DLC_OK:
    return "ok";
  case DLC_INVALID_ARGUMENT:
    return "invalid argument";
  case DLC_OUT_OF_MEMORY:
    return "out of memory";
  case DLC_IO_ERROR:
    return "input/output error";
  case DLC_BAD_FILE:
    return "bad file content";
  case DLC_INDEX_OUT_OF_RANGE:
    return "index out of range";
  case DLC_NOT_FINITE:
    return "loss is not finite";
  case DLC_UNSUPPORTED_CPU:
    return "unsupported CPU";
  case DLC_ABI_MISMATCH:
    return "header, library and runtime do not match";
  case DLC_NOT_FOUND:
    return "not found";
  case DLC_BUSY:
    return "handle in use by another thread";
  case DLC_UNSUPPORTED_DEVICE:
    return "unsupported device";
  case DLC_DEVICE_FAILED:
    return "the device has failed";
  case DLC_UNAVAILABLE:
    return "not available in this model";
  }
  return "unknown status";
}
