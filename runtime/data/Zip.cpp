//===- Zip.cpp ------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What an archive says of itself is held against the file's size before memory is taken for it. Archives and
// members beyond 4 GiB have their numbers in further records (ZIP64), as NumPy writes them.
//===----------------------------------------------------------------------===//
#include "runtime/data/Zip.h"
#include "runtime/data/Convert.h"

#include <cinttypes>

namespace dlc::runtime {

namespace {

constexpr size_t endBytes = 22, largeEndBytes = 56, locatorBytes = 20, entryBytes = 46, localBytes = 30;
constexpr uint64_t mostDirectoryBytes = uint64_t{1} << 28;

template <typename T> T numberAt(const unsigned char *bytes) { return valueAt<T>(bytes, ByteOrder::Little); }

bool begins(const unsigned char *bytes, char third, char fourth) {
  return bytes[0] == 'P' && bytes[1] == 'K' && bytes[2] == third && bytes[3] == fourth;
}

} // namespace

dlc_status ZipFile::damaged(Error &error, const char *what) const {
  return error.fail(DLC_BAD_FILE, "%s: truncated, damaged, or no ZIP archive: %s", path, what);
}

dlc_status ZipFile::open(const char *name, Error &error) {
  path = name;
  if (dlc_status status = file.open(path, error))
    return status;
  if (dlc_status status = findDirectory(error))
    return status;
  return readDirectory(error);
}

/// Its place stands in the last bytes, before a comment of up to 65,535 bytes.
dlc_status ZipFile::findDirectory(Error &error) {
  constexpr uint64_t mostComment = 65535;
  if (file.size() < endBytes)
    return damaged(error, "it is too short");
  const uint64_t most = endBytes + mostComment, count = file.size() < most ? file.size() : most;
  Array<unsigned char> tail;
  if (!tail.allocate(static_cast<size_t>(count)))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its end", path);
  if (dlc_status status = file.readAt(file.size() - count, tail.data(), tail.size(), error))
    return status;
  for (size_t comment = 0; comment + endBytes <= tail.size(); ++comment) {
    const unsigned char *end = tail.data() + (tail.size() - endBytes - comment);
    if (!begins(end, 5, 6) || numberAt<uint16_t>(end + 20) != comment)
      continue;
    entries = numberAt<uint16_t>(end + 10);
    directoryBytes = numberAt<uint32_t>(end + 12);
    directory = numberAt<uint32_t>(end + 16);
    if (entries == UINT16_MAX || directoryBytes == UINT32_MAX || directory == UINT32_MAX)
      return findLargeDirectory(file.size() - endBytes - comment, error);
    return DLC_OK;
  }
  return damaged(error, "it has no directory at its end");
}

/// A record of fixed size before `end` says where the record with the large numbers is.
dlc_status ZipFile::findLargeDirectory(uint64_t end, Error &error) {
  unsigned char locator[locatorBytes], record[largeEndBytes];
  if (end < locatorBytes)
    return damaged(error, "it has no directory at its end");
  if (dlc_status status = file.readAt(end - locatorBytes, locator, sizeof locator, error))
    return status;
  const uint64_t at = numberAt<uint64_t>(locator + 8);
  if (!begins(locator, 6, 7) || at > file.size() || largeEndBytes > file.size() - at)
    return damaged(error, "the place of its directory is missing");
  if (dlc_status status = file.readAt(at, record, sizeof record, error))
    return status;
  if (!begins(record, 6, 6))
    return damaged(error, "the place of its directory is missing");
  entries = numberAt<uint64_t>(record + 32);
  directoryBytes = numberAt<uint64_t>(record + 40);
  directory = numberAt<uint64_t>(record + 48);
  return DLC_OK;
}

dlc_status ZipFile::readDirectory(Error &error) {
  if (directory > file.size() || directoryBytes > file.size() - directory ||
      directoryBytes > mostDirectoryBytes || entries > directoryBytes / entryBytes)
    return damaged(error, "its directory is not where it says");
  // A name takes no more bytes than its entry has, and its end one more.
  if (!bytes.allocate(static_cast<size_t>(directoryBytes)) ||
      !names.allocate(static_cast<size_t>(directoryBytes + entries)))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its directory", path);
  if (dlc_status status = file.readAt(directory, bytes.data(), bytes.size(), error))
    return status;
  size_t at = 0, nameAt = 0;
  for (uint64_t i = 0; i < entries; ++i)
    if (dlc_status status = readEntry(at, nameAt, error))
      return status;
  return checkNames(error);
}

dlc_status ZipFile::readEntry(size_t &at, size_t &nameAt, Error &error) {
  if (bytes.size() - at < entryBytes || !begins(bytes.data() + at, 1, 2))
    return damaged(error, "an entry of its directory");
  const unsigned char *entry = bytes.data() + at;
  const size_t nameBytes = numberAt<uint16_t>(entry + 28), extraBytes = numberAt<uint16_t>(entry + 30),
               commentBytes = numberAt<uint16_t>(entry + 32);
  if (bytes.size() - at - entryBytes < nameBytes + extraBytes + commentBytes)
    return damaged(error, "an entry of its directory");
  const uint16_t method = numberAt<uint16_t>(entry + 10);
  constexpr uint16_t stored = 0, deflated = 8;
  ZipMember member = {};
  member.isEncrypted = numberAt<uint16_t>(entry + 8) & 1;
  member.isKnown = method == stored || method == deflated;
  member.part.isDeflated = method == deflated;
  member.part.checksum = numberAt<uint32_t>(entry + 16);
  member.part.hasChecksum = true;
  member.part.bytes = numberAt<uint32_t>(entry + 20);
  member.part.length = numberAt<uint32_t>(entry + 24);
  member.header = numberAt<uint32_t>(entry + 42);
  if (readSizes(entry + entryBytes + nameBytes, extraBytes, member) != DLC_OK)
    return damaged(error, "the sizes of a member");
  char *name = names.data() + nameAt;
  memcpy(name, entry + entryBytes, nameBytes);
  name[nameBytes] = 0;
  if (nameBytes == 0 || strlen(name) != nameBytes)
    return damaged(error, "the name of a member");
  member.name = name;
  nameAt += nameBytes + 1;
  at += entryBytes + nameBytes + extraBytes + commentBytes;
  return all.append(member) ? DLC_OK : error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its directory", path);
}

/// Numbers that are all ones stand in an extra field instead, in this order.
dlc_status ZipFile::readSizes(const unsigned char *extra, size_t count, ZipMember &member) {
  uint64_t *const wanted[] = {&member.part.length, &member.part.bytes, &member.header};
  constexpr uint16_t large = 1;
  bool isLarge = false;
  for (uint64_t *number : wanted)
    isLarge |= *number == UINT32_MAX;
  while (isLarge && count >= 4) {
    const uint16_t kind = numberAt<uint16_t>(extra);
    size_t left = numberAt<uint16_t>(extra + 2);
    extra += 4, count -= 4;
    if (left > count)
      return DLC_BAD_FILE;
    const unsigned char *next = extra;
    extra += left, count -= left;
    if (kind != large)
      continue;
    for (uint64_t *number : wanted) {
      if (*number != UINT32_MAX)
        continue;
      if (left < sizeof(uint64_t))
        return DLC_BAD_FILE;
      *number = numberAt<uint64_t>(next);
      next += sizeof(uint64_t), left -= sizeof(uint64_t);
    }
    return DLC_OK;
  }
  return isLarge ? DLC_BAD_FILE : DLC_OK;
}

dlc_status ZipFile::checkNames(Error &error) const {
  // By their hashes, so that an archive of many members takes no square of their number.
  size_t slots = 16;
  while (slots < 2 * all.size())
    slots *= 2;
  Array<const char *> seen;
  if (!seen.allocate(slots))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory for its directory", path);
  for (const ZipMember &member : all) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (const char *c = member.name; *c; ++c)
      hash = (hash ^ static_cast<unsigned char>(*c)) * 0x100000001b3u;
    size_t slot = static_cast<size_t>(hash) & (slots - 1);
    for (; seen[slot]; slot = (slot + 1) & (slots - 1))
      if (strcmp(seen[slot], member.name) == 0)
        return error.fail(DLC_BAD_FILE, "%s: two of its members are called '%s'", path,
                          Printable(member.name).text);
    seen[slot] = member.name;
  }
  return DLC_OK;
}

dlc_status ZipFile::openMember(const ZipMember &member, const char *name, ByteSource &source,
                               Error &error) const {
  if (member.isEncrypted)
    return error.fail(DLC_BAD_FILE, "%s: is encrypted", name);
  if (!member.isKnown)
    return error.fail(DLC_BAD_FILE, "%s: is compressed by another method than deflate", name);
  unsigned char local[localBytes];
  if (member.header > file.size() || localBytes > file.size() - member.header)
    return error.fail(DLC_BAD_FILE, "%s: truncated: begins at byte %" PRIu64 " of a file of %" PRIu64, name,
                      member.header, file.size());
  if (dlc_status status = file.readAt(member.header, local, sizeof local, error))
    return status;
  if (!begins(local, 3, 4))
    return error.fail(DLC_BAD_FILE, "%s: damaged: no member begins where the archive says", name);
  FilePart part = member.part;
  part.begin = member.header + localBytes + numberAt<uint16_t>(local + 26) + numberAt<uint16_t>(local + 28);
  return source.openPart(path, name, part, error);
}

} // namespace dlc::runtime
