//===- Zip.h - the entries of a zip archive ---------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// PyTorch stores entries without compression, so that an entry is a part of the file. Nothing in an archive
// is trusted: where entries lie, how long they are and their checksums are checked before anything is read.
//===----------------------------------------------------------------------===//
#ifndef DLC_FRONTENDS_PT2_ZIP_H
#define DLC_FRONTENDS_PT2_ZIP_H

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Error.h"

namespace dlc::pt2 {

class Zip {
public:
  /// The archive in `bytes`, which must live as long as it. Refuses what is no zip archive, archives of
  /// several files, and two entries of one name.
  static llvm::Expected<Zip> open(llvm::StringRef bytes);

  bool has(llvm::StringRef name) const { return entries.contains(name); }
  /// The content of an entry, a part of the archive's bytes. Refuses entries that are not there, compressed,
  /// encrypted or damaged.
  llvm::Expected<llvm::StringRef> read(llvm::StringRef name) const;
  /// In the order of the archive's directory.
  llvm::ArrayRef<llvm::StringRef> names() const { return ordered; }

private:
  struct Entry {
    uint64_t header = 0, size = 0, stored = 0;
    uint32_t checksum = 0;
    uint16_t method = 0, flags = 0;
  };
  /// Where the directory is, and how many entries it has.
  struct Directory {
    uint64_t offset = 0, size = 0, count = 0;
  };
  explicit Zip(llvm::StringRef bytes) : bytes(bytes) {}
  llvm::Expected<Directory> findDirectory() const;
  llvm::Error findLargeDirectory(uint64_t end, Directory &directory) const;
  llvm::Error readDirectory(const Directory &directory);
  llvm::Error readEntry(uint64_t &at, uint64_t end);

  llvm::StringRef bytes;
  llvm::StringMap<Entry> entries;
  std::vector<llvm::StringRef> ordered;
};

} // namespace dlc::pt2

#endif // DLC_FRONTENDS_PT2_ZIP_H
