//===- OutputFiles.cpp - files that appear together or not at all ----------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//===----------------------------------------------------------------------===//
#include "compiler/emit/OutputFiles.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/SmallString.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/Signals.h"
#include <cerrno>
#include <fcntl.h>
#include <iterator>
#include <unistd.h>

using namespace llvm;
namespace fs = llvm::sys::fs;

namespace dlc::emit {

static Error failure(StringRef path, std::error_code error) {
  return createStringError(error, "cannot write '" + path + "': " + error.message());
}

Expected<OutputFiles> OutputFiles::in(StringRef folder, OnSignal onSignal) {
  OutputFiles files(folder, onSignal);
  for (StringRef missing = folder; !missing.empty() && !fs::exists(missing);
       missing = sys::path::parent_path(missing))
    files.madeFolders.push_back(missing.str());
  if (std::error_code error = fs::create_directories(folder, /*IgnoreExisting=*/true, fs::all_all))
    return failure(folder, error); // the folders that were made go with `files`
  return files;
}

Expected<OutputFiles> OutputFiles::inMemory(std::vector<std::pair<std::string, std::string>> &files) {
  OutputFiles result("", OnSignal::Remove);
  result.memory = &files;
  return result;
}

OutputFiles::~OutputFiles() {
  for (File &file : files) {
    (void)fs::remove(file.temporary);
    sys::DontRemoveFileOnSignal(file.temporary);
  }
  names.reset();
  if (committed.empty())
    for (const std::string &made : madeFolders) // the innermost first
      ::rmdir(made.c_str());
}

Error OutputFiles::add(StringRef name, function_ref<void(raw_ostream &)> write) {
  if (memory) {
    std::string content;
    raw_string_ostream out(content);
    write(out);
    kept.emplace_back(name.str(), std::move(content));
    return Error::success();
  }
  SmallString<128> path(folder);
  sys::path::append(path, name);
  fs::file_status status;
  (void)fs::status(path, status, /*follow=*/false); // a link is replaced, whatever it leads to
  if (fs::is_directory(path))
    return failure(path, std::make_error_code(std::errc::is_a_directory));
  if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_symlink_file(status))
    return createStringError("cannot write '" + path + "': it is a device, a pipe or a socket, and no file");
  if (!names) {
    auto taken = TemporaryNames::in(folder, onSignal);
    if (!taken)
      return failure(path, taken.getError());
    names.emplace(std::move(*taken));
  }
  // Readable like files of other tools: as the umask says.
  std::string temporary = names->next("new");
  int descriptor;
  if (std::error_code error = fs::openFile(temporary, descriptor, fs::CD_CreateNew, fs::FA_Write, fs::OF_None,
                                           fs::all_read | fs::all_write))
    return failure(path, error);
  if (onSignal == OnSignal::Remove)
    sys::RemoveFileOnSignal(temporary);
  files.push_back({temporary, path.str().str(), ""});
  raw_fd_ostream out(descriptor, /*shouldClose=*/true);
  write(out);
  out.flush();
  std::error_code error = out.error(); // a full disk, say
  out.clear_error();
  // Some file systems tell only now that there was no room.
  if (!error && ::fsync(descriptor) != 0 && errno != EINVAL && errno != ENOTSUP)
    error = std::error_code(errno, std::generic_category());
  out.close();
  if (!error)
    error = out.error();
  out.clear_error();
  return error ? failure(path, error) : Error::success();
}

Error OutputFiles::keepOld(File &file) {
  fs::file_status status;
  (void)fs::status(file.path, status, /*follow=*/false); // a link is kept as a link
  if (!fs::exists(status))
    return Error::success();
  file.old = names->next("old");
  std::error_code error = fs::create_hard_link(file.path, file.old);
  if (error) // not every file system has links
    error = fs::copy_file(file.path, file.old);
  return error ? failure(file.path, error) : Error::success();
}

Error OutputFiles::commit() {
  if (memory) {
    memory->insert(memory->end(), std::make_move_iterator(kept.begin()), std::make_move_iterator(kept.end()));
    kept.clear();
    return Error::success();
  }
  size_t renamed = 0;
  scope_exit restore([&] {
    for (auto [i, file] : enumerate(files))
      if (i < renamed && !file.old.empty())
        (void)fs::rename(file.old, file.path); // if even this fails, it is in `old` till the next run
      else
        (void)fs::remove(i < renamed ? file.path : file.old);
  });
  for (File &file : files)
    if (Error error = keepOld(file))
      return error;
  for (File &file : files) {
    if (std::error_code error = fs::rename(file.temporary, file.path))
      return failure(file.path, error);
    ++renamed;
  }
  restore.release();
  for (File &file : files) {
    sys::DontRemoveFileOnSignal(file.temporary);
    if (!file.old.empty())
      (void)fs::remove(file.old);
    committed.push_back(file.path);
  }
  files.clear();
  names.reset();
  // So that a power failure does not undo what was renamed; whether it can be is the file system's affair.
  if (int descriptor = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY); descriptor >= 0) {
    ::fsync(descriptor);
    ::close(descriptor);
  }
  return Error::success();
}

Error writeFile(StringRef path, StringRef content) {
  StringRef folder = sys::path::parent_path(path);
  auto files = OutputFiles::in(folder.empty() ? "." : folder);
  if (!files)
    return files.takeError();
  if (Error error = files->add(sys::path::filename(path), content))
    return error;
  return files->commit();
}

} // namespace dlc::emit
