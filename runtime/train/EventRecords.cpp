//===- EventRecords.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "runtime/train/EventRecords.h"

#include <ctime>

namespace dlc::runtime {

void Message::add(const void *data, size_t count) {
  for (size_t i = 0; i < count && !isShort; ++i)
    isShort = !bytes.append(static_cast<const unsigned char *>(data)[i]);
}

void Message::varint(uint64_t value) {
  unsigned char digits[10];
  size_t count = 0;
  for (; value >= 0x80; value >>= 7)
    digits[count++] = static_cast<unsigned char>(value | 0x80);
  digits[count++] = static_cast<unsigned char>(value);
  add(digits, count);
}

double secondsNow() {
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

namespace {

/// CRC-32C (Castagnoli), bit by bit: events are few, and pictures are small.
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

dlc_status writeRecord(FILE *file, const Message &message) {
  if (!message.isComplete())
    return DLC_OUT_OF_MEMORY;
  const uint64_t length = message.size();
  const uint32_t ofLength = checksum(&length, sizeof length),
                 ofData = checksum(message.data(), message.size());
  fwrite(&length, sizeof length, 1, file);
  fwrite(&ofLength, sizeof ofLength, 1, file);
  fwrite(message.data(), 1, message.size(), file);
  fwrite(&ofData, sizeof ofData, 1, file);
  return fflush(file) == 0 && !ferror(file) ? DLC_OK : DLC_IO_ERROR;
}

} // namespace

dlc_status writeVersion(FILE *file) {
  Message event;
  event.real(1, secondsNow());
  event.text(3, "brain.Event:2");
  return writeRecord(file, event);
}

dlc_status writeValue(dlc_events &events, int64_t step, const Message &value) {
  Message summary, event;
  summary.message(1, value);
  event.real(1, secondsNow());
  event.integer(2, static_cast<uint64_t>(step));
  event.message(5, summary);
  return writeRecord(events.file, event);
}

} // namespace dlc::runtime
