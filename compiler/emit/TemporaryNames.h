//===- TemporaryNames.h - names for files that are being written -----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A process that is killed cannot remove its temporary files; the next one does. All names of one process in
// one folder are .dlc-<16 hexadecimal digits>.<number>.new or .old, and stand under one file, .dlc-<the same
// digits>.lock, that the process keeps locked (flock). The lock ends with the process, however it ends. It is
// the first of the files to appear and the last to go: whose lock is free, or not there, is abandoned.
//===----------------------------------------------------------------------===//
#ifndef DLC_COMPILER_EMIT_TEMPORARYNAMES_H
#define DLC_COMPILER_EMIT_TEMPORARYNAMES_H

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorOr.h"
#include <string>

namespace dlc::emit {

/// What a signal that asks the process to end (SIGINT, SIGTERM) does with files that are not complete: it
/// removes them, or leaves them as they are, as a handler lets the process go on till they are.
enum class OnSignal { Remove, Keep };

class TemporaryNames {
public:
  /// Takes names in a folder, and removes there what killed processes left.
  static llvm::ErrorOr<TemporaryNames> in(llvm::StringRef folder, OnSignal onSignal);
  TemporaryNames(TemporaryNames &&other);
  ~TemporaryNames();

  /// A path that nobody else uses; `extension` is "new" or "old".
  std::string next(llvm::StringRef extension);

private:
  TemporaryNames(std::string prefix, int lock) : prefix(std::move(prefix)), lock(lock) {}
  std::string prefix; ///< folder/.dlc-<digits>; empty: moved from
  int lock;
  unsigned count = 0;
};

} // namespace dlc::emit

#endif // DLC_COMPILER_EMIT_TEMPORARYNAMES_H
