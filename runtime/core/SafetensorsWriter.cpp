//===- SafetensorsWriter.cpp ----------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/core/SafetensorsWriter.h"
#include "runtime/core/DType.h"
#include "runtime/core/SafetensorsHeader.h"

#include <cinttypes>
#include <cstdarg>
#include <cstdio>

namespace dlc::runtime {

void SafetensorsWriter::print(const char *format, ...) {
  char piece[256];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  for (int i = 0; i < length; ++i)
    put(piece[i]);
}

/// `string` as a JSON string.
void SafetensorsWriter::quote(const char *string) {
  put('"');
  for (; *string; ++string) {
    unsigned char c = static_cast<unsigned char>(*string);
    if (c < 0x20)
      print("\\u%04x", c);
    else if (c == '"' || c == '\\')
      print("\\%c", c);
    else
      put(*string);
  }
  put('"');
}

SafetensorsWriter::SafetensorsWriter(const char *model, const Extras *extras) : model(model) {
  print("{\"__metadata__\":{\"dlc.format\":\"%" PRId64 "\",\"dlc.model\":", checkpointFormat);
  quote(model);
  for (const char *key = extras ? extras->first() : nullptr; key; key = extras->next(key)) {
    put(',');
    quote(key);
    put(':');
    quote(Extras::valueOf(key));
  }
  put('}');
}

void SafetensorsWriter::add(const char *name, uint32_t dtype, uint32_t rank, const int64_t *shape,
                            uint64_t bytes) {
  put(',');
  quote(name);
  print(":{\"dtype\":\"%s\",\"shape\":[", dtypeName(dtype));
  for (uint32_t i = 0; i < rank; ++i)
    print("%s%" PRId64, i ? "," : "", shape[i]);
  print("],\"data_offsets\":[%" PRIu64 ",%" PRIu64 "]}", end, end + bytes);
  end += bytes;
}

dlc_status SafetensorsWriter::finish(Error &error) {
  put('}');
  while (text.size() % 8 != 0 && !failed) // the tensors begin aligned, after 8 + length
    put(' ');
  if (failed)
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for the header of a file", model);
  if (text.size() > maxHeaderBytes)
    return error.fail(DLC_UNAVAILABLE, "%s: too many tensors for a safetensors file", model);
  return DLC_OK;
}

} // namespace dlc::runtime
