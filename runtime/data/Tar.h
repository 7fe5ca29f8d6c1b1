//===- Tar.h --------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The members of a tar file, one after the other.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_DATA_TAR_H
#define DLC_RUNTIME_DATA_TAR_H

#include "runtime/core/File.h"

namespace dlc::runtime {

class TarReader {
public:
  TarReader(const char *path, const InputFile &file) : path(path), file(file) {}

  /// Goes on to the next file in it; `isEnd` where none follows.
  dlc_status next(bool &isEnd, Error &error);
  const char *name() const { return text; }
  uint64_t begin() const { return first; }
  uint64_t size() const { return bytes; }

private:
  dlc_status header(bool &isEnd, char &kind, Error &error);
  dlc_status longName(Error &error);
  dlc_status records(Error &error);
  bool record(const char *key, size_t keyBytes, const char *value, size_t valueBytes);
  dlc_status damaged(Error &error, const char *what) const;

  static constexpr size_t mostName = 4096;
  const char *path;
  const InputFile &file;
  uint64_t at = 0, first = 0, bytes = 0;
  char text[mostName];
  bool hasName = false, hasSize = false; ///< of a member before, for the next one
  uint64_t nextSize = 0;
};

} // namespace dlc::runtime

#endif
