//===- OutputFiles.cpp - files that appear together or not at all ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/OutputFiles.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/Path.h"

using namespace llvm;

namespace dlc::emit {

static Error failure(StringRef path, std::error_code error) {
  return createStringError(error, "cannot write '" + path + "': " + error.message());
}

Expected<OutputFiles> OutputFiles::in(StringRef folder) {
  if (std::error_code error = sys::fs::create_directories(folder, /*IgnoreExisting=*/true, sys::fs::all_all))
    return failure(folder, error);
  return OutputFiles(folder);
}

OutputFiles::~OutputFiles() {
  for (File &file : files)
    consumeError(file.temporary.discard());
}

Error OutputFiles::add(StringRef name, function_ref<void(raw_ostream &)> write) {
  SmallString<128> path(folder);
  sys::path::append(path, name);
  if (sys::fs::is_directory(path))
    return failure(path, std::make_error_code(std::errc::is_a_directory));
  // Readable like files of other tools: as the umask says.
  auto temporary = sys::fs::TempFile::create(path + ".%%%%%%%%.tmp", sys::fs::all_read | sys::fs::all_write);
  if (!temporary)
    return failure(path, errorToErrorCode(temporary.takeError()));
  int descriptor = temporary->FD;
  files.push_back({std::move(*temporary), path.str().str()});
  raw_fd_ostream out(descriptor, /*shouldClose=*/false);
  write(out);
  out.flush();
  if (std::error_code error = out.error()) { // a full disk, say
    out.clear_error();
    return failure(path, error);
  }
  return Error::success();
}

Error OutputFiles::commit() {
  for (File &file : files) {
    if (Error error = file.temporary.keep(file.path))
      return failure(file.path, errorToErrorCode(std::move(error)));
    committed.push_back(file.path);
  }
  files.clear();
  return Error::success();
}

} // namespace dlc::emit
