//===- Zip.h --------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of a ZIP archive, by its directory, which stands at its end.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_ZIP_H
#define DLC_RUNTIME_DATA_ZIP_H

#include "runtime/data/ByteSource.h"

namespace dlc::runtime {

struct ZipMember {
  const char *name;
  uint64_t header;           ///< where the member begins in the file
  FilePart part;             ///< without its begin, which its own header says
  bool isEncrypted, isKnown; ///< in a way that can be read: stored or deflated
};

class ZipFile {
public:
  /// Reads the directory. Names are not empty, have no character 0 and differ, or the archive is refused.
  dlc_status open(const char *path, Error &error);
  const Array<ZipMember> &members() const { return all; }
  /// Opens one of them; `name` is for messages, and must stay as long as the source.
  dlc_status openMember(const ZipMember &member, const char *name, ByteSource &source, Error &error) const;

private:
  dlc_status findDirectory(Error &error);
  dlc_status findLargeDirectory(uint64_t end, Error &error);
  dlc_status readDirectory(Error &error);
  dlc_status readEntry(size_t &at, size_t &nameAt, Error &error);
  dlc_status readSizes(const unsigned char *extra, size_t bytes, ZipMember &member);
  dlc_status checkNames(Error &error) const;
  dlc_status damaged(Error &error, const char *what) const;

  const char *path = nullptr;
  InputFile file;
  uint64_t directory = 0, directoryBytes = 0, entries = 0;
  Array<unsigned char> bytes; ///< of the directory
  Array<char> names;
  Array<ZipMember> all;
};

} // namespace dlc::runtime

#endif
