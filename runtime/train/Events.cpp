//===- Events.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files of events for TensorBoard, and points of curves in them.
//===----------------------------------------------------------------------===//
#include "dlc/logs.h"
#include "runtime/core/Error.h"
#include "runtime/train/EventRecords.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

using dlc::runtime::Error;
using dlc::runtime::Message;

namespace {

/// A name that no other run has: TensorBoard reads the files of a folder in the order of their names.
FILE *createFile(const char *folder) {
  char path[4096], host[200] = "host";
  gethostname(host, sizeof host - 1);
  for (int number = 0; number < 1000; ++number) {
    const int length =
        snprintf(path, sizeof path, "%s/events.out.tfevents.%010" PRId64 ".%s.%d.%d", folder,
                 static_cast<int64_t>(time(nullptr)), host, static_cast<int>(getpid()), number);
    if (static_cast<size_t>(length) >= sizeof path) {
      errno = ENAMETOOLONG;
      return nullptr;
    }
    if (FILE *file = fopen(path, "wbx"))
      return file;
    if (errno != EEXIST)
      return nullptr;
  }
  return nullptr;
}

dlc_status openEvents(const char *folder, dlc_events *&out, Error &error) {
  if (!folder || !*folder)
    return error.fail(DLC_INVALID_ARGUMENT, "events need a folder");
  FILE *file = createFile(folder);
  if (!file)
    return error.fail(DLC_IO_ERROR, "%s: no file of events can be made: %s", folder, strerror(errno));
  out = static_cast<dlc_events *>(malloc(sizeof *out));
  const dlc_status written = out ? dlc::runtime::writeVersion(file) : DLC_OUT_OF_MEMORY;
  if (written == DLC_OK) {
    *out = dlc_events{file, false};
    return DLC_OK;
  }
  if (written == DLC_OUT_OF_MEMORY)
    error.fail(written, "%s: no memory for events", folder);
  else
    error.fail(written, "%s: a file of events cannot be written: %s", folder, strerror(errno));
  free(out);
  out = nullptr;
  fclose(file);
  return written;
}

} // namespace

extern "C" {

dlc_status dlc_events_open(const char *folder, dlc_events **out, char *error, size_t error_bytes) {
  if (!out)
    return DLC_INVALID_ARGUMENT;
  *out = nullptr;
  Error sentence;
  dlc_status status = openEvents(folder, *out, sentence);
  if (status != DLC_OK)
    sentence.copyTo(error, error_bytes);
  return status;
}

dlc_status dlc_events_scalar(dlc_events *events, const char *tag, int64_t step, double value) {
  if (!events || !tag || strlen(tag) > dlc::runtime::longestTag)
    return DLC_INVALID_ARGUMENT;
  const float number = static_cast<float>(value);
  Message point;
  point.text(1, tag);
  point.field(2, 5);
  point.add(&number, sizeof number);
  return dlc::runtime::writeValue(*events, step, point);
}

void dlc_events_close(dlc_events *events) {
  if (!events)
    return;
  if (events->hasSettings)
    dlc::runtime::writeEndOfSession(*events);
  fclose(events->file);
  free(events);
}

} // extern "C"
