//===- Events.cpp ---------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorBoard's files of events: records (length, checksum, data, checksum) of protocol buffers. The
// messages, of tensorflow/core/util/event.proto and framework/summary.proto, with the fields that are
// written:
//   Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5; }
//   Summary { repeated Value value = 1; }   Value { string tag = 1; float simple_value = 2; }
//===----------------------------------------------------------------------===//
#include "dlc/logs.h"
#include "runtime/core/Error.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unistd.h>

using dlc::runtime::Error;

struct dlc_events {
  FILE *file;
};

namespace {

constexpr size_t longestTag = 1000;

/// A message while it is written; its users know how long it may become.
struct Message {
  unsigned char bytes[longestTag + 100];
  size_t size = 0;

  void add(const void *data, size_t count) {
    memcpy(bytes + size, data, count);
    size += count;
  }
  void varint(uint64_t value) {
    for (; value >= 0x80; value >>= 7)
      bytes[size++] = static_cast<unsigned char>(value | 0x80);
    bytes[size++] = static_cast<unsigned char>(value);
  }
  /// Wire types: 0 is a varint, 1 eight bytes, 2 a length and so many bytes, 5 four bytes.
  void field(unsigned number, unsigned wireType) { varint(number << 3 | wireType); }
  void text(unsigned number, const void *data, size_t count) {
    field(number, 2);
    varint(count);
    add(data, count);
  }
};

/// CRC-32C (Castagnoli), bit by bit: events are few and short.
uint32_t checksum(const void *data, size_t count) {
  uint32_t crc = ~0u;
  for (size_t i = 0; i < count; ++i) {
    crc ^= static_cast<const unsigned char *>(data)[i];
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0x82f63b78u : 0);
  }
  crc = ~crc;
  return (crc >> 15 | crc << 17) + 0xa282ead8u; // as records keep it
}

bool writeRecord(FILE *file, const Message &message) {
  const uint64_t length = message.size;
  const uint32_t ofLength = checksum(&length, sizeof length), ofData = checksum(message.bytes, message.size);
  fwrite(&length, sizeof length, 1, file);
  fwrite(&ofLength, sizeof ofLength, 1, file);
  fwrite(message.bytes, 1, message.size, file);
  fwrite(&ofData, sizeof ofData, 1, file);
  return fflush(file) == 0 && !ferror(file);
}

Message eventNow() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  const double seconds = static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
  Message event;
  event.field(1, 1);
  event.add(&seconds, sizeof seconds);
  return event;
}

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
  Message first = eventNow();
  constexpr char version[] = "brain.Event:2";
  first.text(3, version, sizeof version - 1);
  out = static_cast<dlc_events *>(malloc(sizeof *out));
  if (out && writeRecord(file, first)) {
    out->file = file;
    return DLC_OK;
  }
  dlc_status status =
      out ? error.fail(DLC_IO_ERROR, "%s: a file of events cannot be written: %s", folder, strerror(errno))
          : error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for events", folder);
  free(out);
  out = nullptr;
  fclose(file);
  return status;
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
  if (!events || !tag || strlen(tag) > longestTag)
    return DLC_INVALID_ARGUMENT;
  const float number = static_cast<float>(value);
  Message point, summary, event = eventNow();
  point.text(1, tag, strlen(tag));
  point.field(2, 5);
  point.add(&number, sizeof number);
  summary.text(1, point.bytes, point.size);
  event.field(2, 0);
  event.varint(static_cast<uint64_t>(step));
  event.text(5, summary.bytes, summary.size);
  return writeRecord(events->file, event) ? DLC_OK : DLC_IO_ERROR;
}

void dlc_events_close(dlc_events *events) {
  if (!events)
    return;
  fclose(events->file);
  free(events);
}

} // extern "C"
