//===- Png.cpp --------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PNG (ISO/IEC 15948): chunks of a length, a name, data and a checksum. The pixels are a zlib stream (RFC
// 1950) whose blocks are stored without compression (RFC 1951).
//===----------------------------------------------------------------------===//
#include "runtime/train/Png.h"

namespace dlc::runtime {
namespace {

class PngWriter {
public:
  explicit PngWriter(Array<unsigned char> &file) : file(file) {}

  void bytes(const void *data, size_t count) {
    for (size_t i = 0; i < count; ++i)
      byte(static_cast<const unsigned char *>(data)[i]);
  }
  void byte(unsigned char value) {
    isComplete = isComplete && file.append(value);
    crc ^= value;
    for (int bit = 0; bit < 8; ++bit)
      crc = crc >> 1 ^ (crc & 1 ? 0xedb88320u : 0);
  }
  void number(uint32_t value) {
    for (int shift = 24; shift >= 0; shift -= 8)
      byte(static_cast<unsigned char>(value >> shift));
  }
  void begin(const char *name, uint32_t length) {
    number(length);
    crc = ~0u;
    bytes(name, 4);
  }
  void end() { number(~crc); }

  bool isComplete = true;

private:
  Array<unsigned char> &file;
  uint32_t crc = 0; ///< of the chunk's name and data
};

constexpr size_t largestBlock = 65535;

/// The zlib stream of rows, each behind a byte that says that it is stored as it is.
class StoredRows {
public:
  StoredRows(PngWriter &writer, size_t total) : writer(writer), left(total) {}

  void add(unsigned char value) {
    if (inBlock == 0) {
      inBlock = left < largestBlock ? left : largestBlock;
      writer.byte(inBlock == left); // the last one, stored
      const size_t ends[] = {inBlock, ~inBlock};
      for (size_t end : ends) {
        writer.byte(static_cast<unsigned char>(end));
        writer.byte(static_cast<unsigned char>(end >> 8));
      }
    }
    writer.byte(value);
    --inBlock, --left;
    a = (a + value) % 65521;
    b = (b + a) % 65521;
  }
  uint32_t checksum() const { return b << 16 | a; } ///< Adler-32

private:
  PngWriter &writer;
  size_t left, inBlock = 0;
  uint32_t a = 1, b = 0;
};

} // namespace

bool writePng(int32_t height, int32_t width, int32_t channels, const uint8_t *pixels,
              Array<unsigned char> &file) {
  PngWriter writer(file);
  writer.bytes("\x89PNG\r\n\x1a\n", 8);
  writer.begin("IHDR", 13);
  writer.number(static_cast<uint32_t>(width));
  writer.number(static_cast<uint32_t>(height));
  const unsigned char kind[] = {8, static_cast<unsigned char>(channels == 1 ? 0 : 2), 0, 0, 0};
  writer.bytes(kind, sizeof kind);
  writer.end();

  const size_t row = static_cast<size_t>(width) * static_cast<size_t>(channels),
               total = static_cast<size_t>(height) * (row + 1),
               blocks = (total + largestBlock - 1) / largestBlock;
  writer.begin("IDAT", static_cast<uint32_t>(2 + 5 * blocks + total + 4));
  writer.bytes("\x78\x01", 2);
  StoredRows rows(writer, total);
  for (int32_t y = 0; y < height; ++y) {
    rows.add(0);
    for (size_t i = 0; i < row; ++i)
      rows.add(pixels[static_cast<size_t>(y) * row + i]);
  }
  writer.number(rows.checksum());
  writer.end();
  writer.begin("IEND", 0);
  writer.end();
  return writer.isComplete;
}

} // namespace dlc::runtime
