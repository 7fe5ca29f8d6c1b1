//===- MappedFile.h - files whose bytes are in memory only while read ------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The pages of a mapped file come into memory when they are read, and stay there until memory runs out. Who
// has read a large part and does not need it soon calls `unload`: the pages leave memory, and come again when
// they are read again. A file must not be changed in its place while it is mapped; what replaces it under its
// name does not matter.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_SUPPORT_MAPPEDFILE_H
#define DLC_COMPILER_SUPPORT_MAPPEDFILE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/FileSystem.h"
#include <memory>

namespace dlc {

class MappedFile {
public:
  /// Maps the bytes of a regular file for reading. An empty file has none.
  static llvm::ErrorOr<std::shared_ptr<const MappedFile>> open(const llvm::Twine &path);
  ~MappedFile();
  MappedFile(const MappedFile &) = delete;

  llvm::StringRef bytes() const {
    return region ? llvm::StringRef(region.const_data(), region.size()) : llvm::StringRef();
  }

  /// Lets the pages leave memory that lie in `part` as a whole, if it is a part of a file that is mapped.
  /// Other memory stays as it is.
  static void unload(llvm::ArrayRef<char> part);

private:
  explicit MappedFile(llvm::sys::fs::mapped_file_region mapped);

  llvm::sys::fs::mapped_file_region region;
};

} // namespace dlc

#endif // DLC_COMPILER_SUPPORT_MAPPEDFILE_H
