//===- IdxHeader.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Two zero bytes, a type, a rank, `rank` big-endian sizes.
//===----------------------------------------------------------------------===//
#include "runtime/data/ArrayHeader.h"

#include <cinttypes>

namespace dlc::runtime {

namespace {

/// Kind and bytes of the values; size 0 for numbers that are no type.
ArrayHeader typeOf(unsigned char type) {
  ArrayHeader header = {};
  header.order = ByteOrder::Big;
  header.isIdx = true;
  const struct {
    unsigned char type;
    char kind;
    uint32_t size;
  } known[] = {{0x08, 'u', 1}, {0x09, 'i', 1}, {0x0b, 'i', 2},
               {0x0c, 'i', 4}, {0x0d, 'f', 4}, {0x0e, 'f', 8}};
  for (const auto &each : known)
    if (each.type == type) {
      header.kind = each.kind;
      header.size = each.size;
    }
  return header;
}

} // namespace

dlc_status readIdxHeader(const char *path, ByteSource &source, ArrayHeader &header, Error &error) {
  unsigned char head[4 + 4 * maxRank];
  if (source.mostBytes() < 4)
    return error.fail(DLC_BAD_FILE, "%s: too short for an IDX file", path);
  if (dlc_status status = source.read(head, 4, error))
    return status;
  header = typeOf(head[2]);
  if (head[0] != 0 || head[1] != 0 || header.size == 0)
    return error.fail(DLC_BAD_FILE, "%s: not an IDX file: it begins with %02x %02x %02x %02x", path, head[0],
                      head[1], head[2], head[3]);
  header.rank = head[3];
  if (header.rank < 1 || header.rank > maxRank)
    return error.fail(DLC_BAD_FILE, "%s: has %u dimensions, expected 1 to %u", path, header.rank, maxRank);
  if (dlc_status status = source.read(head + 4, size_t{4} * header.rank, error))
    return status;
  for (uint32_t i = 0; i < header.rank; ++i) {
    header.shape[i] = valueAt<uint32_t>(head + 4 + size_t{4} * i, ByteOrder::Big);
    if (header.shape[i] == 0)
      return error.fail(DLC_BAD_FILE, "%s: dimension %u is 0", path, i);
  }
  header.begin = 4 + 4 * uint64_t{header.rank};
  int64_t bytes = 0;
  const bool fits = elementCount(header.rank, header.shape, header.count) &&
                    !__builtin_mul_overflow(header.count, static_cast<int64_t>(header.size), &bytes);
  const uint64_t available = source.mostBytes();
  if (!fits || available < header.begin || static_cast<uint64_t>(bytes) > available - header.begin)
    return error.fail(
        DLC_BAD_FILE,
        "%s: truncated or damaged: its header says %s, a file of this size holds at most %" PRIu64 " bytes",
        path, ShapeText(header.rank, header.shape).text, available);
  return DLC_OK;
}

} // namespace dlc::runtime
