//===- FolderLock.h - one training in a folder -----------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#ifndef DLC_TOOLS_DLC_TRAIN_FOLDERLOCK_H
#define DLC_TOOLS_DLC_TRAIN_FOLDERLOCK_H

#include <string>

namespace dlc::tool::training {

/// Keeps a folder for this process as long as it lives. The system holds the lock, on a file in the folder
/// which has the number of the process: a process that is killed leaves the file, but no lock.
class FolderLock {
public:
  FolderLock() = default;
  FolderLock(const FolderLock &) = delete;
  FolderLock &operator=(const FolderLock &) = delete;
  ~FolderLock();

  /// Failure where another process has the folder. Where the file system knows no locks, a warning.
  void take(const std::string &folder);

private:
  std::string path;
  int file = -1;
};

} // namespace dlc::tool::training

#endif // DLC_TOOLS_DLC_TRAIN_FOLDERLOCK_H
