//===- MappedFile.cpp - files whose bytes are in memory only while read ----===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/support/MappedFile.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/Process.h"
#include <map>
#include <mutex>
#include <sys/mman.h>

namespace dlc {

/// Where files are mapped: their first bytes, and the ends. `unload` is asked of any memory, and to drop
/// pages that are no file's would lose what is in them.
static std::mutex mutex;
static std::map<const char *, const char *> &mappings() {
  static std::map<const char *, const char *> all;
  return all;
}

MappedFile::MappedFile(llvm::sys::fs::mapped_file_region mapped) : region(std::move(mapped)) {
  std::lock_guard lock(mutex);
  mappings()[bytes().begin()] = bytes().end();
}

MappedFile::~MappedFile() {
  std::lock_guard lock(mutex);
  mappings().erase(bytes().begin());
}

llvm::ErrorOr<std::shared_ptr<const MappedFile>> MappedFile::open(const llvm::Twine &path) {
  llvm::Expected<llvm::sys::fs::file_t> file = llvm::sys::fs::openNativeFileForRead(path);
  if (!file)
    return llvm::errorToErrorCode(file.takeError());
  llvm::sys::fs::file_status status;
  std::error_code error = llvm::sys::fs::status(*file, status);
  llvm::sys::fs::mapped_file_region region;
  if (!error && status.getSize() > 0)
    region = llvm::sys::fs::mapped_file_region(*file, llvm::sys::fs::mapped_file_region::readonly,
                                               status.getSize(), 0, error);
  llvm::sys::fs::closeFile(*file);
  if (error)
    return error;
  return std::shared_ptr<const MappedFile>(new MappedFile(std::move(region)));
}

void MappedFile::unload(llvm::ArrayRef<char> part) {
  std::lock_guard lock(mutex);
  auto after = mappings().upper_bound(part.begin());
  if (part.empty() || after == mappings().begin() || std::prev(after)->second < part.end())
    return;
  const uint64_t page = llvm::sys::Process::getPageSizeEstimate();
  const uint64_t first = llvm::alignTo(reinterpret_cast<uintptr_t>(part.begin()), page),
                 end = llvm::alignDown(reinterpret_cast<uintptr_t>(part.end()), page);
  if (first < end)
    madvise(reinterpret_cast<void *>(first), end - first, MADV_DONTNEED);
}

} // namespace dlc
