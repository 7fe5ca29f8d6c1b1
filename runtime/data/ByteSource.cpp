//===- ByteSource.cpp -----------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Reads plain and gzip files, and members of archives.
//===----------------------------------------------------------------------===//
#include "runtime/data/ByteSource.h"

#include "runtime/core/Memory.h"

#include <cinttypes>

namespace dlc::runtime {

dlc_status ByteSource::open(const char *name, Error &error) {
  if (dlc_status status = openPlain(name, error))
    return status;
  unsigned char magic[2] = {};
  if (file.size() >= sizeof magic)
    if (dlc_status status = file.readAt(0, magic, sizeof magic, error))
      return status;
  if (magic[0] != 0x1f || magic[1] != 0x8b)
    return DLC_OK;
  return startInflate(error);
}

dlc_status ByteSource::openPlain(const char *name, Error &error) {
  path = name;
  if (dlc_status status = file.open(path, error))
    return status;
  end = file.size();
  return DLC_OK;
}

dlc_status ByteSource::openPart(const char *archive, const char *name, const FilePart &wanted, Error &error) {
  path = name;
  part = wanted;
  isPart = true;
  if (dlc_status status = file.open(archive, error))
    return status;
  if (part.begin > file.size() || part.bytes > file.size() - part.begin)
    return error.fail(DLC_BAD_FILE, "%s: truncated: it ends at byte %" PRIu64 " of a file of %" PRIu64, path,
                      part.begin + part.bytes, file.size());
  position = part.begin;
  end = part.begin + part.bytes;
  if (part.isDeflated)
    if (dlc_status status = startInflate(error))
      return status;
  if (part.isDeflated)
    inflater->expectBlocksOnly();
  if (part.length > mostBytes() || (!part.isDeflated && part.length != part.bytes))
    return error.fail(DLC_BAD_FILE,
                      "%s: damaged: %" PRIu64 " bytes cannot be %" PRIu64 " of them decompressed", path,
                      part.bytes, part.length);
  return DLC_OK;
}

uint64_t ByteSource::mostBytes() const {
  // Deflate's densest code is one bit of length and one of distance for 258 bytes.
  constexpr uint64_t densest = 1032;
  const uint64_t stored = isPart ? part.bytes : end;
  if (!inflater)
    return stored;
  return stored > UINT64_MAX / densest ? UINT64_MAX : stored * densest;
}

dlc_status ByteSource::readPlain(unsigned char *buffer, size_t count, size_t &got, Error &error) {
  uint64_t left = end - position;
  got = left < count ? static_cast<size_t>(left) : count;
  dlc_status status = file.readAt(position, buffer, got, error);
  position += got;
  return status;
}

dlc_status ByteSource::read(void *buffer, size_t count, Error &error) {
  unsigned char *bytes = static_cast<unsigned char *>(buffer);
  size_t got = 0;
  dlc_status status = inflater ? inflateSome(bytes, count, got, error) : readPlain(bytes, count, got, error);
  if (status == DLC_OK && got < count)
    return error.fail(DLC_BAD_FILE, "%s: truncated: %zu bytes missing", path, count - got);
  if (status == DLC_OK && isPart && !inflater)
    checksum = checksumOf(bytes, got, checksum);
  return status;
}

dlc_status ByteSource::expectEnd(Error &error) {
  unsigned char extra;
  size_t got = 0;
  dlc_status status = inflater ? inflateSome(&extra, 1, got, error) : readPlain(&extra, 1, got, error);
  if (status == DLC_OK && got > 0)
    return error.fail(DLC_BAD_FILE, "%s: has more data than its header says", path);
  return status == DLC_OK && isPart && part.hasChecksum ? checkSum(error) : status;
}

dlc_status ByteSource::checkSum(Error &error) {
  const uint32_t found = inflater ? inflater->sumOfBytes() : checksum;
  if (found == part.checksum)
    return DLC_OK;
  return error.fail(DLC_BAD_FILE, "%s: damaged: its checksum is %08x, the archive says %08x", path, found,
                    part.checksum);
}

ByteSource::~ByteSource() { destroyObjects(inflater, 1); }

dlc_status ByteSource::startInflate(Error &error) {
  inflater = createObjects<Inflater>(1);
  if (!inflater || !input.allocate(inputBytes))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to decompress it", path);
  auto refillThis = [](void *context, const unsigned char *&bytes) {
    return static_cast<ByteSource *>(context)->refill(bytes);
  };
  inflater->readFrom(refillThis, this);
  return DLC_OK;
}

/// The inflater asks for bytes of the file; a failure waits in refillStatus.
size_t ByteSource::refill(const unsigned char *&bytes) {
  size_t got = 0;
  refillStatus = readPlain(input.data(), inputBytes, got, *refillError);
  bytes = input.data();
  return refillStatus == DLC_OK ? got : 0;
}

dlc_status ByteSource::inflateSome(unsigned char *buffer, size_t count, size_t &got, Error &error) {
  refillError = &error;
  const Inflater::Result result = inflater->read(buffer, count, got);
  refillError = nullptr;
  if (refillStatus != DLC_OK)
    return refillStatus;
  if (result == Inflater::Result::Truncated)
    return error.fail(DLC_BAD_FILE, "%s: the %s data is truncated", path, isPart ? "compressed" : "gzip");
  if (result == Inflater::Result::Damaged)
    return error.fail(DLC_BAD_FILE, "%s: the %s data is damaged: %s", path, isPart ? "compressed" : "gzip",
                      inflater->problem());
  return DLC_OK;
}

} // namespace dlc::runtime
