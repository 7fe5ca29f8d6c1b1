//===- EventRecords.h -------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// TensorBoard's files of events: records (length, checksum, data, checksum) of protocol buffers. The
// messages, of tensorflow/core/util/event.proto and framework/summary.proto, with the fields that are
// written:
//   Event { double wall_time = 1; int64 step = 2; string file_version = 3; Summary summary = 5; }
//   Summary { repeated Value value = 1; }
//   Value { string tag = 1; float simple_value = 2; Image image = 4; HistogramProto histo = 5;
//           SummaryMetadata metadata = 9; }
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_TRAIN_EVENTRECORDS_H
#define DLC_RUNTIME_TRAIN_EVENTRECORDS_H

#include "dlc/logs.h"
#include "runtime/core/Memory.h"

#include <cstdint>
#include <cstdio>

struct dlc_events {
  FILE *file;
  bool hasSettings; ///< hyperparameters are in it: closing it ends their session
};

namespace dlc::runtime {

constexpr size_t longestTag = 1000;

/// A protocol buffer while it is written. Once memory is short, nothing more is added.
class Message {
public:
  bool isComplete() const { return !isShort; }
  const unsigned char *data() const { return bytes.data(); }
  size_t size() const { return bytes.size(); }

  void add(const void *data, size_t count);
  void varint(uint64_t value);
  /// Wire types: 0 is a varint, 1 eight bytes, 2 a length and so many bytes, 5 four bytes.
  void field(unsigned number, unsigned wireType) { varint(number << 3 | wireType); }
  void integer(unsigned number, uint64_t value) {
    field(number, 0);
    varint(value);
  }
  void real(unsigned number, double value) {
    field(number, 1);
    add(&value, sizeof value);
  }
  void text(unsigned number, const void *data, size_t count) {
    field(number, 2);
    varint(count);
    add(data, count);
  }
  void text(unsigned number, const char *string) { text(number, string, strlen(string)); }
  void message(unsigned number, const Message &inner) {
    text(number, inner.data(), inner.size());
    isShort |= inner.isShort;
  }

private:
  Array<unsigned char> bytes;
  bool isShort = false;
};

/// Seconds since 1970.
double secondsNow();

/// The first event of a file.
dlc_status writeVersion(FILE *file);
/// Writes a Value as the only one of an event.
dlc_status writeValue(dlc_events &events, int64_t step, const Message &value);
/// What dlc_events_hyperparameters began is done.
void writeEndOfSession(dlc_events &events);

} // namespace dlc::runtime

#endif // DLC_RUNTIME_TRAIN_EVENTRECORDS_H
