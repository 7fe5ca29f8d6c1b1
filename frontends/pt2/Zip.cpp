//===- Zip.cpp - the entries of a zip archive -------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The format is that of PKWARE's APPNOTE.TXT 6.3.10; the numbers of its sections stand at the parts.
//===----------------------------------------------------------------------===//
#include "frontends/pt2/Zip.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CRC.h"
#include "llvm/Support/Endian.h"

using namespace llvm;
using support::endian::read16le, support::endian::read32le, support::endian::read64le;

namespace dlc::pt2 {

static constexpr uint64_t endSize = 22, locatorSize = 20, largeEndSize = 56, entrySize = 46, headerSize = 30;
static constexpr uint64_t longestComment = 65535, mostEntries = 1 << 20;
/// Numbers of 32 and 16 bits that stand for one of 64 elsewhere.
static constexpr uint32_t elsewhere = 0xffffffff;
static constexpr uint16_t elsewhereCount = 0xffff;
static constexpr StringLiteral endMark("PK\5\6"), locatorMark("PK\6\7"), largeEndMark("PK\6\6"),
    entryMark("PK\1\2"), headerMark("PK\3\4");

static Error unsound(const Twine &message) {
  return createStringError("not a sound zip archive: " + message);
}

/// A name in a message: as long as somebody reads it.
static std::string quoted(StringRef name) {
  std::string text;
  raw_string_ostream stream(text);
  printEscapedString(name.take_front(200), stream);
  return "'" + text + "'";
}

Expected<Zip> Zip::open(StringRef bytes) {
  Zip zip(bytes);
  Expected<Directory> directory = zip.findDirectory();
  if (!directory)
    return directory.takeError();
  if (Error error = zip.readDirectory(*directory))
    return std::move(error);
  return zip;
}

/// 4.3.16: the record is the last thing in the file, before a comment.
Expected<Zip::Directory> Zip::findDirectory() const {
  if (bytes.size() < endSize)
    return unsound("the file has " + Twine(bytes.size()) + " bytes");
  uint64_t last = bytes.size() - endSize, first = last > longestComment ? last - longestComment : 0;
  for (uint64_t at = last + 1; at-- > first;) {
    const char *record = bytes.data() + at;
    if (!bytes.substr(at).starts_with(endMark) || read16le(record + 20) != bytes.size() - at - endSize)
      continue;
    Directory directory{read32le(record + 16), read32le(record + 12), read16le(record + 10)};
    if (read16le(record + 4) != 0 || read16le(record + 6) != 0 || read16le(record + 8) != directory.count)
      return unsound("it is a part of an archive of several files");
    bool isLarge =
        directory.offset == elsewhere || directory.size == elsewhere || directory.count == elsewhereCount;
    if (isLarge)
      if (Error error = findLargeDirectory(at, directory))
        return std::move(error);
    if (directory.offset > at || directory.size > at - directory.offset)
      return unsound("its directory, of " + Twine(directory.size) + " bytes at " + Twine(directory.offset) +
                     ", does not lie in the file");
    if (directory.count > mostEntries || directory.count * entrySize > directory.size)
      return unsound("a directory of " + Twine(directory.size) + " bytes cannot have " +
                     Twine(directory.count) + " entries");
    return directory;
  }
  return unsound("it has no directory at its end; the file is cut off, or of another format");
}

/// 4.3.15 and 4.3.14: the directory of an archive of more than 4 GiB, or of 65535 entries. `end` is where the
/// small record is.
Error Zip::findLargeDirectory(uint64_t end, Directory &directory) const {
  if (end < locatorSize || !bytes.substr(end - locatorSize).starts_with(locatorMark))
    return unsound("the record of a large archive (zip64) is missing");
  const char *locator = bytes.data() + end - locatorSize;
  uint64_t at = read64le(locator + 8), limit = end - locatorSize;
  if (read32le(locator + 4) != 0 || read32le(locator + 16) > 1)
    return unsound("it is a part of an archive of several files");
  if (limit < largeEndSize || at > limit - largeEndSize || !bytes.substr(at).starts_with(largeEndMark))
    return unsound("the record of a large archive (zip64) is not where it should be, at " + Twine(at));
  const char *record = bytes.data() + at;
  directory = {read64le(record + 48), read64le(record + 40), read64le(record + 32)};
  return Error::success();
}

Error Zip::readDirectory(const Directory &directory) {
  uint64_t at = directory.offset, end = directory.offset + directory.size;
  for (uint64_t i = 0; i < directory.count; ++i)
    if (Error error = readEntry(at, end))
      return error;
  return Error::success();
}

/// 4.3.12, and 4.5.3 for numbers of 64 bits.
Error Zip::readEntry(uint64_t &at, uint64_t end) {
  if (end - at < entrySize || !bytes.substr(at).starts_with(entryMark))
    return unsound("its directory is damaged at byte " + Twine(at));
  const char *record = bytes.data() + at;
  uint64_t nameSize = read16le(record + 28), extraSize = read16le(record + 30), rest = read16le(record + 32);
  if (end - at - entrySize < nameSize + extraSize + rest)
    return unsound("its directory is damaged at byte " + Twine(at));
  StringRef name = bytes.substr(at + entrySize, nameSize),
            extra = bytes.substr(at + entrySize + nameSize, extraSize);
  at += entrySize + nameSize + extraSize + rest;
  Entry entry{read32le(record + 42), read32le(record + 24), read32le(record + 20),
              read32le(record + 16), read16le(record + 10), read16le(record + 8)};
  while (extra.size() >= 4) {
    uint64_t id = read16le(extra.data()), size = read16le(extra.data() + 2);
    StringRef field = extra.substr(4, size);
    if (field.size() < size)
      return unsound("entry " + quoted(name) + " has a damaged field");
    extra = extra.drop_front(4 + size);
    if (id != 1)
      continue;
    for (uint64_t *number : {&entry.size, &entry.stored, &entry.header}) {
      if (*number != elsewhere)
        continue;
      if (field.size() < 8)
        return unsound("entry " + quoted(name) + " has a damaged field");
      *number = read64le(field.data());
      field = field.drop_front(8);
    }
  }
  if (!entries.try_emplace(name, entry).second)
    return unsound("two entries are called " + quoted(name));
  ordered.push_back(name);
  return Error::success();
}

/// 4.3.7: before the content stands a header, whose name and fields may have other lengths than in the
/// directory.
Expected<StringRef> Zip::read(StringRef name) const {
  auto found = entries.find(name);
  if (found == entries.end())
    return createStringError("the archive has no entry " + quoted(name));
  const Entry &entry = found->second;
  std::string which = "entry " + quoted(name);
  if (entry.flags & 1)
    return unsound(which + " is encrypted");
  if (entry.method != 0)
    return createStringError(which + " is compressed (method " + Twine(entry.method) +
                             "), expected one that is stored as PyTorch does; unpack "
                             "the archive and pack it with zip -0");
  if (entry.stored != entry.size)
    return unsound(which + " is stored, but in " + Twine(entry.stored) + " bytes instead of " +
                   Twine(entry.size));
  if (bytes.size() < headerSize || entry.header > bytes.size() - headerSize ||
      !bytes.substr(entry.header).starts_with(headerMark))
    return unsound(which + " is not where it should be, at byte " + Twine(entry.header));
  const char *header = bytes.data() + entry.header;
  uint64_t start = entry.header + headerSize + read16le(header + 26) + read16le(header + 28);
  if (start > bytes.size() || entry.size > bytes.size() - start)
    return unsound(which + " has " + Twine(entry.size) + " bytes, which do not lie in the file");
  StringRef content = bytes.substr(start, entry.size);
  if (crc32(arrayRefFromStringRef(content)) != entry.checksum)
    return unsound(which + " is damaged: its checksum is another one");
  return content;
}

} // namespace dlc::pt2
