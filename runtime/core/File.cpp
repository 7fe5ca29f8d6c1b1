//===- File.cpp -----------------------------------------------------------===//
// Part of dlc, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Files through descriptors.
//===----------------------------------------------------------------------===//
#include "runtime/core/File.h"

#include <cerrno>
#include <cinttypes>
#include <cstdio>
#include <ctime>
#include <dirent.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace dlc::runtime {

InputFile::~InputFile() {
  if (descriptor >= 0)
    close(descriptor);
}

dlc_status InputFile::open(const char *name, Error &error) {
  path = name;
  // Not blocking: the name of a pipe shall fail, not wait for a writer.
  descriptor = ::open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat status;
  if (descriptor < 0 || fstat(descriptor, &status) != 0)
    return error.fail(DLC_IO_ERROR, "%s: cannot be opened: %s", path, strerror(errno));
  if (!S_ISREG(status.st_mode))
    return error.fail(DLC_IO_ERROR, "%s: not a regular file", path);
  bytes = static_cast<uint64_t>(status.st_size);
  return DLC_OK;
}

void InputFile::openMemory(const char *name, const void *data, size_t count) {
  path = name;
  memory = static_cast<const unsigned char *>(data);
  bytes = count;
}

dlc_status InputFile::readAt(uint64_t offset, void *buffer, size_t count, Error &error) const {
  if (memory) {
    const uint64_t there = offset < bytes ? bytes - offset : 0;
    if (there < count)
      return error.fail(DLC_BAD_FILE, "%s: truncated: %zu bytes missing at byte %" PRIu64, path,
                        count - static_cast<size_t>(there), offset + there);
    memcpy(buffer, memory + offset, count);
    return DLC_OK;
  }
  unsigned char *next = static_cast<unsigned char *>(buffer);
  while (count > 0) {
    ssize_t got = pread(descriptor, next, count, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR)
      continue;
    if (got < 0)
      return error.fail(DLC_IO_ERROR, "%s: cannot be read: %s", path, strerror(errno));
    if (got == 0)
      return error.fail(DLC_BAD_FILE, "%s: truncated: %zu bytes missing at byte %" PRIu64, path, count,
                        offset);
    next += got;
    offset += static_cast<uint64_t>(got);
    count -= static_cast<size_t>(got);
  }
  return DLC_OK;
}

AtomicFile::~AtomicFile() {
  if (created)
    unlink(temporary.data());
  if (descriptor >= 0)
    close(descriptor);
  free(target);
}

dlc_status AtomicFile::fail(const char *what, Error &error) {
  return error.fail(DLC_IO_ERROR, "%s: cannot be %s: %s", path, what, strerror(errno));
}

namespace {

constexpr char temporaryFormat[] = ".dlc-save-%08x.tmp";
constexpr size_t temporaryLength = sizeof ".dlc-save-00000000.tmp" - 1;

/// A name that temporaryFormat gives, and nothing else.
bool isTemporaryName(const char *name) {
  constexpr size_t digits = sizeof ".dlc-save-" - 1;
  if (strlen(name) != temporaryLength || strncmp(name, ".dlc-save-", digits) != 0 ||
      strcmp(name + digits + 8, ".tmp") != 0)
    return false;
  for (size_t i = digits; i < digits + 8; ++i)
    if (!strchr("0123456789abcdef", name[i]))
      return false;
  return true;
}

/// Whether `name` still is the file that `descriptor` is of.
bool isSameFile(int folder, const char *name, int descriptor) {
  struct stat opened, named;
  return fstat(descriptor, &opened) == 0 && fstatat(folder, name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
         opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
}

} // namespace

/// Sets `descriptor`, or errno: EEXIST where another name has to be tried. Between the file's creation and
/// its lock another process may take it for abandoned and remove it. Where the file system has no locks
/// nothing is ever removed.
bool AtomicFile::createLocked(char *name) {
  descriptor = ::open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (descriptor < 0)
    return false;
  const bool isLocked = flock(descriptor, LOCK_EX | LOCK_NB) == 0;
  if ((isLocked || errno != EWOULDBLOCK) && isSameFile(AT_FDCWD, name, descriptor))
    return true;
  close(descriptor); // who removes it has it
  descriptor = -1;
  errno = EEXIST;
  return false;
}

/// Removes what killed processes left in the folder. Whatever fails here is no reason not to save.
void AtomicFile::removeAbandoned() {
  temporary[folderLength] = 0;
  const int folder = ::open(folderLength ? temporary.data() : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  DIR *entries = folder >= 0 ? fdopendir(folder) : nullptr;
  if (!entries) {
    if (folder >= 0)
      close(folder);
    return;
  }
  while (const dirent *entry = readdir(entries)) {
    if (!isTemporaryName(entry->d_name))
      continue;
    const int file = openat(folder, entry->d_name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
      continue;
    struct stat status;
    if (fstat(file, &status) == 0 && S_ISREG(status.st_mode) && flock(file, LOCK_EX | LOCK_NB) == 0 &&
        isSameFile(folder, entry->d_name, file))
      unlinkat(folder, entry->d_name, 0);
    close(file);
  }
  closedir(entries); // and `folder`
}

dlc_status AtomicFile::open(const char *name, Error &error) {
  path = name;
  struct stat existing;
  const bool exists = stat(path, &existing) == 0;
  if (exists && !S_ISREG(existing.st_mode))
    return error.fail(DLC_IO_ERROR, "%s: cannot be written: not a regular file", path);
  target = realpath(path, nullptr);
  const char *place = target ? target : path;
  const char *slash = strrchr(place, '/');
  folderLength = slash ? static_cast<size_t>(slash - place) + 1 : 0;
  if (!temporary.allocate(folderLength + temporaryLength + 1))
    return error.fail(DLC_OUT_OF_MEMORY, "%s: no memory to write it", path);
  memcpy(temporary.data(), place, folderLength);
  removeAbandoned();
  timespec now;
  clock_gettime(CLOCK_REALTIME, &now);
  for (unsigned attempt = 0; attempt < 100; ++attempt) {
    unsigned tag =
        (static_cast<unsigned>(now.tv_nsec) ^ static_cast<unsigned>(getpid()) << 12) + attempt * 2654435761u;
    snprintf(temporary.data() + folderLength, temporaryLength + 1, temporaryFormat, tag);
    if (createLocked(temporary.data()) || errno != EEXIST)
      break;
  }
  if (descriptor < 0)
    return fail("written", error);
  created = true;
  if (exists && fchmod(descriptor, existing.st_mode & 07777) != 0)
    return fail("given the permissions of the file it replaces", error);
  return DLC_OK;
}

dlc_status AtomicFile::write(const void *data, size_t count, Error &error) {
  const unsigned char *next = static_cast<const unsigned char *>(data);
  while (count > 0) {
    ssize_t put = ::write(descriptor, next, count);
    if (put < 0 && errno == EINTR)
      continue;
    if (put < 0)
      return fail("written", error);
    next += put;
    count -= static_cast<size_t>(put);
  }
  return DLC_OK;
}

/// After a power cut the new name shall be there as well. Some file systems cannot do it; the content is
/// safe either way.
void AtomicFile::syncFolder() {
  temporary[folderLength] = 0;
  int folder = ::open(folderLength ? temporary.data() : ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (folder >= 0) {
    fsync(folder);
    close(folder);
  }
}

dlc_status AtomicFile::commit(Error &error) {
  if (fsync(descriptor) != 0)
    return fail("written", error);
  // Renamed while it is open: closing it ends its lock.
  if (rename(temporary.data(), target ? target : path) != 0)
    return fail("replaced", error);
  created = false;
  syncFolder();
  return DLC_OK;
}

} // namespace dlc::runtime
