//===- File.h -------------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files through descriptors: whole reads that survive interruption, and files that appear complete or
// not at all.
//===----------------------------------------------------------------------===//
#ifndef DLC_RUNTIME_CORE_FILE_H
#define DLC_RUNTIME_CORE_FILE_H

#include "runtime/core/Error.h"
#include "runtime/core/Memory.h"

namespace dlc::runtime {

/// A regular file opened for reading, or the bytes of one in memory.
class InputFile {
public:
  InputFile() = default;
  ~InputFile();
  InputFile(const InputFile &) = delete;
  InputFile &operator=(const InputFile &) = delete;

  dlc_status open(const char *path, Error &error);
  /// The caller's memory, which stays as it is while it is read; `name` stands for a path in messages.
  void openMemory(const char *name, const void *data, size_t count);
  uint64_t size() const { return bytes; }

  /// Exactly `count` bytes from `offset`; fewer are an error.
  dlc_status readAt(uint64_t offset, void *buffer, size_t count, Error &error) const;

private:
  const char *path = nullptr;
  int descriptor = -1;
  const unsigned char *memory = nullptr;
  uint64_t bytes = 0;
};

/// Writes beside `path` and takes its place only when everything is on the disk; until then, and if
/// anything fails, whatever was at `path` stays. A symbolic link stays one: its target is replaced.
///
/// The file being written is called .dlc-save-<8 hexadecimal digits>.tmp and is locked (flock) by the process
/// that writes it. Where a process is killed the lock goes and the name stays: files of such names that
/// nobody locks are removed by the next `open` for the same folder.
class AtomicFile {
public:
  AtomicFile() = default;
  ~AtomicFile();
  AtomicFile(const AtomicFile &) = delete;
  AtomicFile &operator=(const AtomicFile &) = delete;

  dlc_status open(const char *path, Error &error);
  dlc_status write(const void *data, size_t count, Error &error);
  dlc_status commit(Error &error);

private:
  dlc_status fail(const char *what, Error &error);
  bool createLocked(char *name);
  void removeAbandoned();
  void syncFolder();

  const char *path = nullptr; ///< as the caller gave it, for messages
  char *target = nullptr;     ///< `path` without symbolic links, where it exists
  Array<char> temporary;      ///< name of the file being written
  size_t folderLength = 0;    ///< of its folder, with the slash; 0: the working directory
  int descriptor = -1;
  bool created = false;
};

} // namespace dlc::runtime

#endif
