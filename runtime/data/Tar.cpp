//===- Tar.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Headers of ustar, and before them members that have what does not fit there: names of GNU's tar, and
// records of pax.
//===----------------------------------------------------------------------===//
#include "runtime/data/Tar.h"

#include <cinttypes>

namespace dlc::runtime {

namespace {

constexpr uint64_t blockBytes = 512, mostRecords = 1 << 20;

/// Octal digits, with spaces around them; or, where the first bit is set, a number in binary.
bool tarNumber(const unsigned char *field, size_t count, uint64_t &value) {
  value = 0;
  if (field[0] == 0x80) {
    for (size_t i = 1; i < count; ++i) {
      if (value >> 55)
        return false;
      value = value << 8 | field[i];
    }
    return true;
  }
  size_t i = 0;
  while (i < count && field[i] == ' ')
    ++i;
  for (; i < count && field[i] >= '0' && field[i] <= '7'; ++i) {
    if (value >> 60)
      return false;
    value = value << 3 | static_cast<uint64_t>(field[i] - '0');
  }
  return i == count || field[i] == 0 || field[i] == ' ';
}

size_t lengthOf(const unsigned char *field, size_t most) {
  size_t length = 0;
  while (length < most && field[length])
    ++length;
  return length;
}

} // namespace

dlc_status TarReader::damaged(Error &error, const char *what) const {
  return error.fail(DLC_BAD_FILE, "%s: truncated, damaged, or no tar file: %s at byte %" PRIu64, path, what,
                    at);
}

dlc_status TarReader::header(bool &isEnd, char &kind, Error &error) {
  unsigned char block[blockBytes];
  isEnd = at == file.size(); // some programs write no end
  if (isEnd)
    return DLC_OK;
  if (at > file.size() || file.size() - at < blockBytes)
    return damaged(error, "less than a header");
  if (dlc_status status = file.readAt(at, block, sizeof block, error))
    return status;
  uint64_t sum = 0, expected = 0;
  bool isZero = true;
  for (size_t i = 0; i < sizeof block; ++i) {
    sum += i >= 148 && i < 156 ? ' ' : block[i];
    isZero &= block[i] == 0;
  }
  isEnd = isZero;
  if (isEnd)
    return DLC_OK;
  if (!tarNumber(block + 148, 8, expected) || sum != expected)
    return damaged(error, at == 0 ? "no header" : "a header whose checksum differs");
  if (!tarNumber(block + 124, 12, bytes))
    return damaged(error, "the size of a member");
  kind = static_cast<char>(block[156]);
  if (hasSize && kind != 'x' && kind != 'L')
    bytes = nextSize;
  first = at + blockBytes;
  if (bytes > file.size() - first)
    return damaged(error, "a member that is larger than the file,");
  if (!hasName) {
    const bool isUstar = memcmp(block + 257, "ustar\0", 6) == 0;
    const size_t front = isUstar ? lengthOf(block + 345, 155) : 0, back = lengthOf(block, 100);
    memcpy(text, block + 345, front);
    text[front] = '/';
    memcpy(text + front + (front > 0), block, back);
    text[front + (front > 0) + back] = 0;
  }
  const uint64_t whole = (bytes + blockBytes - 1) / blockBytes * blockBytes;
  at = whole > file.size() - first ? file.size() : first + whole;
  return DLC_OK;
}

/// Reads the long name of the member that follows.
dlc_status TarReader::longName(Error &error) {
  if (bytes >= mostName)
    return damaged(error, "a name that is too long");
  if (dlc_status status = file.readAt(first, text, static_cast<size_t>(bytes), error))
    return status;
  text[bytes] = 0;
  hasName = true;
  return DLC_OK;
}

bool TarReader::record(const char *key, size_t keyBytes, const char *value, size_t valueBytes) {
  if (keyBytes == 4 && memcmp(key, "path", 4) == 0) {
    if (valueBytes >= mostName || memchr(value, 0, valueBytes))
      return false;
    memcpy(text, value, valueBytes);
    text[valueBytes] = 0;
    hasName = true;
  } else if (keyBytes == 4 && memcmp(key, "size", 4) == 0) {
    nextSize = 0;
    for (size_t i = 0; i < valueBytes; ++i) {
      if (value[i] < '0' || value[i] > '9' || nextSize > UINT64_MAX / 16)
        return false;
      nextSize = nextSize * 10 + static_cast<uint64_t>(value[i] - '0');
    }
    hasSize = valueBytes > 0;
    return hasSize;
  }
  return true;
}

/// "LENGTH KEY=VALUE\n", where LENGTH counts all of that.
dlc_status TarReader::records(Error &error) {
  if (bytes > mostRecords)
    return damaged(error, "records that are too long");
  Array<char> all;
  const auto count = static_cast<size_t>(bytes);
  if (!all.allocate(count + 1))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its headers", path);
  if (dlc_status status = file.readAt(first, all.data(), count, error))
    return status;
  for (size_t begin = 0; begin < count && all[begin];) {
    size_t length = 0, next = begin;
    for (; next < count && all[next] >= '0' && all[next] <= '9' && length <= count; ++next)
      length = length * 10 + static_cast<size_t>(all[next] - '0');
    if (next == begin || all[next] != ' ' || length > count - begin || begin + length < next + 2 ||
        all[begin + length - 1] != '\n')
      return damaged(error, "a record before");
    const char *key = all.data() + next + 1, *end = all.data() + begin + length - 1;
    const auto *equals = static_cast<const char *>(memchr(key, '=', static_cast<size_t>(end - key)));
    if (!equals ||
        !record(key, static_cast<size_t>(equals - key), equals + 1, static_cast<size_t>(end - equals - 1)))
      return damaged(error, "a record before");
    begin += length;
  }
  return DLC_OK;
}

dlc_status TarReader::next(bool &isEnd, Error &error) {
  hasName = hasSize = false;
  for (;;) {
    char kind = 0;
    if (dlc_status status = header(isEnd, kind, error))
      return status;
    if (isEnd || kind == '0' || kind == 0)
      return DLC_OK;
    dlc_status status = DLC_OK;
    if (kind == 'L')
      status = longName(error);
    else if (kind == 'x')
      status = records(error);
    else if (kind != 'g') // of a folder, a link ...; those for all members have nothing that counts here
      hasName = hasSize = false;
    if (status != DLC_OK)
      return status;
  }
}

} // namespace dlc::runtime
