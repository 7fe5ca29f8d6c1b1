//===- NpyHeader.cpp ------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The header's text may be anything: only the dictionary that NumPy writes is read, and its claims are held
// against the file's size.
//===----------------------------------------------------------------------===//
#include "runtime/data/ArrayHeader.h"

#include <cinttypes>

namespace dlc::runtime {

namespace {

constexpr uint64_t maxTextBytes = 65536;

class NpyParser {
public:
  NpyParser(const char *path, const char *text, ArrayHeader &header, Error &error)
      : path(path), next(text), header(header), error(error) {}

  dlc_status parse() {
    bool hasType = false, hasOrder = false, hasShape = false;
    if (!accept('{'))
      return damaged();
    while (!accept('}')) {
      char key[32];
      if (!word(key, sizeof key) || !accept(':'))
        return damaged();
      dlc_status status = DLC_OK;
      if (strcmp(key, "descr") == 0 && !hasType)
        hasType = true, status = parseType();
      else if (strcmp(key, "fortran_order") == 0 && !hasOrder)
        hasOrder = true, status = parseOrder();
      else if (strcmp(key, "shape") == 0 && !hasShape)
        hasShape = true, status = parseShape();
      else
        return damaged();
      if (status != DLC_OK)
        return status;
      if (!accept(',') && peek() != '}')
        return damaged();
    }
    if (!hasType || !hasOrder || !hasShape || peek() != 0)
      return damaged();
    if (isFortran && header.rank > 1)
      return error.fail(DLC_BAD_FILE,
                        "%s: was saved column by column (fortran_order): save numpy.ascontiguousarray(array)",
                        path);
    return DLC_OK;
  }

private:
  dlc_status damaged() {
    return error.fail(DLC_BAD_FILE, "%s: the header of the NPY file is not one that NumPy writes", path);
  }

  char peek() {
    while (*next == ' ' || *next == '\n')
      ++next;
    return *next;
  }
  bool accept(char c) {
    if (peek() != c)
      return false;
    ++next;
    return true;
  }
  /// 'text' in single quotes, without escapes.
  bool word(char *text, size_t bytes) {
    if (!accept('\''))
      return false;
    size_t length = 0;
    while (*next && *next != '\'' && length + 1 < bytes)
      text[length++] = *next++;
    text[length] = 0;
    return *next++ == '\'';
  }
  bool acceptWord(const char *text) {
    peek();
    const size_t length = strlen(text);
    if (strncmp(next, text, length) != 0)
      return false;
    next += length;
    return true;
  }

  dlc_status parseType() {
    if (peek() == '[')
      return error.fail(DLC_BAD_FILE, "%s: its values are structures, expected numbers", path);
    char type[32];
    if (!word(type, sizeof type))
      return damaged();
    static const char *const known[] = {"b1", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "f2", "f4", "f8"};
    const char order = type[0], *name = type + 1;
    header.order = order == '>' ? ByteOrder::Big : ByteOrder::Little;
    if (order && strchr("<>|=", order))
      for (const char *candidate : known)
        if (strcmp(name, candidate) == 0) {
          header.kind = name[0];
          header.size = static_cast<uint32_t>(name[1] - '0');
          return DLC_OK;
        }
    return error.fail(
        DLC_BAD_FILE,
        "%s: its values are of type '%s', expected bool, int8 to int64, uint8 to uint32, or float16 to "
        "float64",
        path, Printable(type).text);
  }

  dlc_status parseOrder() {
    isFortran = acceptWord("True");
    return isFortran || acceptWord("False") ? DLC_OK : damaged();
  }

  dlc_status parseShape() {
    if (!accept('('))
      return damaged();
    header.rank = 0;
    while (!accept(')')) {
      if (header.rank == maxRank)
        return error.fail(DLC_BAD_FILE, "%s: has more than %u dimensions", path, maxRank);
      int64_t size = 0;
      peek();
      if (*next < '0' || *next > '9')
        return damaged();
      for (; *next >= '0' && *next <= '9'; ++next)
        if (__builtin_mul_overflow(size, int64_t{10}, &size) ||
            __builtin_add_overflow(size, static_cast<int64_t>(*next - '0'), &size))
          return damaged();
      if (size == 0)
        return error.fail(DLC_BAD_FILE, "%s: dimension %u is 0", path, header.rank);
      header.shape[header.rank++] = size;
      if (!accept(',') && peek() != ')')
        return damaged();
    }
    if (header.rank == 0)
      return error.fail(DLC_BAD_FILE, "%s: holds one number, expected at least one dimension, the samples",
                        path);
    return DLC_OK;
  }

  const char *path, *next;
  ArrayHeader &header;
  Error &error;
  bool isFortran = false;
};

} // namespace

dlc_status readNpyHeader(const char *path, ByteSource &source, ArrayHeader &header, Error &error) {
  unsigned char head[12] = {};
  constexpr size_t least = 10;
  if (source.length() < least)
    return error.fail(DLC_BAD_FILE, "%s: too short for an NPY file", path);
  if (dlc_status status = source.read(head, least, error))
    return status;
  const bool isLong = head[6] == 2 || head[6] == 3;
  if (memcmp(head, "\x93NUMPY", 6) != 0 || (head[6] != 1 && !isLong))
    return error.fail(DLC_BAD_FILE, "%s: not an NPY file of version 1 to 3", path);
  if (isLong)
    if (dlc_status status = source.read(head + least, sizeof head - least, error))
      return status;
  uint64_t length = valueAt<uint16_t>(head + 8, ByteOrder::Little);
  if (isLong)
    length = valueAt<uint32_t>(head + 8, ByteOrder::Little);
  const uint64_t begin = isLong ? 12 : 10;
  if (length > maxTextBytes || length > source.length() - begin)
    return error.fail(DLC_BAD_FILE,
                      "%s: truncated, or damaged: a header of %" PRIu64 " bytes in a file of %" PRIu64, path,
                      length, source.length());
  Array<char> text;
  if (!text.allocate(static_cast<size_t>(length) + 1))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its header", path);
  if (dlc_status status = source.read(text.data(), static_cast<size_t>(length), error))
    return status;
  if (dlc_status status = NpyParser(path, text.data(), header, error).parse())
    return status;
  header.begin = begin + length;
  const uint64_t available = source.length() - header.begin;
  int64_t bytes = 0;
  if (!elementCount(header.rank, header.shape, header.count) ||
      __builtin_mul_overflow(header.count, static_cast<int64_t>(header.size), &bytes) ||
      static_cast<uint64_t>(bytes) != available)
    return error.fail(DLC_BAD_FILE,
                      "%s: truncated or damaged: its header says %s values of %u bytes, but %" PRIu64
                      " bytes follow",
                      path, ShapeText(header.rank, header.shape).text, header.size, available);
  return DLC_OK;
}

} // namespace dlc::runtime
