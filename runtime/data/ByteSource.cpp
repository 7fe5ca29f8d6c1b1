//===- ByteSource.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads plain and, where the runtime is built with zlib, gzip files.
//===----------------------------------------------------------------------===//
#include "runtime/data/ByteSource.h"

#include <cinttypes>

#if DLC_USE_ZLIB
#include <zlib.h>
#endif

namespace dlc::runtime {

dlc_status ByteSource::open(const char *name, Error &error) {
  path = name;
  if (dlc_status status = file.open(path, error))
    return status;
  unsigned char magic[2] = {};
  if (file.size() >= sizeof magic)
    if (dlc_status status = file.readAt(0, magic, sizeof magic, error))
      return status;
  if (magic[0] != 0x1f || magic[1] != 0x8b)
    return DLC_OK;
  return startInflate(error);
}

uint64_t ByteSource::mostBytes() const {
  // Deflate's densest code is one bit of length and one of distance for 258 bytes.
  constexpr uint64_t densest = 1032;
  if (!stream)
    return file.size();
  return file.size() > UINT64_MAX / densest ? UINT64_MAX : file.size() * densest;
}

dlc_status ByteSource::readPlain(unsigned char *buffer, size_t count, size_t &got, Error &error) {
  uint64_t left = file.size() - position;
  got = left < count ? static_cast<size_t>(left) : count;
  dlc_status status = file.readAt(position, buffer, got, error);
  position += got;
  return status;
}

dlc_status ByteSource::read(void *buffer, size_t count, Error &error) {
  unsigned char *bytes = static_cast<unsigned char *>(buffer);
  size_t got = 0;
  dlc_status status = stream ? inflateSome(bytes, count, got, error) : readPlain(bytes, count, got, error);
  if (status == DLC_OK && got < count)
    return error.fail(DLC_BAD_FILE, "%s: truncated: %zu bytes missing", path, count - got);
  return status;
}

dlc_status ByteSource::expectEnd(Error &error) {
  unsigned char extra;
  size_t got = 0;
  dlc_status status = stream ? inflateSome(&extra, 1, got, error) : readPlain(&extra, 1, got, error);
  if (status == DLC_OK && got > 0)
    return error.fail(DLC_BAD_FILE, "%s: has more data than its header says", path);
  return status;
}

#if DLC_USE_ZLIB

ByteSource::~ByteSource() {
  if (stream)
    inflateEnd(stream);
  destroyObjects(stream, 1);
}

dlc_status ByteSource::startInflate(Error &error) {
  stream = createObjects<z_stream>(1);
  if (!stream || !input.allocate(windowBytes))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to decompress it", path);
  memset(static_cast<void *>(stream), 0, sizeof *stream);
  constexpr int gzipOnly = 16;
  if (inflateInit2(stream, gzipOnly + MAX_WBITS) != Z_OK) {
    destroyObjects(stream, 1);
    stream = nullptr;
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to decompress it", path);
  }
  return DLC_OK;
}

dlc_status ByteSource::refill(Error &error) {
  size_t got = 0;
  if (dlc_status status = readPlain(input.data(), windowBytes, got, error))
    return status;
  stream->next_in = input.data();
  stream->avail_in = static_cast<uInt>(got);
  return DLC_OK;
}

dlc_status ByteSource::inflateSome(unsigned char *buffer, size_t count, size_t &got, Error &error) {
  got = 0;
  while (got < count && !ended) {
    if (stream->avail_in == 0)
      if (dlc_status status = refill(error))
        return status;
    const bool exhausted = stream->avail_in == 0;
    size_t room = count - got < (1u << 30) ? count - got : 1u << 30;
    stream->next_out = buffer + got;
    stream->avail_out = static_cast<uInt>(room);
    int result = inflate(stream, Z_NO_FLUSH);
    got += room - stream->avail_out;
    if (result == Z_STREAM_END) {
      // A gzip file may consist of several members; the next begins at once.
      if (stream->avail_in == 0)
        if (dlc_status status = refill(error))
          return status;
      ended = stream->avail_in == 0;
      if (!ended)
        inflateReset(stream);
      continue;
    }
    if (result == Z_BUF_ERROR && exhausted)
      return error.fail(DLC_BAD_FILE, "%s: the gzip data is truncated", path);
    if (result == Z_MEM_ERROR)
      return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to decompress it", path);
    if (result != Z_OK && result != Z_BUF_ERROR)
      return error.fail(DLC_BAD_FILE, "%s: the gzip data is damaged: %s", path,
                        stream->msg ? stream->msg : "unknown compression");
  }
  return DLC_OK;
}

#else

ByteSource::~ByteSource() = default;

dlc_status ByteSource::startInflate(Error &error) {
  return error.fail(
      DLC_BAD_FILE,
      "%s: compressed with gzip, which this runtime was built without zlib to read: decompress the file "
      "(gunzip)",
      path);
}

dlc_status ByteSource::inflateSome(unsigned char *, size_t, size_t &, Error &) { return DLC_BAD_FILE; }

#endif

} // namespace dlc::runtime
